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
using ::testing::IsNan;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

spec::Arguments QuantizeCall(std::vector<double> input, double input_min,
                             double input_max) {
  spec::Arguments call;
  call.operator_name = "tf_quantize_and_dequantize_v2";
  const int64_t count = static_cast<int64_t>(input.size());
  call.inputs["input"] = TensorOf(DataType::kFloat32, {count}, input);
  call.inputs["input_min"] = TensorOf(DataType::kFloat32, {}, {input_min});
  call.inputs["input_max"] = TensorOf(DataType::kFloat32, {}, {input_max});
  call.outputs["output"] = DescOf(DataType::kFloat32, {count});
  call.attributes["range_given"] = true;
  return call;
}

const std::vector<double> kInput = {-12.3f, -10,   -0.05f, 0.03f,
                                    3.3f,   9.99f, 1e9f};

TEST(QuantizeAndDequantizeTest, ScaleFromTheMinimum) {
  // The document's example: 12.8, and input_max becomes 9.921875.
  EXPECT_THAT(
      ExactValues(QuantizeCall(kInput, -10, 5)),
      ElementsAre(-10, -10, -0x1.4p-4, 0, 0x1.a4p1, 9.921875, 9.921875));
}

TEST(QuantizeAndDequantizeTest, NarrowRange) {
  spec::Arguments call = QuantizeCall(kInput, -10, 10);
  call.attributes["narrow_range"] = true;
  EXPECT_THAT(ExactValues(call),
              ElementsAre(-10, -10, -0x1.42850ap-4, 0, 0x1.a74e9ep1, 10, 10));
}

TEST(QuantizeAndDequantizeTest, UnsignedForcesTheMinimumTo0) {
  spec::Arguments call = QuantizeCall(kInput, -10, 10);
  call.attributes["signed_input"] = false;
  EXPECT_THAT(ExactValues(call),
              ElementsAre(0, 0, 0, 0x1.414142p-5, 0x1.a5a5a6p1, 10, 10));
}

TEST(QuantizeAndDequantizeTest, HalfUp) {
  spec::Arguments call = QuantizeCall({-3.5, -2.5, -0.5, 0.5, 2.5}, -8, 7);
  call.attributes["num_bits"] = int64_t{4};
  call.attributes["round_mode"] = std::string("HALF_UP");
  EXPECT_THAT(ExactValues(call), ElementsAre(-3, -2, 0, 1, 3));
  for (const GoldenElement& element : Elements(call)) {
    EXPECT_TRUE(element.tie);
    EXPECT_EQ(element.binary32, element.exact);
  }
}

TEST(QuantizeAndDequantizeTest, WideQuantizedTypes) {
  spec::Arguments call = QuantizeCall({0.3f, 1, -2}, -1, 1);
  call.attributes["num_bits"] = int64_t{61};
  EXPECT_THAT(ExactValues(call), ElementsAre(0.3f, 1, -1));
  call.attributes["num_bits"] = int64_t{62};
  call.attributes["signed_input"] = false;
  EXPECT_THAT(ExactValues(call), ElementsAre(0.3f, 1, 0));
}

TEST(QuantizeAndDequantizeTest, OneBit) {
  // [-1, 0]: only the minimum can give a scale.
  spec::Arguments call = QuantizeCall({-5, -1.5, -0.5, 3}, -2, 7);
  call.attributes["num_bits"] = int64_t{1};
  EXPECT_THAT(ExactValues(call), ElementsAre(-2, -2, 0, 0));
}

TEST(QuantizeAndDequantizeTest, MeasuredRange) {
  // -128 / -8 and 127 / 7.9375 are both 16.
  spec::Arguments call = QuantizeCall({-8, 7.9375, 0.03125, 0.09375}, kNan, 0);
  call.attributes["range_given"] = false;
  EXPECT_THAT(ExactValues(call), ElementsAre(-8, 7.9375, 0, 0.125));
}

TEST(QuantizeAndDequantizeTest, FactsOfClamps) {
  const auto elements = Elements(
      QuantizeCall({-9, -8, 7.9375, 8, -kInfinity, kInfinity}, -8, 7.9375));
  EXPECT_TRUE(elements[0].clamped_low);
  EXPECT_FALSE(elements[1].clamped_low);
  EXPECT_FALSE(elements[2].clamped_high);
  EXPECT_TRUE(elements[3].clamped_high);
  EXPECT_TRUE(elements[4].clamped_low);
  EXPECT_TRUE(elements[5].clamped_high);
  EXPECT_EQ(elements[4].exact, -8);
  EXPECT_EQ(elements[5].exact, 7.9375);
  EXPECT_EQ(elements[5].binary32, 7.9375);
}

TEST(QuantizeAndDequantizeTest, NoCandidate) {
  const auto elements = Elements(QuantizeCall({-3, kNan, kInfinity}, 0, 0));
  EXPECT_EQ(elements[0].exact, 0);
  EXPECT_TRUE(std::isnan(elements[0].tie_distance));
  EXPECT_THAT(elements[1].exact, IsNan());
  EXPECT_EQ(elements[2].exact, 0);
}

TEST(QuantizeAndDequantizeTest, NanAndInfinity) {
  const auto given = Elements(QuantizeCall({kNan, 1}, -1, 1));
  EXPECT_THAT(given[0].exact, IsNan());
  EXPECT_THAT(given[0].binary32, IsNan());
  EXPECT_THAT(given[0].enclosure_low, IsNan());
  EXPECT_FALSE(given[0].enclosure_any);
  EXPECT_EQ(given[1].exact, 0x1.fap-1 / 0x1.fap-1);
  for (const double special : {kNan, kInfinity, -kInfinity}) {
    spec::Arguments call = QuantizeCall({special, 1, 0}, -1, 1);
    call.attributes["range_given"] = false;
    EXPECT_THAT(ExactValues(call), Each(IsNan()));
    call.options.arithmetic = "tensorflow";
    EXPECT_THAT(ExactValues(call), Each(IsNan()));
  }
}

TEST(QuantizeAndDequantizeTest, EmptyInput) {
  EXPECT_TRUE(Elements(QuantizeCall({}, -1, 1)).empty());
  EXPECT_EQ(TraceElement(QuantizeCall({}, -1, 1), 0).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(QuantizeAndDequantizeTest, ScaleThatOverflowsInFloat) {
  // 255 / 2^-149 is beyond float: the range collapses and 0 * inf may be met.
  spec::Arguments call = QuantizeCall({0x1p-149}, 0, 0x1p-149);
  call.attributes["signed_input"] = false;
  const auto elements = Elements(call);
  EXPECT_EQ(elements[0].exact, 0x1p-149);
  EXPECT_TRUE(elements[0].enclosure_any);
  EXPECT_THAT(elements[0].binary32, IsNan());
}

spec::Arguments PublishedCase(const std::string& arithmetic) {
  spec::Arguments call = QuantizeCall({-0.5, 0, 0.3f, 0.8f}, 0, 1);
  call.attributes["signed_input"] = false;
  call.options.arithmetic = arithmetic;
  return call;
}

// TensorFlow's own test publishes 76/255 for 0.3; the real product is 76.500003
// and its exact rounding 77.
TEST(TensorflowArithmeticTest, PublishedValue) {
  EXPECT_THAT(ExactValues(PublishedCase("exact")),
              ElementsAre(0, 0, 77.0f / 255, 0.8f));
  const auto elements = Elements(PublishedCase("tensorflow"));
  EXPECT_EQ(elements[0].exact, 0);
  EXPECT_TRUE(elements[0].clamped_low);
  EXPECT_FALSE(elements[0].clamped_high);
  EXPECT_EQ(elements[2].exact, 76.0f / 255);
  EXPECT_EQ(elements[2].binary32, 76.0f / 255);
  EXPECT_EQ(elements[2].enclosure_low, 76.0f / 255);
  EXPECT_EQ(elements[2].enclosure_high, 76.0f / 255);
  EXPECT_TRUE(elements[2].tie);  // of the float product
}

TEST(TensorflowArithmeticTest, TraceShowsTheProductBothWays) {
  const ElementTrace exact = Traced(PublishedCase("exact"), 2);
  const TraceStep scaled = StepOf(exact, "clamp(...) * scale_factor");
  EXPECT_THAT(scaled.exact, ::testing::HasSubstr("76.500003"));
  EXPECT_EQ(scaled.binary32, "0x1.32p+6 = 76.5");
  const TraceStep rounded = StepOf(exact, "round(clamp(...) * scale_factor)");
  EXPECT_EQ(rounded.exact, "77");
  EXPECT_EQ(rounded.binary32, "76");
  EXPECT_EQ(rounded.enclosure, "{76 .. 77}");
  EXPECT_EQ(exact.variants.at(RoundingVariant::kTruncate), 76.0f / 255);
  EXPECT_EQ(exact.variants.at(RoundingVariant::kHalfUp), 77.0f / 255);

  const ElementTrace tensorflow = Traced(PublishedCase("tensorflow"), 2);
  const TraceStep product = StepOf(tensorflow, "x' * scale");
  EXPECT_EQ(product.clause, "TQ-12");
  EXPECT_THAT(product.exact, ::testing::HasSubstr("76.500003"));
  EXPECT_EQ(product.binary32, "0x1.32p+6 = 76.5");
  EXPECT_EQ(StepOf(tensorflow, "round(x' * scale)").exact, "0x1.3p+6 = 76");
  EXPECT_EQ(tensorflow.variants.at(RoundingVariant::kHalfAway), 77.0f / 255);
}

TEST(TensorflowArithmeticTest, ScaleFromTheMinimumAndHalfUpInFloat) {
  spec::Arguments call = QuantizeCall({-11, -0.0390625f, 9.95f}, -10, 5);
  call.options.arithmetic = "tensorflow";
  call.attributes["round_mode"] = std::string("HALF_UP");
  // s_lo = -128 / -10 = 12.8f; inverse = -10 / -128 = 0.078125; hi = 9.921875.
  // -0.0390625 * 12.8f is -0.5 in float (-0.50000000745 exactly): floor(0) = 0.
  EXPECT_THAT(ExactValues(call), ElementsAre(-10, 0, 9.921875));
  EXPECT_TRUE(Elements(call)[2].clamped_high);
  const ElementTrace trace = Traced(call, 0);
  EXPECT_EQ(StepOf(trace, "hi = qmax * inverse").exact, "635/64 = 9.921875");
  EXPECT_TRUE(trace.variants.contains(RoundingVariant::kHalfEven));
}

TEST(TensorflowArithmeticTest, MeasuredRangeIsNotClampedTo) {
  // Unsigned: TQ-04 does not apply, so negatives stay on the grid.
  spec::Arguments call = QuantizeCall({-1, 255}, 0, 0);
  call.attributes["range_given"] = false;
  call.attributes["signed_input"] = false;
  call.options.arithmetic = "tensorflow";
  EXPECT_THAT(ExactValues(call), ElementsAre(-1, 255));
}

TEST(TensorflowArithmeticTest, NanFallsOutOfTheFormula) {
  // Both scales overflow: 0 * inf.
  spec::Arguments call = QuantizeCall({0}, -0x1p-149, 0x1p-149);
  call.options.arithmetic = "tensorflow";
  const auto elements = Elements(call);
  EXPECT_THAT(elements[0].exact, IsNan());
  EXPECT_THAT(elements[0].tie_distance, IsNan());
  EXPECT_EQ(StepOf(Traced(call, 0), "s_hi = qmax / hi").exact, "inf");
  // Unsigned, s_lo = FLT_MAX is the smaller one and its inverse 0 / 0.
  call.attributes["signed_input"] = false;
  EXPECT_THAT(ExactValues(call), ElementsAre(IsNan()));
}

TEST(TensorflowArithmeticTest, Nan) {
  spec::Arguments call = QuantizeCall({kNan}, -1, 1);
  call.options.arithmetic = "tensorflow";
  EXPECT_THAT(ExactValues(call), ElementsAre(IsNan()));
}

}  // namespace
}  // namespace qconform::reference
