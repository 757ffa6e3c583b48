// Which calls of the add are rejected, and with what words.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"
#include "optimized/dml_element_wise_quantized_linear_add_test_util.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized::linear_add {
namespace {

using ::testing::HasSubstr;
using Constants = DmlElementWiseQuantizedLinearAddConstants;
using Data = DmlElementWiseQuantizedLinearAddData;
using Plan = DmlElementWiseQuantizedLinearAddPlan;

struct Rejection {
  const char* message;
  std::function<void(Call&)> change;
};

const float kZero = 0.0f;
const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInfinity = std::numeric_limits<float>::infinity();

TEST(LinearAddArgumentsTest, CreateRejects) {
  const Rejection rejections[] = {
      {"ATensor: absent", [](Call& c) { c.desc.ATensor = nullptr; }},
      {"BTensor: absent", [](Call& c) { c.desc.BTensor = nullptr; }},
      {"OutputTensor: absent", [](Call& c) { c.desc.OutputTensor = nullptr; }},
      {"AScaleTensor: absent", [](Call& c) { c.desc.AScaleTensor = nullptr; }},
      {"OutputScaleTensor: absent",
       [](Call& c) { c.desc.OutputScaleTensor = nullptr; }},
      {"ATensor: type int32", [](Call& c) { c.a.type = ElementType::kInt32; }},
      {"BScaleTensor: type float16",
       [](Call& c) { c.b_scale.type = ElementType::kFloat16; }},
      {"BZeroPointTensor: type int8",
       [](Call& c) { c.b_zero_point.type = ElementType::kInt8; }},
      {"ATensor: 0 dimensions", [](Call& c) { c.a.sizes = {}; }},
      {"ATensor: 9 dimensions", [](Call& c) { c.a.sizes.assign(9, 1); }},
      {"BTensor: 3 dimensions",
       [](Call& c) {
         c.b.sizes = {1, 2, 3};
       }},
      {"BTensor: sizes {3, 2}",
       [](Call& c) {
         c.b.sizes = {3, 2};
       }},
      {"OutputTensor: sizes {2, 1}",
       [](Call& c) {
         c.output.sizes = {2, 1};
       }},
      {"ATensor: sizes {0, 3}",
       [](Call& c) {
         c.a.sizes = {0, 3};
       }},
      {"AScaleTensor: 1 dimensions", [](Call& c) { c.a_scale.sizes = {1}; }},
      {"BZeroPointTensor: sizes {1, 3}",
       [](Call& c) {
         c.b_zero_point.sizes = {1, 3};
       }},
      {"ATensor: strides {-1, 1}",
       [](Call& c) {
         c.a.strides = {-1, 1};
       }},
      {"ATensor: layout",
       [](Call& c) { c.a.layout = TensorLayout::kFractalNz; }},
      {"OutputTensor: strides {2, 1}",
       [](Call& c) {
         c.output.strides = {2, 1};
       }},
      {"AScaleTensor: element 0 is 0",
       [](Call& c) { c.constants.AScaleTensor = &kZero; }},
      {"BScaleTensor: element 0 is nan",
       [](Call& c) { c.constants.BScaleTensor = &kNan; }},
      {"OutputScaleTensor: element 0 is inf",
       [](Call& c) { c.constants.OutputScaleTensor = &kInfinity; }},
      {"AZeroPointTensor: data of a tensor",
       [](Call& c) { c.desc.AZeroPointTensor = nullptr; }},
  };
  for (const Rejection& rejection : rejections) {
    SCOPED_TRACE(rejection.message);
    Call call({2, 3});
    ASSERT_TRUE(Plan::Create(call.desc, call.constants).ok());
    rejection.change(call);
    const auto plan = Plan::Create(call.desc, call.constants);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()),
                HasSubstr(rejection.message));
  }
}

TEST(LinearAddArgumentsTest, RunRejectsAndWritesNothing) {
  struct Buffers {
    uint8_t a[6] = {1, 2, 3, 4, 5, 6};
    uint8_t b[6] = {6, 5, 4, 3, 2, 1};
    uint8_t output[6] = {9, 9, 9, 9, 9, 9};
  };
  struct RunRejection {
    const char* message;
    std::function<void(Data&, Buffers&)> change;
  };
  const RunRejection rejections[] = {
      {"ATensor: no data", [](Data& d, Buffers&) { d.ATensor = nullptr; }},
      {"BTensor: no data", [](Data& d, Buffers&) { d.BTensor = nullptr; }},
      {"OutputTensor: no data",
       [](Data& d, Buffers&) { d.OutputTensor = nullptr; }},
      {"BScaleTensor: no data",
       [](Data& d, Buffers&) { d.per_call.BScaleTensor = nullptr; }},
      {"BZeroPointTensor: no data",
       [](Data& d, Buffers&) { d.per_call.BZeroPointTensor = nullptr; }},
      {"BScaleTensor: element 0 is 0",
       [](Data& d, Buffers&) { d.per_call.BScaleTensor = &kZero; }},
      {"BScaleTensor: element 0 is nan",
       [](Data& d, Buffers&) { d.per_call.BScaleTensor = &kNan; }},
      {"AScaleTensor: given to Run",
       [](Data& d, Buffers&) { d.per_call.AScaleTensor = &kInfinity; }},
      {"OutputZeroPointTensor: data of a tensor",
       [](Data& d, Buffers& b) { d.per_call.OutputZeroPointTensor = b.a; }},
      {"overlap those of ATensor",
       [](Data& d, Buffers& b) { d.ATensor = b.output + 5; }},
      {"overlap those of BTensor",
       [](Data& d, Buffers& b) { d.BTensor = b.output; }},
      {"overlap those of BZeroPointTensor",
       [](Data& d, Buffers& b) { d.per_call.BZeroPointTensor = b.output + 2; }},
  };
  Call call({2, 3});
  call.desc.OutputZeroPointTensor = nullptr;
  Constants constant = call.constants;
  constant.BScaleTensor = nullptr;
  constant.BZeroPointTensor = nullptr;
  constant.OutputZeroPointTensor = nullptr;
  const auto plan = Plan::Create(call.desc, constant);
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const RunRejection& rejection : rejections) {
    SCOPED_TRACE(rejection.message);
    Buffers buffers;
    Data data = {buffers.a, buffers.b, buffers.output, {}};
    data.per_call.BScaleTensor = &call.scales.b;
    data.per_call.BZeroPointTensor = &call.zero_points[1];
    rejection.change(data, buffers);
    const absl::Status status = plan->Run(data);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(rejection.message));
    EXPECT_THAT(buffers.output, ::testing::Each(9));
  }
}

// Tensors may touch without sharing a byte, and a broadcast tensor's extent is
// one element.
TEST(LinearAddArgumentsTest, NeighboursDoNotOverlap) {
  Call call({4});
  call.b.strides = {0};
  const auto plan = Plan::Create(call.desc, call.constants);
  ASSERT_TRUE(plan.ok()) << plan.status();
  uint8_t memory[9] = {1, 2, 3, 4, 0, 0, 0, 0, 7};
  ASSERT_TRUE(plan->Run({memory, memory + 8, memory + 4, {}}).ok());
  EXPECT_THAT(memory, ::testing::ElementsAre(1, 2, 3, 4, 8, 9, 10, 11, 7));
}

}  // namespace
}  // namespace qconform::optimized::linear_add
