#include "reference/second_oracle/quantize_dequantize.h"

#include <algorithm>
#include <bit>
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

  // The quotient has 37 or 38 bits, so that its product with a mantissa stays
  // below 2^62.
  const int shift = 37 + BitLength(denominator_) - BitLength(numerator_);
  Uint128 dividend = numerator_;
  Uint128 divisor_shifted = denominator_;
  if (shift > 0) {
    dividend <<= shift;
  } else {
    divisor_shifted <<= -shift;
  }
  fixed_point_ = static_cast<uint64_t>(dividend / divisor_shifted);
  fixed_point_exponent_ = -shift;
  fixed_point_exact_ = dividend % divisor_shifted == 0;
}

void QuantizeDequantize::Tabulate() {
  if (maximum_ - minimum_ > 65535 || !outputs_.empty()) return;
  for (int64_t quantized = minimum_; quantized <= maximum_; ++quantized) {
    outputs_.push_back(DequantizeExact(quantized));
  }
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
  const int shift = -(x.exponent + exponent_ + fixed_point_exponent_);
  if (shift <= 0) return QuantizeExact(value);   // huge
  if (shift >= 63) return Clamp(x.negative, 0);  // less than 2^62 / 2^63
  // Between product / 2^shift and (product + mantissa) / 2^shift, the upper end
  // excluded.
  const uint64_t product = x.mantissa * fixed_point_;
  const uint64_t whole = product >> shift;
  const uint64_t fraction = product & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (fixed_point_exact_) {
    const bool tie_goes_up = half_up_ ? !x.negative : (whole & 1) != 0;
    const bool up = fraction > half || (fraction == half && tie_goes_up);
    return Clamp(x.negative, whole + (up ? 1 : 0));
  }
  if (fraction + x.mantissa <= half) return Clamp(x.negative, whole);
  if (fraction >= half && fraction + x.mantissa <= 2 * half) {
    return Clamp(x.negative, whole + 1);
  }
  return QuantizeExact(value);
}

float QuantizeDequantize::DequantizeExact(int64_t quantized) const {
  const bool negative = quantized < 0;
  const uint64_t magnitude =
      static_cast<uint64_t>(negative ? -quantized : quantized);
  return MakeFloat(negative,
                   RoundToFloat(static_cast<Uint128>(magnitude) * denominator_,
                                numerator_, -exponent_, kFloat32));
}

float QuantizeDequantize::operator()(float value) const {
  if (IsNan(value)) return value;
  if (!has_scale_factor_ || IsInfinite(value)) return Exact(value);
  const int64_t quantized = Quantize(value);
  return outputs_.empty() ? DequantizeExact(quantized)
                          : outputs_[quantized - minimum_];
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
