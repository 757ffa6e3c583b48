#include "optimized/tf_quantize_and_dequantize_v2.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/target_test_util.h"
#include "optimized/tf_quantize_and_dequantize_v2_test_util.h"
#include "optimized/threads_test_util.h"

namespace qconform::optimized::quantize_and_dequantize {
namespace {

using ::testing::HasSubstr;
using Attributes = TfQuantizeAndDequantizeV2Attributes;
using Data = TfQuantizeAndDequantizeV2Data;
using Plan = TfQuantizeAndDequantizeV2Plan;

Attributes Given(bool signed_input) {
  Attributes attributes;
  attributes.signed_input = signed_input;
  attributes.range_given = true;
  return attributes;
}

TEST(QuantizeAndDequantizeTest, PublishedValues) {
  // 0.3f * 255 is 76.500003 as a real number, but 76.5 in float, a tie.
  const std::vector<float> values = {0.3f};
  EXPECT_EQ(Outputs(Given(false), TfArithmetic::kExact, 0, 1, values)[0],
            static_cast<float>(77.0 / 255));
  EXPECT_EQ(Outputs(Given(false), TfArithmetic::kTensorFlow, 0, 1, values)[0],
            76.0f * (1.0f / 255));
  // The document's example: -128 / -10 = 12.8, so the maximum is 127 / 12.8.
  EXPECT_THAT(
      Outputs(Given(true), TfArithmetic::kExact, -10, 5,
              {-20, 20, 1, -1, 0.0390625f}),
      testing::ElementsAre(-10.0f, 9.921875f, 1.015625f, -1.015625f, 0.0f));
}

// 7.5 and -7.5 with steps of 1 (the document's example of HALF_UP).
TEST(QuantizeAndDequantizeTest, RoundModes) {
  Attributes attributes = Given(true);
  const std::vector<float> values = {7.5f, -7.5f, 6.5f, -6.5f, 0.5f, -0.5f};
  for (const auto arithmetic :
       {TfArithmetic::kExact, TfArithmetic::kTensorFlow}) {
    attributes.round_mode = "HALF_TO_EVEN";
    EXPECT_THAT(Outputs(attributes, arithmetic, -128, 127, values),
                testing::ElementsAre(8, -8, 6, -6, 0, 0));
    attributes.round_mode = "HALF_UP";
    EXPECT_THAT(Outputs(attributes, arithmetic, -128, 127, values),
                testing::ElementsAre(8, -7, 7, -6, 1, 0));
  }
}

TEST(QuantizeAndDequantizeTest, CountsAndMisalignments) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-2, 2);
  for (const bool measured : {false, true}) {
    for (const auto arithmetic :
         {TfArithmetic::kExact, TfArithmetic::kTensorFlow}) {
      ForEachTarget([&] {
        for (const size_t count : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 24, 31,
                                   33, 64, 65, 130, 257}) {
          Call call({static_cast<int64_t>(count)});
          call.desc.attributes = Given(true);
          call.desc.attributes.range_given = !measured;
          call.desc.arithmetic = arithmetic;
          float min = -1.5f, max = 1.25f;
          const auto plan = Plan::Create(call.desc, {&min, &max});
          ASSERT_TRUE(plan.ok()) << plan.status();
          EXPECT_EQ(plan->WorkspaceBytes(), 0u);
          for (const size_t offset : {0, 1, 2, 3, 7}) {
            std::vector<float> input(count + offset);
            for (float& value : input) value = uniform(random);
            if (measured) {
              min = *std::min_element(input.begin() + offset, input.end());
              max = *std::max_element(input.begin() + offset, input.end());
            }
            const ExactOracle oracle(call.desc.attributes, min, max);
            std::vector<float> output(count + 2 * offset + 20, 12345.0f);
            std::vector<float> expected = output;
            for (size_t i = 0; i < count; ++i) {
              const float value = input[offset + i];
              expected[2 * offset + i] =
                  arithmetic == TfArithmetic::kExact
                      ? oracle.Output(value)
                      : TensorFlowOutput(call.desc.attributes, min, max, value);
            }
            ASSERT_TRUE(
                plan->Run(
                        {input.data() + offset, output.data() + 2 * offset, {}},
                        {})
                    .ok());
            ASSERT_EQ(output, expected);
          }
        }
      });
    }
  }
}

// The smallest and the largest value may stand anywhere.
TEST(QuantizeAndDequantizeTest, MeasuresEveryElement) {
  ForEachTarget([] {
    for (size_t count = 1; count <= 40; ++count) {
      std::vector<float> input(count);
      for (size_t at = 0; at < count; ++at) {
        for (size_t i = 0; i < count; ++i) {
          input[i] = static_cast<float>(i % 7) - 3;
        }
        input[at] = -100;
        input[(at + 1) % count] = 50;
        const Range range = DispatchKernels().measure(input.data(), count);
        EXPECT_EQ(range.min, count == 1 ? 50 : -100);
        EXPECT_EQ(range.max, 50);
        EXPECT_TRUE(range.is_finite);
        for (const float bad : {kNan, -kNan, kInfinity, -kInfinity}) {
          input[at] = bad;
          EXPECT_FALSE(DispatchKernels().measure(input.data(), count).is_finite)
              << at << " of " << count;
        }
      }
    }
  });
}

TEST(QuantizeAndDequantizeTest, NanAndInfinity) {
  const std::vector<float> values = {kNan, kInfinity, -kInfinity, 1};
  for (const int64_t bits : {8, 30}) {
    for (const auto arithmetic :
         {TfArithmetic::kExact, TfArithmetic::kTensorFlow}) {
      ForEachTarget([&] {
        Attributes attributes = Given(true);
        attributes.num_bits = bits;
        attributes.narrow_range = true;
        EXPECT_THAT(Outputs(attributes, arithmetic, -2, 2, values),
                    testing::ElementsAre(testing::IsNan(), 2, -2,
                                         testing::FloatNear(1, 0.01f)));
        attributes.range_given = false;
        EXPECT_THAT(Outputs(attributes, arithmetic, 0, 0, values),
                    testing::Each(testing::IsNan()));
      });
    }
  }
  // No scale: all but NaN is 0 (TQ-03).
  ForEachTarget([&] {
    EXPECT_THAT(Outputs(Given(false), TfArithmetic::kExact, -2, -1, values),
                testing::ElementsAre(testing::IsNan(), 0, 0, 0));
  });
}

TEST(QuantizeAndDequantizeTest, ThreadsChangeNothing) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> uniform(-2, 2);
  std::vector<float> input(300001);
  for (float& value : input) value = uniform(random);
  input[77777] = -3.5f;
  input[299999] = 2.5f;
  Call call({300001});
  for (const bool range_given : {false, true}) {
    call.desc.attributes.range_given = range_given;
    const float min = -3.5f, max = 2.5f;
    const auto plan = Plan::Create(call.desc, {&min, &max});
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::vector<float> expected;
    const ExactOracle oracle(call.desc.attributes, min, max);
    for (const float value : input) expected.push_back(oracle.Output(value));
    // The workspace may have any alignment.
    std::vector<std::byte> workspace(plan->WorkspaceBytes() + 1);
    RunContext context;
    context.workspace = absl::MakeSpan(workspace).subspan(1);
    for (const size_t count : {0, 1, 2, 5}) {
      Threads threads(count);
      context.parallel_for = count == 0 ? nullptr : &threads;
      std::vector<float> output(input.size());
      ASSERT_TRUE(plan->Run({input.data(), output.data(), {}}, context).ok());
      EXPECT_EQ(threads.calls, count == 0 ? 0u : range_given ? 1u : 2u);
      ASSERT_EQ(output, expected);
    }
    if (range_given) continue;
    ASSERT_GT(plan->WorkspaceBytes(), 0u);
    context.workspace = context.workspace.subspan(1);
    std::vector<float> output(input.size(), 9);
    const absl::Status status =
        plan->Run({input.data(), output.data(), {}}, context);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("workspace"));
    EXPECT_THAT(output, testing::Each(9));
  }
}

TEST(QuantizeAndDequantizeTest, ConstantOrPerCallRange) {
  Call call({2, 1, 2});
  call.desc.attributes.range_given = true;
  const float min = -10, max = 5;
  const float input[4] = {-20, 20, 1, 0};
  for (int mask = 0; mask < 4; ++mask) {
    const float* const low[2] = {&min, nullptr};
    const float* const high[2] = {&max, nullptr};
    const auto plan = Plan::Create(call.desc, {low[mask & 1], high[mask >> 1]});
    ASSERT_TRUE(plan.ok()) << plan.status();
    float output[4];
    ASSERT_TRUE(
        plan->Run({input, output, {low[1 - (mask & 1)], high[1 - (mask >> 1)]}},
                  {})
            .ok());
    EXPECT_THAT(output, testing::ElementsAre(-10, 9.921875f, 1.015625f, 0));
  }
}

TEST(QuantizeAndDequantizeTest, AnyRankAndEmpty) {
  const float min = -128, max = 127;
  for (const Dimensions& sizes :
       {Dimensions{}, Dimensions{1}, Dimensions(12, 1)}) {
    Call call(sizes);
    call.desc.attributes.range_given = true;
    const auto plan = Plan::Create(call.desc, {&min, &max});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const float input = 2.25f;
    float output = 0;
    ASSERT_TRUE(plan->Run({&input, &output, {}}, {}).ok());
    EXPECT_EQ(output, 2);
  }
  for (const Dimensions& sizes :
       {Dimensions{0}, Dimensions{3, 0}, Dimensions{1ll << 40, 1ll << 40, 0}}) {
    for (const bool range_given : {false, true}) {
      Call call(sizes);
      call.desc.attributes.range_given = range_given;
      const auto plan = Plan::Create(call.desc, {&min, &max});
      ASSERT_TRUE(plan.ok()) << plan.status();
      EXPECT_EQ(plan->WorkspaceBytes(), 0u);
      EXPECT_TRUE(plan->Run({nullptr, nullptr, {}}, {}).ok());
    }
  }
  // Strides that say what is so anyway.
  Call call({2, 1, 3});
  call.input.strides = {3, 77, 1};
  EXPECT_TRUE(Plan::Create(call.desc).ok());
  Call empty({2, 0, 3});
  empty.input.strides = {7, 7, 7};
  EXPECT_TRUE(Plan::Create(empty.desc).ok());
}

struct Rejection {
  const char* message;
  std::function<void(Call&)> change;
};

TEST(QuantizeAndDequantizeTest, CreateRejects) {
  const Rejection rejections[] = {
      {"input: absent", [](Call& c) { c.desc.input = nullptr; }},
      {"input_min: absent", [](Call& c) { c.desc.input_min = nullptr; }},
      {"input_max: absent", [](Call& c) { c.desc.input_max = nullptr; }},
      {"output: absent", [](Call& c) { c.desc.output = nullptr; }},
      {"input: type float16",
       [](Call& c) { c.input.type = ElementType::kFloat16; }},
      {"output: type int8",
       [](Call& c) { c.output.type = ElementType::kInt8; }},
      {"input: layout",
       [](Call& c) { c.input.layout = TensorLayout::kFractalNz; }},
      {"input: sizes {2, -1}",
       [](Call& c) {
         c.input.sizes = {2, -1};
       }},
      {"input: sizes {4294967296, 4294967296}",
       [](Call& c) {
         c.input.sizes = {1ll << 32, 1ll << 32};
       }},
      {"output: sizes {3, 2}",
       [](Call& c) {
         c.output.sizes = {3, 2};
       }},
      {"input: strides {1, 2}",
       [](Call& c) {
         c.input.strides = {1, 2};
       }},
      {"input: strides {-3, 1}",
       [](Call& c) {
         c.input.strides = {-3, 1};
       }},
      {"output: 1 strides", [](Call& c) { c.output.strides = {1}; }},
      {"input_min: 1 dimensions", [](Call& c) { c.input_min.sizes = {1}; }},
      {"input_max: 2 dimensions",
       [](Call& c) {
         c.input_max.sizes = {1, 1};
       }},
      {"num_bits: 0; allowed are 1 to 61",
       [](Call& c) { c.desc.attributes.num_bits = 0; }},
      {"num_bits: -9223372036854775808",
       [](Call& c) { c.desc.attributes.num_bits = INT64_MIN; }},
      {"num_bits: 62; allowed are 1 to 61 for signed",
       [](Call& c) { c.desc.attributes.num_bits = 62; }},
      {"num_bits: 63; allowed are 1 to 62 for unsigned",
       [](Call& c) {
         c.desc.attributes.num_bits = 63;
         c.desc.attributes.signed_input = false;
       }},
      {"num_bits: 1; allowed are 2 to 61 for signed narrow",
       [](Call& c) {
         c.desc.attributes.num_bits = 1;
         c.desc.attributes.narrow_range = true;
       }},
      {"num_bits: 1; allowed are 2 to 61 for signed values in the arithmetic",
       [](Call& c) {
         c.desc.attributes.num_bits = 1;
         c.desc.arithmetic = TfArithmetic::kTensorFlow;
       }},
      {"round_mode: \"HALF_DOWN\"",
       [](Call& c) { c.desc.attributes.round_mode = "HALF_DOWN"; }},
  };
  for (const Rejection& rejection : rejections) {
    SCOPED_TRACE(rejection.message);
    Call call({2, 3});
    ASSERT_TRUE(Plan::Create(call.desc).ok());
    rejection.change(call);
    const auto plan = Plan::Create(call.desc);
    EXPECT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(plan.status().message()),
                HasSubstr(rejection.message));
  }
}

struct BadRange {
  const char* message;
  float min, max;
};

const BadRange kBadRanges[] = {
    {"input_min: nan", kNan, 1},         {"input_min: -inf", -kInfinity, 1},
    {"input_max: nan", 0, kNan},         {"input_max: inf", 0, kInfinity},
    {"input_min: 2; it must not", 2, 1},
};

// The range is checked wherever it comes from, and ignored if not given.
TEST(QuantizeAndDequantizeTest, RejectsBadRanges) {
  const float input[2] = {1, 2};
  for (const BadRange& bad : kBadRanges) {
    SCOPED_TRACE(bad.message);
    Call call({2});
    call.desc.attributes.range_given = true;
    const auto constant = Plan::Create(call.desc, {&bad.min, &bad.max});
    EXPECT_EQ(constant.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(constant.status().message()),
                HasSubstr(bad.message));

    const auto plan = Plan::Create(call.desc);
    ASSERT_TRUE(plan.ok());
    float output[2] = {9, 9};
    const absl::Status status =
        plan->Run({input, output, {&bad.min, &bad.max}}, {});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.message));
    EXPECT_THAT(output, testing::Each(9));

    call.desc.attributes.range_given = false;
    const auto measured = Plan::Create(call.desc, {&bad.min, &bad.max});
    ASSERT_TRUE(measured.ok());
    EXPECT_TRUE(measured->Run({input, output, {&bad.min, &bad.max}}, {}).ok());
    EXPECT_EQ(output[1], 2);
  }
}

TEST(QuantizeAndDequantizeTest, RunRejectsAndWritesNothing) {
  struct RunRejection {
    const char* message;
    std::function<void(Data&, float*)> change;
  };
  const float bound = 1;
  const RunRejection rejections[] = {
      {"input: no data", [](Data& d, float*) { d.input = nullptr; }},
      {"output: no data", [](Data& d, float*) { d.output = nullptr; }},
      {"input_max: no data",
       [](Data& d, float*) { d.per_call.input_max = nullptr; }},
      {"input_min: given to Run",
       [&](Data& d, float*) { d.per_call.input_min = &bound; }},
      {"overlap those of input;", [](Data& d, float* o) { d.input = o + 1; }},
      {"overlap those of input_max",
       [](Data& d, float* o) { d.per_call.input_max = o; }},
  };
  Call call({2});
  call.desc.attributes.range_given = true;
  const float min = -1;
  const auto plan = Plan::Create(call.desc, {&min, nullptr});
  ASSERT_TRUE(plan.ok()) << plan.status();
  for (const RunRejection& rejection : rejections) {
    SCOPED_TRACE(rejection.message);
    const float input[2] = {1, 2};
    float output[3] = {9, 9, 9};
    Data data = {input, output, {nullptr, &bound}};
    rejection.change(data, output);
    const absl::Status status = plan->Run(data, {});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(rejection.message));
    EXPECT_THAT(output, testing::Each(9));
  }
}

}  // namespace
}  // namespace qconform::optimized::quantize_and_dequantize
