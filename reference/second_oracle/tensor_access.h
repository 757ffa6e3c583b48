// Reading tensors in bulk, and the integer dot product of both matmuls.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_TENSOR_ACCESS_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_TENSOR_ACCESS_H_

#include <cstdint>
#include <vector>

#include "reference/second_oracle/second_oracle.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::reference::second_oracle {

// Null if the tensor is not given.
const spec::Tensor* FindInput(const spec::Arguments& arguments,
                              const char* name);

// All elements of a tensor in row-major order of its sizes, whatever its
// strides. Int8Elements takes uint8 and int8.
std::vector<int16_t> Int8Elements(const spec::Tensor& tensor);
std::vector<int64_t> Int64Elements(const spec::Tensor& tensor);
std::vector<uint16_t> Float16Elements(const spec::Tensor& tensor);
std::vector<float> Float32Elements(const spec::Tensor& tensor);

int64_t CountElements(const std::vector<int64_t>& sizes);

// Limits of uint8 or int8.
struct Limits {
  int minimum;
  int maximum;
};
Limits LimitsOf(spec::DataType type);

// A result of `count` elements, all written, all 0.
Result WrittenResult(int64_t count);

// Exact for factors within +-255 and any count (AR-09).
int64_t DotProduct(const int16_t* a, const int16_t* b, int64_t count);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_TENSOR_ACCESS_H_
