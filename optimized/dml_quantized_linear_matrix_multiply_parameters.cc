#include "optimized/dml_quantized_linear_matrix_multiply_parameters.h"

namespace qconform::optimized {
namespace {

int32_t ZeroPointAt(const DmlParameter& parameter, const void* data,
                    size_t index) {
  if (!parameter.present) return 0;  // QM-06
  const size_t offset = index * parameter.stride;
  return parameter.is_signed
             ? int32_t{static_cast<const int8_t*>(data)[offset]}
             : int32_t{static_cast<const uint8_t*>(data)[offset]};
}

float ScaleAt(const DmlParameter& parameter, const float* data, size_t index) {
  return data[index * parameter.stride];
}

}  // namespace

void PrepareParameters(const DmlMatrixMultiplyShape& shape,
                       const DmlQuantizedLinearMatrixMultiplyData& data,
                       size_t row_count, size_t padded_columns,
                       const PreparedParameters& to) {
  for (size_t n = 0; n < padded_columns; ++n) {
    const bool inside = n < shape.n;
    to.b_scales[n] =
        inside ? ScaleAt(shape.b_scale, data.BScaleTensor, n) : 1.0f;
    to.b_zero_points[n] =
        inside ? ZeroPointAt(shape.b_zero_point, data.BZeroPointTensor, n) : 0;
  }
  const ColumnScaleSummary columns =
      SummarizeColumnScales(to.b_scales, shape.n);
  for (size_t m = 0; m < row_count; ++m) {
    to.a_zero_points[m] =
        ZeroPointAt(shape.a_zero_point, data.AZeroPointTensor, m);
    to.rows[m] = MakeRequantizeRow(
        ScaleAt(shape.a_scale, data.AScaleTensor, m),
        ScaleAt(shape.output_scale, data.OutputScaleTensor, m),
        ZeroPointAt(shape.output_zero_point, data.OutputZeroPointTensor, m),
        columns);
  }
}

}  // namespace qconform::optimized
