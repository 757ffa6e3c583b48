#include "reference/second_oracle/grouped_matmul.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "reference/second_oracle/row_quantizer.h"
#include "reference/second_oracle/tensor_access.h"
#include "spec/validate.h"

namespace qconform::reference::second_oracle {
namespace {

constexpr uint16_t kFloat16One = 0x3c00;

int64_t CeilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

struct WeightLayout {
  bool fractal;
  bool transposed;  // transposeWeight: n before k
  int64_t n;
  int64_t k;

  // Where weight element (group, n, k) is stored (AG-08, AG-09).
  int64_t Offset(int64_t group, int64_t in, int64_t ik) const {
    if (!fractal) {
      return group * n * k + (transposed ? in * k + ik : ik * n + in);
    }
    // Blocks of 16 rows of the one dimension by 32 lanes of the other.
    const int64_t lane = transposed ? ik : in;
    const int64_t row = transposed ? in : ik;
    const int64_t lane_blocks = CeilDivide(transposed ? k : n, 32);
    const int64_t row_blocks = (transposed ? n : k) / 16;
    const int64_t block =
        (group * lane_blocks + lane / 32) * row_blocks + row / 16;
    return (block * 16 + row % 16) * 32 + lane % 32;
  }
};

// The row's products with the smooth scale, or nothing if the row is NaN
// (AG-03).
std::optional<std::vector<Product>> ProductsOfRow(
    const uint16_t* x, const std::vector<uint16_t>& smooth, bool dynamic) {
  std::vector<Product> products(smooth.size());
  for (size_t i = 0; i < smooth.size(); ++i) {
    products[i] = MultiplyFloat16(x[i], smooth[i]);
    if (products[i].kind == Product::Kind::kNan) return std::nullopt;
    if (dynamic && products[i].kind == Product::Kind::kInfinite) {
      return std::nullopt;
    }
  }
  return products;
}

RowQuantizer DynamicQuantizer(const std::vector<Product>& products) {
  Product largest;
  for (const Product& product : products) {
    if (SmallerMagnitude(largest, product)) largest = product;
  }
  return RowQuantizer::Dynamic(largest);
}

}  // namespace

Result EvaluateGroupedMatmul(const spec::Arguments& arguments) {
  const spec::Tensor& x_tensor = arguments.inputs.at("x");
  const spec::Tensor& weight = arguments.inputs.at("weight");
  const spec::Tensor* x_scale_tensor = FindInput(arguments, "xScaleOptional");
  const spec::Tensor* smooth_tensor =
      FindInput(arguments, "smoothScaleOptional");
  const int64_t k = x_tensor.desc.sizes[1];
  const int64_t n = arguments.inputs.at("weightScale").desc.sizes[1];
  const bool per_token =
      spec::StringAttribute(arguments, "xQuantMode") == "pertoken";
  const WeightLayout layout{
      weight.desc.format == spec::TensorFormat::kFractalNz,
      spec::BoolAttribute(arguments, "transposeWeight"), n, k};

  const std::vector<uint16_t> x = Float16Elements(x_tensor);
  const std::vector<float> weight_scales =
      Float32Elements(arguments.inputs.at("weightScale"));
  const std::vector<int64_t> group_ends =
      Int64Elements(arguments.inputs.at("groupList"));
  const bool dynamic = x_scale_tensor == nullptr;  // AG-07
  const std::vector<float> x_scales =
      dynamic ? std::vector<float>() : Float32Elements(*x_scale_tensor);
  const std::vector<uint16_t> smooth =
      smooth_tensor == nullptr ? std::vector<uint16_t>(k, kFloat16One)
                               : Float16Elements(*smooth_tensor);

  Result result =
      WrittenResult(CountElements(arguments.outputs.at("out").sizes));
  // Rows of no group stay as they were (AG-05).
  result.written.assign(result.written.size(), false);
  std::vector<int16_t> weights(static_cast<size_t>(n * k));
  std::vector<int16_t> quantized(static_cast<size_t>(k));
  int64_t begin = 0;
  for (size_t group = 0; group < group_ends.size(); ++group) {
    const int64_t end = group_ends[group];
    if (begin == end) continue;
    for (int64_t in = 0; in < n; ++in) {
      for (int64_t ik = 0; ik < k; ++ik) {
        weights[in * k + ik] = std::to_integer<int8_t>(
            weight.storage[layout.Offset(group, in, ik)]);
      }
    }
    for (int64_t row = begin; row < end; ++row) {
      const auto products = ProductsOfRow(&x[row * k], smooth, dynamic);
      const auto put = [&](int64_t in, double value) {
        result.values[row * n + in] = value;
        result.written[row * n + in] = true;
      };
      if (!products.has_value()) {
        for (int64_t in = 0; in < n; ++in) {
          put(in, std::numeric_limits<double>::quiet_NaN());
        }
        continue;
      }
      const RowQuantizer quantizer =
          dynamic ? DynamicQuantizer(*products)
                  // AG-06: the absolute row, not the row within the group.
                  : RowQuantizer::Given(x_scales[per_token ? row : 0]);
      for (int64_t ik = 0; ik < k; ++ik) {
        quantized[ik] =
            static_cast<int16_t>(quantizer.Quantize((*products)[ik]));
      }
      for (int64_t in = 0; in < n; ++in) {
        const int64_t sum = DotProduct(quantized.data(), &weights[in * k], k);
        put(in, Float16Value(
                    quantizer.Dequantize(sum, weight_scales[group * n + in])));
      }
    }
    begin = end;
  }
  return result;
}

}  // namespace qconform::reference::second_oracle
