// What the add asks of the descriptions of its tensors. Internal to
// dml_element_wise_quantized_linear_add.h.

#ifndef QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DESCRIPTIONS_H_
#define QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DESCRIPTIONS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"

namespace qconform::optimized::linear_add {

// The scales and zero points in the order of Constants.
enum ParameterIndex : size_t {
  kAScale,
  kAZeroPoint,
  kBScale,
  kBZeroPoint,
  kOutputScale,
  kOutputZeroPoint,
  kParameterCount
};

constexpr const char* kParameterNames[kParameterCount] = {
    "AScaleTensor",     "AZeroPointTensor",  "BScaleTensor",
    "BZeroPointTensor", "OutputScaleTensor", "OutputZeroPointTensor"};

// kInvalidArgument names the tensor, what was found and what is allowed.
absl::Status CheckDescriptions(
    const DmlElementWiseQuantizedLinearAddDesc& desc);

}  // namespace qconform::optimized::linear_add

#endif  // QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DESCRIPTIONS_H_
