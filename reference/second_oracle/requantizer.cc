#include "reference/second_oracle/requantizer.h"

#include <algorithm>
#include <limits>

#include "reference/second_oracle/tensor_access.h"

namespace qconform::reference::second_oracle {

Requantizer::Requantizer(float a_scale, float b_scale, float output_scale,
                         int output_zero_point, spec::DataType output_type) {
  const Decomposed a = DecomposeFloat32(a_scale);
  const Decomposed b = DecomposeFloat32(b_scale);
  const Decomposed y = DecomposeFloat32(output_scale);
  multiplier_ = static_cast<uint64_t>(a.mantissa) * b.mantissa;
  divisor_ = y.mantissa;
  shift_ = a.exponent + b.exponent - y.exponent;
  negative_ = (a.negative != b.negative) != y.negative;
  zero_point_ = output_zero_point;
  const Limits limits = LimitsOf(output_type);
  minimum_ = limits.minimum;
  maximum_ = limits.maximum;
}

int Requantizer::Requantize(int64_t sum) const {
  const bool negative = negative_ != (sum < 0);
  const uint64_t magnitude = sum < 0 ? -static_cast<uint64_t>(sum) : sum;
  // 62 bits of the sum and 48 of the multiplier.
  const int64_t rounded = static_cast<int64_t>(
      RoundQuotient(static_cast<Uint128>(magnitude) * multiplier_, divisor_,
                    shift_, Tie::kToEven));
  const int64_t shifted = (negative ? -rounded : rounded) + zero_point_;
  return static_cast<int>(std::clamp<int64_t>(shifted, minimum_, maximum_));
}

std::optional<int64_t> Requantizer::FirstSumReaching(int value) const {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  if (value > maximum_) return std::nullopt;
  if (value <= minimum_) return negative_ ? kHighest : kLowest;

  // The output reaches the value where the rounded ratio reaches
  // target = value - OutputZeroPoint, that is where sum * |ratio|, for the
  // moment with the sign of an increasing function, is above target - 1/2, or
  // equal to it and target is even (AR-03).
  const int64_t target = value - zero_point_;
  const bool reached_at_tie = target % 2 == 0;
  // Twice target - 1/2, never 0: bound / (multiplier * 2^(shift + 1)) is where
  // the sum must get to.
  const int64_t bound = (2 * target - 1) * static_cast<int64_t>(divisor_);
  const bool bound_negative = bound < 0;
  Uint128 numerator = static_cast<Uint128>(bound_negative ? -bound : bound);
  Uint128 denominator = multiplier_;
  const int length =
      BitLength(numerator) - BitLength(denominator) - (shift_ + 1);
  if (length > 65) {  // beyond int64 on either side
    if (!bound_negative) return std::nullopt;
    return negative_ ? kHighest : kLowest;
  }
  if (shift_ + 1 < 0) {
    numerator <<= -(shift_ + 1);  // at most 65 + 48 bits
  } else {
    // The bound has less than 34 bits: a longer denominator makes no
    // difference.
    denominator <<= std::min(shift_ + 1, 40);
  }
  const Int128 quotient = static_cast<Int128>(numerator / denominator);
  const bool exact = numerator % denominator == 0;
  Int128 first;  // smallest sum of the increasing function
  if (exact) {
    first = (bound_negative ? -quotient : quotient) + (reached_at_tie ? 0 : 1);
  } else {
    first = bound_negative ? -quotient : quotient + 1;
  }
  // A decreasing function is the increasing one of -sum.
  if (negative_) {
    const Int128 last = -first;
    if (last < kLowest) return std::nullopt;
    return static_cast<int64_t>(std::min<Int128>(last, kHighest));
  }
  if (first > kHighest) return std::nullopt;
  return static_cast<int64_t>(std::max<Int128>(first, kLowest));
}

}  // namespace qconform::reference::second_oracle
