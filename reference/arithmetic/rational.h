// Rational numbers beyond what GMP gives: rounding to an integer and to a
// binary floating-point format, by integer arithmetic alone, and text.

#ifndef QCONFORM_REFERENCE_ARITHMETIC_RATIONAL_H_
#define QCONFORM_REFERENCE_ARITHMETIC_RATIONAL_H_

#include <gmpxx.h>

#include <cstdint>
#include <string>

#include "reference/arithmetic/arithmetic.h"

namespace qconform::reference {

// 2^exponent.
mpq_class PowerOfTwo(int exponent);

// Sum, product and quotient without reducing the fraction to lowest terms,
// which costs more than all the rest. What comes out is a right fraction for
// everything in this file and for comparisons by order, not for ==; call
// canonicalize() before anything else.
mpq_class UnreducedSum(const mpq_class& a, const mpq_class& b);
mpq_class UnreducedProduct(const mpq_class& a, const mpq_class& b);
mpq_class UnreducedQuotient(const mpq_class& a, const mpq_class& b);

mpz_class Floor(const mpq_class& value);

// The integer that `value` rounds to. kHalfUp is floor(value + 1/2) (AR-03).
mpz_class RoundToInteger(const mpq_class& value, Rounding rounding);

// A binary floating-point format with subnormals and infinities.
struct BinaryFormat {
  int precision;         // bits of the significand, the hidden one included
  int minimum_exponent;  // of the smallest normal number
  int maximum_exponent;  // of the largest finite number
};
inline constexpr BinaryFormat kBinary16 = {11, -14, 15};
inline constexpr BinaryFormat kBinary32 = {24, -126, 127};

struct FormatRounding {
  double value = 0;  // to nearest, ties to even; may be an infinity
  mpq_class tie;     // the tie (midpoint of neighbours) nearest to the number
  int ulp_exponent = 0;  // 2^ulp_exponent is the unit in the last place there
};

// Rounds to nearest, ties to even, subnormals kept (AR-05). The midpoint
// between the largest finite number and the next power of two rounds to
// infinity.
FormatRounding RoundToFormat(const mpq_class& value,
                             const BinaryFormat& format);

// True if the value is a finite binary32 number, subnormals included.
bool IsBinary32(mpq_class value);

// True if the value or its negative is a power of two.
bool IsPowerOfTwo(mpq_class value);

// The value with `digits` significant decimal digits; "..." follows if there
// are more: "38.5", "0.33333...".
std::string DecimalText(const mpq_class& value, int digits);

// Fraction and decimal, "77/2 = 38.5"; the decimal alone if the value is an
// integer or if the fraction is too long to read.
std::string RationalText(const mpq_class& value);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ARITHMETIC_RATIONAL_H_
