// Exact: rational numbers. The truth (AR-01).

#ifndef QCONFORM_REFERENCE_ARITHMETIC_EXACT_H_
#define QCONFORM_REFERENCE_ARITHMETIC_EXACT_H_

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <string>

#include "reference/arithmetic/arithmetic.h"
#include "reference/arithmetic/rational.h"

namespace qconform::reference {

// A rounding: how far its argument was from a tie.
struct TieDistance {
  mpq_class argument;
  mpq_class tie;          // the nearest one
  int ulp_exponent = 0;   // 2^ulp_exponent is the unit of what is rounded to
  bool to_float = false;  // false: round(), to an integer

  mpq_class InUlps() const;  // 0 at a tie
  std::string InWords() const;
};

// What happened while an element was evaluated (see GoldenElement).
struct ExactFacts {
  bool tie = false;
  bool output_tie = false;
  bool output_tie_decides = false;
  bool clamped_low = false;
  bool clamped_high = false;
  std::optional<TieDistance> nearest_round;  // of all round(), nearest to a tie
  std::optional<TieDistance> to_float;       // the conversion to a float type

  // 0 to 1/2, or NaN where nothing was rounded.
  double TieDistanceOfLastRounding() const;
  std::string TieDistanceInWords() const;
};

class Exact {
 public:
  using Real = mpq_class;
  using Rounded = mpz_class;
  using Integer = int64_t;

  Exact() = default;
  // Rounds in another way than the text says, always or only by adding the zero
  // point before it rounds.
  static Exact WithRounding(Rounding rounding);
  static Exact WithZeroPointBeforeRounding();
  // Lets values through that clamp() would stop, integers up to kBeyondLimits.
  static Exact WithoutClamps();
  static constexpr int64_t kBeyondLimits = int64_t{1} << 54;

  static Real FromFloat(double value) { return Real(value); }
  static Real FromInteger(int64_t value) { return Real(value); }
  static Real FromInteger(const Rounded& value) { return Real(value); }

  static Real Abs(const Real& value) { return abs(value); }
  static Real Min(const Real& a, const Real& b) { return b < a ? b : a; }
  static Real Max(const Real& a, const Real& b) { return a < b ? b : a; }
  Real Clamp(const Real& value, const Real& low, const Real& high);

  Rounded Round(const Real& value, Rounding rounding, int64_t added_next);
  Rounding RoundingFor(Rounding rounding) const {
    return rounding_.value_or(rounding);
  }
  Integer Clamp(const Rounded& value, int64_t low, int64_t high);
  void NoteClamped(bool low);
  bool clamps() const { return clamps_; }

  static ValueSet ToOutput(Integer value);
  ValueSet ToFloat16(const Real& value) { return ToFormat(value, kBinary16); }
  ValueSet ToFloat32(const Real& value) { return ToFormat(value, kBinary32); }

  ExactFacts facts;

 private:
  ValueSet ToFormat(const Real& value, const BinaryFormat& format);

  std::optional<Rounding> rounding_;
  bool zero_point_before_rounding_ = false;
  bool clamps_ = true;
};

static_assert(Arithmetic<Exact>);

// The value as a trace shows it.
std::string Describe(const mpq_class& value);
std::string Describe(const mpz_class& value);
std::string Describe(int64_t value);
std::string Describe(const ValueSet& value);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ARITHMETIC_EXACT_H_
