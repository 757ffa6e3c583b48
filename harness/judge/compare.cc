#include "harness/judge/compare.h"

#include <bit>
#include <cmath>

#include "absl/strings/str_format.h"

namespace qconform::harness {
namespace {

// Sign and magnitude of an IEEE format, `sign` being its top bit. Magnitudes of
// finite values and infinity are in the order of the values.
int64_t SignedMagnitude(uint32_t bits, uint32_t sign) {
  const int64_t magnitude = bits & (sign - 1);
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

}  // namespace

int64_t OrderedPosition(spec::DataType type, double value) {
  switch (type) {
    case spec::DataType::kFloat16:
      return SignedMagnitude(spec::DoubleToFloat16(value), uint32_t{1} << 15);
    case spec::DataType::kFloat32:
      return SignedMagnitude(std::bit_cast<uint32_t>(static_cast<float>(value)),
                             uint32_t{1} << 31);
    default:
      return static_cast<int64_t>(value);
  }
}

Difference Compare(spec::DataType type, double expected, double found) {
  Difference difference;
  if (std::isnan(expected) || std::isnan(found)) {
    difference.nan_mismatch = std::isnan(expected) != std::isnan(found);
  } else {
    difference.steps =
        OrderedPosition(type, found) - OrderedPosition(type, expected);
  }
  return difference;
}

std::string FormatValue(spec::DataType type, double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (!spec::IsFloat(type)) return absl::StrFormat("%.0f", value);
  return absl::StrFormat("%a (%.9g)", value, value);
}

std::string FormatDifference(spec::DataType type,
                             const Difference& difference) {
  if (difference.nan_mismatch) return "NaN against a number";
  if (spec::IsFloat(type)) return absl::StrFormat("%+d ULP", difference.steps);
  return absl::StrFormat("difference %+d", difference.steps);
}

}  // namespace qconform::harness
