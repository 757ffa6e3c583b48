#include "reference/second_oracle/second_oracle.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/validate.h"

namespace qconform::reference::second_oracle {
namespace {

using spec::Arguments;
using spec::DataType;
using spec::Tensor;
using ::testing::Each;
using ::testing::ElementsAre;

constexpr DataType kU8 = DataType::kUint8;
constexpr DataType kS8 = DataType::kInt8;
constexpr DataType kF16 = DataType::kFloat16;
constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kS64 = DataType::kInt64;
const double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

using Strides = std::optional<std::vector<int64_t>>;

// Values repeat until the sizes are filled.
Tensor Make(DataType type, std::vector<int64_t> sizes,
            const std::vector<double>& values, Strides strides = std::nullopt) {
  Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = std::move(sizes);
  tensor.desc.strides = std::move(strides);
  tensor.storage.resize(*spec::StorageElementCount(tensor.desc) *
                        spec::ByteSize(type));
  const int64_t count = *spec::ElementCount(tensor.desc);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t offset = spec::StorageOffset(tensor.desc, i);
    const double value = values[i % values.size()];
    if (spec::IsFloat(type)) {
      spec::WriteReal(tensor, offset, value);
    } else {
      spec::WriteInteger(tensor, offset, static_cast<int64_t>(value));
    }
  }
  return tensor;
}

spec::TensorDesc Output(DataType type, std::vector<int64_t> sizes) {
  spec::TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  return desc;
}

Result MustEvaluate(const Arguments& arguments) {
  const absl::StatusOr<Result> result = Evaluate(arguments);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : Result();
}

Arguments Matmul(Tensor a, Tensor b, spec::TensorDesc output) {
  const std::vector<int64_t> one(output.sizes.size(), 1);
  Arguments arguments;
  arguments.operator_name = "dml_quantized_linear_matrix_multiply";
  arguments.inputs["ATensor"] = std::move(a);
  arguments.inputs["BTensor"] = std::move(b);
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    arguments.inputs[name] = Make(kF32, one, {1});
  }
  arguments.outputs["OutputTensor"] = std::move(output);
  return arguments;
}

TEST(SecondOracleMatmul, PerRowAndPerColumn) {
  Arguments arguments =
      Matmul(Make(kU8, {2, 3}, {1, 2, 3, 4, 5, 6}),
             Make(kS8, {3, 2}, {1, -1, 2, -2, 3, -3}), Output(kS8, {2, 2}));
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(14, -14, 32, -32));
  arguments.inputs["AZeroPointTensor"] = Make(kU8, {2, 1}, {1, 4});
  arguments.inputs["BZeroPointTensor"] = Make(kS8, {1, 2}, {1, 0});
  // Rows {0,1,2} and {0,1,2}; columns {0,1,2} and {-1,-2,-3}: 5 and -8.
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(5, -8, 5, -8));
  arguments.inputs["AScaleTensor"] = Make(kF32, {2, 1}, {1, 3});
  arguments.inputs["BScaleTensor"] = Make(kF32, {1, 2}, {0.5, 0.25});
  arguments.inputs["OutputScaleTensor"] = Make(kF32, {2, 1}, {1, -1});
  arguments.inputs["OutputZeroPointTensor"] = Make(kS8, {2, 1}, {1, 10});
  // 5/2 -> 2, -2; -15/2 -> -8, 6.
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(3, -1, 2, 16));
}

TEST(SecondOracleMatmul, BatchesStridesAndRanks) {
  // B is the same for both batches; A is stored column by column with a gap.
  Arguments arguments =
      Matmul(Make(kU8, {2, 1, 1, 2}, {1, 2, 3, 4}, {{7, 0, 0, 3}}),
             Make(kU8, {2, 1, 2, 1}, {10, 1}, {{0, 0, 1, 0}}),
             Output(kU8, {2, 1, 1, 1}));
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(12, 34));
  EXPECT_THAT(MustEvaluate(arguments).written, Each(true));
  // Scale tensors of another rank than the data (QM-03).
  arguments.inputs["AScaleTensor"] = Make(kF32, {1}, {2});
  arguments.inputs["BScaleTensor"] = Make(kF32, {1}, {1});
  arguments.inputs["OutputScaleTensor"] = Make(kF32, {1}, {1});
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(24, 68));
}

TEST(SecondOracleMatmul, SumsBeyondInt32) {
  const int64_t depth = 40000;
  Arguments arguments =
      Matmul(Make(kU8, {1, depth}, {255}), Make(kU8, {depth, 1}, {255}),
             Output(kU8, {1, 1}));
  // 40000 * 65025 = 2601000000.
  arguments.inputs["OutputScaleTensor"] = Make(kF32, {1, 1}, {0x1p24});
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(155));
}

TEST(SecondOracleMatmul, Size512) {
  const int64_t size = 512;
  Arguments arguments =
      Matmul(Make(kU8, {size, size}, {1, 2}), Make(kS8, {size, size}, {3}),
             Output(kU8, {size, size}));
  arguments.inputs["OutputScaleTensor"] = Make(kF32, {1, 1}, {256});
  // 256 * (1 + 2) * 3 / 256.
  EXPECT_THAT(MustEvaluate(arguments).values, Each(9));
}

TEST(SecondOracleAdd, StridesAndZeroPoints) {
  Arguments arguments;
  arguments.operator_name = "dml_element_wise_quantized_linear_add";
  arguments.inputs["ATensor"] =
      Make(kU8, {2, 2}, {1, 2, 3, 4}, {{1, 5}});  // transposed, with a gap
  arguments.inputs["BTensor"] = Make(kS8, {2, 2}, {-1, -2, -1, -2}, {{0, 1}});
  arguments.inputs["AScaleTensor"] = Make(kF32, {1, 1}, {2});
  arguments.inputs["BScaleTensor"] = Make(kF32, {1, 1}, {1});
  arguments.inputs["OutputScaleTensor"] = Make(kF32, {1, 1}, {2});
  arguments.outputs["OutputTensor"] = Output(kS8, {2, 2});
  // 1/2, 1, 5/2, 3.
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(0, 1, 2, 3));
  arguments.inputs["AZeroPointTensor"] = Make(kU8, {1, 1}, {1});
  arguments.inputs["BZeroPointTensor"] = Make(kS8, {1, 1}, {-2});
  arguments.inputs["OutputZeroPointTensor"] = Make(kS8, {1, 1}, {-7});
  // 1/2, 1, 5/2, 3 again, minus 7.
  EXPECT_THAT(MustEvaluate(arguments).values, ElementsAre(-7, -6, -5, -4));
}

// m rows of x = {row + 1, 2, 0, ...}; w[n][k] = 1 for k = 0, n for k = 1.
constexpr int64_t kK = 16;
constexpr int64_t kN = 16;

Arguments Grouped(int64_t m, std::vector<double> group_list) {
  const int64_t g = static_cast<int64_t>(group_list.size());
  std::vector<double> x(m * kK, 0);
  for (int64_t row = 0; row < m; ++row) {
    x[row * kK] = static_cast<double>(row + 1);
    x[row * kK + 1] = 2;
  }
  std::vector<double> weight(kN * kK, 0);
  for (int64_t n = 0; n < kN; ++n) {
    weight[n * kK] = 1;
    weight[n * kK + 1] = static_cast<double>(n);
  }
  Arguments arguments;
  arguments.operator_name = "aclnn_quant_grouped_matmul_dequant";
  arguments.attributes["xQuantMode"] = std::string("pertoken");
  arguments.attributes["transposeWeight"] = true;
  arguments.inputs["x"] = Make(kF16, {m, kK}, x);
  arguments.inputs["weight"] = Make(kS8, {g, kN, kK}, weight);
  arguments.inputs["weightScale"] = Make(kF32, {g, kN}, {1});
  arguments.inputs["groupList"] = Make(kS64, {g}, group_list);
  arguments.outputs["out"] = Output(kF16, {m, kN});
  return arguments;
}

TEST(SecondOracleGrouped, GivenScalesAndGroups) {
  Arguments arguments = Grouped(4, {1, 1, 3});
  arguments.inputs["weightScale"] =
      Make(kF32, {3, kN}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  //
                           9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9,  //
                           4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4});
  arguments.inputs["xScaleOptional"] = Make(kF32, {4}, {1, 0.5, 0.25, 1});
  const Result result = MustEvaluate(arguments);
  // Row 0: 1 + 2n. Row 1, group 2: x_q = {4, 4}, (4 + 4n) * 4 * 0.5. Row 2:
  // x_q = {12, 8}, (12 + 8n) * 4 * 0.25. Row 3 is in no group (AG-05).
  for (int64_t n = 0; n < kN; ++n) {
    const double column = static_cast<double>(n);
    EXPECT_EQ(result.values[n], 1 + 2 * column);
    EXPECT_EQ(result.values[kN + n], 8 + 8 * column);
    EXPECT_EQ(result.values[2 * kN + n], 12 + 8 * column);
    EXPECT_TRUE(result.written[2 * kN + n]);
    EXPECT_FALSE(result.written[3 * kN + n]);
  }
}

TEST(SecondOracleGrouped, PerTensorAndSmooth) {
  Arguments arguments = Grouped(2, {2});
  arguments.attributes["xQuantMode"] = std::string("pertensor");
  arguments.inputs["xScaleOptional"] = Make(kF32, {1}, {0.5});
  std::vector<double> smooth(kK, 1);
  smooth[1] = -1;
  arguments.inputs["smoothScaleOptional"] = Make(kF16, {kK}, smooth);
  const Result result = MustEvaluate(arguments);
  for (int64_t n = 0; n < kN; ++n) {
    EXPECT_EQ(result.values[n], 1 - 2 * n);
    EXPECT_EQ(result.values[kN + n], 2 - 2 * n);
  }
}

TEST(SecondOracleGrouped, DynamicRoundsTheRowByItsMaximum) {
  const Result result = MustEvaluate(Grouped(1, {1}));
  // x = {1, 2}: x_q = {64, 127} (127/2 is a tie), out = (64 + 127n) * 2/127.
  EXPECT_EQ(result.values[0], 0x1.02p+0);  // 128/127 = 1.00787..
  EXPECT_EQ(result.values[1], 0x1.81p+1);  // 382/127 = 3.00787..
  EXPECT_EQ(result.values[15],
            0x1.f04p+4);  // 3938/127 = 31.00787.., above 31 + 2^-7
}

TEST(SecondOracleGrouped, LayoutsHoldTheSameWeights) {
  Arguments arguments = Grouped(3, {1, 3});
  const Result expected = MustEvaluate(arguments);
  const Tensor nd = arguments.inputs["weight"];
  for (const bool transposed : {true, false}) {
    for (const bool fractal : {true, false}) {
      Tensor weight;
      weight.desc.type = kS8;
      if (fractal) {
        weight.desc.format = spec::TensorFormat::kFractalNz;
        weight.desc.sizes = {2, 1, 1, 16, 32};
      } else {
        weight.desc.sizes = {2, 16, 16};
      }
      // Padding lanes may hold anything (AG-08).
      weight.storage.assign(*spec::StorageElementCount(weight.desc),
                            std::byte{77});
      for (int64_t g = 0; g < 2; ++g) {
        for (int64_t n = 0; n < kN; ++n) {
          for (int64_t k = 0; k < kK; ++k) {
            const int64_t row = transposed ? n : k;
            const int64_t lane = transposed ? k : n;
            weight.storage[(g * 16 + row) * (fractal ? 32 : 16) + lane] =
                nd.storage[(g * kN + n) * kK + k];
          }
        }
      }
      arguments.inputs["weight"] = weight;
      arguments.attributes["transposeWeight"] = transposed;
      arguments.options.allow_transpose_weight_false = !transposed;
      EXPECT_EQ(MustEvaluate(arguments).values, expected.values)
          << transposed << fractal;
    }
  }
}

// k and n of more than one block: the offset formula of AG-08 and AG-09 itself.
TEST(SecondOracleGrouped, FractalBlocks) {
  const int64_t k = 48;
  const int64_t n = 48;
  for (const bool transposed : {true, false}) {
    Arguments arguments;
    arguments.operator_name = "aclnn_quant_grouped_matmul_dequant";
    arguments.attributes["xQuantMode"] = std::string("pertensor");
    arguments.attributes["transposeWeight"] = transposed;
    arguments.options.allow_transpose_weight_false = !transposed;
    std::vector<double> x(k, 0);
    x[37] = 1;  // selects k = 37
    arguments.inputs["x"] = Make(kF16, {1, k}, x);
    arguments.inputs["xScaleOptional"] = Make(kF32, {1}, {1});
    arguments.inputs["weightScale"] = Make(kF32, {1, n}, {1});
    arguments.inputs["groupList"] = Make(kS64, {1}, {1});
    Tensor weight = Make(kS8, {1, 2, 3, 16, 32}, {0});
    weight.desc.format = spec::TensorFormat::kFractalNz;
    // (k, n) = (37, 40): the second block of lanes in both layouts.
    // transposed: ((1*3 + 2)*16 + 8)*32 + 5; else ((1*3 + 2)*16 + 5)*32 + 8.
    weight.storage[transposed ? 2821 : 2728] = std::byte{9};
    arguments.inputs["weight"] = weight;
    arguments.outputs["out"] = Output(kF16, {1, n});
    const Result result = MustEvaluate(arguments);
    for (int64_t i = 0; i < n; ++i) {
      EXPECT_EQ(result.values[i], i == 40 ? 9 : 0) << i;
    }
  }
}

TEST(SecondOracleGrouped, NanAndInfinity) {
  Arguments arguments = Grouped(3, {3});
  Tensor& x = arguments.inputs["x"];
  spec::WriteReal(x, 0, kInfinity);
  spec::WriteReal(x, kK, kNan);
  Result result = MustEvaluate(arguments);
  EXPECT_TRUE(std::isnan(result.values[0]));
  EXPECT_TRUE(std::isnan(result.values[kN]));
  EXPECT_FALSE(std::isnan(result.values[2 * kN]));
  EXPECT_TRUE(result.written[0]);
  arguments.inputs["xScaleOptional"] = Make(kF32, {3}, {1, 0, 0});
  spec::WriteReal(x, 2 * kK, kInfinity);
  result = MustEvaluate(arguments);
  EXPECT_EQ(result.values[1], 129);            // 127 + 2
  EXPECT_TRUE(std::isnan(result.values[kN]));  // NaN wins over scale 0
  EXPECT_EQ(result.values[2 * kN], 0);         // infinity does not (AG-03)
  arguments.inputs["smoothScaleOptional"] = Make(kF16, {kK}, {0});
  EXPECT_TRUE(std::isnan(MustEvaluate(arguments).values[0]));
}

TEST(SecondOracleGrouped, EmptyTensorWritesNothing) {
  Arguments arguments = Grouped(2, {2});
  arguments.inputs["weight"] = Make(kS8, {0, kN, kK}, {0});
  arguments.inputs["weightScale"] = Make(kF32, {0, kN}, {0});
  arguments.inputs["groupList"] = Make(kS64, {0}, {0});
  const Result result = MustEvaluate(arguments);
  EXPECT_EQ(result.values.size(), 2u * kN);
  EXPECT_THAT(result.written, Each(false));
}

TEST(SecondOracleGrouped, EmptyCallWithAnImpossibleOutput) {
  Arguments arguments = Grouped(2, {2});
  arguments.inputs["x"] = Make(kF16, {0, kK}, {0});
  arguments.outputs["out"].sizes = {-5, 3};
  EXPECT_FALSE(Evaluate(arguments).ok());
}

Arguments Quantize(const std::vector<double>& values, bool range_given,
                   double input_min = 0, double input_max = 0) {
  Arguments arguments;
  arguments.operator_name = "tf_quantize_and_dequantize_v2";
  arguments.attributes["range_given"] = range_given;
  const int64_t count = static_cast<int64_t>(values.size());
  arguments.inputs["input"] = Make(kF32, {count}, values);
  arguments.inputs["input_min"] = Make(kF32, {}, {input_min});
  arguments.inputs["input_max"] = Make(kF32, {}, {input_max});
  arguments.outputs["output"] = Output(kF32, {count});
  return arguments;
}

TEST(SecondOracleQuantize, GivenAndMeasuredRange) {
  EXPECT_THAT(MustEvaluate(Quantize({-20, 1, 20}, true, -10, 5)).values,
              ElementsAre(-10, 1.015625, 9.921875));
  EXPECT_THAT(MustEvaluate(Quantize({-10, 1, 5}, false, 7, -7)).values,
              ElementsAre(-10, 1.015625, 5));
  Arguments unsigned_input = Quantize({-10, 1, 255}, false);
  unsigned_input.attributes["signed_input"] = false;
  EXPECT_THAT(MustEvaluate(unsigned_input).values, ElementsAre(0, 1, 255));
}

TEST(SecondOracleQuantize, NanAndInfinity) {
  const Result given =
      MustEvaluate(Quantize({kNan, kInfinity, -kInfinity, 1}, true, -10, 5));
  EXPECT_TRUE(std::isnan(given.values[0]));
  EXPECT_EQ(given.values[1], 9.921875);
  EXPECT_EQ(given.values[2], -10);
  for (const double special : {kNan, kInfinity}) {
    for (const double value :
         MustEvaluate(Quantize({1, special, 2}, false)).values) {
      EXPECT_TRUE(std::isnan(value));
    }
  }
}

TEST(SecondOracleQuantize, TensorflowArithmetic) {
  // 0.3 * 255 is 76.5 in binary32, which goes to the even 76 (TQ-12).
  Arguments arguments = Quantize({0.3f, -1, 2}, true, 0, 1);
  arguments.attributes["signed_input"] = false;
  EXPECT_EQ(MustEvaluate(arguments).values[0], 0x1.353536p-2);
  arguments.options.arithmetic = "tensorflow";
  const Result result = MustEvaluate(arguments);
  EXPECT_EQ(result.values[0], 76 * (1.0f / 255));
  EXPECT_EQ(result.values[1], 0);
  EXPECT_EQ(result.values[2], 255 * (1.0f / 255));
  // The minimum's side decides; half up; a measured range does not clamp.
  arguments = Quantize({-8, -0.15625f, 0.15625f, 1, kNan}, true, -8, 1);
  arguments.options.arithmetic = "tensorflow";
  arguments.attributes["round_mode"] = std::string("HALF_UP");
  const Result half_up = MustEvaluate(arguments);
  EXPECT_EQ(half_up.values[0], -8);
  EXPECT_EQ(half_up.values[1], -0.125);
  EXPECT_EQ(half_up.values[2], 0.1875);
  EXPECT_EQ(half_up.values[3], 1);
  EXPECT_TRUE(std::isnan(half_up.values[4]));
  arguments = Quantize({1, 2}, false);
  arguments.options.arithmetic = "tensorflow";
  EXPECT_THAT(MustEvaluate(arguments).values,
              ElementsAre(64 * (2.0f / 127), 2));
}

// 255 / 2^-149 overflows, so the minimum's side is taken: inverse = -1 / 0.
TEST(SecondOracleQuantize, TensorflowArithmeticOverflows) {
  Arguments arguments = Quantize({1, -1}, true, -1, 0x1p-149);
  arguments.attributes["signed_input"] = false;
  arguments.options.arithmetic = "tensorflow";
  // hi = 255 * -infinity, x' = max(min(x, hi), -1) = -1 and
  // round(-1 * FLT_MAX) * -infinity.
  EXPECT_THAT(MustEvaluate(arguments).values,
              ElementsAre(kInfinity, kInfinity));
}

TEST(SecondOracleQuantize, Empty) {
  EXPECT_TRUE(MustEvaluate(Quantize({}, false)).values.empty());
}

TEST(SecondOracle, ReturnsTheStatusOfValidation) {
  Arguments arguments = Quantize({1}, true, 5, -5);
  EXPECT_FALSE(Evaluate(arguments).ok());
  EXPECT_EQ(Evaluate(arguments).status(), spec::Validate(arguments));
  arguments.operator_name = "unknown";
  EXPECT_EQ(Evaluate(arguments).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace qconform::reference::second_oracle
