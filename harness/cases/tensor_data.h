// The "data" of one tensor of a test vector: a list of its storage, or a rule
// that fills it.

#ifndef QCONFORM_HARNESS_CASES_TENSOR_DATA_H_
#define QCONFORM_HARNESS_CASES_TENSOR_DATA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cases/json_reader.h"
#include "spec/tensor.h"

namespace qconform::harness {

// Bytes that {"repeat"} and {"random"} may still fill: a short file must not be
// able to ask for all memory.
struct GenerationBudget {
  int64_t bytes = int64_t{64} << 20;
};

struct TensorData {
  spec::Tensor tensor;
  std::vector<bool> must_stay;  // per storage element: written as null
  std::string generated;        // canonical text of the rule, if there is one
};

// Which storage elements the tensor's elements lie on; the others are padding.
// The description must have a valid StorageElementCount.
std::vector<bool> AddressedStorage(const spec::TensorDesc& desc);

// Reads the storage from offset 0 to the last element. null stands for padding
// and, in an output, for an element that must stay; its bytes are 0. An output
// has null wherever it has padding and is never random. Errors name the index,
// what was found and what is allowed.
absl::StatusOr<TensorData> ParseTensorData(const JsonValue& data,
                                           const spec::TensorDesc& desc,
                                           bool is_output,
                                           GenerationBudget& budget);

// The canonical text, on one line. Null stands wherever `must_stay` says so
// (empty: nowhere) and for padding of an input that is 0.
std::string FormatTensorData(const spec::Tensor& tensor,
                             const std::vector<bool>& must_stay);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_TENSOR_DATA_H_
