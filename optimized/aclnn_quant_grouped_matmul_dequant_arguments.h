// What a call of aclnnQuantGroupedMatmulDequant is, and the checks of its first
// phase. Messages name tensors and attributes as the document does.

#ifndef QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_ARGUMENTS_H_
#define QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized {

// The document's arguments in its order. An absent one is a null pointer of the
// document's call.
struct QuantGroupedMatmulDequantDesc {
  std::optional<TensorDesc> x;                      // {m, k} float16
  std::optional<TensorDesc> weight;                 // int8, see below
  std::optional<TensorDesc> weight_scale;           // {g, n} float32
  std::optional<TensorDesc> group_list;             // {g} int64
  std::optional<TensorDesc> bias_optional;          // must be absent
  std::optional<TensorDesc> x_scale_optional;       // {1} or {m} float32
  std::optional<TensorDesc> x_offset_optional;      // must be absent
  std::optional<TensorDesc> smooth_scale_optional;  // {k} float16
  std::optional<std::string> x_quant_mode;          // "pertoken", "pertensor"
  bool transpose_weight = true;
  std::optional<TensorDesc> out;  // {m, n} float16
};

// Shapes of weight (AG-08, AG-09):
//   transpose_weight true:   ND {g, n, k}   FRACTAL_NZ {g, k1, n/16, 16, 32}
//   transpose_weight false:  ND {g, k, n}   FRACTAL_NZ {g, n1, k/16, 16, 32}
// with k1 = ceil(k/32) and n1 = ceil(n/32).

// A call that has passed the checks.
struct QuantGroupedMatmulDequantGeometry {
  // Nothing to compute (AG-11); the other members are then not set.
  bool is_empty = false;
  size_t m = 0, k = 0, n = 0, groups = 0;
  bool is_dynamic = false;  // no xScaleOptional (AG-07)
  bool is_per_token = false;
  bool has_smooth_scale = false;
  bool is_fractal_nz = false;
  bool transpose_weight = true;
  // Strides in elements (AG-13).
  size_t x_row_stride = 0, x_column_stride = 0;
  size_t weight_scale_group_stride = 0, weight_scale_column_stride = 0;
  size_t group_list_stride = 0;
  size_t x_scale_stride = 0;
  size_t smooth_scale_stride = 0;
  // From the first to the last byte of each; 0 for an absent tensor.
  size_t x_bytes = 0, weight_bytes = 0, weight_scale_bytes = 0,
         group_list_bytes = 0, x_scale_bytes = 0, smooth_scale_bytes = 0,
         out_bytes = 0;

  // Int8 elements of one group of the weight, padding included.
  size_t WeightGroupStride() const;
};

// The first phase of AG-12, in its order. `allow_transpose_weight_false` is the
// option of AG-09. Errors carry their aclnn status (aclnn_status.h).
absl::StatusOr<QuantGroupedMatmulDequantGeometry>
CheckQuantGroupedMatmulDequant(const QuantGroupedMatmulDequantDesc& desc,
                               bool allow_transpose_weight_false);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_ARGUMENTS_H_
