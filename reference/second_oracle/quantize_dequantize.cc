#include "reference/second_oracle/quantize_dequantize.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace qconform::reference::second_oracle {
namespace {

constexpr uint32_t kSignBit = 0x80000000;

bool IsInfinite(float value) {
  return (std::bit_cast<uint32_t>(value) & ~kSignBit) == kFloat32.infinity_bits;
}

bool IsNan(float value) {
  return (std::bit_cast<uint32_t>(value) & ~kSignBit) > kFloat32.infinity_bits;
}

float MakeFloat(bool negative, uint32_t magnitude_bits) {
  return std::bit_cast<float>(negative ? magnitude_bits | kSignBit
                                       : magnitude_bits);
}

// a * 2^a_exponent < b * 2^b_exponent for positive a, b below 2^88.
bool Less(Uint128 a, int a_exponent, Uint128 b, int b_exponent) {
  const int a_top = BitLength(a) + a_exponent;
  const int b_top = BitLength(b) + b_exponent;
  if (a_top != b_top) return a_top < b_top;
  // Equal tops: the exponents differ by the difference of the lengths.
  if (a_exponent > b_exponent) return (a << (a_exponent - b_exponent)) < b;
  return a < (b << (b_exponent - a_exponent));
}

}  // namespace

QuantizeDequantize::QuantizeDequantize(
    const QuantizeDequantizeParameters& parameters, float input_min,
    float input_max)
    : half_up_(parameters.half_up) {
  // TQ-01
  if (parameters.signed_input) {
    minimum_ = -(int64_t{1} << (parameters.num_bits - 1));
    maximum_ = -(minimum_ + 1);
    if (parameters.narrow_range) ++minimum_;
  } else {
    minimum_ = 0;
    maximum_ = (int64_t{1} << parameters.num_bits) - 1;
    input_min = 0;  // TQ-05
  }

  // TQ-02: a side is a candidate if limit and bound have the same sign.
  const Decomposed low = DecomposeFloat32(input_min);
  const Decomposed high = DecomposeFloat32(input_max);
  const uint64_t low_limit = static_cast<uint64_t>(-minimum_);
  const uint64_t high_limit = static_cast<uint64_t>(maximum_);
  const bool low_counts = low_limit != 0 && low.negative && low.mantissa != 0;
  const bool high_counts =
      high_limit != 0 && !high.negative && high.mantissa != 0;
  if (!low_counts && !high_counts) return;  // TQ-03
  has_scale_factor_ = true;
  // low_limit / low < high_limit / high, multiplied out.
  const bool use_low =
      low_counts &&
      (!high_counts ||
       Less(static_cast<Uint128>(low_limit) * high.mantissa, high.exponent,
            static_cast<Uint128>(high_limit) * low.mantissa, low.exponent));

  numerator_ = use_low ? low_limit : high_limit;
  denominator_ = use_low ? low.mantissa : high.mantissa;
  exponent_ = -(use_low ? low.exponent : high.exponent);
  const uint64_t divisor = std::gcd(numerator_, denominator_);
  numerator_ /= divisor;
  denominator_ /= divisor;
  const int numerator_zeros = std::countr_zero(numerator_);
  const int denominator_zeros = std::countr_zero(denominator_);
  numerator_ >>= numerator_zeros;
  denominator_ >>= denominator_zeros;
  exponent_ += numerator_zeros - denominator_zeros;

  scale_ = Divide(numerator_, denominator_);
  inverse_ = Divide(denominator_, numerator_);
  minimum_output_ = DequantizeExact(minimum_);
  maximum_output_ = DequantizeExact(maximum_);
}

QuantizeDequantize::FixedPoint QuantizeDequantize::Divide(
    uint64_t numerator, uint64_t denominator) {
  // Shifted so far that the quotient has 64 or 65 bits.
  const int shift = 64 + BitLength(denominator) - BitLength(numerator);
  Uint128 shifted = static_cast<Uint128>(numerator) << shift;
  Uint128 quotient = shifted / denominator;
  FixedPoint result;
  result.exact = quotient * denominator == shifted;
  result.exponent = -shift;
  if ((quotient >> 64) != 0) {
    result.exact = result.exact && (quotient & 1) == 0;
    quotient >>= 1;
    ++result.exponent;
  }
  result.value = static_cast<uint64_t>(quotient);
  return result;
}

int64_t QuantizeDequantize::Clamp(bool negative, uint64_t rounded) const {
  const int64_t magnitude = static_cast<int64_t>(rounded);
  return std::clamp(negative ? -magnitude : magnitude, minimum_, maximum_);
}

int64_t QuantizeDequantize::QuantizeExact(float value) const {
  if (!has_scale_factor_) return 0;
  const Decomposed x = DecomposeFloat32(value);
  // The limits are integers: clamping after rounding is clamping the value to
  // the updated range before it (TQ-04).
  return Clamp(
      x.negative,
      RoundQuotient(static_cast<Uint128>(x.mantissa) * numerator_, denominator_,
                    x.exponent + exponent_, TieOf(half_up_, x.negative)));
}

int64_t QuantizeDequantize::Quantize(float value) const {
  if (!has_scale_factor_) return 0;
  const Decomposed x = DecomposeFloat32(value);
  const Tie tie = TieOf(half_up_, x.negative);
  // The true product is at least `product` and less than product + mantissa:
  // rounding is monotone, so if both ends round alike, so does it.
  const Uint128 product = static_cast<Uint128>(x.mantissa) * scale_.value;
  const int shift = -(x.exponent + exponent_ + scale_.exponent);
  const uint64_t rounded = RoundShifted(product, shift, tie);
  if (!scale_.exact &&
      rounded != RoundShifted(product + x.mantissa, shift, tie)) {
    return QuantizeExact(value);
  }
  return Clamp(x.negative, rounded);
}

float QuantizeDequantize::DequantizeExact(int64_t quantized) const {
  const bool negative = quantized < 0;
  const uint64_t magnitude =
      static_cast<uint64_t>(negative ? -quantized : quantized);
  return MakeFloat(negative,
                   RoundToFloat(static_cast<Uint128>(magnitude) * denominator_,
                                numerator_, -exponent_, kFloat32));
}

float QuantizeDequantize::Dequantize(int64_t quantized) const {
  if (quantized == minimum_) return minimum_output_;
  if (quantized == maximum_) return maximum_output_;
  const bool negative = quantized < 0;
  const uint64_t magnitude =
      static_cast<uint64_t>(negative ? -quantized : quantized);
  const Uint128 product = static_cast<Uint128>(magnitude) * inverse_.value;
  const int exponent = inverse_.exponent - exponent_;
  const uint32_t bits = RoundToFloat(product, 1, exponent, kFloat32);
  if (!inverse_.exact &&
      bits != RoundToFloat(product + magnitude, 1, exponent, kFloat32)) {
    return DequantizeExact(quantized);
  }
  return MakeFloat(negative, bits);
}

float QuantizeDequantize::operator()(float value) const {
  if (IsNan(value)) return value;
  if (!has_scale_factor_) return 0;
  if (IsInfinite(value)) return value < 0 ? minimum_output_ : maximum_output_;
  return Dequantize(Quantize(value));
}

float QuantizeDequantize::Exact(float value) const {
  if (IsNan(value)) return value;
  if (!has_scale_factor_) return 0;
  if (IsInfinite(value)) {
    return DequantizeExact(value < 0 ? minimum_ : maximum_);
  }
  return DequantizeExact(QuantizeExact(value));
}

}  // namespace qconform::reference::second_oracle
