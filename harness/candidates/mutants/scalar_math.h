// Arithmetic of the scalar models: rationals, and the ways of rounding that
// implementations confuse.

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_SCALAR_MATH_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_SCALAR_MATH_H_

#include <gmpxx.h>

#include <cstdint>

namespace qconform::harness::mutants {

enum class Rounding { kHalfEven, kHalfUp, kHalfAway, kTruncate };

// The nearest integer, saturated to +-2^62 so that what follows cannot
// overflow.
int64_t Round(const mpq_class& value, Rounding rounding);

// Nearest value of the format, ties to even; infinities as doubles.
double ToFloat16(const mpq_class& value);
double ToFloat32(const mpq_class& value);

// The value as a float computation would have it: 0, a float, or infinite.
// Rationals have no infinity, so one becomes +-2^200, far beyond every clamp.
mpq_class ThroughFloat(const mpq_class& value);

// The low 8 bits, as int8 or uint8.
int64_t WrapToByte(int64_t value, bool is_signed);

// Two's complement wrap and saturation to `bits` bits.
int64_t WrapTo(int64_t value, int bits);
int64_t SaturateTo(int64_t value, int bits);

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_SCALAR_MATH_H_
