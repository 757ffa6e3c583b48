// Tensors as the production kernels see them: descriptions without data, and
// plain pointers for the data. Stands alone, so that an engine can link the
// kernels without the rest of the project.

#ifndef QCONFORM_OPTIMIZED_TENSOR_VIEW_H_
#define QCONFORM_OPTIMIZED_TENSOR_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"

namespace qconform::optimized {

enum class ElementType : uint8_t {
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64
};

enum class TensorLayout : uint8_t { kNd, kFractalNz };

using Dimensions = absl::InlinedVector<int64_t, 8>;

// Sizes and strides count elements, outermost dimension first; absent strides
// mean packed.
struct TensorDesc {
  ElementType type = ElementType::kUint8;
  TensorLayout layout = TensorLayout::kNd;
  Dimensions sizes;
  std::optional<Dimensions> strides;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_TENSOR_VIEW_H_
