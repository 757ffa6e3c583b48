#include "reference/golden.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/second_oracle/second_oracle.h"
#include "reference/test_calls.h"
#include "spec/validate.h"

namespace qconform::reference {
namespace {

using spec::DataType;

spec::Arguments ScaleOfZero() {
  spec::Arguments call;
  call.operator_name = "dml_element_wise_quantized_linear_add";
  for (const char* name : {"ATensor", "BTensor"}) {
    call.inputs[name] = TensorOf(DataType::kUint8, {1}, {1});
  }
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {0});
  }
  call.outputs["OutputTensor"] = DescOf(DataType::kUint8, {1});
  return call;
}

TEST(GoldenTest, RefusesWhatTheSpecRefuses) {
  const spec::Arguments call = ScaleOfZero();
  const absl::Status expected = spec::Validate(call);
  EXPECT_EQ(expected.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Evaluate(call).status(), expected);
  EXPECT_EQ(TraceElement(call, 0).status(), expected);
  spec::Arguments unknown;
  unknown.operator_name = "no_such_operator";
  EXPECT_EQ(Evaluate(unknown).status().code(), absl::StatusCode::kNotFound);
}

TEST(GoldenTest, ElementOutOfRange) {
  spec::Arguments call = ScaleOfZero();
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {1});
  }
  EXPECT_EQ(Evaluate(call)->output_name, "OutputTensor");
  for (const int64_t element : {int64_t{-1}, int64_t{1}}) {
    const absl::Status status = TraceElement(call, element).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("OutputTensor has 1 elements"));
  }
}

// Stride 0 makes a valid call out of three bytes whose output no memory holds.
TEST(GoldenTest, MoreElementsThanMemoryAreRefused) {
  spec::Arguments call = ScaleOfZero();
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    call.inputs[name] = TensorOf(DataType::kFloat32, {1}, {1});
  }
  for (const char* name : {"ATensor", "BTensor"}) {
    call.inputs[name].desc.sizes = {int64_t{1} << 31};
    call.inputs[name].desc.strides = {0};
  }
  call.outputs["OutputTensor"].sizes = {int64_t{1} << 31};
  ASSERT_EQ(spec::Validate(call), absl::OkStatus());
  EXPECT_EQ(Evaluate(call).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(TraceElement(call, 0).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(second_oracle::Evaluate(call).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(GoldenTest, VariantNames) {
  EXPECT_EQ(RoundingVariantName(RoundingVariant::kHalfAway), "half away");
  EXPECT_EQ(RoundingVariantName(RoundingVariant::kHalfUp), "half up");
  EXPECT_EQ(RoundingVariantName(RoundingVariant::kHalfEven), "half even");
  EXPECT_EQ(RoundingVariantName(RoundingVariant::kTruncate), "truncate");
  EXPECT_EQ(RoundingVariantName(RoundingVariant::kZeroPointBeforeRounding),
            "zero point before rounding");
}

}  // namespace
}  // namespace qconform::reference
