#include "reference/arithmetic/binary32.h"

#include <cmath>
#include <limits>
#include <string>

#include "absl/strings/str_format.h"
#include "spec/tensor.h"

namespace qconform::reference {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

float RoundFloat(float value, Rounding rounding) {
  if (!std::isfinite(value)) return value;
  if (rounding == Rounding::kTruncate) return std::trunc(value);
  if (rounding == Rounding::kHalfAway) return std::round(value);
  // The difference to the integer below is exact from 1/2 on in magnitude, and
  // where it is not, rounding it cannot carry it across 1/2.
  const float below = std::floor(value);
  const float rest = value - below;
  const bool odd = std::fmod(below, 2.0f) != 0;
  const bool up =
      rest > 0.5f || (rest == 0.5f && (rounding == Rounding::kHalfUp || odd));
  return up ? below + 1.0f : below;
}

Binary32::Real Binary32::FromInteger(Integer value) {
  return value.nan ? std::numeric_limits<float>::quiet_NaN()
                   : static_cast<Real>(value.value);
}

Binary32::Rounded Binary32::Round(Real value, Rounding rounding,
                                  int64_t /*added_next*/) {
  return {RoundFloat(value, rounding)};
}

Binary32::Integer Binary32::Clamp(Rounded value, int64_t low, int64_t high) {
  if (std::isnan(value.value)) return Integer(0, /*is_nan=*/true);
  // Clamped before the conversion, which is defined only within int64.
  if (value.value < static_cast<double>(low)) return Integer(low);
  if (value.value > static_cast<double>(high)) return Integer(high);
  return Integer(static_cast<int64_t>(value.value));
}

ValueSet Binary32::ToOutput(Integer value) {
  return ValueSet::Point(value.nan ? kNan : static_cast<double>(value.value));
}

ValueSet Binary32::ToFloat16(Real value) {
  return ValueSet::Point(spec::Float16ToDouble(spec::DoubleToFloat16(value)));
}

std::string Describe(float value) {
  if (!std::isfinite(value)) return absl::StrFormat("%g", value);
  return absl::StrFormat("%a = %.9g", value, value);
}

std::string Describe(Binary32::Rounded value) {
  return absl::StrFormat("%.17g", value.value);
}

std::string Describe(Binary32::Integer value) {
  return value.nan ? "nan" : std::to_string(value.value);
}

}  // namespace qconform::reference
