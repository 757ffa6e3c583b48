// Scales and zero points in the form that the kernels take. Internal to
// dml_quantized_linear_matrix_multiply.h.

#ifndef QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_PARAMETERS_H_
#define QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_PARAMETERS_H_

#include <cstddef>
#include <cstdint>

#include "optimized/dml_matrix_multiply_shape.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"
#include "optimized/requantize.h"

namespace qconform::optimized {

// Every parameter in the form that the kernels take; arrays in the plan or in
// the workspace.
struct PreparedParameters {
  RequantizeRow* rows = nullptr;
  int32_t* a_zero_points = nullptr;
  float* b_scales = nullptr;         // padded to whole panels
  int32_t* b_zero_points = nullptr;  // padded to whole panels
};

// Fills the arrays of `to` from checked data; `row_count` is 1 or M.
void PrepareParameters(const DmlMatrixMultiplyShape& shape,
                       const DmlQuantizedLinearMatrixMultiplyData& data,
                       size_t row_count, size_t padded_columns,
                       const PreparedParameters& to);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_PARAMETERS_H_
