// Which ties and clamps decide an output, worked out by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/test_calls.h"

namespace qconform::reference {
namespace {

using spec::DataType;
using ::testing::ElementsAre;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Decisions {
  int64_t ties = 0;
  int64_t low = 0;
  int64_t high = 0;
  int64_t output_ties = 0;
  friend bool operator==(const Decisions&, const Decisions&) = default;
};

void PrintTo(const Decisions& decisions, std::ostream* out) {
  *out << decisions.ties << " ties, " << decisions.low << " low, "
       << decisions.high << " high, " << decisions.output_ties
       << " output ties";
}

Decisions OfElement(const GoldenElement& element) {
  return {element.deciding_ties, element.deciding_clamps_low,
          element.deciding_clamps_high, element.output_tie_decides};
}

std::vector<Decisions> OfEach(const spec::Arguments& call) {
  std::vector<Decisions> each;
  for (const GoldenElement& element : Elements(call)) {
    each.push_back(OfElement(element));
  }
  return each;
}

Decisions OfAll(const spec::Arguments& call) {
  Decisions all;
  for (const Decisions& element : OfEach(call)) {
    all.ties += element.ties;
    all.low += element.low;
    all.high += element.high;
    all.output_ties += element.output_ties;
  }
  return all;
}

constexpr Decisions kNothing = {};
constexpr Decisions kTie = {.ties = 1};
constexpr Decisions kLow = {.low = 1};
constexpr Decisions kHigh = {.high = 1};

// Output: a * scale + zero_point of uint8.
spec::Arguments AddCall(const std::vector<double>& a, double scale,
                        double zero_point) {
  const auto count = static_cast<int64_t>(a.size());
  spec::Arguments call;
  call.operator_name = "dml_element_wise_quantized_linear_add";
  call.inputs["ATensor"] = TensorOf(DataType::kInt8, {count}, a);
  call.inputs["BTensor"] =
      TensorOf(DataType::kUint8, {count}, std::vector<double>(a.size()));
  for (const char* name : {"BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {1});
  }
  call.inputs["AScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {scale});
  call.inputs["OutputZeroPointTensor"] =
      TensorOf(DataType::kUint8, {1}, {zero_point});
  call.outputs["OutputTensor"] = DescOf(DataType::kUint8, {count});
  return call;
}

TEST(DecisionsTest, TiesThatHalfAwayRoundsAlikeDecideNothing) {
  // 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, and 1 without a tie.
  EXPECT_THAT(
      OfEach(AddCall({1, 3, 5, -1, -3, -5, 2}, 0.5, 10)),
      ElementsAre(kTie, kNothing, kTie, kTie, kNothing, kTie, kNothing));
}

TEST(DecisionsTest, SaturatedTiesDecideNothing) {
  // 254.5 becomes 254 or 255; 256.5 becomes 256 or 257, both 255.
  EXPECT_THAT(OfEach(AddCall({1, 5}, 0.5, 254)), ElementsAre(kTie, kHigh));
  // 1000.5 and -1000.5.
  EXPECT_THAT(OfEach(AddCall({1, -1}, 1000.5, 0)), ElementsAre(kHigh, kLow));
}

TEST(DecisionsTest, MatrixMultiplyCountsEachOutput) {
  // 1 * {1, 3, 5, 200} / 2 - 0, clamped to int8 beyond 127.
  spec::Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  call.inputs["ATensor"] = TensorOf(DataType::kUint8, {2, 1}, {1, 10});
  call.inputs["BTensor"] = TensorOf(DataType::kUint8, {1, 4}, {1, 3, 5, 200});
  for (const char* name : {"AScaleTensor", "BScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {1});
  }
  call.inputs["OutputScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {2});
  call.outputs["OutputTensor"] = DescOf(DataType::kInt8, {2, 4});
  EXPECT_THAT(OfEach(call), ElementsAre(kTie, kNothing, kTie, kNothing,
                                        kNothing, kNothing, kNothing, kHigh));
}

spec::Arguments QuantizeCall(const std::vector<double>& input, double low,
                             double high, const std::string& round_mode) {
  const auto count = static_cast<int64_t>(input.size());
  spec::Arguments call;
  call.operator_name = "tf_quantize_and_dequantize_v2";
  call.inputs["input"] = TensorOf(DataType::kFloat32, {count}, input);
  call.inputs["input_min"] = TensorOf(DataType::kFloat32, {}, {low});
  call.inputs["input_max"] = TensorOf(DataType::kFloat32, {}, {high});
  call.outputs["output"] = DescOf(DataType::kFloat32, {count});
  call.attributes["range_given"] = true;
  call.attributes["num_bits"] = int64_t{4};
  call.attributes["round_mode"] = round_mode;
  return call;
}

TEST(DecisionsTest, QuantizeAndDequantizeFollowsTheRoundMode) {
  for (const char* arithmetic : {"exact", "tensorflow"}) {
    spec::Arguments call =
        QuantizeCall({0.5, 1.5, -0.5, -1.5, 1}, -8, 7, "HALF_TO_EVEN");
    call.options.arithmetic = arithmetic;
    EXPECT_THAT(OfEach(call),
                ElementsAre(kTie, kNothing, kTie, kNothing, kNothing))
        << arithmetic;
    // Up, -0.5 and -1.5 become 0 and -1: of the other two rules no one gives
    // -1.
    call.attributes["round_mode"] = std::string("HALF_UP");
    EXPECT_THAT(OfEach(call), ElementsAre(kTie, kNothing, kTie, kTie, kNothing))
        << arithmetic;
  }
}

TEST(DecisionsTest, ClampsThatRoundingHidesDecideNothing) {
  const float above = std::nextafter(7.0f, 8.0f);
  for (const char* arithmetic : {"exact", "tensorflow"}) {
    spec::Arguments call = QuantizeCall(
        {7, above, 8, kInfinity, -8.25, -9, -kInfinity}, -8, 7, "HALF_UP");
    call.options.arithmetic = arithmetic;
    EXPECT_THAT(OfEach(call), ElementsAre(kNothing, kNothing, kHigh, kHigh,
                                          kNothing, kLow, kLow))
        << arithmetic;
    EXPECT_TRUE(Elements(call)[1].clamped_high);
  }
}

TEST(DecisionsTest, OutputTiesCountWhereAwayIsAnother) {
  // Times 3 the unit 2^23 + 1 is 25165827, a tie between 25165826 and
  // 25165828, of which the latter is even and away from zero.
  const double unit = (1 << 23) + 1;
  spec::Arguments call =
      QuantizeCall({3 * unit, -6 * unit}, -8 * unit, unit, "HALF_TO_EVEN");
  const auto elements = Elements(call);
  EXPECT_TRUE(elements[0].output_tie);
  EXPECT_EQ(elements[0].exact, 25165828);
  EXPECT_FALSE(elements[0].output_tie_decides);
}

constexpr size_t kSize = 16;  // of k and n

// One row of x, quantized with the scale 1, and one row of weights for each k.
spec::Arguments GroupedCall(std::vector<double> x, double weight) {
  x.resize(kSize);
  spec::Arguments call;
  call.operator_name = "aclnn_quant_grouped_matmul_dequant";
  call.attributes["xQuantMode"] = std::string("pertoken");
  call.inputs["x"] = TensorOf(DataType::kFloat16, {1, kSize}, x);
  call.inputs["weight"] = TensorOf(DataType::kInt8, {1, kSize, kSize},
                                   std::vector<double>(kSize * kSize, weight));
  call.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 1));
  call.inputs["groupList"] = TensorOf(DataType::kInt64, {1}, {1});
  call.inputs["xScaleOptional"] = TensorOf(DataType::kFloat32, {1}, {1});
  call.outputs["out"] = DescOf(DataType::kFloat16, {1, kSize});
  return call;
}

void SetWeight(spec::Arguments& call, size_t n, size_t k, int64_t value) {
  spec::WriteInteger(call.inputs["weight"], static_cast<int64_t>(n * kSize + k),
                     value);
}

TEST(DecisionsTest, ARoundingOfARowCountsOnceForAllColumns) {
  EXPECT_EQ(OfAll(GroupedCall({0.5}, 1)), kTie);
  EXPECT_EQ(OfAll(GroupedCall({0.5, 2.5, -0.5, 1.5, 3}, 1)),
            Decisions{.ties = 3});
  EXPECT_EQ(OfAll(GroupedCall({1024, -1024, 0.25}, 1)),
            (Decisions{.low = 1, .high = 1}));
  EXPECT_EQ(OfAll(GroupedCall({kInfinity, -kInfinity, -kInfinity}, 1)),
            (Decisions{.low = 2, .high = 1}));
  // 127.5 is 128 or 128, and clamped.
  EXPECT_EQ(OfAll(GroupedCall({127.5}, 1)), kHigh);
}

TEST(DecisionsTest, ARoundingCountsAtTheFirstColumnThatItDecides) {
  spec::Arguments call = GroupedCall({0.5, 2.5, 1024}, 0);
  SetWeight(call, 3, 1, -1);
  SetWeight(call, 5, 0, 2);
  SetWeight(call, 5, 2, 1);
  std::vector<Decisions> expected(kSize);
  expected[3] = kTie;
  expected[5] = {.ties = 1, .high = 1};
  EXPECT_EQ(OfEach(call), expected);
}

TEST(DecisionsTest, WhatNoOutputShowsDecidesNothing) {
  EXPECT_EQ(OfAll(GroupedCall({0.5, 1024}, 0)), kNothing);
  // float16 rounds 100 * 100 + 1 to 10000, which is there without the tie.
  spec::Arguments call = GroupedCall({0.5, 100}, 0);
  for (size_t n = 0; n < kSize; ++n) {
    SetWeight(call, n, 0, 1);
    SetWeight(call, n, 1, 100);
  }
  EXPECT_EQ(OfAll(call), kNothing);
  SetWeight(call, 9, 0, 100);
  EXPECT_EQ(OfAll(call), kTie);
  // Infinite outputs hide all that only adds to them.
  spec::Arguments infinite = GroupedCall({0.5, 126, 1024, -1024}, 127);
  infinite.inputs["weightScale"] =
      TensorOf(DataType::kFloat32, {1, kSize}, std::vector<double>(kSize, 8));
  EXPECT_EQ(OfAll(infinite), kLow);
}

TEST(DecisionsTest, RowsThatAreNotQuantizedDecideNothing) {
  EXPECT_EQ(OfAll(GroupedCall({0.5, std::nan("")}, 1)), kNothing);
  spec::Arguments call = GroupedCall({0.5}, 1);
  call.inputs["xScaleOptional"] = TensorOf(DataType::kFloat32, {1}, {0});
  EXPECT_EQ(OfAll(call), kNothing);
  call = GroupedCall({0.5}, 1);
  call.inputs["groupList"] = TensorOf(DataType::kInt64, {1}, {0});
  EXPECT_EQ(OfAll(call), kNothing);
}

TEST(DecisionsTest, OutputTiesOfFloat16) {
  // 127 * 17 = 2159 lies between 2158 and 2160, and even is away; 127 * 19 =
  // 2413 between 2412 and 2414, and even is 2412.
  EXPECT_EQ(OfAll(GroupedCall({127}, 17)), kNothing);
  EXPECT_EQ(OfAll(GroupedCall({127}, 19)), Decisions{.output_ties = 16});
}

TEST(DecisionsTest, OnlyIfAskedFor) {
  const GoldenRequest request = {
      .enclosure = false, .binary32 = false, .decisions = false};
  for (const spec::Arguments& call :
       {AddCall({1}, 0.5, 10), GroupedCall({0.5}, 1),
        QuantizeCall({0.5}, -8, 7, "HALF_UP")}) {
    EXPECT_TRUE(Elements(call, request)[0].tie);
    EXPECT_EQ(Elements(call, request)[0].deciding_ties, 0);
    EXPECT_EQ(Elements(call)[0].deciding_ties, 1);
  }
}

}  // namespace
}  // namespace qconform::reference
