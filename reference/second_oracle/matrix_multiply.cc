#include "reference/second_oracle/matrix_multiply.h"

#include <cstdint>
#include <vector>

#include "reference/second_oracle/requantizer.h"
#include "reference/second_oracle/tensor_access.h"

namespace qconform::reference::second_oracle {
namespace {

// One value per row or column, from a tensor that holds one for all (QM-02) or
// is not given (QM-06).
template <typename T>
std::vector<T> Spread(std::vector<T> values, int64_t count) {
  if (values.size() == 1) values.resize(static_cast<size_t>(count), values[0]);
  return values;
}

std::vector<int16_t> ZeroPoints(const spec::Tensor* tensor, int64_t count) {
  if (tensor == nullptr) return std::vector<int16_t>(count, 0);
  return Spread(Int8Elements(*tensor), count);
}

std::vector<float> Scales(const spec::Tensor& tensor, int64_t count) {
  return Spread(Float32Elements(tensor), count);
}

}  // namespace

Result EvaluateMatrixMultiply(const spec::Arguments& arguments) {
  const spec::Tensor& a_tensor = arguments.inputs.at("ATensor");
  const spec::Tensor& b_tensor = arguments.inputs.at("BTensor");
  const spec::TensorDesc& output = arguments.outputs.at("OutputTensor");
  const size_t rank = output.sizes.size();  // 2..4 (QM-03)
  const int64_t rows = output.sizes[rank - 2];
  const int64_t columns = output.sizes[rank - 1];
  const int64_t depth = a_tensor.desc.sizes[rank - 1];
  const int64_t count = CountElements(output.sizes);
  const int64_t matrices = count / (rows * columns);

  std::vector<int16_t> a = Int8Elements(a_tensor);
  const std::vector<int16_t> b = Int8Elements(b_tensor);
  const auto a_scales = Scales(arguments.inputs.at("AScaleTensor"), rows);
  const auto b_scales = Scales(arguments.inputs.at("BScaleTensor"), columns);
  const auto output_scales =
      Scales(arguments.inputs.at("OutputScaleTensor"), rows);
  const auto a_zero_points =
      ZeroPoints(FindInput(arguments, "AZeroPointTensor"), rows);
  const auto b_zero_points =
      ZeroPoints(FindInput(arguments, "BZeroPointTensor"), columns);
  const auto output_zero_points =
      ZeroPoints(FindInput(arguments, "OutputZeroPointTensor"), rows);

  for (size_t i = 0; i < a.size(); ++i) {
    a[i] -= a_zero_points[i / depth % rows];
  }
  Result result = WrittenResult(count);
  std::vector<int16_t> b_columns(static_cast<size_t>(columns * depth));
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t n = 0; n < columns; ++n) {
        b_columns[n * depth + k] = static_cast<int16_t>(
            b[(matrix * depth + k) * columns + n] - b_zero_points[n]);
      }
    }
    for (int64_t m = 0; m < rows; ++m) {
      const int16_t* a_row = &a[(matrix * rows + m) * depth];
      for (int64_t n = 0; n < columns; ++n) {
        const Requantizer requantizer(a_scales[m], b_scales[n],
                                      output_scales[m], output_zero_points[m],
                                      output.type);
        result.values[(matrix * rows + m) * columns + n] =
            requantizer.Requantize(
                DotProduct(a_row, &b_columns[n * depth], depth));
      }
    }
  }
  return result;
}

}  // namespace qconform::reference::second_oracle
