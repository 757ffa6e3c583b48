#include "reference/second_oracle/rounding.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qconform::reference::second_oracle {
namespace {

// Decides from the remainder of a division, remainder < denominator.
uint64_t RoundRemainder(uint64_t quotient, Uint128 remainder,
                        Uint128 denominator, Tie tie) {
  const Uint128 rest = denominator - remainder;
  if (remainder < rest) return quotient;
  if (remainder > rest) return quotient + 1;
  switch (tie) {
    case Tie::kToEven:
      return quotient + (quotient & 1);
    case Tie::kAway:
      return quotient + 1;
    case Tie::kTowardZero:
      break;
  }
  return quotient;
}

}  // namespace

bool IsNanFloat16(uint16_t bits) {
  return (bits & 0x7fff) > kFloat16.infinity_bits;
}

bool IsInfiniteFloat16(uint16_t bits) {
  return (bits & 0x7fff) == kFloat16.infinity_bits;
}

double Float16Value(uint16_t bits) {
  if (IsNanFloat16(bits)) return std::numeric_limits<double>::quiet_NaN();
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (IsInfiniteFloat16(bits)) {
    return sign * std::numeric_limits<double>::infinity();
  }
  const Decomposed value = DecomposeFloat16(bits);
  return sign * std::ldexp(static_cast<double>(value.mantissa), value.exponent);
}

uint64_t RoundQuotient(Uint128 numerator, Uint128 denominator, int shift,
                       Tie tie) {
  if (numerator == 0) return 0;
  // The quotient lies between 2^(length-1) and 2^(length+1).
  const int length = BitLength(numerator) + shift - BitLength(denominator);
  if (length > 62) return kMagnitudeLimit;
  if (length < -1) return 0;  // less than 1/2
  // Of the two shifted values the longer has at most max(62 + 62, 126 + 1)
  // bits.
  if (shift > 0) {
    numerator <<= shift;
  } else {
    denominator <<= -shift;
  }
  const Uint128 quotient = numerator / denominator;
  return std::min(
      kMagnitudeLimit,
      RoundRemainder(static_cast<uint64_t>(quotient),
                     numerator - quotient * denominator, denominator, tie));
}

uint64_t RoundQuotient(Uint384 numerator, const Uint384& denominator) {
  constexpr int kBits = 11;
  Uint384 multiple = denominator;
  for (int bit = 0; bit < kBits; ++bit) multiple += multiple;
  if (numerator >= multiple) return uint64_t{1} << kBits;
  uint64_t quotient = 0;
  for (int bit = kBits - 1; bit >= 0; --bit) {
    multiple.Halve();
    if (numerator >= multiple) {
      numerator -= multiple;
      quotient |= uint64_t{1} << bit;
    }
  }
  numerator += numerator;
  if (numerator > denominator) return quotient + 1;
  if (numerator == denominator) return quotient + (quotient & 1);
  return quotient;
}

uint32_t RoundToFloat(Uint128 numerator, uint64_t denominator, int exponent,
                      const FloatFormat& format) {
  if (numerator == 0) return 0;
  // Two bits more than the mantissa, so that at least one is dropped below.
  const int widen = std::max(
      0, BitLength(denominator) + format.precision + 2 - BitLength(numerator));
  numerator <<= widen;
  exponent -= widen;
  const Uint128 quotient = numerator / denominator;
  const bool more = quotient * denominator != numerator;

  const int length = BitLength(quotient);
  const int last_exponent =
      std::max(exponent + length - format.precision, format.min_exponent);
  const int drop = last_exponent - exponent;
  if (drop > length) return 0;  // less than half the smallest subnormal
  const Uint128 one = static_cast<Uint128>(1) << drop;
  uint64_t kept = static_cast<uint64_t>(quotient >> drop);
  const Uint128 dropped = quotient & (one - 1);
  const Uint128 half = one >> 1;
  if (dropped > half || (dropped == half && (more || (kept & 1) != 0))) ++kept;
  // The hidden bit adds one to the exponent field, and so does a mantissa that
  // was rounded up to a power of two; a subnormal does neither.
  const int64_t field = last_exponent - format.min_exponent;
  const int64_t bits =
      (std::min<int64_t>(field, int64_t{1} << 20) << (format.precision - 1)) +
      static_cast<int64_t>(kept);
  return static_cast<uint32_t>(std::min<int64_t>(bits, format.infinity_bits));
}

}  // namespace qconform::reference::second_oracle
