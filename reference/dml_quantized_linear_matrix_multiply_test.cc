#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/test_calls.h"

namespace qconform::reference {
namespace {

using spec::DataType;
using ::testing::ElementsAre;

// { 2, 2, 3 } x { 2, 3, 2 }: rows of A and Output and columns of B have their
// own scales and zero points. Worked out in rational arithmetic with another
// program.
TEST(QuantizedLinearMatrixMultiplyTest, PerRowAndPerColumnInRank3) {
  spec::Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  call.inputs["ATensor"] =
      TensorOf(DataType::kUint8, {2, 2, 3},
               {3, 200, 17, 255, 0, 128, 9, 8, 7, 100, 101, 102});
  call.inputs["AScaleTensor"] =
      TensorOf(DataType::kFloat32, {2, 1}, {0.1f, 0.25});
  call.inputs["AZeroPointTensor"] =
      TensorOf(DataType::kUint8, {2, 1}, {128, 7});
  call.inputs["BTensor"] =
      TensorOf(DataType::kInt8, {2, 3, 2},
               {-5, 120, 77, -128, 1, 0, 127, -1, -2, 3, 64, -64});
  call.inputs["BScaleTensor"] =
      TensorOf(DataType::kFloat32, {1, 2}, {0.03f, -0.02f});
  call.inputs["BZeroPointTensor"] = TensorOf(DataType::kInt8, {1, 2}, {-3, 5});
  call.inputs["OutputScaleTensor"] =
      TensorOf(DataType::kFloat32, {2, 1}, {0.7f, 0.011f});
  call.inputs["OutputZeroPointTensor"] =
      TensorOf(DataType::kInt8, {2, 1}, {10, -20});
  call.outputs["OutputTensor"] = DescOf(DataType::kInt8, {2, 2, 2});
  EXPECT_THAT(ExactValues(call),
              ElementsAre(34, 77, -128, -128, -92, -17, 127, 127));
}

spec::Arguments OneElement(std::vector<double> a, std::vector<double> b,
                           double a_scale, double b_scale,
                           double output_scale) {
  const int64_t k = static_cast<int64_t>(a.size());
  spec::Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  call.inputs["ATensor"] = TensorOf(DataType::kUint8, {1, 1, 1, k}, a);
  call.inputs["BTensor"] = TensorOf(DataType::kUint8, {1, 1, k, 1}, b);
  call.inputs["AScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {a_scale});
  call.inputs["BScaleTensor"] = TensorOf(DataType::kFloat32, {1}, {b_scale});
  call.inputs["OutputScaleTensor"] =
      TensorOf(DataType::kFloat32, {1}, {output_scale});
  call.outputs["OutputTensor"] = DescOf(DataType::kUint8, {1, 1, 1, 1});
  return call;
}

TEST(QuantizedLinearMatrixMultiplyTest, TheSumIsOfIntegersAndExact) {
  // 259 * 65025 = 16841475 = 2^24 + 64259, odd: float has 16841476 next to it,
  // and the quotient by 2^18 is 64.245...
  const std::vector<double> many(259, 255);
  const GoldenElement element =
      Elements(OneElement(many, many, 1, 1, 0x1p18))[0];
  EXPECT_EQ(element.exact, 64);
  const ElementTrace trace = Traced(OneElement(many, many, 1, 1, 0x1p18), 0);
  const TraceStep input = StepOf(trace, "Input = Sum * AScale * BScale");
  EXPECT_EQ(input.exact, "16841475");
  EXPECT_EQ(input.binary32, "0x1.00fb04p+24 = 16841476");
}

TEST(QuantizedLinearMatrixMultiplyTest, UnderflowAndOverflowInFloat) {
  // 3 * 2^-100 * 2^-100 / 2^-100 rounds to 0, underflow or not.
  const GoldenElement tiny =
      Elements(OneElement({3}, {1}, 0x1p-100, 0x1p-100, 0x1p-100))[0];
  EXPECT_EQ(tiny.exact, 0);
  EXPECT_EQ(tiny.binary32, 0);
  // 3 * 2^100 * 2^100 overflows in float, where the quotient is infinite.
  const GoldenElement huge =
      Elements(OneElement({3}, {1}, 0x1p100, 0x1p100, 0x1p120))[0];
  EXPECT_EQ(huge.exact, 255);
  EXPECT_EQ(huge.binary32, 255);
  EXPECT_EQ(huge.enclosure_low, 255);
  // 65025 * 2^120 overflows; times 2^-149 it is exactly 0.00012.
  const GoldenElement mixed =
      Elements(OneElement({255}, {255}, 0x1p120, 0x1p-149, 1))[0];
  EXPECT_EQ(mixed.exact, 0);
  EXPECT_EQ(mixed.binary32, 255);
  EXPECT_EQ(mixed.enclosure_high, 255);
}

TEST(QuantizedLinearMatrixMultiplyTest, PerTensorParametersAndDefaults) {
  spec::Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  call.inputs["ATensor"] = TensorOf(DataType::kInt8, {2, 2}, {1, 2, 3, -4});
  call.inputs["BTensor"] = TensorOf(DataType::kUint8, {2, 2}, {5, 6, 7, 8});
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {1});
  }
  call.outputs["OutputTensor"] = DescOf(DataType::kInt8, {2, 2});
  EXPECT_THAT(ExactValues(call), ElementsAre(19, 22, -13, -14));
}

TEST(QuantizedLinearMatrixMultiplyTest, Trace) {
  spec::Arguments call = OneElement({3, 1}, {1, 2}, 0.5, 1, 1);
  call.inputs["AZeroPointTensor"] = TensorOf(DataType::kUint8, {1}, {2});
  // (3-2)*1 + (1-2)*2 = -1.
  const ElementTrace trace = Traced(call, 0);
  EXPECT_EQ(
      StepOf(trace, "Sum over k of (A - AZeroPoint) * (B - BZeroPoint)").exact,
      "-1");
  EXPECT_EQ(StepOf(trace, "Input / OutputScale").exact, "-1/2 = -0.5");
  EXPECT_EQ(StepOf(trace, "round(Input / OutputScale)").clause, "AR-03");
  EXPECT_EQ(trace.element.exact, 0);
  EXPECT_TRUE(trace.element.tie);
  EXPECT_FALSE(trace.element.clamped_low);
  EXPECT_EQ(trace.variants.size(), 4u);
  EXPECT_EQ(TraceElement(call, 1).status().code(),
            absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace qconform::reference
