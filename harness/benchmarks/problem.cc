#include "harness/benchmarks/problem.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

using spec::DataType;
using spec::Tensor;

// splitmix64: the same data on every machine and library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  int64_t Between(int64_t low, int64_t high) {
    return low +
           static_cast<int64_t>(Next() % static_cast<uint64_t>(high - low + 1));
  }
  double Unit() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  // The sum of twelve uniforms is close enough to a normal variable here.
  double Gaussian() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += Unit();
    return sum;
  }

 private:
  uint64_t state_;
};

int64_t Lowest(DataType type) { return type == DataType::kInt8 ? -128 : 0; }
int64_t Highest(DataType type) { return type == DataType::kInt8 ? 127 : 255; }

std::string ShortName(DataType type) {
  return type == DataType::kInt8 ? "s8" : "u8";
}

Tensor Make(DataType type, std::vector<int64_t> sizes) {
  Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = std::move(sizes);
  tensor.storage.resize(static_cast<size_t>(*ElementCount(tensor.desc)) *
                        ByteSize(type));
  return tensor;
}

Tensor FullRange(Random& random, DataType type, std::vector<int64_t> sizes) {
  Tensor tensor = Make(type, std::move(sizes));
  for (std::byte& byte : tensor.storage) {
    byte = static_cast<std::byte>(random.Next());
  }
  return tensor;
}

// {k, n}; a zero point of 128 for unsigned weights keeps them symmetric.
Tensor Gaussian(Random& random, DataType type, int64_t k, int64_t n,
                bool per_column) {
  std::vector<double> values(static_cast<size_t>(k * n));
  for (double& value : values) value = random.Gaussian();
  std::vector<double> largest(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    double& column = largest[i % static_cast<size_t>(n)];
    column = std::max(column, std::abs(values[i]));
  }
  if (!per_column) {
    const double all = *std::max_element(largest.begin(), largest.end());
    std::fill(largest.begin(), largest.end(), all);
  }
  const int64_t offset = type == DataType::kInt8 ? 0 : 128;
  Tensor tensor = Make(type, {k, n});
  for (size_t i = 0; i < values.size(); ++i) {
    const double scaled = values[i] * 127 / largest[i % static_cast<size_t>(n)];
    WriteInteger(tensor, static_cast<int64_t>(i), std::lround(scaled) + offset);
  }
  return tensor;
}

Tensor Scalar(DataType type, size_t rank, double value) {
  Tensor tensor = Make(type, std::vector<int64_t>(rank, 1));
  if (IsFloat(type)) {
    WriteReal(tensor, 0, value);
  } else {
    WriteInteger(tensor, 0, static_cast<int64_t>(value));
  }
  return tensor;
}

}  // namespace

std::string MatMulName(const MatMulShape& shape, DataType a, DataType b,
                       WeightDistribution weights, bool constant_weight,
                       int threads) {
  const auto [m, k, n] = shape;
  const char* suffix = weights == WeightDistribution::kFullRange ? ""
                       : weights == WeightDistribution::kGaussianPerTensor
                           ? "/gaussian"
                           : "/gaussian-columns";
  return absl::StrCat("matmul/", ShortName(a), ShortName(b), "/", m, "x", k,
                      "x", n, suffix, constant_weight ? "" : "/b-not-constant",
                      threads > 1 ? absl::StrCat("/threads=", threads) : "");
}

std::string MatMulOfTiesName(const MatMulShape& shape) {
  return MatMulName(shape, DataType::kUint8, DataType::kUint8,
                    WeightDistribution::kFullRange, true, 1) +
         "/ties";
}

std::string AddName(int64_t elements, DataType type, uint64_t seed, bool ties) {
  return absl::StrCat("add/", ShortName(type), "/", elements,
                      ties ? "/ties" : "", "/scales=", seed);
}

std::string QuantizeAndDequantizeName(int64_t elements) {
  return absl::StrCat("qdq/f32/", elements);
}

std::string GroupedMatMulName(int64_t groups, int64_t rows, int64_t k,
                              int64_t n) {
  return absl::StrCat("grouped/", groups, "x", rows, "x", k, "x", n);
}

Problem MakeMatMul(const MatMulShape& shape, DataType a, DataType b,
                   DataType output, WeightDistribution weights,
                   bool constant_weight, int threads) {
  Random random(
      static_cast<uint64_t>(shape.m * 1000003 + shape.k * 1009 + shape.n));
  Problem problem;
  const auto [m, k, n] = shape;
  problem.name = MatMulName(shape, a, b, weights, constant_weight, threads);
  spec::Arguments& arguments = problem.arguments;
  arguments.operator_name = "dml_quantized_linear_matrix_multiply";
  arguments.inputs["ATensor"] = FullRange(random, a, {m, k});
  arguments.inputs["BTensor"] =
      weights == WeightDistribution::kFullRange
          ? FullRange(random, b, {k, n})
          : Gaussian(random, b, k, n,
                     weights == WeightDistribution::kGaussianPerColumn);
  arguments.inputs["AScaleTensor"] = Scalar(DataType::kFloat32, 2, 0.0173f);
  arguments.inputs["BScaleTensor"] = Scalar(DataType::kFloat32, 2, 0.0091f);
  // The standard deviation of the sum is about 74 * 74 * sqrt(k): this output
  // scale leaves few elements at the clamps.
  arguments.inputs["OutputScaleTensor"] = Scalar(
      DataType::kFloat32, 2,
      static_cast<float>(0.0173 * 0.0091 * 5476 * std::sqrt(double(k)) / 50));
  const auto middle = [](DataType type) {
    return type == DataType::kInt8 ? 3.0 : 131.0;
  };
  arguments.inputs["AZeroPointTensor"] = Scalar(a, 2, middle(a));
  // oneDNN and the integer peers take symmetric signed weights only.
  arguments.inputs["BZeroPointTensor"] =
      Scalar(b, 2, b == DataType::kInt8 ? 0.0 : 128.0);
  arguments.inputs["OutputZeroPointTensor"] = Scalar(output, 2, middle(output));
  arguments.outputs["OutputTensor"].type = output;
  arguments.outputs["OutputTensor"].sizes = {m, n};
  problem.constant_weight = constant_weight;
  problem.threads = threads;
  problem.work = 2.0 * static_cast<double>(m) * static_cast<double>(k) *
                 static_cast<double>(n);
  problem.unit = "GOP/s";
  problem.bytes_per_run = static_cast<double>(m * k + k * n + m * n);
  return problem;
}

Problem MakeMatMulOfTies(const MatMulShape& shape) {
  const DataType u8 = DataType::kUint8;
  const auto full = WeightDistribution::kFullRange;
  Problem problem = MakeMatMul(shape, u8, u8, u8, full, true, 1);
  problem.ordinary = std::make_shared<const Problem>(problem);
  problem.name = MatMulOfTiesName(shape);
  auto& inputs = problem.arguments.inputs;
  for (const char* name :
       {"AZeroPointTensor", "BZeroPointTensor", "OutputZeroPointTensor"}) {
    inputs[name] = Scalar(u8, 2, 0);
  }
  // Each sum is an odd multiple of 3, and becomes a sixth of itself.
  inputs["AScaleTensor"] = Scalar(DataType::kFloat32, 2, 1);
  inputs["BScaleTensor"] = Scalar(DataType::kFloat32, 2, 1);
  inputs["OutputScaleTensor"] = Scalar(DataType::kFloat32, 2, 6);
  for (int64_t m = 0; m < shape.m; ++m) {
    for (int64_t k = 0; k < shape.k; ++k) {
      WriteInteger(inputs["ATensor"], m * shape.k + k, k == 0 ? 1 : 0);
    }
  }
  for (int64_t n = 0; n < shape.n; ++n) {
    WriteInteger(inputs["BTensor"], n, 3 + n % 42 * 6);
  }
  return problem;
}

Problem MakeAdd(int64_t elements, DataType type, uint64_t seed, bool ties) {
  Random random(seed * 2 + (ties ? 1 : 0));
  Problem problem;
  problem.name = AddName(elements, type, seed, ties);
  spec::Arguments& arguments = problem.arguments;
  arguments.operator_name = "dml_element_wise_quantized_linear_add";
  arguments.inputs["ATensor"] = FullRange(random, type, {elements});
  arguments.inputs["BTensor"] = FullRange(random, type, {elements});
  const auto scale = [&]() -> float {
    if (!ties) return static_cast<float>(std::exp2(random.Unit() * 2 - 5));
    // Few mantissa bits and near exponents: many quotients end in one half.
    return static_cast<float>(random.Between(1, 7)) *
           std::exp2f(static_cast<float>(random.Between(-6, -4)));
  };
  arguments.inputs["AScaleTensor"] = Scalar(DataType::kFloat32, 1, scale());
  arguments.inputs["BScaleTensor"] = Scalar(DataType::kFloat32, 1, scale());
  const float output_scale =
      ties ? std::exp2f(static_cast<float>(random.Between(-4, -2))) : scale();
  arguments.inputs["OutputScaleTensor"] =
      Scalar(DataType::kFloat32, 1, output_scale);
  for (const char* name :
       {"AZeroPointTensor", "BZeroPointTensor", "OutputZeroPointTensor"}) {
    arguments.inputs[name] = Scalar(
        type, 1,
        static_cast<double>(random.Between(Lowest(type), Highest(type))));
  }
  arguments.outputs["OutputTensor"].type = type;
  arguments.outputs["OutputTensor"].sizes = {elements};
  problem.work = static_cast<double>(elements);
  problem.unit = "elements/ns";
  problem.bytes_per_run = 3 * problem.work;
  return problem;
}

Problem MakeQuantizeAndDequantize(int64_t elements) {
  Random random(static_cast<uint64_t>(elements));
  Problem problem;
  problem.name = QuantizeAndDequantizeName(elements);
  spec::Arguments& arguments = problem.arguments;
  arguments.operator_name = "tf_quantize_and_dequantize_v2";
  arguments.attributes["range_given"] = true;
  Tensor input = Make(DataType::kFloat32, {elements});
  for (int64_t i = 0; i < elements; ++i) {
    WriteReal(input, i, random.Unit() * 8 - 4);
  }
  arguments.inputs["input"] = std::move(input);
  // Peers quantize symmetrically over [-127, 127] with the scale 3.7 / 127.
  arguments.inputs["input_min"] = Scalar(DataType::kFloat32, 0, -3.7f);
  arguments.inputs["input_max"] = Scalar(DataType::kFloat32, 0, 3.7f);
  arguments.outputs["output"].type = DataType::kFloat32;
  arguments.outputs["output"].sizes = {elements};
  problem.work = static_cast<double>(elements);
  problem.unit = "elements/ns";
  problem.bytes_per_run = 8 * problem.work;
  return problem;
}

Problem MakeGroupedMatMul(int64_t groups, int64_t rows, int64_t k, int64_t n) {
  Random random(static_cast<uint64_t>(groups * 1000003 + k));
  Problem problem;
  problem.name = GroupedMatMulName(groups, rows, k, n);
  spec::Arguments& arguments = problem.arguments;
  arguments.operator_name = "aclnn_quant_grouped_matmul_dequant";
  arguments.attributes["xQuantMode"] = std::string("pertoken");
  arguments.attributes["transposeWeight"] = true;
  Tensor x = Make(DataType::kFloat16, {groups * rows, k});
  for (int64_t i = 0; i < groups * rows * k; ++i) {
    WriteReal(x, i, random.Gaussian());
  }
  arguments.inputs["x"] = std::move(x);
  Tensor weight = FullRange(random, DataType::kInt8, {groups, n, k});
  arguments.inputs["weight"] = std::move(weight);
  Tensor scale = Make(DataType::kFloat32, {groups, n});
  for (int64_t i = 0; i < groups * n; ++i) {
    WriteReal(scale, i, 0.001 + random.Unit() * 0.001);
  }
  arguments.inputs["weightScale"] = std::move(scale);
  Tensor list = Make(DataType::kInt64, {groups});
  for (int64_t i = 0; i < groups; ++i) WriteInteger(list, i, (i + 1) * rows);
  arguments.inputs["groupList"] = std::move(list);
  arguments.outputs["out"].type = DataType::kFloat16;
  arguments.outputs["out"].sizes = {groups * rows, n};
  problem.work = 2.0 * static_cast<double>(groups * rows) *
                 static_cast<double>(k) * static_cast<double>(n);
  problem.unit = "GOP/s";
  problem.bytes_per_run = static_cast<double>(
      2 * groups * rows * k + groups * n * k + 2 * groups * rows * n);
  return problem;
}

}  // namespace qconform::harness
