// Binary32: every operation rounded to float, to nearest and ties to even, in
// the order the text writes them. Needs a build without contraction.

#ifndef QCONFORM_REFERENCE_ARITHMETIC_BINARY32_H_
#define QCONFORM_REFERENCE_ARITHMETIC_BINARY32_H_

#include <cstdint>
#include <string>

#include "reference/arithmetic/arithmetic.h"

namespace qconform::reference {

// round() of a float; NaN stays NaN, infinities stay themselves.
float RoundFloat(float value, Rounding rounding);

class Binary32 {
 public:
  using Real = float;

  // What round() gave: an integer, an infinity or NaN. A double, so that adding
  // a zero point is exact wherever the clamp that follows can tell.
  struct Rounded {
    double value;
  };
  friend Rounded operator+(Rounded a, int64_t b) {
    return {a.value + static_cast<double>(b)};
  }

  // NaN that reached round() stays NaN to the output, where it is `wrong`
  // (AR-02).
  struct Integer {
    explicit Integer(int64_t number, bool is_nan = false)
        : value(number), nan(is_nan) {}
    int64_t value;
    bool nan;
  };
  friend Integer operator*(Integer a, int64_t b) {
    return Integer(a.value * b, a.nan);
  }
  friend Integer& operator+=(Integer& a, Integer b) {
    a = Integer(a.value + b.value, a.nan || b.nan);
    return a;
  }

  static Real FromFloat(double value) { return static_cast<Real>(value); }
  static Real FromInteger(int64_t value) { return static_cast<Real>(value); }
  static Real FromInteger(Rounded value) {
    return static_cast<Real>(value.value);
  }
  static Real FromInteger(Integer value);

  static Real Abs(Real value) { return value < 0 ? -value : value; }
  static Real Min(Real a, Real b) { return b < a ? b : a; }
  static Real Max(Real a, Real b) { return a < b ? b : a; }
  static Real Clamp(Real value, Real low, Real high) {
    return Min(Max(value, low), high);
  }

  static Rounded Round(Real value, Rounding rounding, int64_t added_next);
  static Rounding RoundingFor(Rounding rounding) { return rounding; }
  static Integer Clamp(Rounded value, int64_t low, int64_t high);
  static void NoteClamped(bool /*low*/) {}

  static ValueSet ToOutput(Integer value);
  static ValueSet ToFloat16(Real value);
  static ValueSet ToFloat32(Real value) { return ValueSet::Point(value); }
};

static_assert(Arithmetic<Binary32>);

std::string Describe(float value);
std::string Describe(Binary32::Rounded value);
std::string Describe(Binary32::Integer value);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ARITHMETIC_BINARY32_H_
