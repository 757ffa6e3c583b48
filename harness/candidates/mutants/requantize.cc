#include "harness/candidates/mutants/requantize.h"

#include <algorithm>
#include <limits>

namespace qconform::harness::mutants {

int64_t Quantize(const mpq_class& numerator, const mpq_class& scale,
                 int64_t zero_point, bool is_signed,
                 const QuantizeFaults& faults) {
  const int64_t lowest = !is_signed ? 0 : faults.symmetric_clamp ? -127 : -128;
  const int64_t highest = is_signed ? 127 : 255;
  if (faults.zero_point_ignored) zero_point = 0;
  if (faults.zero_point_subtracted) zero_point = -zero_point;
  mpq_class quotient = numerator / scale;
  if (faults.reciprocal) {
    quotient = ThroughFloat(ThroughFloat(numerator) * ThroughFloat(1 / scale));
  }
  if (faults.through_float) quotient = ThroughFloat(quotient);
  if (faults.zero_point_before_rounding) {
    return std::clamp(Round(quotient + zero_point, faults.rounding), lowest,
                      highest);
  }
  int64_t rounded = Round(quotient, faults.rounding);
  if (faults.converts_to_int32 && rounded != WrapTo(rounded, 32)) {
    rounded = std::numeric_limits<int32_t>::min();
  }
  if (faults.clamp_before_zero_point) {
    // The sum is then put into the byte type as it comes.
    return WrapToByte(std::clamp(rounded, lowest, highest) + zero_point,
                      is_signed);
  }
  const int64_t value = rounded + zero_point;
  return faults.wrap ? WrapToByte(value, is_signed)
                     : std::clamp(value, lowest, highest);
}

}  // namespace qconform::harness::mutants
