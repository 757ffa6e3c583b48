#include "reference/arithmetic/exact.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace qconform::reference {

mpq_class TieDistance::InUlps() const {
  return UnreducedQuotient(abs(argument - tie), PowerOfTwo(ulp_exponent));
}

std::string TieDistance::InWords() const {
  const std::string tie_text = RationalText(tie);
  if (argument == tie) return absl::StrCat("exactly on the tie ", tie_text);
  return absl::StrCat(
      RationalText(abs(argument - tie)), argument < tie ? " below" : " above",
      " the tie ", tie_text,
      to_float ? absl::StrCat("; 1 ulp is 2^", ulp_exponent) : std::string());
}

double ExactFacts::TieDistanceOfLastRounding() const {
  if (to_float) return to_float->InUlps().get_d();
  if (nearest_round) return nearest_round->InUlps().get_d();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string ExactFacts::TieDistanceInWords() const {
  if (to_float && nearest_round) {
    return absl::StrCat("round(): ", nearest_round->InWords(),
                        "; output: ", to_float->InWords());
  }
  return nearest_round ? nearest_round->InWords() : "nothing is rounded";
}

Exact Exact::WithRounding(Rounding rounding) {
  Exact exact;
  exact.rounding_ = rounding;
  return exact;
}

Exact Exact::WithZeroPointBeforeRounding() {
  Exact exact;
  exact.zero_point_before_rounding_ = true;
  return exact;
}

Exact Exact::WithoutClamps() {
  Exact exact;
  exact.clamps_ = false;
  return exact;
}

Exact::Real Exact::Clamp(const Real& value, const Real& low, const Real& high) {
  if (value < low) {
    NoteClamped(/*low=*/true);
    return clamps_ ? low : value;
  }
  if (value > high) {
    NoteClamped(/*low=*/false);
    return clamps_ ? high : value;
  }
  return value;
}

Exact::Rounded Exact::Round(const Real& value, Rounding rounding,
                            int64_t added_next) {
  TieDistance distance;
  distance.argument = value;
  distance.tie = Floor(value) + mpq_class(1, 2);
  facts.tie = facts.tie || distance.tie == value;
  if (!facts.nearest_round ||
      distance.InUlps() < facts.nearest_round->InUlps()) {
    facts.nearest_round = std::move(distance);
  }
  if (zero_point_before_rounding_) {
    return RoundToInteger(value + added_next, rounding) - added_next;
  }
  return RoundToInteger(value, RoundingFor(rounding));
}

Exact::Integer Exact::Clamp(const Rounded& value, int64_t low, int64_t high) {
  if (!clamps_) {
    low = -kBeyondLimits;
    high = kBeyondLimits;
  }
  if (value < low) {
    NoteClamped(/*low=*/true);
    return low;
  }
  if (value > high) {
    NoteClamped(/*low=*/false);
    return high;
  }
  return value.get_si();
}

void Exact::NoteClamped(bool low) {
  (low ? facts.clamped_low : facts.clamped_high) = true;
}

ValueSet Exact::ToOutput(Integer value) {
  return ValueSet::Point(static_cast<double>(value));
}

ValueSet Exact::ToFormat(const Real& value, const BinaryFormat& format) {
  FormatRounding rounding = RoundToFormat(value, format);
  facts.output_tie = rounding.tie == value;
  // Not where to even goes away from zero too, or to infinity.
  facts.output_tie_decides = facts.output_tie &&
                             std::isfinite(rounding.value) &&
                             std::abs(rounding.value) < abs(value);
  facts.to_float = TieDistance{value, std::move(rounding.tie),
                               rounding.ulp_exponent, /*to_float=*/true};
  return ValueSet::Point(rounding.value);
}

std::string Describe(const mpq_class& value) { return RationalText(value); }

std::string Describe(const mpz_class& value) { return value.get_str(); }

std::string Describe(int64_t value) { return std::to_string(value); }

std::string Describe(const ValueSet& value) {
  if (value.any) return "any value";
  const auto text = [](double end) {
    if (!std::isfinite(end)) return absl::StrFormat("%g", end);
    // An integer needs no second spelling.
    if (end == std::trunc(end)) return absl::StrFormat("%.17g", end);
    return absl::StrFormat("%a = %.17g", end, end);
  };
  if (value.low == value.high || std::isnan(value.low)) return text(value.low);
  return absl::StrCat("[", text(value.low), ", ", text(value.high), "]");
}

}  // namespace qconform::reference
