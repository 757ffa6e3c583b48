#include "reference/arithmetic/rational.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace qconform::reference {
namespace {

// floor(log2(value)) of a positive value.
int64_t FloorLog2(const mpq_class& value) {
  const int64_t exponent =
      static_cast<int64_t>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
      static_cast<int64_t>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  // Numerator and denominator are known to within a factor of two.
  return value < PowerOfTwo(static_cast<int>(exponent)) ? exponent - 1
                                                        : exponent;
}

}  // namespace

mpq_class PowerOfTwo(int exponent) {
  mpq_class one = 1;
  mpq_class result;
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), one.get_mpq_t(), exponent);
  } else {
    mpq_div_2exp(result.get_mpq_t(), one.get_mpq_t(), -exponent);
  }
  return result;
}

mpq_class UnreducedSum(const mpq_class& a, const mpq_class& b) {
  mpq_class sum;
  if (a.get_den() == b.get_den()) {
    sum.get_num() = a.get_num() + b.get_num();
    sum.get_den() = a.get_den();
  } else {
    sum.get_num() = a.get_num() * b.get_den() + b.get_num() * a.get_den();
    sum.get_den() = a.get_den() * b.get_den();
  }
  return sum;
}

mpq_class UnreducedProduct(const mpq_class& a, const mpq_class& b) {
  mpq_class product;
  product.get_num() = a.get_num() * b.get_num();
  product.get_den() = a.get_den() * b.get_den();
  return product;
}

mpq_class UnreducedQuotient(const mpq_class& a, const mpq_class& b) {
  mpq_class quotient;
  quotient.get_num() = a.get_num() * b.get_den();
  quotient.get_den() = a.get_den() * b.get_num();
  if (sgn(quotient.get_den()) < 0) {
    quotient.get_num() = -quotient.get_num();
    quotient.get_den() = -quotient.get_den();
  }
  return quotient;
}

mpz_class Floor(const mpq_class& value) {
  mpz_class result;
  mpz_fdiv_q(result.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return result;
}

mpz_class RoundToInteger(const mpq_class& value, Rounding rounding) {
  mpz_class below;
  mpz_class rest;  // value = below + rest / denominator, 0 <= rest
  mpz_fdiv_qr(below.get_mpz_t(), rest.get_mpz_t(), value.get_num_mpz_t(),
              value.get_den_mpz_t());
  const int half = cmp(2 * rest, value.get_den());
  bool up = half > 0;
  switch (rounding) {
    case Rounding::kHalfEven:
      up = up || (half == 0 && mpz_odd_p(below.get_mpz_t()));
      break;
    case Rounding::kHalfUp:
      up = up || half == 0;
      break;
    case Rounding::kHalfAway:
      up = up || (half == 0 && sgn(value) > 0);
      break;
    case Rounding::kTruncate:
      up = sgn(value) < 0 && sgn(rest) != 0;
      break;
  }
  if (up) ++below;
  return below;
}

FormatRounding RoundToFormat(const mpq_class& value,
                             const BinaryFormat& format) {
  // Numbers of the format near `value` are the multiples of its ulp: in the
  // subnormal range that of the smallest normal number, and beyond the largest
  // number the ulp that this one has.
  const mpq_class magnitude = abs(value);
  int64_t exponent = format.minimum_exponent;
  if (sgn(magnitude) != 0) {
    exponent = std::max<int64_t>(FloorLog2(magnitude), exponent);
  }
  exponent = std::min<int64_t>(exponent, format.maximum_exponent);
  FormatRounding result;
  result.ulp_exponent = static_cast<int>(exponent) - (format.precision - 1);
  const mpq_class ulp = PowerOfTwo(result.ulp_exponent);
  const mpq_class scaled = UnreducedQuotient(magnitude, ulp);

  // The last tie lies half an ulp before the next power of two: what reaches it
  // becomes infinite, and beyond it there is no other.
  const mpz_class below = Floor(scaled);
  const mpz_class largest = (mpz_class(1) << format.precision) - 1;
  result.tie = (mpq_class(below) + mpq_class(1, 2)) * ulp;
  double rounded = std::ldexp(
      RoundToInteger(scaled, Rounding::kHalfEven).get_d(), result.ulp_exponent);
  if (exponent == format.maximum_exponent &&
      scaled >= mpq_class(largest) + mpq_class(1, 2)) {
    result.tie = (mpq_class(largest) + mpq_class(1, 2)) * ulp;
    rounded = std::numeric_limits<double>::infinity();
  }
  if (sgn(value) < 0) {
    result.tie = -result.tie;
    rounded = -rounded;
  }
  result.value = rounded;
  return result;
}

bool IsPowerOfTwo(mpq_class value) {
  value.canonicalize();
  const mpz_class numerator = abs(value.get_num());
  return mpz_popcount(numerator.get_mpz_t()) == 1 &&
         mpz_popcount(value.get_den_mpz_t()) == 1;
}

bool IsBinary32(mpq_class value) {
  value.canonicalize();
  if (sgn(value) == 0) return true;
  // value = odd * 2^exponent, or the denominator is no power of two.
  if (mpz_popcount(value.get_den_mpz_t()) != 1) return false;
  const int64_t trailing =
      static_cast<int64_t>(mpz_scan1(value.get_num_mpz_t(), 0));
  const int64_t bits =
      static_cast<int64_t>(mpz_sizeinbase(value.get_num_mpz_t(), 2));
  const int64_t scale =
      static_cast<int64_t>(mpz_scan1(value.get_den_mpz_t(), 0));
  const int64_t lowest_bit = trailing - scale;
  const int64_t highest_bit = bits - 1 - scale;
  return bits - trailing <= kBinary32.precision &&
         highest_bit <= kBinary32.maximum_exponent &&
         lowest_bit >= kBinary32.minimum_exponent - (kBinary32.precision - 1);
}

std::string DecimalText(const mpq_class& value, int digits) {
  if (sgn(value) == 0) return "0";
  // Truncation, not rounding: what is printed is a prefix of the value.
  // `point` is the place of the decimal point in front of the digits.
  const mpq_class magnitude = abs(value);
  int64_t point = static_cast<int64_t>(
      std::floor(static_cast<double>(FloorLog2(magnitude)) * 0.30103));
  const auto power_of_ten = [](int64_t exponent) {
    mpz_class power;
    mpz_ui_pow_ui(power.get_mpz_t(), 10,
                  static_cast<unsigned long>(std::abs(exponent)));
    return exponent >= 0 ? mpq_class(power) : mpq_class(1) / power;
  };
  while (power_of_ten(point) <= magnitude) ++point;
  const mpq_class scaled = magnitude * power_of_ten(digits - point);
  const mpz_class prefix = Floor(scaled);
  std::string text = prefix.get_str();
  const bool more = mpq_class(prefix) != scaled;
  if (!more) {
    text.erase(text.find_last_not_of('0') + 1);
  }
  const int64_t length = static_cast<int64_t>(text.size());
  const auto with_point_after = [&text](int64_t digits_before) {
    const size_t split = static_cast<size_t>(digits_before);
    return absl::StrCat(text.substr(0, split), ".", text.substr(split));
  };
  std::string exponent;
  if (point > 24 || point < -5) {
    exponent = absl::StrCat("e", point - 1);
    if (length > 1) text = with_point_after(1);
  } else if (point <= 0) {
    text =
        absl::StrCat("0.", std::string(static_cast<size_t>(-point), '0'), text);
  } else if (length <= point) {
    text.append(static_cast<size_t>(point - length), '0');
  } else {
    text = with_point_after(point);
  }
  return absl::StrCat(sgn(value) < 0 ? "-" : "", text, more ? "..." : "",
                      exponent);
}

std::string RationalText(const mpq_class& value) {
  constexpr int kDigits = 20;
  constexpr size_t kLongestFraction = 64;
  const std::string decimal = DecimalText(value, kDigits);
  const std::string fraction = value.get_str();
  if (value.get_den() == 1 || fraction.size() > kLongestFraction) {
    return decimal;
  }
  return absl::StrCat(fraction, " = ", decimal);
}

}  // namespace qconform::reference
