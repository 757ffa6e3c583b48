// Tensors made from lists of values.

#ifndef QCONFORM_HARNESS_CASES_PACKED_TENSOR_H_
#define QCONFORM_HARNESS_CASES_PACKED_TENSOR_H_

#include <cstdint>
#include <vector>

#include "spec/tensor.h"

namespace qconform::harness {

spec::TensorDesc PackedDesc(spec::DataType type, std::vector<int64_t> sizes);

// Without strides. The type must hold the values, which are as many as the
// sizes say.
spec::Tensor PackedTensor(spec::DataType type, std::vector<int64_t> sizes,
                          const std::vector<double>& values);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_PACKED_TENSOR_H_
