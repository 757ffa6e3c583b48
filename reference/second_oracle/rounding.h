// Floats taken apart into integers, and quotients of integers rounded once.
// Every decision of the second oracle is one of these integer comparisons.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_ROUNDING_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_ROUNDING_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "reference/second_oracle/wide_integer.h"

namespace qconform::reference::second_oracle {

// An IEEE binary interchange format.
struct FloatFormat {
  int precision;     // bits of the mantissa, the hidden one included
  int min_exponent;  // of the last bit of a subnormal
  uint32_t infinity_bits;
};
inline constexpr FloatFormat kFloat16{11, -24, 0x7c00};
inline constexpr FloatFormat kFloat32{24, -149, 0x7f800000};

// A finite float: (-1)^negative * mantissa * 2^exponent, subnormals included
// (AR-05). The mantissa keeps its trailing zeros.
struct Decomposed {
  bool negative = false;
  uint32_t mantissa = 0;
  int exponent = 0;
};

inline Decomposed Decompose(uint32_t bits, const FloatFormat& format,
                            int sign_bit) {
  const int stored_bits = format.precision - 1;
  const uint32_t hidden_bit = uint32_t{1} << stored_bits;
  const uint32_t magnitude = bits & ((uint32_t{1} << sign_bit) - 1);
  const int exponent_field = static_cast<int>(magnitude >> stored_bits);
  const uint32_t fraction = magnitude & (hidden_bit - 1);
  Decomposed result;
  result.negative = (bits >> sign_bit) != 0;
  // Field 0 has the exponent of field 1 but no hidden bit.
  result.mantissa = exponent_field == 0 ? fraction : fraction | hidden_bit;
  result.exponent = format.min_exponent + std::max(exponent_field - 1, 0);
  return result;
}

// float32: mantissa < 2^24, exponent -149..104. The value must be finite.
inline Decomposed DecomposeFloat32(float value) {
  return Decompose(std::bit_cast<uint32_t>(value), kFloat32, 31);
}

// float16: mantissa < 2^11, exponent -24..5. The value must be finite.
inline Decomposed DecomposeFloat16(uint16_t bits) {
  return Decompose(bits, kFloat16, 15);
}

bool IsNanFloat16(uint16_t bits);
bool IsInfiniteFloat16(uint16_t bits);
// Exact, NaN and infinities included.
double Float16Value(uint16_t bits);

// What becomes of a magnitude halfway between two integers.
enum class Tie {
  kToEven,
  kAway,        // HALF_UP of a positive number
  kTowardZero,  // HALF_UP of a negative number
};

// Larger magnitudes are cut to this one: above every output range, and far
// enough from the ends of int64 to add a zero point.
inline constexpr uint64_t kMagnitudeLimit = uint64_t{1} << 62;

// round(numerator * 2^shift / denominator), at most kMagnitudeLimit.
// numerator < 2^126, 0 < denominator; with a positive shift denominator < 2^62.
uint64_t RoundQuotient(Uint128 numerator, Uint128 denominator, int shift,
                       Tie tie);

// round half to even (numerator / denominator), at most 2048;
// 0 < denominator < 2^372.
uint64_t RoundQuotient(Uint384 numerator, const Uint384& denominator);

inline Tie TieOf(bool half_up, bool negative) {
  if (!half_up) return Tie::kToEven;
  return negative ? Tie::kTowardZero : Tie::kAway;
}

// The bits, without a sign, of numerator / denominator * 2^exponent rounded to
// the format: to nearest, ties to even, subnormals kept, overflow to infinity.
// numerator < 2^126, 0 < denominator < 2^62.
uint32_t RoundToFloat(Uint128 numerator, uint64_t denominator, int exponent,
                      const FloatFormat& format);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_ROUNDING_H_
