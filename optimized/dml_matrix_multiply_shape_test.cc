#include "optimized/dml_matrix_multiply_shape.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"
#include "optimized/dml_quantized_linear_matrix_multiply_test_util.h"

namespace qconform::optimized {
namespace {

using Call = DmlMatrixMultiplyCall;
using Data = DmlQuantizedLinearMatrixMultiplyData;
using Desc = DmlQuantizedLinearMatrixMultiplyDesc;
using Plan = DmlQuantizedLinearMatrixMultiplyPlan;
using ::testing::HasSubstr;

// A call that is valid until a test changes it.
class DmlMatrixMultiplyRejectionTest : public testing::Test {
 protected:
  DmlMatrixMultiplyRejectionTest() : generator_(5) {
    call_ = generator_.MakeCall({2, 3, 4, 5, 6}, false);
    call_.zero_points = true;
    const auto fix = [&](TestTensor& tensor, Dimensions sizes) {
      tensor.desc.sizes = std::move(sizes);
      tensor.desc.strides.reset();
      tensor.storage.assign(64, 1);
      if (tensor.desc.type == ElementType::kFloat32) {
        for (size_t i = 0; i < 16; ++i) tensor.SetFloat(i, 0.25f);
      }
    };
    fix(call_.a_scale, {1, 1, 4, 1});
    fix(call_.a_zero, {1, 1, 4, 1});
    fix(call_.b_scale, {1, 1, 1, 6});
    fix(call_.b_zero, {1, 1, 1, 6});
    fix(call_.y_scale, {1, 1, 4, 1});
    fix(call_.y_zero, {1, 1, 1, 1});
  }

  void ExpectRejected(const std::string& message,
                      DmlFeatureLevel level = DmlFeatureLevel::k4_0) {
    ExpectRejected(call_.desc(), message, level);
  }
  void ExpectRejected(const Desc& desc, const std::string& message,
                      DmlFeatureLevel level = DmlFeatureLevel::k4_0) {
    const auto plan = Plan::Create(desc, {}, level);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(message));
  }

  DmlMatrixMultiplyGenerator generator_;
  Call call_;
};

TEST_F(DmlMatrixMultiplyRejectionTest, TheCallIsValidUnchanged) {
  EXPECT_TRUE(Plan::Create(call_.desc()).ok());
  EXPECT_TRUE(Plan::Create(call_.desc(), {}, DmlFeatureLevel::k2_1).ok());
}

TEST_F(DmlMatrixMultiplyRejectionTest, RequiredTensors) {
  const auto without = [&](auto member, const std::string& name) {
    Desc desc = call_.desc();
    desc.*member = nullptr;
    ExpectRejected(desc, name + ": null; the tensor is required");
  };
  without(&Desc::ATensor, "ATensor");
  without(&Desc::AScaleTensor, "AScaleTensor");
  without(&Desc::BTensor, "BTensor");
  without(&Desc::BScaleTensor, "BScaleTensor");
  without(&Desc::OutputScaleTensor, "OutputScaleTensor");
  without(&Desc::OutputTensor, "OutputTensor");
}

TEST_F(DmlMatrixMultiplyRejectionTest, Types) {
  call_.a.desc.type = ElementType::kInt16;
  ExpectRejected("ATensor: type int16; allowed are uint8, int8");
  call_.a.desc.type = call_.a_zero.desc.type;
  call_.b_scale.desc.type = ElementType::kFloat64;
  ExpectRejected("BScaleTensor: type float64; allowed are float32");
  call_.b_scale.desc.type = ElementType::kFloat32;
  call_.y_zero.desc.type = call_.y.desc.type == ElementType::kInt8
                               ? ElementType::kUint8
                               : ElementType::kInt8;
  ExpectRejected("OutputZeroPointTensor: type");
}

TEST_F(DmlMatrixMultiplyRejectionTest, Ranks) {
  call_.a.desc.sizes = {5};
  ExpectRejected("ATensor: 1 dimensions; allowed are 2 to 4");
  call_.a.desc.sizes = {1, 2, 3, 4, 5};
  ExpectRejected("ATensor: 5 dimensions; allowed are 2 to 4");
  call_.a.desc.sizes = {2, 3, 4, 5};
  call_.b.desc.sizes = {3, 5, 6};
  ExpectRejected("BTensor: 3 dimensions; ATensor has 4");
  ExpectRejected("BTensor: 3 dimensions; allowed are 4", DmlFeatureLevel::k2_1);
  call_.b.desc.sizes = {2, 3, 5, 6};
  call_.y_zero.desc.sizes = {1};
  ExpectRejected("OutputZeroPointTensor: 1 dimensions; AScaleTensor has 4");
  call_.y_zero.desc.sizes = {};
  ExpectRejected("OutputZeroPointTensor: 0 dimensions; allowed are 1 to 4");
}

TEST_F(DmlMatrixMultiplyRejectionTest, Sizes) {
  call_.b.desc.sizes = {2, 3, 4, 6};
  ExpectRejected("BTensor: sizes {2, 3, 4, 6}; expected {2, 3, 5, 6}");
  call_.b.desc.sizes = {1, 3, 5, 6};
  ExpectRejected("BTensor: sizes {1, 3, 5, 6}; expected {2, 3, 5, 6}");
  call_.b.desc.sizes = {2, 3, 5, 6};
  call_.y.desc.sizes = {2, 3, 4, 7};
  ExpectRejected("OutputTensor: sizes {2, 3, 4, 7}; expected {2, 3, 4, 6}");
  call_.y.desc.sizes = {2, 3, 0, 6};
  ExpectRejected("each must be at least 1");
  call_.y.desc.sizes = {2, 3, 1 << 20, 1 << 20};
  ExpectRejected("more than the allowed 2^32 - 1 elements");
}

TEST_F(DmlMatrixMultiplyRejectionTest, Granularity) {
  call_.a_scale.desc.sizes = {1, 1, 3, 1};
  ExpectRejected(
      "AScaleTensor: sizes {1, 1, 3, 1}; allowed are {1, 1, 1, 1} and "
      "{1, 1, 4, 1}");
  call_.a_scale.desc.sizes = {2, 1, 1, 1};
  ExpectRejected("AScaleTensor: sizes {2, 1, 1, 1}");
  call_.a_scale.desc.sizes = {1, 1, 4, 1};
  call_.b_zero.desc.sizes = {1, 1, 4, 1};
  ExpectRejected("BZeroPointTensor: sizes {1, 1, 4, 1}");
}

TEST_F(DmlMatrixMultiplyRejectionTest, Strides) {
  call_.a.desc.strides = Dimensions{60, 20, 5};
  ExpectRejected("ATensor: 3 strides for 4 dimensions");
  call_.a.desc.strides = Dimensions{60, 20, -5, 1};
  ExpectRejected("ATensor: strides {60, 20, -5, 1}; none may be negative");
  call_.a.desc.strides = Dimensions{int64_t{1} << 62, int64_t{1} << 62, 5, 1};
  ExpectRejected("reach past 2^63 bytes");
  call_.a.desc.strides.reset();
  call_.y.desc.strides = Dimensions{72, 24, 5, 1};
  ExpectRejected("OutputTensor: strides {72, 24, 5, 1}");
  call_.y.desc.strides = Dimensions{72, 24, 6, 0};
  ExpectRejected("put two elements at one address");
  call_.y.desc.strides.reset();
  call_.b.desc.layout = TensorLayout::kFractalNz;
  ExpectRejected("BTensor: layout FRACTAL_NZ");
}

TEST_F(DmlMatrixMultiplyRejectionTest, ConstantsOfThePlan) {
  const auto expect = [&](const Data& constants, const Desc& desc,
                          const std::string& message) {
    const auto plan = Plan::Create(desc, constants);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()), HasSubstr(message));
  };
  Data constants;
  constants.ATensor = call_.a.storage.data();
  expect(constants, call_.desc(), "ATensor: data given");
  constants = {};
  constants.OutputTensor = call_.y.storage.data();
  expect(constants, call_.desc(), "OutputTensor: data given");
  constants = {};
  constants.BZeroPointTensor = call_.b_zero.storage.data();
  Desc without = call_.desc();
  without.BZeroPointTensor = nullptr;
  expect(constants, without, "BZeroPointTensor: data given");
  for (float bad : {0.0f, -0.0f, std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    call_.b_scale.SetFloat(5, bad);
    constants = {};
    constants.BScaleTensor = Call::Floats(call_.b_scale);
    expect(constants, call_.desc(), "BScaleTensor: element 5 is");
  }
}

// Strides of 0 describe far more elements than there is memory; a plan without
// constants must not need it.
TEST_F(DmlMatrixMultiplyRejectionTest, LargestSizesAreLegal) {
  call_.a.desc.sizes = {1, 1, 1, (int64_t{1} << 32) - 1};
  call_.a.desc.strides = Dimensions{0, 0, 0, 0};
  call_.b.desc.sizes = {1, 1, (int64_t{1} << 32) - 1, 1};
  call_.b.desc.strides = Dimensions{0, 0, 0, 0};
  call_.y.desc.sizes = {1, 1, 1, 1};
  for (TestTensor* tensor : {&call_.a_scale, &call_.a_zero, &call_.b_scale,
                             &call_.b_zero, &call_.y_scale}) {
    tensor->desc.sizes = {1, 1, 1, 1};
  }
  EXPECT_TRUE(Plan::Create(call_.desc()).ok());
}

TEST_F(DmlMatrixMultiplyRejectionTest, RunsThatWriteNothing) {
  const auto plan = Plan::Create(call_.desc());
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::byte> workspace(plan->WorkspaceBytes());
  Data good = call_.parameters();
  good.ATensor = call_.a.storage.data();
  good.OutputTensor = call_.y.storage.data();
  const auto expect = [&](const Data& data, size_t bytes,
                          const std::string& message) {
    call_.Poison();
    RunContext context;
    context.workspace = absl::MakeSpan(workspace).first(bytes);
    const absl::Status status = plan->Run(data, context);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
    EXPECT_THAT(call_.y.storage, testing::Each(kPoison));
  };
  expect(good, workspace.size() - 1, "workspace:");
  const auto without = [&](auto member, const std::string& name) {
    Data data = good;
    data.*member = nullptr;
    expect(data, workspace.size(), name + ": no data");
  };
  without(&Data::ATensor, "ATensor");
  without(&Data::AScaleTensor, "AScaleTensor");
  without(&Data::AZeroPointTensor, "AZeroPointTensor");
  without(&Data::BTensor, "BTensor");
  without(&Data::OutputZeroPointTensor, "OutputZeroPointTensor");
  without(&Data::OutputTensor, "OutputTensor");
  for (float bad : {0.0f, std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    call_.y_scale.SetFloat(3, bad);
    expect(good, workspace.size(), "OutputScaleTensor: element 3 is");
    call_.y_scale.SetFloat(3, 1.0f);
  }
  // AR-11: last byte of the output on the first of an input.
  std::vector<uint8_t> shared(call_.y.storage.size() + 1000, kPoison);
  Data data = good;
  data.OutputTensor = shared.data();
  const size_t last = call_.y.storage.size() - 1;
  data.ATensor = shared.data() + last;
  expect(data, workspace.size(), "overlap those of ATensor");
  data = good;
  data.OutputTensor = shared.data();
  data.BTensor = shared.data() + last;
  expect(data, workspace.size(), "overlap those of BTensor");
  data = good;
  data.OutputTensor = shared.data();
  data.AZeroPointTensor = shared.data() + last;
  expect(data, workspace.size(), "overlap those of AZeroPointTensor");
  EXPECT_THAT(shared, testing::Each(kPoison));
}

TEST_F(DmlMatrixMultiplyRejectionTest, RunDataOfConstants) {
  Data constants = call_.parameters();
  auto plan = Plan::Create(call_.desc(), constants);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const Plan moved = *std::move(plan);
  std::vector<std::byte> workspace(moved.WorkspaceBytes());
  RunContext context;
  context.workspace = absl::MakeSpan(workspace);
  Data data;
  data.ATensor = call_.a.storage.data();
  data.OutputTensor = call_.y.storage.data();
  EXPECT_TRUE(moved.Run(data, context).ok());
  data.BTensor = call_.b.storage.data();
  EXPECT_THAT(std::string(moved.Run(data, context).message()),
              HasSubstr("BTensor: data given; it must be null, it is a "
                        "constant of the plan"));
  data.BTensor = nullptr;
  data.BScaleTensor = Call::Floats(call_.b_scale);
  EXPECT_THAT(std::string(moved.Run(data, context).message()),
              HasSubstr("BScaleTensor: data given"));
}

TEST_F(DmlMatrixMultiplyRejectionTest, RunDataOfAbsentTensors) {
  call_.zero_points = false;
  auto plan = Plan::Create(call_.desc());
  ASSERT_TRUE(plan.ok()) << plan.status();
  plan = Plan::Create(call_.desc(), call_.parameters());
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::byte> workspace(plan->WorkspaceBytes());
  RunContext context;
  context.workspace = absl::MakeSpan(workspace);
  Data data;
  data.ATensor = call_.a.storage.data();
  data.OutputTensor = call_.y.storage.data();
  data.AZeroPointTensor = call_.a_zero.storage.data();
  EXPECT_THAT(std::string(plan->Run(data, context).message()),
              HasSubstr("AZeroPointTensor: data given; it must be null, its "
                        "description is null"));
}

}  // namespace
}  // namespace qconform::optimized
