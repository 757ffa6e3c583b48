// Scalar parts of quantize-and-dequantize: the choice of scale and kernel, and
// the element in wide integers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "absl/numeric/int128.h"
#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

namespace qconform::optimized::quantize_and_dequantize {
namespace {

int BitWidth(absl::uint128 value) {
  const uint64_t high = absl::Uint128High64(value);
  return high != 0
             ? 64 + static_cast<int>(std::bit_width(high))
             : static_cast<int>(std::bit_width(absl::Uint128Low64(value)));
}

uint64_t Magnitude(int64_t value) {
  return static_cast<uint64_t>(value < 0 ? -value : value);
}

// A positive number, mantissa * 2^exponent.
struct Positive {
  absl::uint128 mantissa;
  int exponent;
};

// |value|, which is finite and not 0; the mantissa is below 2^24.
Positive Split(float value) {
  int exponent;
  const float fraction = std::frexp(std::abs(value), &exponent);
  return {static_cast<uint32_t>(std::ldexp(fraction, 24)), exponent - 24};
}

// a < b; both mantissas are below 2^86.
bool Less(const Positive& a, const Positive& b) {
  const int a_top = BitWidth(a.mantissa) + a.exponent;
  const int b_top = BitWidth(b.mantissa) + b.exponent;
  if (a_top != b_top) return a_top < b_top;
  // With equal tops, aligning the exponents makes the widths equal.
  const int shift = a.exponent - b.exponent;
  return shift > 0 ? (a.mantissa << shift) < b.mantissa
                   : a.mantissa < (b.mantissa << -shift);
}

// quantized_min / min < quantized_max / max, all products positive (TQ-02).
bool MinimumSideIsSmaller(const Format& format, const Range& range) {
  Positive left = Split(range.max);
  Positive right = Split(range.min);
  left.mantissa *= Magnitude(format.quantized_min);
  right.mantissa *= Magnitude(format.quantized_max);
  return Less(left, right);
}

// |input * quantized / range| rounded to an integer, at most `limit`.
uint64_t RoundQuotient(float input, const Parameters& p, bool tie_goes_up,
                       uint64_t limit) {
  if (std::isinf(input)) return limit;  // TQ-08
  if (input == 0) return 0;
  const Positive x = Split(input);
  const Positive range = Split(p.range);
  // Below 2^86, as |quantized| < 2^62.
  absl::uint128 numerator = x.mantissa * Magnitude(p.quantized);
  absl::uint128 denominator = range.mantissa;
  const int shift = x.exponent - range.exponent;
  // The quotient lies between 2^(top - 1) and 2^(top + 1).
  const int top = BitWidth(numerator) - BitWidth(denominator) + shift;
  if (top > 63) return limit;
  if (top < -1) return 0;
  // Now neither shift can exceed 88 + 24 bits in all.
  if (shift > 0) {
    numerator <<= shift;
  } else {
    denominator <<= -shift;
  }
  absl::uint128 quotient = numerator / denominator;
  const absl::uint128 twice_rest = (numerator - quotient * denominator) * 2;
  const bool is_odd = absl::Uint128Low64(quotient) % 2 != 0;
  if (twice_rest > denominator ||
      (twice_rest == denominator && (p.half_up ? tie_goes_up : is_odd))) {
    ++quotient;
  }
  return quotient > limit ? limit : absl::Uint128Low64(quotient);  // TQ-04
}

// mantissa * 2^exponent, or a little more if `is_more`, rounded to float, half
// to even. The mantissa has at least 30 bits, so that some are dropped.
float RoundToFloat(absl::uint128 mantissa, int exponent, bool is_more) {
  // The exponent of the result's last bit; subnormals end at 2^-149.
  const int last = std::max(BitWidth(mantissa) + exponent - 24, -149);
  const int dropped = last - exponent;
  if (dropped > BitWidth(mantissa)) return 0;  // below half of 2^-149
  absl::uint128 kept = mantissa >> dropped;
  const absl::uint128 half = absl::uint128(1) << (dropped - 1);
  const absl::uint128 rest = mantissa - (kept << dropped);
  const bool is_odd = absl::Uint128Low64(kept) % 2 != 0;
  if (rest > half || (rest == half && (is_more || is_odd))) ++kept;
  return std::ldexp(static_cast<float>(absl::Uint128Low64(kept)), last);
}

Parameters ChooseTensorFlow(const Format& format, const Range& range,
                            bool range_is_given) {
  // TQ-12, in the order of the decision.
  constexpr float kMax = std::numeric_limits<float>::max();
  const float quantized_min = static_cast<float>(format.quantized_min);
  const float quantized_max = static_cast<float>(format.quantized_max);
  const float min_scale =
      quantized_min * range.min > 0 ? quantized_min / range.min : kMax;
  const float max_scale =
      quantized_max * range.max > 0 ? quantized_max / range.max : kMax;
  Parameters p;
  p.kernel = Kernel::kTensorFlow;
  p.half_up = format.half_up;
  p.clamps = range_is_given;
  p.min = range.min;
  p.max = range.max;
  if (min_scale < max_scale) {
    p.scale = min_scale;
    p.inverse = range.min / quantized_min;
    p.max = quantized_max * p.inverse;
  } else {
    p.scale = max_scale;
    p.inverse = range.max / quantized_max;
    p.min = quantized_min * p.inverse;
  }
  return p;
}

// Which rounding is exact. v = x * scale_factor is a tie k + 1/2 for a float x
// exactly if x = (2k + 1) * r / 2q has at most 24 bits. With R and Q the odd
// parts of r and q, and Q / gcd(Q, R) = Q', that is 2k + 1 = Q' * j for an odd
// j with j * R / gcd(Q, R) < 2^24.
//
// What is added must exceed all errors, and be far below the distance of the
// nearest v that is no tie (tf_quantize_and_dequantize_v2_float-inl.h), for
// |v| < 2^10 - 1/2:
// - HALF_UP: bias = 2^-37, upwards. S is off by |v| * 2^-48 < 2^-38, and the
//   fused multiply-add of a value below 2^-14 by 2^-39. No other v is nearer
//   than 2^-35.
// - HALF_TO_EVEN: s * 2^-45, relative, away from 0 if all k are odd, towards 0
//   if all are even. S, biased_low as a float and its product are each off by
//   less than 2^-48 of s or v. No other v is nearer than |v| * 2^-35.
void ChooseFloatRounding(double scale_low, Parameters& p) {
  if (p.half_up) {
    p.rounding = FloatRounding::kOneWay;
    p.biased_low = p.scale_low;
    p.bias = 0x1p-37f;
    return;
  }
  if (p.scale_low == 0) {
    p.rounding = FloatRounding::kFloatProduct;
    return;
  }
  const auto odd_part = [](uint64_t value) {
    return value >> std::countr_zero(value);
  };
  const uint64_t quantized = odd_part(Magnitude(p.quantized));
  const uint64_t range = odd_part(absl::Uint128Low64(Split(p.range).mantissa));
  const uint64_t divisor = std::gcd(quantized, range);
  const uint64_t first = quantized / divisor;  // 2k + 1 of the first tie
  const uint64_t largest =
      std::max(Magnitude(p.quantized_min), Magnitude(p.quantized_max));
  const bool has_next =
      first * 3 < 2 * largest && range / divisor * 3 < uint64_t{1} << 24;
  if (has_next) return;  // k of the next tie is odd if this one's is even
  p.rounding = FloatRounding::kOneWay;
  const double bias =
      std::ldexp(std::abs(static_cast<double>(p.scale_high)), -45);
  p.biased_low =
      static_cast<float>(first % 4 == 1 ? scale_low - bias : scale_low + bias);
}

// The parameters of kFloat, for a scale_factor and an inverse in which nothing
// comes near the ends of float's exponents.
void TakeFloatScales(Parameters& p) {
  const double quantized = static_cast<double>(p.quantized);
  const double range = static_cast<double>(p.range);
  p.scale_high = static_cast<float>(quantized / range);
  p.inverse_high = static_cast<float>(range / quantized);
  // The remainders are exact: products have 48 bits, and cancel.
  const double scale_low =
      (quantized - static_cast<double>(p.scale_high) * range) / range;
  p.scale_low = static_cast<float>(scale_low);
  p.inverse_low = static_cast<float>(
      (range - static_cast<double>(p.inverse_high) * quantized) / quantized);
  // Rounding moves a bound by far less than the half step to the next tie.
  p.min = static_cast<float>(static_cast<double>(p.quantized_min) * range /
                             quantized);
  p.max = static_cast<float>(static_cast<double>(p.quantized_max) * range /
                             quantized);
  ChooseFloatRounding(scale_low, p);
}

}  // namespace

Parameters ChooseParameters(const Format& format, const Range& range,
                            bool range_is_given) {
  Parameters p;
  if (!range.is_finite) {
    p.kernel = Kernel::kNan;
    return p;
  }
  if (format.tensorflow) return ChooseTensorFlow(format, range, range_is_given);
  p.half_up = format.half_up;
  p.quantized_min = format.quantized_min;
  p.quantized_max = format.quantized_max;
  // For unsigned formats quantized_min is 0, so that the lower bound has no
  // say, whatever it is (TQ-05).
  const bool has_min = format.quantized_min < 0 && range.min < 0;
  const bool has_max = format.quantized_max > 0 && range.max > 0;
  if (!has_min && !has_max) {
    p.kernel = Kernel::kZero;
    return p;
  }
  const bool takes_min =
      has_min && (!has_max || MinimumSideIsSmaller(format, range));
  p.quantized = takes_min ? format.quantized_min : format.quantized_max;
  p.range = takes_min ? range.min : range.max;

  const uint64_t largest = std::max(Magnitude(format.quantized_min),
                                    Magnitude(format.quantized_max));
  const double largest_output = std::abs(static_cast<double>(p.range)) *
                                static_cast<double>(largest) /
                                static_cast<double>(Magnitude(p.quantized));
  constexpr uint64_t kExactInDouble = uint64_t{1} << 24;
  p.kernel = largest <= kExactInDouble && largest_output < 0x1p127
                 ? Kernel::kExact
                 : Kernel::kWide;
  constexpr uint64_t kExactInFloat = (uint64_t{1} << 10) - 1;
  const double magnitude = std::abs(static_cast<double>(p.range));
  if (largest <= kExactInFloat && magnitude > 0x1p-60 && magnitude < 0x1p60) {
    p.kernel = Kernel::kFloat;
    TakeFloatScales(p);
  }
  return p;
}

float WideElement(const Parameters& p, float input) {
  // scale_factor is positive: the input's sign is the output's.
  const bool is_negative = std::signbit(input);
  const uint64_t quantized =
      RoundQuotient(input, p, /*tie_goes_up=*/!is_negative,
                    Magnitude(is_negative ? p.quantized_min : p.quantized_max));
  if (quantized == 0) return 0;
  // Output magnitude = quantized * range / divisor. The numerator is below
  // 2^86; it is widened so that the quotient has at least 30 bits.
  const Positive range = Split(p.range);
  const uint64_t divisor = Magnitude(p.quantized);
  absl::uint128 numerator = range.mantissa * quantized;
  const int shift = std::max(0, BitWidth(divisor) + 30 - BitWidth(numerator));
  numerator <<= shift;
  const absl::uint128 quotient = numerator / divisor;
  const float magnitude =
      RoundToFloat(quotient, range.exponent - shift,
                   /*is_more=*/quotient * divisor != numerator);
  return is_negative ? -magnitude : magnitude;
}

}  // namespace qconform::optimized::quantize_and_dequantize
