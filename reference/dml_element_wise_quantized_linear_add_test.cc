#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/test_calls.h"

namespace qconform::reference {
namespace {

using spec::DataType;
using ::testing::ElementsAre;

spec::Arguments AddCall(std::vector<double> a, double a_scale,
                        std::vector<double> b, double b_scale,
                        double output_scale) {
  const int64_t count = static_cast<int64_t>(a.size());
  spec::Arguments call;
  call.operator_name = "dml_element_wise_quantized_linear_add";
  call.inputs["ATensor"] = TensorOf(DataType::kUint8, {count}, a);
  call.inputs["AScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {a_scale});
  call.inputs["BTensor"] = TensorOf(DataType::kInt8, {count}, b);
  call.inputs["BScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {b_scale});
  call.inputs["OutputScaleTensor"] =
      TensorOf(DataType::kFloat32, {1}, {output_scale});
  call.outputs["OutputTensor"] = DescOf(DataType::kUint8, {count});
  return call;
}

// Expectations worked out in rational arithmetic with another program.
TEST(ElementWiseQuantizedLinearAddTest, GeneralScales) {
  spec::Arguments call =
      AddCall({0, 255, 17, 100}, 0.3f, {0, -128, 127, -7}, -0.7f, 0.9f);
  call.inputs["AZeroPointTensor"] = TensorOf(DataType::kUint8, {1}, {3});
  call.inputs["BZeroPointTensor"] = TensorOf(DataType::kInt8, {1}, {-100});
  call.inputs["OutputZeroPointTensor"] = TensorOf(DataType::kUint8, {1}, {77});
  EXPECT_THAT(ExactValues(call), ElementsAre(0, 183, 0, 37));
}

TEST(ElementWiseQuantizedLinearAddTest, TiesGoToEvenBeforeTheZeroPoint) {
  spec::Arguments call = AddCall({1, 3, 5, 7}, 0.5, {0, 0, 0, 0}, 1, 1);
  call.inputs["OutputZeroPointTensor"] = TensorOf(DataType::kUint8, {1}, {1});
  const auto elements = Elements(call);
  ASSERT_EQ(elements.size(), 4u);
  // round(0.5), round(1.5), round(2.5), round(3.5), each plus 1.
  const double expected[] = {1, 3, 3, 5};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(elements[i].exact, expected[i]);
    // An exact tie stays a tie in every arithmetic.
    EXPECT_EQ(elements[i].binary32, expected[i]);
    EXPECT_EQ(elements[i].enclosure_low, expected[i]);
    EXPECT_EQ(elements[i].enclosure_high, expected[i]);
    EXPECT_TRUE(elements[i].tie);
    EXPECT_EQ(elements[i].tie_distance, 0);
    EXPECT_FALSE(elements[i].output_tie);
  }
}

TEST(ElementWiseQuantizedLinearAddTest, ClampsAtBothEnds) {
  const auto elements = Elements(AddCall({255, 0, 255}, 1, {127, -1, 0}, 1, 1));
  EXPECT_EQ(elements[0].exact, 255);
  EXPECT_TRUE(elements[0].clamped_high);
  EXPECT_FALSE(elements[0].clamped_low);
  EXPECT_EQ(elements[1].exact, 0);
  EXPECT_TRUE(elements[1].clamped_low);
  EXPECT_FALSE(elements[1].clamped_high);
  EXPECT_EQ(elements[2].exact, 255);
  EXPECT_FALSE(elements[2].clamped_high);
  EXPECT_EQ(elements[2].tie_distance, 0.5);
}

TEST(ElementWiseQuantizedLinearAddTest, EnclosureAdmitsBothSidesOfANearTie) {
  // 2 * 0.2f + 11 * 0.1f over 0.2f: 7.5 as real numbers, not in float.
  const auto elements = Elements(AddCall({2}, 0.2f, {11}, 0.1f, 0.2f));
  EXPECT_EQ(elements[0].exact, 8);
  EXPECT_TRUE(elements[0].tie);
  EXPECT_EQ(elements[0].enclosure_low, 7);
  EXPECT_EQ(elements[0].enclosure_high, 8);
  EXPECT_FALSE(elements[0].enclosure_any);
}

TEST(ElementWiseQuantizedLinearAddTest, OverflowInFloat) {
  // Both addends overflow in float and their sum is NaN there; exactly it is 0.
  const auto elements = Elements(AddCall({4}, 0x1p127, {-4}, 0x1p127, 0x1p127));
  EXPECT_EQ(elements[0].exact, 0);
  EXPECT_TRUE(std::isnan(elements[0].binary32));
  EXPECT_TRUE(elements[0].enclosure_any);
}

TEST(ElementWiseQuantizedLinearAddTest, OnlyWhatIsAskedFor) {
  const auto elements = Elements(AddCall({4}, 1, {3}, 1, 1),
                                 {.enclosure = false, .binary32 = false});
  EXPECT_EQ(elements[0].exact, 7);
  EXPECT_EQ(elements[0].binary32, 0);
  EXPECT_EQ(elements[0].enclosure_high, 0);
}

TEST(ElementWiseQuantizedLinearAddTest, Strides) {
  spec::Arguments call = AddCall({0}, 1, {0}, 1, 1);
  // A is stored by columns, B has one row for all.
  call.inputs["ATensor"] =
      TensorOf(DataType::kUint8, {2, 3}, {1, 2, 3, 4, 5, 6});
  call.inputs["ATensor"].desc.strides = {{1, 2}};
  call.inputs["BTensor"] = TensorOf(DataType::kInt8, {2, 3}, {10, 20, 30});
  call.inputs["BTensor"].desc.strides = {{0, 1}};
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name].desc.sizes = {1, 1};
  }
  call.outputs["OutputTensor"] = DescOf(DataType::kUint8, {2, 3});
  EXPECT_THAT(ExactValues(call), ElementsAre(11, 23, 35, 12, 24, 36));
}

TEST(ElementWiseQuantizedLinearAddTest, Trace) {
  spec::Arguments call = AddCall({5}, 0.5, {0}, 1, 1);
  call.inputs["OutputZeroPointTensor"] = TensorOf(DataType::kUint8, {1}, {1});
  const ElementTrace trace = Traced(call, 0);
  const TraceStep a_value = StepOf(trace, "AValue = (A - AZeroPoint) * AScale");
  EXPECT_EQ(a_value.clause, "QA-01");
  EXPECT_EQ(a_value.exact, "5/2 = 2.5");
  EXPECT_EQ(a_value.binary32, "0x1.4p+1 = 2.5");
  EXPECT_EQ(a_value.enclosure, "2.5");
  EXPECT_EQ(StepOf(trace, "round(OutputValue / OutputScale)").exact, "2");
  EXPECT_EQ(StepOf(trace, "OutputTensor = clamp(..., Min, Max)").exact, "3");
  EXPECT_EQ(trace.tie_distance, "exactly on the tie 5/2 = 2.5");
  EXPECT_EQ(trace.element.exact, 3);
  EXPECT_EQ(trace.element.binary32, 3);
  EXPECT_EQ(trace.element.enclosure_high, 3);
  EXPECT_EQ(trace.variants,
            (std::map<RoundingVariant, double>{
                {RoundingVariant::kHalfAway, 4},
                {RoundingVariant::kHalfUp, 4},
                {RoundingVariant::kTruncate, 3},
                // round(3.5) = 4.
                {RoundingVariant::kZeroPointBeforeRounding, 4}}));
}

}  // namespace
}  // namespace qconform::reference
