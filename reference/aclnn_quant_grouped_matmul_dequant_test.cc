// Expectations worked out in rational arithmetic with another program, unless a
// comment says otherwise.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference/test_calls.h"

namespace qconform::reference {
namespace {

using spec::DataType;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kSize = 16;  // of k and n

// weight[group][n][k] of the cases below.
double Weight(int64_t group, int64_t n, int64_t k) {
  return static_cast<double>((group * 131 + n * 17 + k * 29) % 255 - 127);
}

std::vector<double> Ramp() {
  std::vector<double> x;
  for (int k = 0; k < kSize; ++k) x.push_back((k - 7) * 0.375);
  return x;
}

enum class Layout { kNd, kNz, kNdNotTransposed, kNzNotTransposed };

spec::Tensor WeightTensor(int64_t groups, Layout layout) {
  // k = n = 16, so that NZ has 16 lanes of padding: filled with 99.
  std::vector<double> data;
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t outer = 0; outer < kSize; ++outer) {
      for (int64_t inner = 0; inner < kSize; ++inner) {
        const bool transposed = layout == Layout::kNd || layout == Layout::kNz;
        data.push_back(transposed ? Weight(group, outer, inner)
                                  : Weight(group, inner, outer));
      }
      if (layout == Layout::kNz || layout == Layout::kNzNotTransposed) {
        data.insert(data.end(), 16, 99);
      }
    }
  }
  if (layout == Layout::kNd || layout == Layout::kNdNotTransposed) {
    return TensorOf(DataType::kInt8, {groups, kSize, kSize}, data);
  }
  spec::Tensor tensor =
      TensorOf(DataType::kInt8, {groups, 1, 1, kSize, 32}, data);
  tensor.desc.format = spec::TensorFormat::kFractalNz;
  return tensor;
}

spec::Arguments GroupedCall(const std::vector<std::vector<double>>& rows,
                            std::vector<double> group_list,
                            Layout layout = Layout::kNd) {
  const int64_t m = static_cast<int64_t>(rows.size());
  const int64_t groups = static_cast<int64_t>(group_list.size());
  std::vector<double> x;
  for (const auto& row : rows) x.insert(x.end(), row.begin(), row.end());
  std::vector<double> scales;
  for (int64_t i = 0; i < groups * kSize; ++i) {
    scales.push_back(0.001f * static_cast<float>(i % kSize + 1));
  }
  spec::Arguments call;
  call.operator_name = "aclnn_quant_grouped_matmul_dequant";
  call.attributes["xQuantMode"] = std::string("pertoken");
  call.attributes["transposeWeight"] =
      layout == Layout::kNd || layout == Layout::kNz;
  call.options.allow_transpose_weight_false = true;
  call.inputs["x"] = TensorOf(DataType::kFloat16, {m, kSize}, x);
  call.inputs["weight"] = WeightTensor(groups, layout);
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {groups, kSize}, scales);
  call.inputs["groupList"] = TensorOf(DataType::kInt64, {groups}, group_list);
  call.outputs["out"] = DescOf(DataType::kFloat16, {m, kSize});
  return call;
}

void Smooth(spec::Arguments& call) {
  std::vector<double> smooth;
  for (int k = 0; k < kSize; ++k) smooth.push_back(1 + 0.25 * (k % 3));
  call.inputs["smoothScaleOptional"] =
      TensorOf(DataType::kFloat16, {kSize}, smooth);
}

void GiveScale(spec::Arguments& call, std::vector<double> scale) {
  const int64_t count = static_cast<int64_t>(scale.size());
  call.inputs["xScaleOptional"] = TensorOf(DataType::kFloat32, {count}, scale);
}

const double kDynamicGroup0[] = {
    0x1.6f4p-1, 0x1.918p+0,  0x1.104p+1, 0x1.8d4p+1,  0x1.0dcp+2,  0x1.6dp+0,
    0x1.11p+1,  -0x1.644p+1, -0x1.2p+3,  -0x1.71cp+2, -0x1.aa4p+2, -0x1.9dcp+2,
    -0x1.12p+2, -0x1.15p+3,  0x1.42cp+1, 0x1.6f4p+3};
const double kDynamicGroup1[] = {
    -0x1.33cp-2, -0x1.31cp+0, -0x1.81cp+1, -0x1.1ep+1, -0x1.bfp+0, -0x1.b18p+0,
    0x1.0ap+0,   0x1.a38p-3,  0x1.b88p+2,  0x1.b9p+2,  0x1.0a4p+3, 0x1.3cp+3,
    0x1.99cp+0,  0x1.fe8p+1,  -0x1.61p+2,  -0x1.33cp+2};
const double kStatic[] = {0x1.3c8p-1,  0x1.568p+0,  0x1.e48p+0,  0x1.5dp+1,
                          0x1.d5p+1,   0x1.4cp-1,   0x1.1dp+0,   -0x1.0cp+1,
                          -0x1.c3cp+2, -0x1.22p+2,  -0x1.59cp+2, -0x1.52p+2,
                          -0x1.f3p+1,  -0x1.da8p+2, 0x1.6ep+0,   0x1.3c8p+3};

class GroupedMatmulDequantLayoutTest : public ::testing::TestWithParam<Layout> {
};

TEST_P(GroupedMatmulDequantLayoutTest, DynamicWithSmoothAndTwoGroups) {
  spec::Arguments call = GroupedCall({Ramp(), Ramp()}, {1, 2}, GetParam());
  Smooth(call);
  const std::vector<double> values = ExactValues(call);
  ASSERT_EQ(values.size(), 32u);
  EXPECT_THAT(std::vector<double>(values.begin(), values.begin() + 16),
              ElementsAreArray(kDynamicGroup0));
  EXPECT_THAT(std::vector<double>(values.begin() + 16, values.end()),
              ElementsAreArray(kDynamicGroup1));
}

INSTANTIATE_TEST_SUITE_P(Layouts, GroupedMatmulDequantLayoutTest,
                         ::testing::Values(Layout::kNd, Layout::kNz,
                                           Layout::kNdNotTransposed,
                                           Layout::kNzNotTransposed));

TEST(GroupedMatmulDequantTest, GivenScale) {
  spec::Arguments call = GroupedCall({Ramp()}, {1});
  GiveScale(call, {0.05f});
  EXPECT_THAT(ExactValues(call), ElementsAreArray(kStatic));
  // One scale for all rows.
  call = GroupedCall({Ramp(), Ramp()}, {2});
  call.attributes["xQuantMode"] = std::string("pertensor");
  GiveScale(call, {0.05f});
  const std::vector<double> values = ExactValues(call);
  EXPECT_THAT(std::vector<double>(values.begin() + 16, values.end()),
              ElementsAreArray(kStatic));
  // A scale for each row, counted from the first row of x (AG-06).
  call = GroupedCall({Ramp(), Ramp()}, {1, 2});
  call.inputs["weight"] = WeightTensor(2, Layout::kNd);
  GiveScale(call, {0.25, 0});
  const std::vector<double> by_row = ExactValues(call);
  EXPECT_THAT(std::vector<double>(by_row.begin() + 16, by_row.end()), Each(0));
  EXPECT_NE(by_row[0], 0);
}

TEST(GroupedMatmulDequantTest, ScaleTieStaysATie) {
  // x = 0.5, 1.5, -2.5 with scale 1 are ties: 0, 2, -2.
  std::vector<double> row(kSize, 0);
  row[0] = 0.5;
  row[1] = 1.5;
  row[2] = -2.5;
  spec::Arguments call = GroupedCall({row}, {1});
  GiveScale(call, {1});
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 1));
  const auto elements = Elements(call);
  for (int64_t n = 0; n < kSize; ++n) {
    const double expected = 2 * Weight(0, n, 1) - 2 * Weight(0, n, 2);
    const GoldenElement& element = elements[static_cast<size_t>(n)];
    EXPECT_EQ(element.exact, expected);
    EXPECT_EQ(element.enclosure_low, expected);
    EXPECT_EQ(element.enclosure_high, expected);
    EXPECT_EQ(element.binary32, expected);
    EXPECT_TRUE(element.tie);
    EXPECT_FALSE(element.output_tie);
  }
}

TEST(GroupedMatmulDequantTest, EnclosureOfADynamicTie) {
  // 1 / (2/127) = 63.5 exactly, but the division by 127 is inexact in float.
  std::vector<double> row(kSize, 0);
  row[0] = 2;
  row[1] = 1;
  spec::Arguments call = GroupedCall({row}, {1});
  const GoldenElement element = Elements(call)[0];
  EXPECT_TRUE(element.tie);
  // The exact sum is -127 * 127 - 98 * 64; with 63 it is larger by 98.
  EXPECT_EQ(element.enclosure_low, element.exact);
  EXPECT_GT(element.enclosure_high, element.exact);
}

TEST(GroupedMatmulDequantTest, GivenScaleSaturates) {
  std::vector<double> row(kSize, 0);
  row[0] = 1000;
  row[1] = -1000;
  spec::Arguments call = GroupedCall({row}, {1});
  GiveScale(call, {1});
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 1));
  const auto elements = Elements(call);
  EXPECT_EQ(elements[3].exact, 127 * Weight(0, 3, 0) - 128 * Weight(0, 3, 1));
  EXPECT_TRUE(elements[3].clamped_low);
  EXPECT_TRUE(elements[3].clamped_high);
  // A negative scale turns the signs.
  GiveScale(call, {-1});
  // -(-128 * -76 + 127 * -47) = -3759 is a tie of float16.
  EXPECT_EQ(Elements(call)[3].exact, -3760);
  EXPECT_TRUE(Elements(call)[3].output_tie);
}

TEST(GroupedMatmulDequantTest, OverflowOfFloat16) {
  std::vector<double> row(kSize, 0);
  row[0] = 127;
  spec::Arguments call = GroupedCall({row}, {1});
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 8));
  // 127 * -127 * 8 = -129032.
  const GoldenElement element = Elements(call)[0];
  EXPECT_EQ(element.exact, -kInfinity);
  EXPECT_EQ(element.binary32, -kInfinity);
  EXPECT_EQ(element.enclosure_high, -kInfinity);
}

TEST(GroupedMatmulDequantTest, ZeroRow) {
  const auto elements =
      Elements(GroupedCall({std::vector<double>(kSize, 0), Ramp()}, {2}));
  EXPECT_EQ(elements[0].exact, 0);
  EXPECT_EQ(elements[0].enclosure_low, 0);
  EXPECT_EQ(elements[0].enclosure_high, 0);
  EXPECT_EQ(elements[0].binary32, 0);
  EXPECT_TRUE(std::isnan(elements[0].tie_distance));
  EXPECT_NE(elements[16].exact, 0);
}

TEST(GroupedMatmulDequantTest, NanAndInfinityMeasured) {
  for (const double special : {kNan, kInfinity, -kInfinity}) {
    std::vector<double> row = Ramp();
    row[5] = special;
    const std::vector<double> values =
        ExactValues(GroupedCall({row, Ramp()}, {2}));
    EXPECT_THAT(std::vector<double>(values.begin(), values.begin() + 16),
                Each(IsNan()));
    EXPECT_FALSE(std::isnan(values[16]));
  }
}

TEST(GroupedMatmulDequantTest, NanAndInfinityWithAGivenScale) {
  std::vector<double> row(kSize, 0);
  row[0] = kInfinity;
  row[1] = -kInfinity;
  spec::Arguments call = GroupedCall({row}, {1});
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 1));
  GiveScale(call, {-1});
  // The quotients are -inf and inf.
  const auto elements = Elements(call);
  const double expected = -(-128 * Weight(0, 2, 0) + 127 * Weight(0, 2, 1));
  EXPECT_EQ(elements[2].exact, expected);
  EXPECT_EQ(elements[2].binary32, expected);
  EXPECT_EQ(elements[2].enclosure_low, expected);
  EXPECT_EQ(elements[2].enclosure_high, expected);
  EXPECT_TRUE(elements[2].clamped_low);
  EXPECT_TRUE(elements[2].clamped_high);
  // With a scale of 0 infinities give 0, but NaN wins (AG-03).
  GiveScale(call, {0});
  EXPECT_THAT(ExactValues(call), Each(0));
  row[2] = kNan;
  call.inputs["x"] = TensorOf(DataType::kFloat16, {1, kSize}, row);
  EXPECT_THAT(ExactValues(call), Each(IsNan()));
}

TEST(GroupedMatmulDequantTest, InfinityTimesSmooth) {
  std::vector<double> row(kSize, 0);
  row[0] = kInfinity;
  spec::Arguments call = GroupedCall({row}, {1});
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 1));
  GiveScale(call, {1});
  std::vector<double> smooth(kSize, 1);
  smooth[0] = -2;
  call.inputs["smoothScaleOptional"] =
      TensorOf(DataType::kFloat16, {kSize}, smooth);
  EXPECT_EQ(ExactValues(call)[0], -128 * Weight(0, 0, 0));
  smooth[0] = 0;
  call.inputs["smoothScaleOptional"] =
      TensorOf(DataType::kFloat16, {kSize}, smooth);
  EXPECT_THAT(ExactValues(call), Each(IsNan()));
}

TEST(GroupedMatmulDequantTest, SmoothOfZeroMakesAZeroRow) {
  spec::Arguments call = GroupedCall({Ramp()}, {1});
  call.inputs["smoothScaleOptional"] =
      TensorOf(DataType::kFloat16, {kSize}, std::vector<double>(kSize, 0));
  EXPECT_THAT(ExactValues(call), Each(0));
}

TEST(GroupedMatmulDequantTest, RowsOfNoGroupAreNotWritten) {
  std::vector<double> nan_row(kSize, kNan);
  spec::Arguments call = GroupedCall({Ramp(), nan_row}, {0, 1, 1});
  const auto elements = Elements(call);
  // Row 0 belongs to group 1: group 0 is empty.
  spec::Arguments smoothed = call;
  Smooth(smoothed);
  EXPECT_EQ(Elements(smoothed)[0].exact, kDynamicGroup1[0]);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(elements[i].written, i < 16);
  }
  EXPECT_TRUE(std::isnan(elements[16].tie_distance));
  const ElementTrace trace = Traced(call, 16);
  EXPECT_FALSE(trace.element.written);
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_EQ(trace.steps[0].clause, "AG-05");
  EXPECT_EQ(trace.tie_distance, "nothing is rounded");
  EXPECT_TRUE(trace.variants.empty());
}

TEST(GroupedMatmulDequantTest, EmptyTensorsWriteNothing) {
  spec::Arguments call = GroupedCall({Ramp()}, {1});
  call.inputs["groupList"] = TensorOf(DataType::kInt64, {0}, {});
  call.inputs["weight"] = TensorOf(DataType::kInt8, {0, kSize, kSize}, {});
  call.inputs["weightScale"] = TensorOf(DataType::kFloat32, {0, kSize}, {});
  const auto elements = Elements(call);
  ASSERT_EQ(elements.size(), 16u);
  for (const GoldenElement& element : elements) EXPECT_FALSE(element.written);
  const ElementTrace trace = Traced(call, 3);
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_EQ(trace.steps[0].clause, "AG-11");
  EXPECT_FALSE(trace.element.written);
}

TEST(GroupedMatmulDequantTest, Trace) {
  std::vector<double> row(kSize, 0);
  row[0] = 2;
  row[1] = 1;
  const ElementTrace trace = Traced(GroupedCall({row}, {1}), 0);
  EXPECT_EQ(StepOf(trace, "i, the group of the row").exact, "0");
  EXPECT_EQ(StepOf(trace, "scale_x = row_max(abs(x)) / 127").exact,
            "2/127 = 0.015748031496062992125...");
  EXPECT_EQ(StepOf(trace, "x / scale_x, k = 1").exact, "127/2 = 63.5");
  const TraceStep quantized = StepOf(
      trace, "x_quantized = clamp(round(x / scale_x), -128, 127), k = 1");
  EXPECT_EQ(quantized.exact, "64");
  EXPECT_EQ(quantized.enclosure, "{63 .. 64}");
  EXPECT_THAT(trace.tie_distance,
              ::testing::StartsWith(
                  "round(): exactly on the tie 127/2 = 63.5; output: "));
  EXPECT_EQ(trace.variants.size(), 3u);
  EXPECT_NE(trace.variants.at(RoundingVariant::kTruncate), trace.element.exact);
  EXPECT_EQ(trace.variants.at(RoundingVariant::kHalfUp), trace.element.exact);
}

TEST(GroupedMatmulDequantTest, TraceOfALongRowKeepsTheTermsInDoubt) {
  spec::Arguments call = GroupedCall({Ramp()}, {1});
  constexpr int64_t kLong = 48;
  std::vector<double> row(kLong, 0.25);
  row[0] = 2;
  row[40] = 1;  // an exact tie that float may miss
  call.inputs["x"] = TensorOf(DataType::kFloat16, {1, kLong}, row);
  call.inputs["weight"] = TensorOf(DataType::kInt8, {1, kSize, kLong},
                                   std::vector<double>(kSize * kLong, 1));
  int terms = 0;
  for (const TraceStep& step : Traced(call, 0).steps) {
    if (step.line.find("k = ") == std::string::npos) continue;
    ++terms;
    EXPECT_THAT(step.line, ::testing::EndsWith(", k = 40"));
  }
  EXPECT_EQ(terms, 2);
}

TEST(GroupedMatmulDequantTest, TraceOfNanAndZeroRows) {
  std::vector<double> nan_row = Ramp();
  nan_row[0] = kNan;
  const spec::Arguments call =
      GroupedCall({nan_row, std::vector<double>(kSize, 0)}, {2});
  EXPECT_EQ(
      StepOf(Traced(call, 0), "x is not finite: every out of the row").clause,
      "AG-03");
  EXPECT_EQ(StepOf(Traced(call, 16),
                   "nothing but zeros, or scale_x is 0: x_quantized")
                .clause,
            "AG-02");
}

}  // namespace
}  // namespace qconform::reference
