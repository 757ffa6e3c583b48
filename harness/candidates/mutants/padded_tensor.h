// Tensors of the scalar models seen with a fixed number of dimensions.

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_PADDED_TENSOR_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_PADDED_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/candidates/candidate.h"
#include "spec/arguments.h"

namespace qconform::harness::mutants {

// Sizes and strides of a tensor padded with leading 1s to `rank` dimensions.
struct PaddedShape {
  PaddedShape(const spec::TensorDesc& desc, size_t rank) {
    const std::vector<int64_t> given = EffectiveStrides(desc);
    sizes.assign(rank - desc.sizes.size(), 1);
    strides.assign(rank - desc.sizes.size(), 0);
    sizes.insert(sizes.end(), desc.sizes.begin(), desc.sizes.end());
    strides.insert(strides.end(), given.begin(), given.end());
  }

  int64_t Offset(const std::vector<int64_t>& index) const {
    int64_t offset = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      // A dimension of size 1 serves every index: per-tensor parameters.
      if (sizes[i] > 1) offset += index[i] * strides[i];
    }
    return offset;
  }

  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

inline const spec::Tensor* FindInput(const spec::Arguments& arguments,
                                     const std::string& name) {
  const auto found = arguments.inputs.find(name);
  return found == arguments.inputs.end() ? nullptr : &found->second;
}

// An output as a tensor while it is written; gives the storage back at the end.
class OutputTensor {
 public:
  OutputTensor(const spec::Arguments& arguments, const std::string& name,
               OutputStorage& outputs)
      : storage_(outputs.at(name)) {
    tensor.desc = arguments.outputs.at(name);
    tensor.storage = std::move(storage_);
  }
  ~OutputTensor() { storage_ = std::move(tensor.storage); }
  OutputTensor(const OutputTensor&) = delete;
  OutputTensor& operator=(const OutputTensor&) = delete;

  spec::Tensor tensor;

 private:
  std::vector<std::byte>& storage_;
};

// Advances a row-major index; false after the last one.
inline bool NextIndex(const std::vector<int64_t>& sizes,
                      std::vector<int64_t>& index) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_PADDED_TENSOR_H_
