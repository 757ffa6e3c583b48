// Reads tensors into plain row-major arrays, whatever their strides.

#ifndef QCONFORM_REFERENCE_OPERANDS_H_
#define QCONFORM_REFERENCE_OPERANDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::reference {

// The limits of an integer output type, both included.
struct IntegerLimits {
  int64_t min = 0;
  int64_t max = 0;
};

// Of uint8 or int8.
IntegerLimits LimitsOf(spec::DataType type);

// Elements in row-major order of the sizes. The tensors belong to a call that
// spec::Validate accepted.
std::vector<int32_t> ReadIntegers(const spec::Tensor& tensor);  // uint8, int8
std::vector<int64_t> ReadInt64s(const spec::Tensor& tensor);
std::vector<double> ReadReals(const spec::Tensor& tensor);

// A scale or zero-point tensor: one value for all, or one for each row or
// column. A zero-point tensor that is not given is 0 (QM-06).
class Parameter {
 public:
  Parameter(const spec::Arguments& arguments, const std::string& tensor_name);

  double At(int64_t index) const {
    return values_.size() == 1 ? values_[0]
                               : values_[static_cast<size_t>(index)];
  }
  int64_t IntegerAt(int64_t index) const {
    return static_cast<int64_t>(At(index));
  }

 private:
  std::vector<double> values_;
};

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_OPERANDS_H_
