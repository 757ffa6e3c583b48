// Dequantization of the sums; see the kernels header. Included once per target.
//
// The value s * w * f / divisor (sum, weight scale, row factor) is computed in
// double. That rounds three times at most, so it errs by less than 2^-51 of its
// size: too little to matter, except beside a tie of float16. There, and only
// there, the side is decided exactly.
//
// Where the machine converts to float16, float is tried before. y = float(s) *
// (w * g), g being f / divisor rounded to float, in the normal range, errs by
// four roundings of 2^-24 of its size: where y is a normal number, by less than
// five units of its last bit. Between neighbours of float16 lie 2^13 of these
// units, with the tie in the middle. So a y at least six units from the tie
// rounds as the exact value does.

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

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
using FloatTag = hn::ScalableTag<float>;

// A vector by float; false, and nothing written, if an element is uncertain.
HWY_INLINE bool TryFloat(const float* HWY_RESTRICT weight_scale,
                         hn::Vec<FloatTag> reduced_factor,
                         const int32_t* HWY_RESTRICT sums,
                         uint16_t* HWY_RESTRICT out) {
  const FloatTag df;
  const hn::RebindToSigned<FloatTag> di;
  const auto sum = hn::LoadU(di, sums);
  const auto y = hn::Mul(hn::ConvertTo(df, sum),
                         hn::Mul(hn::LoadU(df, weight_scale), reduced_factor));
  const auto bits = hn::BitCast(di, y);
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const auto from_tie =
      hn::Abs(hn::Sub(hn::And(bits, hn::Set(di, 0x1FFF)), hn::Set(di, 0x1000)));
  // Below 2^-14 float16 is subnormal, with ties of other kinds; but a sum of 0
  // is certain. NaN is 0 times a scale that left float.
  const auto is_small = hn::And(hn::Lt(magnitude, hn::Set(di, 0x38800000)),
                                hn::Ne(sum, hn::Zero(di)));
  const auto is_nan = hn::Gt(magnitude, hn::Set(di, 0x7F800000));
  const auto is_uncertain =
      hn::Or(hn::Lt(from_tie, hn::Set(di, 6)), hn::Or(is_small, is_nan));
  if (HWY_UNLIKELY(!hn::AllFalse(di, is_uncertain))) return false;
  constexpr int kNearestEven = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
#if HWY_TARGET <= HWY_AVX3
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm512_cvtps_ph(y.raw, kNearestEven));
#else
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                   _mm256_cvtps_ph(y.raw, kNearestEven));
#endif
  return true;
}
#endif

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
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  const auto factor = static_cast<float>(reduced_factor);
  const size_t float_lanes = hn::Lanes(FloatTag());
  if (std::abs(factor) >= 0x1p-126f && std::abs(factor) <= 0x1p127f) {
    const auto factors = hn::Set(FloatTag(), factor);
    for (; i + float_lanes <= count; i += float_lanes) {
      if (TryFloat(q.weight_scale + i, factors, sums + i, out + i)) continue;
      for (size_t j = 0; j < float_lanes; j += lanes) {
        DequantizeVector(d, q, reduced_factor, divisor, i + j, sums, out);
      }
    }
  }
#endif
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
