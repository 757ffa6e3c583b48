// The quantize function of the two DirectML documents, right and with every
// fault of rounding, order and range that implementations had:
//   clamp(round(numerator / OutputScale) + OutputZeroPoint, Min, Max)

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_REQUANTIZE_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_REQUANTIZE_H_

#include <gmpxx.h>

#include <cstdint>

#include "harness/candidates/mutants/scalar_math.h"

namespace qconform::harness::mutants {

struct QuantizeFaults {
  Rounding rounding = Rounding::kHalfEven;
  bool zero_point_before_rounding = false;
  bool clamp_before_zero_point = false;
  bool wrap = false;             // keeps the low byte instead of clamping
  bool symmetric_clamp = false;  // -127 for the least int8
  bool through_float = false;    // rounds the quotient to float first
  bool reciprocal = false;       // multiplies by a float reciprocal
  bool zero_point_ignored = false;
  bool zero_point_subtracted = false;
  bool converts_to_int32 = false;  // what leaves int32 becomes its minimum
};

int64_t Quantize(const mpq_class& numerator, const mpq_class& scale,
                 int64_t zero_point, bool is_signed,
                 const QuantizeFaults& faults);

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_REQUANTIZE_H_
