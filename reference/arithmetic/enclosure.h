// Enclosure: what an implementation in float may get to, as intervals with
// rational ends, by the rules of AR-02.

#ifndef QCONFORM_REFERENCE_ARITHMETIC_ENCLOSURE_H_
#define QCONFORM_REFERENCE_ARITHMETIC_ENCLOSURE_H_

#include <gmpxx.h>

#include <cstdint>
#include <string>

#include "reference/arithmetic/arithmetic.h"
#include "reference/arithmetic/rational.h"

namespace qconform::reference {

class Enclosure {
 public:
  // An end of an interval: a rational number or an infinity.
  struct End {
    mpq_class value;   // meaningless if infinite; not in lowest terms
    int infinite = 0;  // -1, 0 or 1

    friend bool operator<(const End& a, const End& b) {
      if (a.infinite != 0 || b.infinite != 0) return a.infinite < b.infinite;
      return a.value < b.value;
    }
    int Sign() const { return infinite != 0 ? infinite : sgn(value); }
  };

  // All numbers from `low` to `high`, or every value and NaN if `any`.
  struct Real {
    End low;
    End high;
    bool any = false;

    bool IsPoint() const {
      return !any && low.infinite == 0 && high.infinite == 0 &&
             cmp(low.value, high.value) == 0;
    }
    bool Holds0() const { return low.Sign() <= 0 && high.Sign() >= 0; }
    bool HoldsInfinity() const {
      return low.infinite != 0 || high.infinite != 0;
    }
  };
  friend Real operator+(const Real& a, const Real& b);
  friend Real operator*(const Real& a, const Real& b);
  friend Real operator/(const Real& a, const Real& b);

  // All integers from `low` to `high`.
  struct Rounded {
    End low;
    End high;
    bool any = false;
  };
  friend Rounded operator+(Rounded a, int64_t b);

  struct Integer {
    explicit Integer(int64_t number) : low(number), high(number) {}
    int64_t low;
    int64_t high;
    bool any = false;
  };
  friend Integer operator*(const Integer& a, int64_t b);
  friend Integer& operator+=(Integer& a, const Integer& b);

  static Real FromFloat(double value);
  static Real FromInteger(int64_t value);
  static Real FromInteger(const Rounded& value);
  static Real FromInteger(const Integer& value);

  static Real Abs(const Real& value);
  static Real Min(const Real& a, const Real& b);
  static Real Max(const Real& a, const Real& b);
  static Real Clamp(const Real& value, const Real& low, const Real& high) {
    return Min(Max(value, low), high);
  }

  static Rounded Round(const Real& value, Rounding rounding,
                       int64_t added_next);
  static Rounding RoundingFor(Rounding rounding) { return rounding; }
  static Integer Clamp(const Rounded& value, int64_t low, int64_t high);
  static void NoteClamped(bool /*low*/) {}

  static ValueSet ToOutput(const Integer& value);
  static ValueSet ToFloat16(const Real& value);
  static ValueSet ToFloat32(const Real& value);
};

static_assert(Arithmetic<Enclosure>);

std::string Describe(const Enclosure::Real& value);
std::string Describe(const Enclosure::Rounded& value);
std::string Describe(const Enclosure::Integer& value);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ARITHMETIC_ENCLOSURE_H_
