#include "optimized/dml_quantized_linear_matrix_multiply.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/dml_quantized_linear_matrix_multiply_test_util.h"
#include "optimized/target_test_util.h"
#include "optimized/threads_test_util.h"

namespace qconform::optimized {
namespace {

using Call = DmlMatrixMultiplyCall;
using Data = DmlQuantizedLinearMatrixMultiplyData;
using Generator = DmlMatrixMultiplyGenerator;
using Plan = DmlQuantizedLinearMatrixMultiplyPlan;
using Sizes = DmlMatrixMultiplySizes;

// Plans and runs with the constants that the bits of `constant` choose.
void CheckCall(Call& call, uint32_t constant, size_t threads,
               size_t misalignment) {
  Data constants, data = call.parameters();
  const auto move = [&](uint32_t bit, auto member) {
    if ((constant >> bit & 1) == 0) return;
    constants.*member = data.*member;
    data.*member = nullptr;
  };
  move(0, &Data::AScaleTensor);
  move(1, &Data::AZeroPointTensor);
  move(2, &Data::BTensor);
  move(3, &Data::BScaleTensor);
  move(4, &Data::BZeroPointTensor);
  move(5, &Data::OutputScaleTensor);
  move(6, &Data::OutputZeroPointTensor);
  const auto plan = Plan::Create(call.desc(), constants);
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::vector<uint8_t> expected = ExpectedStorage(call);
  call.Poison();
  std::vector<uint8_t> a(call.a.storage.size() + misalignment);
  std::copy(call.a.storage.begin(), call.a.storage.end(),
            a.begin() + static_cast<ptrdiff_t>(misalignment));
  data.ATensor = a.data() + misalignment;
  data.OutputTensor = call.y.storage.data();
  std::vector<std::byte> workspace(plan->WorkspaceBytes(threads) +
                                   misalignment);
  Threads pool(threads);
  RunContext context;
  context.workspace = absl::MakeSpan(workspace).subspan(misalignment);
  if (threads > 1) context.parallel_for = &pool;
  const absl::Status status = plan->Run(data, context);
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_EQ(call.y.storage, expected);
}

TEST(DmlQuantizedLinearMatrixMultiplyTest, ByHand) {
  ForEachTarget([] {
    // {1, 2} x {3, 4}^T = 11; 11 * 0.5 * 1 / 1 = 5.5, a tie, to 6; less 1.
    Call call;
    call.a.desc = {ElementType::kUint8, TensorLayout::kNd, {1, 2}, {}};
    call.b.desc = {ElementType::kInt8, TensorLayout::kNd, {2, 1}, {}};
    call.y.desc = {ElementType::kInt8, TensorLayout::kNd, {1, 1}, {}};
    const TensorDesc scale = {
        ElementType::kFloat32, TensorLayout::kNd, {1}, {}};
    for (TestTensor* tensor : {&call.a_scale, &call.b_scale, &call.y_scale}) {
      tensor->desc = scale;
      tensor->Resize();
      tensor->SetFloat(0, tensor == &call.a_scale ? 0.5f : 1.0f);
    }
    for (TestTensor* tensor : {&call.a_zero, &call.b_zero, &call.y_zero}) {
      tensor->desc = {
          tensor == &call.a_zero ? ElementType::kUint8 : ElementType::kInt8,
          TensorLayout::kNd,
          {1},
          {}};
    }
    call.a.storage = {11, 12};
    call.a_zero.storage = {10};
    call.b.storage = {2, 3};
    call.b_zero.storage = {0xFF};
    call.y_zero.storage = {0xFF};
    call.y.Resize();
    CheckCall(call, 0x7F, 1, 0);
    EXPECT_EQ(call.y.storage[0], 5);
  });
}

TEST(DmlQuantizedLinearMatrixMultiplyTest, EverySizeAroundTheVectorWidths) {
  ForEachTarget([] {
    Generator generator(1);
    for (size_t n = 1; n <= 66; ++n) {
      const Sizes sizes = {1, 1, 1 + generator.Pick(14), 1 + generator.Pick(40),
                           n};
      Call call = generator.MakeCall(sizes, false);
      CheckCall(call, generator.Pick(2) == 0 ? 0x7F : 0, 1, generator.Pick(16));
    }
  });
}

TEST(DmlQuantizedLinearMatrixMultiplyTest, StridesBatchesThreadsConstants) {
  ForEachTarget([] {
    Generator generator(2);
    for (int round = 0; round < 250; ++round) {
      const Sizes sizes = {1 + generator.Pick(3), 1 + generator.Pick(3),
                           1 + generator.Pick(9), 1 + generator.Pick(20),
                           1 + generator.Pick(40)};
      Call call = generator.MakeCall(sizes, generator.Pick(3) != 0);
      SCOPED_TRACE(round);
      CheckCall(call, generator.Pick(128), 1 + generator.Pick(4),
                generator.Pick(16));
    }
  });
}

TEST(DmlQuantizedLinearMatrixMultiplyTest, ThreadsDivideOneLargeProduct) {
  ForEachTarget([] {
    Generator generator(3);
    for (const Sizes& sizes :
         {Sizes{1, 1, 100, 33, 70}, {1, 1, 2, 50, 200}, {2, 1, 60, 20, 90}}) {
      for (size_t threads : {2, 3, 7}) {
        Call call = generator.MakeCall(sizes, false);
        CheckCall(call, threads % 2 == 0 ? 0x7F : 0x3B, threads, 1);
      }
    }
  });
}

// AR-09: deeper than int32 sums allow, every product extreme.
TEST(DmlQuantizedLinearMatrixMultiplyTest, DeepSums) {
  ForEachTarget([] {
    Generator generator(4);
    for (size_t depth : {33025, 40000}) {
      for (bool is_signed : {false, true}) {
        Call call = generator.MakeCall({1, 1, 3, depth, 5}, false);
        call.zero_points = true;
        for (TestTensor* tensor : {&call.a, &call.b}) {
          tensor->desc.type =
              is_signed ? ElementType::kInt8 : ElementType::kUint8;
          std::fill(tensor->storage.begin(), tensor->storage.end(),
                    is_signed ? uint8_t{0x80} : uint8_t{0xFF});
        }
        for (TestTensor* tensor : {&call.a_zero, &call.b_zero}) {
          tensor->desc.type = call.a.desc.type;
          std::fill(tensor->storage.begin(), tensor->storage.end(),
                    is_signed ? uint8_t{0x7F} : uint8_t{0x00});
        }
        const float sum = 65025.0f * static_cast<float>(depth);
        for (size_t i = 0; i < call.y_scale.storage.size() / 4; ++i) {
          call.y_scale.SetFloat(i, sum / 100.5f);
        }
        CheckCall(call, 0x7F, 2, 3);
      }
    }
  });
}

}  // namespace
}  // namespace qconform::optimized
