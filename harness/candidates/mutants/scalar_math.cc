#include "harness/candidates/mutants/scalar_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace qconform::harness::mutants {
namespace {

mpz_class Floor(const mpq_class& value) {
  mpz_class quotient;
  mpz_fdiv_q(quotient.get_mpz_t(), value.get_num_mpz_t(),
             value.get_den_mpz_t());
  return quotient;
}

mpq_class PowerOfTwo(int exponent) {
  mpq_class result(1);
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(),
                 static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(),
                 static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

mpz_class RoundHalfEven(const mpq_class& value) {
  const mpz_class floor = Floor(value);
  const mpq_class rest = value - floor;
  const int against_half = cmp(rest, mpq_class(1, 2));
  const bool up =
      against_half > 0 || (against_half == 0 && mpz_odd_p(floor.get_mpz_t()));
  return up ? mpz_class(floor + 1) : floor;
}

// Rounds to `precision` bits with least exponent of the last place
// `least_exponent`; from `limit` on the result is infinite.
double RoundToFormat(const mpq_class& value, int precision, int least_exponent,
                     const mpq_class& limit) {
  if (value == 0) return 0;
  const mpq_class magnitude = abs(value);
  // 2^(size - 1) < magnitude < 2^(size + 1) for this difference of lengths.
  int exponent =
      static_cast<int>(mpz_sizeinbase(magnitude.get_num_mpz_t(), 2)) -
      static_cast<int>(mpz_sizeinbase(magnitude.get_den_mpz_t(), 2));
  if (magnitude < PowerOfTwo(exponent)) --exponent;
  const int last_place = std::max(exponent - precision + 1, least_exponent);
  const mpz_class significand =
      RoundHalfEven(magnitude * PowerOfTwo(-last_place));
  const mpq_class rounded = significand * PowerOfTwo(last_place);
  const double result = rounded >= limit
                            ? std::numeric_limits<double>::infinity()
                            : rounded.get_d();
  return value < 0 ? -result : result;
}

}  // namespace

int64_t Round(const mpq_class& value, Rounding rounding) {
  mpz_class result;
  switch (rounding) {
    case Rounding::kHalfEven:
      result = RoundHalfEven(value);
      break;
    case Rounding::kHalfUp:
      result = Floor(value + mpq_class(1, 2));
      break;
    case Rounding::kHalfAway:
      result = Floor(abs(value) + mpq_class(1, 2)) * sgn(value);
      break;
    case Rounding::kTruncate:
      result = Floor(abs(value)) * sgn(value);
      break;
  }
  const mpz_class limit = mpz_class(1) << 62;
  if (result > limit) result = limit;
  if (result < -limit) result = -limit;
  return result.get_si();
}

double ToFloat16(const mpq_class& value) {
  return RoundToFormat(value, 11, -24, PowerOfTwo(16));
}

double ToFloat32(const mpq_class& value) {
  return RoundToFormat(value, 24, -149, PowerOfTwo(128));
}

mpq_class ThroughFloat(const mpq_class& value) {
  const double rounded = ToFloat32(value);
  if (std::isinf(rounded)) return PowerOfTwo(200) * sgn(value);
  return mpq_class(rounded);
}

int64_t WrapToByte(int64_t value, bool is_signed) {
  return is_signed ? static_cast<int8_t>(value) : static_cast<uint8_t>(value);
}

int64_t WrapTo(int64_t value, int bits) {
  const int shift = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

int64_t SaturateTo(int64_t value, int bits) {
  const int64_t highest = (int64_t{1} << (bits - 1)) - 1;
  return std::clamp(value, -highest - 1, highest);
}

}  // namespace qconform::harness::mutants
