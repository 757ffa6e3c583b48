// Dequantization of the sums; see the kernels header. Included once per target.
//
// The value s * w * f / divisor (sum, weight scale, row factor) is computed in
// double. That rounds three times at most, so it errs by less than 2^-51 of its
// size: too little to matter, except beside a tie of float16. There, and only
// there, the side is decided exactly.

#if defined(QCONFORM_OPTIMIZED_GROUPED_MATMUL_DEQUANTIZE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_GROUPED_MATMUL_DEQUANTIZE_INL_H_
#undef QCONFORM_OPTIMIZED_GROUPED_MATMUL_DEQUANTIZE_INL_H_
#else
#define QCONFORM_OPTIMIZED_GROUPED_MATMUL_DEQUANTIZE_INL_H_
#endif

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"
#include "optimized/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The leading 22 significant bits.
template <class D>
HWY_INLINE hn::Vec<D> Leading22Bits(D d, hn::Vec<D> value) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(
      d, hn::And(hn::BitCast(du, value), hn::Set(du, ~uint64_t{0x7FFFFFFF})));
}

// sum * scale - target, exact in sign. For target within 2^-36 of its size of
// the product, a sum of at most 31, a scale of at most 48 and a target of at
// most 19 significant bits; none negative.
//
// The scale is cut into pieces of 22, 22 and 4 bits, so each product has at
// most 53 bits and is exact. The first difference is exact by Sterbenz's lemma.
// Write u for the unit of the scale; all terms of the second sum are multiples
// of g, the smaller of 2^4 u and the target's last bit. The sum is at most
// 2^-36 target + 2^35 u. If g = 2^4 u, target < 2^80 u makes that less than
// 2^41 g; else target < 2^19 g, and sum * scale, hence every term, is less than
// 2^20 g. So it is exact as well. The last sum may round, but not to another
// sign.
template <class D>
HWY_INLINE hn::Vec<D> SignedRemainder(D d, hn::Vec<D> sum, hn::Vec<D> scale,
                                      hn::Vec<D> target) {
  const auto scale_1 = Leading22Bits(d, scale);
  const auto rest = hn::Sub(scale, scale_1);
  const auto scale_2 = Leading22Bits(d, rest);
  const auto scale_3 = hn::Sub(rest, scale_2);
  const auto first = hn::Sub(hn::Mul(sum, scale_1), target);
  const auto second = hn::Add(first, hn::Mul(sum, scale_2));
  return hn::Add(second, hn::Mul(sum, scale_3));
}

// Lanes(d) elements.
template <class D>
HWY_INLINE void DequantizeVector(D d, const Dequantization& q,
                                 double reduced_factor, double divisor,
                                 size_t i, const int32_t* sums, uint16_t* out) {
  const hn::Rebind<int32_t, D> di32;
  const hn::Rebind<float, D> df;
  const hn::RebindToUnsigned<D> du;
  const auto sum = hn::PromoteTo(d, hn::LoadU(di32, sums + i));
  const auto weight_scale = hn::PromoteTo(d, hn::LoadU(df, q.weight_scale + i));
  const auto value =
      hn::Mul(sum, hn::Mul(weight_scale, hn::Set(d, reduced_factor)));
  // Everything from 65520 on becomes infinity; the limit keeps the steps below
  // in range and clear of ties.
  const auto magnitude = hn::Min(hn::Abs(value), hn::Set(d, 0x1p17));

  // The distance of neighbouring float16 here, subnormals included (AR-05).
  const auto binade = hn::BitCast(
      d,
      hn::And(hn::BitCast(du, magnitude), hn::Set(du, uint64_t{0x7FF} << 52)));
  const auto unit =
      hn::Max(hn::Mul(binade, hn::Set(d, 0x1p-10)), hn::Set(d, 0x1p-24));
  // The sum lies in [grid, 2 * grid], where doubles are `unit` apart and even
  // where float16 is: the addition rounds to float16, ties to even.
  const auto grid = hn::Mul(unit, hn::Set(d, 0x1p52));
  auto rounded = hn::Sub(hn::Add(magnitude, grid), grid);

  // magnitude < 2^11 unit, so it errs by less than 2^-40 unit: outside of
  // 2^-38 unit about a tie the exact value rounds alike.
  const auto difference = hn::Sub(magnitude, rounded);
  const auto beside_tie =
      hn::Ge(hn::Abs(difference), hn::Mul(unit, hn::Set(d, 0.5 - 0x1p-38)));
  if (HWY_UNLIKELY(!hn::AllFalse(d, beside_tie))) {
    const auto half_unit = hn::Mul(unit, hn::Set(d, 0.5));
    const auto tie = hn::Add(rounded, hn::CopySign(half_unit, difference));
    const auto scale =
        hn::Abs(hn::Mul(weight_scale, hn::Set(d, double{q.row_factor})));
    const auto remainder = SignedRemainder(d, hn::Abs(sum), scale,
                                           hn::Mul(tie, hn::Set(d, divisor)));
    const auto zero = hn::Zero(d);
    const auto to_even = hn::Sub(hn::Add(tie, grid), grid);
    const auto decided =
        hn::IfThenElse(hn::Gt(remainder, zero), hn::Add(tie, half_unit),
                       hn::IfThenElse(hn::Lt(remainder, zero),
                                      hn::Sub(tie, half_unit), to_even));
    rounded = hn::IfThenElse(beside_tie, decided, rounded);
  }
  // A float16 value, or one from 65536 on: the conversions only rename it.
  StoreFloat16(df, hn::DemoteTo(df, hn::CopySignToAbs(rounded, value)),
               out + i);
}

void Dequantize(const Dequantization& q, const int32_t* HWY_RESTRICT sums,
                size_t count, uint16_t* HWY_RESTRICT out) {
  if (std::isnan(q.row_factor)) {
    FillWithNan(count, out);
    return;
  }
  const double divisor = q.is_dynamic ? kDynamicDivisor : 1;
  const double reduced_factor = double{q.row_factor} / divisor;
  const hn::CappedTag<double, 8> d;
  const hn::CappedTag<double, 1> d1;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    DequantizeVector(d, q, reduced_factor, divisor, i, sums, out);
  }
  for (; i < count; ++i) {
    DequantizeVector(d1, q, reduced_factor, divisor, i, sums, out);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
