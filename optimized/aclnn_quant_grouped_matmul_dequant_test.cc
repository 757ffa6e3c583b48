#include "optimized/aclnn_quant_grouped_matmul_dequant.h"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_model.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_test_util.h"
#include "optimized/aclnn_status.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr uint16_t kNan = 0x7E00;
constexpr uint16_t kInfinity = 0x7C00;

void ExpectModel(const model::Call& call, const std::vector<Form>& forms) {
  const std::vector<uint16_t> expected = model::Evaluate(call, kUntouched);
  ForEachTarget([&] {
    for (const Form& form : forms) {
      SCOPED_TRACE(testing::Message()
                   << "m " << call.m << ", k " << call.k << ", n " << call.n
                   << ", groups " << call.groups << ", nz "
                   << form.is_fractal_nz << ", transpose "
                   << form.transpose_weight << ", constants " << form.constants
                   << ", threads " << form.threads << ", misalignment "
                   << form.misalignment << ", strided " << form.strided);
      std::vector<uint16_t> out;
      const absl::Status status = RunCall(call, form, &out);
      ASSERT_TRUE(status.ok()) << status;
      for (size_t i = 0; i < out.size(); ++i) {
        ASSERT_TRUE(model::SameFloat16(out[i], expected[i]))
            << "row " << i / call.n << ", column " << i % call.n << ": "
            << out[i] << ", expected " << expected[i];
      }
    }
  });
}

std::vector<Form> AllForms() {
  std::vector<Form> forms;
  for (const bool nz : {false, true}) {
    for (const bool transpose : {false, true}) {
      forms.push_back({.is_fractal_nz = nz, .transpose_weight = transpose});
      forms.push_back({.is_fractal_nz = nz,
                       .transpose_weight = transpose,
                       .constants = 31,
                       .misalignment = 1});
    }
  }
  forms.push_back({.constants = 0b00101, .misalignment = 2, .threads = 2});
  forms.push_back({.constants = 0b11010, .misalignment = 63, .threads = 3});
  forms.push_back({.constants = 1, .threads = 7, .strided = true});
  forms.push_back({.strided = true});
  return forms;
}

TEST(QuantGroupedMatmulDequantTest, ShapesAndForms) {
  uint64_t seed = 1;
  for (const size_t k : {16, 32, 48, 80}) {
    for (const size_t n : {16, 32, 48, 144}) {
      for (const size_t m : {1, 2, 5}) {
        const auto quantization = static_cast<Quantization>(seed % 3);
        ExpectModel(RandomCall(m, k, n, {static_cast<int64_t>(m)}, quantization,
                               seed % 2 == 0, seed),
                    AllForms());
        ++seed;
      }
    }
  }
}

TEST(QuantGroupedMatmulDequantTest, RowRemainders) {
  for (size_t m = 1; m <= 20; ++m) {
    ExpectModel(
        RandomCall(m, 48, 48,
                   {static_cast<int64_t>(m / 2), static_cast<int64_t>(m)},
                   Quantization::kPerToken, true, m),
        {{.is_fractal_nz = true, .constants = 31}, {.threads = 2}});
  }
}

// AG-05: empty groups first, middle and last, boundaries at 0 and m, rows of no
// group.
TEST(QuantGroupedMatmulDequantTest, Groups) {
  const std::vector<std::vector<int64_t>> group_lists = {
      {0, 3, 7}, {3, 3, 7}, {3, 7, 7}, {0, 0, 7}, {0, 0, 0},
      {7, 7, 7}, {1, 2, 3}, {0, 4, 4}, {2, 2, 5}};
  uint64_t seed = 100;
  for (const std::vector<int64_t>& group_list : group_lists) {
    for (const auto quantization :
         {Quantization::kDynamic, Quantization::kPerToken}) {
      ExpectModel(RandomCall(7, 48, 32, group_list, quantization, true, ++seed),
                  AllForms());
    }
  }
}

// One row {2, 1, 0, ..}: x_q = {127, 64 (63.5 to even)}; weights {1, 2} and
// {-3, 0}; scale 2 / 127. (127 + 128) * 0.5 * 2 / 127 = 255/127 = 2.007874,
// between the float16 2.0078125 (0x4004) and 2.009765625, nearer to the first.
// -381 * 0.25 * 2 / 127 = -1.5 (0xBE00).
TEST(QuantGroupedMatmulDequantTest, ByHand) {
  model::Call call;
  call.x.assign(16, 0);
  call.x[0] = 0x4000;
  call.x[1] = 0x3C00;
  call.weight.assign(16 * 16, 0);
  call.weight[0 * 16 + 0] = 1;
  call.weight[1 * 16 + 0] = 2;
  call.weight[0 * 16 + 1] = -3;
  call.weight_scale.assign(16, 0.5f);
  call.weight_scale[1] = 0.25f;
  call.group_list = {1};
  ForEachTarget([&] {
    for (const Form& form : AllForms()) {
      std::vector<uint16_t> out;
      ASSERT_TRUE(RunCall(call, form, &out).ok());
      EXPECT_EQ(out[0], 0x4004);
      EXPECT_EQ(out[1], 0xBE00);
      for (size_t n = 2; n < 16; ++n) EXPECT_EQ(out[n] & 0x7FFF, 0) << n;
    }
  });
}

// AG-02, AG-03: special rows do not touch their neighbours, and rows of no
// group may hold anything.
TEST(QuantGroupedMatmulDequantTest, SpecialRows) {
  for (const auto quantization :
       {Quantization::kDynamic, Quantization::kPerToken}) {
    model::Call call = RandomCall(9, 32, 32, {4, 8}, quantization, true, 5);
    call.smooth_scale[7] = 0;
    for (size_t k = 0; k < 32; ++k) call.x[1 * 32 + k] = k % 2 * 0x8000;
    call.x[2 * 32 + 5] = kNan;
    call.x[3 * 32 + 31] = kInfinity;
    call.x[5 * 32 + 7] = kInfinity;  // smooth is 0 there
    call.x[6 * 32 + 0] = kInfinity | 0x8000;
    if (quantization == Quantization::kPerToken) {
      call.x_scale[2] = 0;  // NaN wins
      call.x_scale[3] = 0;  // infinity with a scale of 0 gives 0
      call.x_scale[4] = 0;
    }
    for (size_t k = 0; k < 32; ++k) call.x[8 * 32 + k] = kNan;
    const std::vector<uint16_t> expected = model::Evaluate(call, kUntouched);
    EXPECT_EQ(expected[2 * 32], kNan);
    EXPECT_EQ(expected[5 * 32], kNan);
    EXPECT_EQ(expected[3 * 32] & 0x7FFF,
              quantization == Quantization::kDynamic ? kNan : 0);
    EXPECT_EQ(expected[8 * 32], kUntouched);
    ExpectModel(call, AllForms());
  }
}

// Scales at the ends of float: outputs overflow to infinity and underflow
// through the subnormals to 0.
TEST(QuantGroupedMatmulDequantTest, ExtremeScales) {
  model::Call call =
      RandomCall(6, 32, 32, {3, 6}, Quantization::kPerToken, false, 9);
  const float scales[] = {0x1p-149f, 0x1.fffffep127f, -0x1p-126f,
                          0x1p-13f,  0x1p-26f,        65536.0f};
  for (size_t i = 0; i < call.weight_scale.size(); ++i) {
    call.weight_scale[i] = scales[i % 6];
  }
  call.x_scale = {0x1p-149f, -0x1p-5f, 0x1.fffffep127f, -0.0f, 0.04f, 0.03125f};
  ExpectModel(call, AllForms());
}

// A depth whose sums the GEMM gives in int64, with every product the largest.
TEST(QuantGroupedMatmulDequantTest, DepthBeyondInt32) {
  model::Call call;
  call.m = 2;
  call.k = 135168;  // 16384 * k exceeds 2^31
  call.n = 16;
  call.x.assign(2 * call.k, 0xC000);
  call.weight.assign(call.k * 16, -128);
  for (size_t n = 1; n < 16; ++n) call.weight[n] = static_cast<int8_t>(n);
  call.weight_scale.assign(16, 0x1.5p-20f);
  call.group_list = {2};
  call.x_scale = {0x1p-6f};  // -2 / 2^-6 = -128
  call.per_tensor = true;
  EXPECT_EQ(model::QuantizeRow(call, 0).values[0], -128);
  ExpectModel(call, {{.constants = 31}});
}

TEST(QuantGroupedMatmulDequantTest, SeveralCachesLarge) {
  ExpectModel(
      RandomCall(70, 720, 656, {33, 70}, Quantization::kDynamic, true, 77),
      {{.is_fractal_nz = true, .constants = 31, .threads = 2},
       {.threads = 40}});
}

// A plan serves many runs, and keeps its target.
TEST(QuantGroupedMatmulDequantTest, PlanIsReusable) {
  const model::Call call =
      RandomCall(5, 32, 32, {2, 5}, Quantization::kDynamic, false, 3);
  const Form form;
  const std::vector<int8_t> weight = LayOutWeight(call, form);
  absl::StatusOr<QuantGroupedMatmulDequant> plan =
      QuantGroupedMatmulDequant::Plan(
          Describe(call, form),
          {.weight = weight.data(), .weight_scale = call.weight_scale.data()});
  ASSERT_TRUE(plan.ok()) << plan.status();
  std::vector<std::byte> workspace(plan->WorkspaceBytes());
  RunContext context;
  context.workspace = absl::MakeSpan(workspace);
  for (const int64_t end : {2, 3, 5}) {
    model::Call changed = call;
    changed.group_list = {1, end};
    std::vector<uint16_t> out(5 * 32, kUntouched);
    const absl::Status status =
        plan->Run(call.x.data(), {.group_list = changed.group_list.data()},
                  out.data(), context);
    ASSERT_TRUE(status.ok()) << status;
    const std::vector<uint16_t> expected = model::Evaluate(changed, kUntouched);
    for (size_t i = 0; i < out.size(); ++i) {
      EXPECT_TRUE(model::SameFloat16(out[i], expected[i])) << i;
    }
  }
}

// Changes a valid call and expects a rejection that writes nothing, both with
// constants and per call.
void ExpectRejectedValues(const std::function<void(model::Call&)>& change,
                          const std::string& message) {
  model::Call call =
      RandomCall(4, 32, 16, {2, 3}, Quantization::kPerToken, true, 21);
  change(call);
  for (const unsigned constants : {0u, 31u}) {
    std::vector<uint16_t> out;
    const absl::Status status = RunCall(call, {.constants = constants}, &out);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(AclnnStatus(status), kAclnnErrorInvalidParameter);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
    EXPECT_THAT(out, Each(kUntouched));
  }
}

// AG-04 over whole tensors, AG-05.
TEST(QuantGroupedMatmulDequantTest, RejectsValues) {
  const float nan = std::nanf("");
  ExpectRejectedValues([&](model::Call& c) { c.weight_scale[31] = nan; },
                       "weightScale: element 31 is nan");
  ExpectRejectedValues([](model::Call& c) { c.weight_scale[0] = -INFINITY; },
                       "weightScale: element 0 is -inf");
  ExpectRejectedValues([](model::Call& c) { c.x_scale[3] = INFINITY; },
                       "xScaleOptional: element 3");
  ExpectRejectedValues([](model::Call& c) { c.smooth_scale[30] = kInfinity; },
                       "smoothScaleOptional: element 30");
  ExpectRejectedValues([](model::Call& c) { c.smooth_scale[0] = 0xFE00; },
                       "smoothScaleOptional: element 0");
  ExpectRejectedValues(
      [](model::Call& c) {
        c.group_list = {-1, 3};
      },
      "groupList: element 0 is -1; allowed here are 0 to 4");
  ExpectRejectedValues(
      [](model::Call& c) {
        c.group_list = {3, 2};
      },
      "groupList: element 1 is 2; allowed here are 3 to 4");
  ExpectRejectedValues(
      [](model::Call& c) {
        c.group_list = {2, 5};
      },
      "groupList: element 1 is 5");
}

// Pointers, workspace and overlap.
TEST(QuantGroupedMatmulDequantTest, RejectsRunArguments) {
  const model::Call call =
      RandomCall(4, 32, 16, {2, 3}, Quantization::kPerToken, true, 22);
  const Form form;
  const std::vector<int8_t> weight = LayOutWeight(call, form);
  const QuantGroupedMatmulDequantParameters all = {
      weight.data(), call.weight_scale.data(), call.group_list.data(),
      call.x_scale.data(), call.smooth_scale.data()};
  const QuantGroupedMatmulDequantDesc desc = Describe(call, form);
  const auto plan = QuantGroupedMatmulDequant::Plan(desc);
  const auto constant_plan = QuantGroupedMatmulDequant::Plan(desc, all);
  ASSERT_TRUE(plan.ok() && constant_plan.ok());
  EXPECT_GT(plan->WorkspaceBytes(2), plan->WorkspaceBytes(1));
  EXPECT_EQ(plan->WorkspaceBytes(0), plan->WorkspaceBytes(1));
  std::vector<std::byte> workspace(plan->WorkspaceBytes());
  std::vector<uint16_t> out(4 * 16, kUntouched);
  const auto expect = [&](const QuantGroupedMatmulDequant& tested,
                          const void* x,
                          const QuantGroupedMatmulDequantParameters& per_call,
                          void* to, size_t workspace_bytes, int aclnn_status,
                          const std::string& message) {
    RunContext context;
    context.workspace = absl::MakeSpan(workspace.data(), workspace_bytes);
    const absl::Status status = tested.Run(x, per_call, to, context);
    EXPECT_EQ(AclnnStatus(status), aclnn_status);
    EXPECT_THAT(std::string(status.message()), HasSubstr(message));
    EXPECT_THAT(out, Each(kUntouched));
  };
  const size_t bytes = workspace.size();
  const void* x = call.x.data();
  expect(*plan, nullptr, all, out.data(), bytes, 161001, "x: null");
  expect(*plan, x, all, nullptr, bytes, 161001, "out: null");
  const struct {
    const void* QuantGroupedMatmulDequantParameters::*member;
    const char* name;
  } members[] = {
      {&QuantGroupedMatmulDequantParameters::weight, "weight: "},
      {&QuantGroupedMatmulDequantParameters::weight_scale, "weightScale: "},
      {&QuantGroupedMatmulDequantParameters::group_list, "groupList: "},
      {&QuantGroupedMatmulDequantParameters::x_scale, "xScaleOptional: "},
      {&QuantGroupedMatmulDequantParameters::smooth_scale,
       "smoothScaleOptional: "},
  };
  for (const auto& [member, name] : members) {
    QuantGroupedMatmulDequantParameters missing = all;
    missing.*member = nullptr;
    expect(*plan, x, missing, out.data(), bytes, 161001, name);
    QuantGroupedMatmulDequantParameters twice;
    twice.*member = all.*member;
    expect(*constant_plan, x, twice, out.data(), bytes, 161001, name);
    // AR-11: the output begins inside the input.
    expect(*plan, x, all, const_cast<void*>(all.*member), bytes, 161002,
           name == std::string("weight: ") ? "of weight;" : "overlap");
  }
  expect(*plan, out.data(), all, out.data() + 3, bytes, 161002, "of x;");
  expect(*plan, x, all, out.data(), bytes - 1, 161002, "workspace: ");

  // Scales that the description does not have.
  const auto plain = QuantGroupedMatmulDequant::Plan(
      Describe(RandomCall(4, 32, 16, {2, 3}, Quantization::kDynamic, false, 1),
               form),
      all);
  EXPECT_EQ(AclnnStatus(plain.status()), 161001);
  model::Call no_smooth = call;
  no_smooth.smooth_scale.clear();
  EXPECT_EQ(AclnnStatus(
                QuantGroupedMatmulDequant::Plan(Describe(no_smooth, form), all)
                    .status()),
            161001);
}

}  // namespace
}  // namespace qconform::optimized
