#include "reference/second_oracle/grouped_matmul.h"

#include <cstddef>
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

// The call's tensors as plain lists.
struct Call {
  explicit Call(const spec::Arguments& arguments);

  int64_t k;
  int64_t n;
  const spec::Tensor& weight;
  WeightLayout layout;
  std::vector<uint16_t> x;
  std::vector<uint16_t> smooth;
  std::vector<float> weight_scales;
  std::vector<int64_t> group_ends;
  bool dynamic;  // AG-07
  bool per_token;
  std::vector<float> x_scales;  // unless dynamic
};

Call::Call(const spec::Arguments& arguments)
    : k(arguments.inputs.at("x").desc.sizes[1]),
      n(arguments.inputs.at("weightScale").desc.sizes[1]),
      weight(arguments.inputs.at("weight")),
      layout{weight.desc.format == spec::TensorFormat::kFractalNz,
             spec::BoolAttribute(arguments, "transposeWeight"), n, k},
      x(Float16Elements(arguments.inputs.at("x"))),
      weight_scales(Float32Elements(arguments.inputs.at("weightScale"))),
      group_ends(Int64Elements(arguments.inputs.at("groupList"))),
      per_token(spec::StringAttribute(arguments, "xQuantMode") == "pertoken") {
  const spec::Tensor* given_smooth =
      FindInput(arguments, "smoothScaleOptional");
  smooth = given_smooth == nullptr ? std::vector<uint16_t>(k, kFloat16One)
                                   : Float16Elements(*given_smooth);
  const spec::Tensor* given_scale = FindInput(arguments, "xScaleOptional");
  dynamic = given_scale == nullptr;
  if (!dynamic) x_scales = Float32Elements(*given_scale);
}

// n rows of k.
std::vector<int16_t> WeightsOfGroup(const Call& call, int64_t group) {
  std::vector<int16_t> weights(static_cast<size_t>(call.n * call.k));
  for (int64_t in = 0; in < call.n; ++in) {
    for (int64_t ik = 0; ik < call.k; ++ik) {
      weights[in * call.k + ik] = std::to_integer<int8_t>(
          call.weight.storage[call.layout.Offset(group, in, ik)]);
    }
  }
  return weights;
}

struct QuantizedRow {
  RowQuantizer quantizer;
  std::vector<int16_t> values;
};

// Nothing if the row is NaN (AG-03).
std::optional<QuantizedRow> QuantizeRow(const Call& call, int64_t row) {
  const auto products =
      ProductsOfRow(&call.x[row * call.k], call.smooth, call.dynamic);
  if (!products.has_value()) return std::nullopt;
  QuantizedRow quantized{
      call.dynamic
          ? DynamicQuantizer(*products)
          // AG-06: the absolute row, not the row within the group.
          : RowQuantizer::Given(call.x_scales[call.per_token ? row : 0]),
      {}};
  quantized.values.reserve(products->size());
  for (const Product& product : *products) {
    quantized.values.push_back(
        static_cast<int16_t>(quantized.quantizer.Quantize(product)));
  }
  return quantized;
}

}  // namespace

Result EvaluateGroupedMatmul(const spec::Arguments& arguments) {
  const Call call(arguments);
  Result result =
      WrittenResult(CountElements(arguments.outputs.at("out").sizes));
  // Rows of no group stay as they were (AG-05).
  result.written.assign(result.written.size(), false);
  int64_t begin = 0;
  for (size_t group = 0; group < call.group_ends.size(); ++group) {
    const int64_t end = call.group_ends[group];
    if (begin == end) continue;
    const std::vector<int16_t> weights = WeightsOfGroup(call, group);
    for (int64_t row = begin; row < end; ++row) {
      const std::optional<QuantizedRow> quantized = QuantizeRow(call, row);
      for (int64_t in = 0; in < call.n; ++in) {
        double& value = result.values[row * call.n + in];
        result.written[row * call.n + in] = true;
        if (!quantized.has_value()) {
          value = std::numeric_limits<double>::quiet_NaN();
          continue;
        }
        const int64_t sum =
            DotProduct(quantized->values.data(), &weights[in * call.k], call.k);
        value = Float16Value(quantized->quantizer.Dequantize(
            sum, call.weight_scales[group * call.n + in]));
      }
    }
    begin = end;
  }
  return result;
}

}  // namespace qconform::reference::second_oracle
