#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "optimized/dml_element_wise_quantized_linear_add_kernels.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/pack_bytes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized::linear_add {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Loads one byte for each lane of `d` as value minus zero point.
template <class D, class DI = hn::Rebind<int32_t, D>,
          class DU8 = hn::Rebind<uint8_t, D>>
HWY_INLINE hn::Vec<DI> LoadDifference(D /*d*/, const uint8_t* from,
                                      hn::Vec<DU8> flip,
                                      hn::Vec<DI> zero_point) {
  const auto bytes = hn::Xor(hn::LoadU(DU8(), from), flip);
  return hn::Sub(hn::PromoteTo(DI(), bytes), zero_point);
}

// Stores one byte for each lane of `d`, saturating (AR-04). By way of int16,
// because Highway 1.0.3 on AVX2 and AVX3 narrows an int32 of 32768..65535 to
// its low bits.
template <class D, class DI = hn::Rebind<int32_t, D>,
          class DU8 = hn::Rebind<uint8_t, D>>
HWY_INLINE void StoreClamped(D /*d*/, hn::Vec<DI> value, hn::Vec<DU8> flip,
                             uint8_t* to) {
  const hn::Rebind<int16_t, D> di16;
  const auto bytes = hn::DemoteTo(DU8(), hn::DemoteTo(di16, value));
  hn::StoreU(hn::Xor(bytes, flip), DU8(), to);
}

// sum + error is exactly a + b.
template <class V>
HWY_INLINE void TwoSum(V a, V b, V& sum, V& error) {
  sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  const V a_part = hn::Sub(sum, b_part);
  error = hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part));
}

// One vector of kExact. Products of a scale (24 bits) with a difference (9
// bits) are exact in double, whatever their exponents, so `sum` is the real sum
// rounded once and `quotient` is within 2^-51 of its relative value: below 1024
// far less than 1/2, so the real value lies in
// [floor(quotient) - 1/2, floor(quotient) + 3/2), and comparing it with the tie
// floor(quotient) + 1/2 alone decides. The sign of sA*x + sB*y - sY*tie is
// exact: the first sum is kept as sum + error, the third product is added to
// that expansion without loss (Shewchuk's grow-expansion), and the largest part
// that is not 0 has the sign of the whole.
template <class DD>
HWY_INLINE void ExactVector(DD dd, const Parameters& p, const uint8_t* a,
                            const uint8_t* b, uint8_t* output) {
  using V = hn::Vec<DD>;
  const hn::Rebind<int32_t, DD> di;
  const hn::Rebind<uint8_t, DD> du8;
  const V x = hn::PromoteTo(dd, LoadDifference(dd, a, hn::Set(du8, p.a_flip),
                                               hn::Set(di, p.a_zero_point)));
  const V y = hn::PromoteTo(dd, LoadDifference(dd, b, hn::Set(du8, p.b_flip),
                                               hn::Set(di, p.b_zero_point)));
  const V output_scale = hn::Set(dd, p.output_scale);
  V sum, error;
  TwoSum(hn::Mul(x, hn::Set(dd, p.a_scale)), hn::Mul(y, hn::Set(dd, p.b_scale)),
         sum, error);
  // Beyond +-1024 every zero point leads into the same clamp.
  const V limit = hn::Set(dd, 1024.0);
  const V quotient =
      hn::Max(hn::Min(hn::Div(sum, output_scale), limit), hn::Neg(limit));

  // Adding 1.5 * 2^52 leaves no fraction bits: it rounds half to even.
  const V shift = hn::Set(dd, 0x1.8p52);
  const V one = hn::Set(dd, 1.0);
  const V nearest = hn::Sub(hn::Add(quotient, shift), shift);
  const V floor =
      hn::Sub(nearest, hn::IfThenElseZero(hn::Gt(nearest, quotient), one));
  const V tie = hn::Add(floor, hn::Set(dd, 0.5));
  V part, low, high, middle;
  TwoSum(hn::Neg(hn::Mul(tie, output_scale)), error, part, low);
  TwoSum(part, sum, high, middle);
  // If `high` is 0, so is `middle`.
  const V zero = hn::Zero(dd);
  const V sign = hn::IfThenElse(hn::Eq(high, zero), low, high);
  const V decided = hn::Add(floor, hn::IfThenElseZero(hn::Gt(sign, zero), one));
  const V even = hn::Sub(hn::Add(tie, shift), shift);  // AR-03
  const V rounded = hn::IfThenElse(hn::Eq(sign, zero), even, decided);
  StoreClamped(
      dd, hn::Add(hn::DemoteTo(di, rounded), hn::Set(di, p.output_zero_point)),
      hn::Set(du8, p.output_flip), output);
}

// Calls vector(i) for whole vectors, and for the rest on copies of it.
template <size_t kMaxLanes, class Vector>
HWY_INLINE void ForEachVector(size_t lanes, const uint8_t* HWY_RESTRICT a,
                              const uint8_t* HWY_RESTRICT b, size_t count,
                              uint8_t* HWY_RESTRICT output,
                              const Vector& vector) {
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) vector(a + i, b + i, output + i);
  const size_t rest = count - i;
  if (rest == 0) return;
  HWY_ALIGN uint8_t a_rest[kMaxLanes] = {};
  HWY_ALIGN uint8_t b_rest[kMaxLanes] = {};
  HWY_ALIGN uint8_t output_rest[kMaxLanes];
  memcpy(a_rest, a + i, rest);
  memcpy(b_rest, b + i, rest);
  vector(a_rest, b_rest, output_rest);
  memcpy(output + i, output_rest, rest);
}

void ExactRow(const Parameters& p, const uint8_t* a, const uint8_t* b,
              size_t count, uint8_t* output) {
  const hn::ScalableTag<double> dd;
  ForEachVector<hn::MaxLanes(dd)>(
      hn::Lanes(dd), a, b, count, output,
      [&](const uint8_t* from_a, const uint8_t* from_b, uint8_t* to)
          HWY_ATTR { ExactVector(dd, p, from_a, from_b, to); });
}

template <Kernel kKernel>
void FloatRow(const Parameters& p, const uint8_t* HWY_RESTRICT a,
              const uint8_t* HWY_RESTRICT b, size_t count,
              uint8_t* HWY_RESTRICT output) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  // Adding 1.5 * 2^23 leaves no fraction bits: it rounds half to even (AR-03),
  // and the integer stands in the low bits. |value| is below 2^22.
  const auto shift = hn::Set(df, 0x1.8p23f);
  const auto to_output =
      hn::Set(di, p.output_zero_point - static_cast<int32_t>(0x4B400000));
  const hn::Rebind<uint8_t, decltype(df)> du8;
  const auto a_flip = hn::Set(du8, p.a_flip);
  const auto b_flip = hn::Set(du8, p.b_flip);
  const auto output_flip = hn::Set(du8, p.output_flip);
  const auto a_zero_point = hn::Set(di, p.a_zero_point);
  const auto b_zero_point = hn::Set(di, p.b_zero_point);
  const auto a_factor = hn::Set(df, p.a_factor);
  const auto b_factor = hn::Set(df, p.b_factor);
  const auto divisor = hn::Set(df, p.divisor);
  const auto decided = hn::Set(df, p.decided);
  const size_t lanes = hn::Lanes(df);
  const auto value_of = [&](const uint8_t* from_a,
                            const uint8_t* from_b) HWY_ATTR {
    const auto x =
        hn::ConvertTo(df, LoadDifference(df, from_a, a_flip, a_zero_point));
    const auto y =
        hn::ConvertTo(df, LoadDifference(df, from_b, b_flip, b_zero_point));
    const auto value = hn::MulAdd(y, b_factor, hn::Mul(x, a_factor));
    return kKernel == Kernel::kQuotient ? hn::Div(value, divisor) : value;
  };
  // The distance is exact: both are multiples of the value's last bit.
  const auto distance = [&](auto value, auto shifted) HWY_ATTR {
    return hn::Abs(hn::Sub(value, hn::Sub(shifted, shift)));
  };
  const auto one_vector = [&](const uint8_t* from_a, const uint8_t* from_b,
                              uint8_t* to) HWY_ATTR {
    const auto value = value_of(from_a, from_b);
    const auto shifted = hn::Add(value, shift);
    if constexpr (kKernel == Kernel::kFiltered) {
      if (HWY_UNLIKELY(
              !hn::AllFalse(df, hn::Gt(distance(value, shifted), decided)))) {
        ExactRow(p, from_a, from_b, lanes, to);
        return;
      }
    }
    StoreClamped(df, hn::Add(hn::BitCast(di, shifted), to_output), output_flip,
                 to);
  };
  size_t i = 0;
#if QCONFORM_HAVE_PACK_FOUR
  const hn::Repartition<uint8_t, decltype(df)> d8;
  const auto output_flips = hn::Set(d8, p.output_flip);
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto value0 = value_of(a + i, b + i);
    const auto value1 = value_of(a + i + lanes, b + i + lanes);
    const auto value2 = value_of(a + i + 2 * lanes, b + i + 2 * lanes);
    const auto value3 = value_of(a + i + 3 * lanes, b + i + 3 * lanes);
    const auto shifted0 = hn::Add(value0, shift);
    const auto shifted1 = hn::Add(value1, shift);
    const auto shifted2 = hn::Add(value2, shift);
    const auto shifted3 = hn::Add(value3, shift);
    if constexpr (kKernel == Kernel::kFiltered) {
      const auto farthest = hn::Max(
          hn::Max(distance(value0, shifted0), distance(value1, shifted1)),
          hn::Max(distance(value2, shifted2), distance(value3, shifted3)));
      if (HWY_UNLIKELY(!hn::AllFalse(df, hn::Gt(farthest, decided)))) {
        for (size_t j = i; j < i + 4 * lanes; j += lanes) {
          one_vector(a + j, b + j, output + j);
        }
        continue;
      }
    }
    const auto integer = [&](auto shifted) HWY_ATTR {
      return hn::Add(hn::BitCast(di, shifted), to_output);
    };
    const auto bytes = optimized::HWY_NAMESPACE::PackFour<uint8_t>(
        integer(shifted0), integer(shifted1), integer(shifted2),
        integer(shifted3), hn::Zero(di));
    hn::StoreU(hn::Xor(bytes, output_flips), d8, output + i);
  }
#endif
  ForEachVector<hn::MaxLanes(df)>(lanes, a + i, b + i, count - i, output + i,
                                  one_vector);
}

const KernelTable* Table() {
  static constexpr KernelTable kTable = {
      {FloatRow<Kernel::kProduct>, FloatRow<Kernel::kQuotient>,
       FloatRow<Kernel::kFiltered>, ExactRow}};
  return &kTable;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized::linear_add
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized::linear_add {
namespace {

HWY_EXPORT(Table);

// scale = integer * 2^exponent, the integer odd and below 2^24.
struct OddInteger {
  int64_t integer;
  int exponent;
};

OddInteger Decompose(float scale) {
  int exponent;
  const float fraction = std::frexp(scale, &exponent);
  OddInteger result = {static_cast<int64_t>(std::ldexp(fraction, 24)),
                       exponent - 24};
  while (result.integer % 2 == 0) {
    result.integer /= 2;
    ++result.exponent;
  }
  return result;
}

// The scales as the smallest integers of the same ratio; false if their
// exponents lie too far apart for integers of 55 bits.
bool SmallestIntegers(std::array<float, 3> scales,
                      std::array<int64_t, 3>& integers) {
  constexpr int kMaxShift = 30;
  std::array<OddInteger, 3> odd;
  for (size_t i = 0; i < 3; ++i) odd[i] = Decompose(scales[i]);
  const int base =
      std::min({odd[0].exponent, odd[1].exponent, odd[2].exponent});
  int64_t divisor = 0;
  for (size_t i = 0; i < 3; ++i) {
    const int shift = odd[i].exponent - base;
    if (shift > kMaxShift) return false;
    integers[i] = odd[i].integer * (int64_t{1} << shift);
    divisor = std::gcd(divisor, integers[i]);
  }
  for (int64_t& integer : integers) integer /= divisor;
  return true;
}

}  // namespace

const KernelTable& DispatchKernels() { return *HWY_DYNAMIC_DISPATCH(Table)(); }

// With M = max|x| * |sA/sY| + max|y| * |sB/sY|, the float value of kProduct is
// within M * 2^-22 + 2^-100 of the real one: rounding each ratio, each product
// and the sum costs at most 2^-24 of M each, (1 + 2^-24)^3 - 1 < 3.1 * 2^-24
// together (a fused multiply-add costs less), and ratios or products below the
// normal range lose less than 512 * 2^-126.
//
// - Where max|x| * |pA| + max|y| * |pB| <= 2^24 the sum is exact in float. The
//   quotient by a power of two is exact too, so kProduct makes no error at all.
//   Another divisor up to 2^15: a real quotient that is no tie is at least
//   1 / (2 * pY) >= 2^-16 away from any tie, more than half a unit in the last
//   place of a float up to 256, so the correctly rounded division can neither
//   reach nor pass a tie; beyond 256 every value is clamped, whatever the zero
//   point.
// - An odd pY has no ties (2 * sum = odd * pY has no solution), and every value
//   is 1 / (2 * pY) away from one: a smaller float error changes nothing.
// - Else, while M keeps the error below 1/8 and values below 2^22, kFiltered.
Parameters ChooseParameters(const Quantization& q) {
  Parameters p;
  const float sign = q.output_scale < 0 ? -1.0f : 1.0f;
  const float a_scale = sign * q.a_scale;
  const float b_scale = sign * q.b_scale;
  const float output_scale = sign * q.output_scale;
  p.a_flip = q.a_is_signed ? 0x80 : 0;
  p.b_flip = q.b_is_signed ? 0x80 : 0;
  p.output_flip = q.output_is_signed ? 0x80 : 0;
  p.a_zero_point = q.a_zero_point + p.a_flip;
  p.b_zero_point = q.b_zero_point + p.b_flip;
  p.output_zero_point = q.output_zero_point + p.output_flip;
  p.a_scale = a_scale;
  p.b_scale = b_scale;
  p.output_scale = output_scale;

  const int64_t max_x = std::max(p.a_zero_point, 255 - p.a_zero_point);
  const int64_t max_y = std::max(p.b_zero_point, 255 - p.b_zero_point);
  const double a_ratio = p.a_scale / p.output_scale;
  const double b_ratio = p.b_scale / p.output_scale;
  const double largest = static_cast<double>(max_x) * std::abs(a_ratio) +
                         static_cast<double>(max_y) * std::abs(b_ratio);
  const double error = largest * 0x1p-22 + 0x1p-100;
  constexpr double kMaxError = 0x1p-3;  // keeps values below 2^19
  if (error >= kMaxError) {
    p.kernel = Kernel::kExact;
    return p;
  }
  p.a_factor = static_cast<float>(a_ratio);
  p.b_factor = static_cast<float>(b_ratio);

  std::array<int64_t, 3> integers;
  if (SmallestIntegers({a_scale, b_scale, output_scale}, integers)) {
    const auto [a, b, divisor] = integers;
    constexpr int64_t kExactInFloat = int64_t{1} << 24;
    const bool sum_is_exact =
        std::abs(a) <= kExactInFloat && std::abs(b) <= kExactInFloat &&
        max_x * std::abs(a) + max_y * std::abs(b) <= kExactInFloat &&
        divisor <= int64_t{1} << 15;
    const bool divides_exactly = (divisor & (divisor - 1)) == 0;
    const bool has_no_tie = divisor % 2 != 0;
    if ((sum_is_exact && divides_exactly) ||
        (has_no_tie && error * 2 * static_cast<double>(divisor) < 1)) {
      p.kernel = Kernel::kProduct;
      return p;
    }
    if (sum_is_exact) {
      p.kernel = Kernel::kQuotient;
      p.a_factor = static_cast<float>(a);
      p.b_factor = static_cast<float>(b);
      p.divisor = static_cast<float>(divisor);
      return p;
    }
  }
  p.kernel = Kernel::kFiltered;
  p.decided = std::nextafter(static_cast<float>(0.5 - error), 0.0f);
  return p;
}

bool ProductIsExact(const KernelTable& table, const Parameters& parameters) {
  const Row product = table.rows[static_cast<size_t>(Kernel::kProduct)];
  const Row truth = table.rows[static_cast<size_t>(Kernel::kFiltered)];
  std::array<uint8_t, 256> a, b, expected, actual;
  std::iota(b.begin(), b.end(), uint8_t{0});
  for (int value = 0; value < 256; ++value) {
    a.fill(static_cast<uint8_t>(value));
    truth(parameters, a.data(), b.data(), b.size(), expected.data());
    product(parameters, a.data(), b.data(), b.size(), actual.data());
    if (actual != expected) return false;
  }
  return true;
}

}  // namespace qconform::optimized::linear_add
#endif  // HWY_ONCE
