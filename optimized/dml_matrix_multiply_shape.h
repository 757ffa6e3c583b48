// What the descriptions of a quantized linear matrix multiply come to once they
// are checked: four dimensions, strides in elements. Internal to the library.

#ifndef QCONFORM_OPTIMIZED_DML_MATRIX_MULTIPLY_SHAPE_H_
#define QCONFORM_OPTIMIZED_DML_MATRIX_MULTIPLY_SHAPE_H_

#include <array>
#include <cstddef>

#include "absl/status/statusor.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"

namespace qconform::optimized {

// ATensor, BTensor or OutputTensor.
struct DmlMatrix {
  bool is_signed = false;
  std::array<size_t, 4> strides = {};  // batch, channel, row, column
  size_t extent_bytes = 0;
};

// A scale or zero-point tensor: `count` values, `stride` apart.
struct DmlParameter {
  const char* name = "";
  bool present = false;
  bool is_signed = false;
  size_t count = 1;
  size_t stride = 0;
  size_t extent_bytes = 0;
};

struct DmlMatrixMultiplyShape {
  size_t batches = 1;
  size_t channels = 1;
  size_t m = 1;
  size_t k = 1;
  size_t n = 1;
  DmlMatrix a;
  DmlMatrix b;
  DmlMatrix output;
  DmlParameter a_scale;
  DmlParameter a_zero_point;
  DmlParameter b_scale;
  DmlParameter b_zero_point;
  DmlParameter output_scale;
  DmlParameter output_zero_point;
};

// Checks everything that descriptions alone can violate (QM-02 to QM-04, QM-07,
// QM-08). kInvalidArgument.
absl::StatusOr<DmlMatrixMultiplyShape> CheckDmlMatrixMultiply(
    const DmlQuantizedLinearMatrixMultiplyDesc& desc,
    DmlFeatureLevel feature_level);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_DML_MATRIX_MULTIPLY_SHAPE_H_
