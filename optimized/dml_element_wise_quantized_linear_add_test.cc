#include "optimized/dml_element_wise_quantized_linear_add.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add_test_util.h"
#include "optimized/target_test_util.h"
#include "optimized/threads_test_util.h"

namespace qconform::optimized::linear_add {
namespace {

using Constants = DmlElementWiseQuantizedLinearAddConstants;
using Plan = DmlElementWiseQuantizedLinearAddPlan;

TEST(LinearAddTest, AllPairsOfAllScaleSets) {
  const AllPairs pairs;
  size_t set = 0;
  for (const Scales& scales : kScales) {
    SCOPED_TRACE(Name(scales));
    Oracle oracle(scales);
    const Types types = AllTypes()[set++ % 8];
    const ZeroPoints z = {
        ZeroPoint(static_cast<int>(set * 37 % 256), types.a_signed),
        ZeroPoint(static_cast<int>(set * 91 % 256), types.b_signed),
        ZeroPoint(static_cast<int>(set * 53 % 256), types.output_signed)};
    const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
    ForEachTarget([&] {
      Call call({65536}, scales, types, z);
      const auto plan = Plan::Create(call.desc, call.constants);
      ASSERT_TRUE(plan.ok()) << plan.status();
      std::vector<uint8_t> output(65536, 0xA5);
      ASSERT_TRUE(
          plan->Run({pairs.a.data(), pairs.b.data(), output.data(), {}}).ok());
      ExpectSame(output, expected);
    });
  }
}

// Large enough that the plan tries to prove the plain product.
TEST(LinearAddTest, ProvenPlans) {
  for (const Scales& scales :
       {Scales{0.0235f, 0.0157f, 0.0314f}, Scales{0.1f, 0.3f, 0.2f},
        Scales{0.5f, 0.3f, 1}, Scales{1, 0x1p-24f, 2}, Scales{3, 5, 14},
        Scales{0.7f, 0.3f, 1.1f}}) {
    SCOPED_TRACE(Name(scales));
    Oracle oracle(scales);
    const Types types = {true, false, true};
    const ZeroPoints z = {-7, 131, 5};
    const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
    ForEachTarget([&] {
      Call call({4, 256, 256}, scales, types, z);
      call.a.strides = {0, 1, 0};
      call.b.strides = {0, 0, 1};
      const auto plan = Plan::Create(call.desc, call.constants);
      ASSERT_TRUE(plan.ok()) << plan.status();
      std::vector<uint8_t> bytes(256), output(4 * 65536, 0xA5);
      std::iota(bytes.begin(), bytes.end(), uint8_t{0});
      ASSERT_TRUE(
          plan->Run({bytes.data(), bytes.data(), output.data(), {}}).ok());
      for (int i = 0; i < 4; ++i) {
        ExpectSame(std::vector<uint8_t>(output.begin() + i * 65536,
                                        output.begin() + (i + 1) * 65536),
                   expected);
      }
    });
  }
}

TEST(LinearAddTest, AllTypesAndZeroPoints) {
  const Scales scales = {0.75f, 0.5f, 1.5f};
  const Scales filtered = {0.0235f, 0.0157f, 0.0314f};
  const AllPairs pairs;
  for (const Scales& s : {scales, filtered}) {
    Oracle oracle(s);
    for (const Types& types : AllTypes()) {
      for (const auto& from_low :
           {std::array{0, 0, 0}, std::array{255, 255, 255},
            std::array{0, 255, 1}, std::array{128, 127, 254}}) {
        const ZeroPoints z = {ZeroPoint(from_low[0], types.a_signed),
                              ZeroPoint(from_low[1], types.b_signed),
                              ZeroPoint(from_low[2], types.output_signed)};
        const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
        ForEachTarget([&] {
          Call call({256, 256}, s, types, z);
          const auto plan = Plan::Create(call.desc, call.constants);
          ASSERT_TRUE(plan.ok()) << plan.status();
          std::vector<uint8_t> output(65536);
          ASSERT_TRUE(
              plan->Run({pairs.a.data(), pairs.b.data(), output.data(), {}})
                  .ok());
          ExpectSame(output, expected);
        });
      }
    }
  }
}

// Counts around the vector lengths at every alignment; nothing beside the
// output changes.
TEST(LinearAddTest, CountsAndMisalignments) {
  std::mt19937 random(1);
  for (const Scales& scales :
       {Scales{1, 1, 2}, Scales{1, 1, 6}, Scales{0.3f, 0.2f, 0.4f},
        Scales{0x1p127f, 1, 1}}) {
    Oracle oracle(scales);
    ForEachTarget([&] {
      for (const size_t count :
           {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,
            24, 31, 33, 48, 63, 64, 65, 127, 130, 257, 1000}) {
        Call call({static_cast<int64_t>(count)}, scales);
        const auto plan = Plan::Create(call.desc, call.constants);
        ASSERT_TRUE(plan.ok()) << plan.status();
        for (const size_t offset : {0, 1, 3, 5, 8}) {
          std::vector<uint8_t> a(count + offset), b(count + 2 * offset);
          for (uint8_t& byte : a) byte = static_cast<uint8_t>(random());
          for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
          std::vector<uint8_t> output(count + offset + 64, 0xA5);
          std::vector<uint8_t> expected = output;
          for (size_t i = 0; i < count; ++i) {
            expected[offset + i] =
                Expected(oracle, a[offset + i], b[2 * offset + i],
                         {false, false, false}, {0, 0, 0});
          }
          ASSERT_TRUE(plan->Run({a.data() + offset,
                                 b.data() + 2 * offset,
                                 output.data() + offset,
                                 {}})
                          .ok());
          ExpectSame(output, expected);
        }
      }
    });
  }
}

// Every small count, and both sides of each number of elements at which a plan
// chooses otherwise: all kernels give the same, and nothing beside the output
// changes.
TEST(LinearAddTest, EveryCountAndBothSidesOfThresholds) {
  std::vector<size_t> counts(140);
  std::iota(counts.begin(), counts.end(), size_t{1});
  for (const size_t threshold : {1 << 8, 1 << 10, 1 << 15, 1 << 16}) {
    for (const size_t count : {threshold - 1, threshold, threshold + 1}) {
      counts.push_back(count);
    }
  }
  std::mt19937 random(4);
  std::vector<uint8_t> a((1 << 16) + 8), b(a.size()), output(a.size() + 64);
  for (uint8_t& byte : a) byte = static_cast<uint8_t>(random());
  for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
  const Types types = {false, true, false};
  const ZeroPoints z = {131, -7, 5};
  for (const Scales& scales :
       {Scales{0.0235f, 0.0157f, 0.0314f}, Scales{1, 1, 2}, Scales{1, 1, 6},
        Scales{0.1f, 0.3f, 0.2f}, Scales{1000, -1000, 0.37f}}) {
    SCOPED_TRACE(Name(scales));
    Oracle oracle(scales);
    std::vector<uint8_t> expected(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      expected[i] = Expected(oracle, a[i], b[i], types, z);
    }
    ForEachTarget([&] {
      for (const size_t count : counts) {
        Call call({static_cast<int64_t>(count)}, scales, types, z);
        const auto plan = Plan::Create(call.desc, call.constants);
        ASSERT_TRUE(plan.ok()) << plan.status();
        std::fill(output.begin(), output.end(), uint8_t{0xA5});
        const size_t offset = count % 7;
        ASSERT_TRUE(plan->Run({a.data() + offset,
                               b.data() + offset,
                               output.data() + offset,
                               {}})
                        .ok());
        for (size_t i = 0; i < count + 2 * offset + 64 && i < output.size();
             ++i) {
          const bool is_written = i >= offset && i < offset + count;
          ASSERT_EQ(output[i], is_written ? expected[i] : 0xA5)
              << i << " of " << count << " from " << offset;
        }
      }
    });
  }
}

Dimensions RandomSizes(int round, std::mt19937& random) {
  const size_t rank = 1 + random() % 8;
  Dimensions sizes(rank);
  for (int64_t& size : sizes) {
    size = 1 + static_cast<int64_t>(random() % (rank < 4 ? 12 : 3));
  }
  if (round % 5 == 0) sizes[random() % rank] = 70 + round;
  return sizes;
}

// Without overlap: axes in some order, each beyond the last; some are 0 if they
// may be.
Dimensions RandomStrides(const Dimensions& sizes, bool keeps_order,
                         bool broadcasts, std::mt19937& random) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  if (!keeps_order) std::shuffle(order.begin(), order.end(), random);
  Dimensions strides(sizes.size());
  int64_t next = 1 + static_cast<int64_t>(random() % 8 == 0);
  for (const size_t axis : order) {
    strides[axis] = next;
    next *= sizes[axis];
    if (random() % 4 == 0) next += 1 + static_cast<int64_t>(random() % 3);
    if (broadcasts && random() % 5 == 0) strides[axis] = 0;
  }
  return strides;
}

Dimensions PackedStrides(const Dimensions& sizes) {
  Dimensions strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * sizes[i];
  }
  return strides;
}

// Where the element lies that is so far on in row-major order.
size_t Offset(const Dimensions& sizes, const Dimensions& strides,
              int64_t element) {
  int64_t offset = 0;
  for (size_t i = sizes.size(); i-- > 0;) {
    offset += element % sizes[i] * strides[i];
    element /= sizes[i];
  }
  return static_cast<size_t>(offset);
}

// Random ranks, sizes and strides: broadcasts, padding, any order of axes.
TEST(LinearAddTest, Strides) {
  std::mt19937 random(2);
  const Scales scales = {0.3f, 0.2f, 0.4f};
  Oracle oracle(scales);
  for (int round = 0; round < 400; ++round) {
    const Dimensions sizes = RandomSizes(round, random);
    const bool keeps_order = round % 3 == 0;
    Call call(sizes, scales);
    if (round % 7 != 0) {
      call.a.strides = RandomStrides(sizes, keeps_order, true, random);
    }
    if (round % 11 != 0) {
      call.b.strides = RandomStrides(sizes, keeps_order, true, random);
    }
    call.output.strides = RandomStrides(sizes, keeps_order, false, random);
    const Dimensions strides_a = call.a.strides.value_or(PackedStrides(sizes));
    const Dimensions strides_b = call.b.strides.value_or(PackedStrides(sizes));
    const Dimensions strides_output = *call.output.strides;
    const int64_t count = std::accumulate(sizes.begin(), sizes.end(),
                                          int64_t{1}, std::multiplies<>());
    // The last element lies furthest on in memory.
    std::vector<uint8_t> a(Offset(sizes, strides_a, count - 1) + 1);
    std::vector<uint8_t> b(Offset(sizes, strides_b, count - 1) + 1);
    for (uint8_t& byte : a) byte = static_cast<uint8_t>(random());
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
    std::vector<uint8_t> expected(Offset(sizes, strides_output, count - 1) + 1,
                                  0xA5);
    for (int64_t i = 0; i < count; ++i) {
      expected[Offset(sizes, strides_output, i)] = Expected(
          oracle, a[Offset(sizes, strides_a, i)],
          b[Offset(sizes, strides_b, i)], {false, false, false}, {0, 0, 0});
    }
    ForEachTarget([&] {
      const auto plan = Plan::Create(call.desc, call.constants);
      ASSERT_TRUE(plan.ok()) << plan.status();
      std::vector<uint8_t> output(expected.size(), 0xA5);
      ASSERT_TRUE(plan->Run({a.data(), b.data(), output.data(), {}}).ok());
      ExpectSame(output, expected);
    });
  }
}

TEST(LinearAddTest, ThreadsChangeNothing) {
  const Scales scales = {0.5f, 0.3f, 1};
  Oracle oracle(scales);
  std::mt19937 random(3);
  const int64_t rows = 37, columns = 9001;
  std::vector<uint8_t> a(static_cast<size_t>(rows * columns)), b(a.size());
  for (uint8_t& byte : a) byte = static_cast<uint8_t>(random());
  for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
  for (const bool padded : {false, true}) {
    Call call({rows, columns}, scales);
    const int64_t stride = columns + (padded ? 5 : 0);
    call.output.strides = {stride, 1};
    const auto plan = Plan::Create(call.desc, call.constants);
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_EQ(plan->WorkspaceBytes(), 0u);
    std::vector<uint8_t> expected(static_cast<size_t>(rows * stride), 0xA5);
    for (size_t i = 0; i < a.size(); ++i) {
      const size_t columns_u = static_cast<size_t>(columns);
      expected[i / columns_u * static_cast<size_t>(stride) + i % columns_u] =
          Expected(oracle, a[i], b[i], {false, false, false}, {0, 0, 0});
    }
    for (const size_t count : {0, 1, 2, 3, 8}) {
      Threads threads(count);
      RunContext context;
      context.parallel_for = &threads;
      std::vector<uint8_t> output(expected.size(), 0xA5);
      ASSERT_TRUE(
          plan->Run({a.data(), b.data(), output.data(), {}}, context).ok());
      EXPECT_GE(threads.tasks, std::max<size_t>(count, 1));
      ExpectSame(output, expected);
    }
  }
}

// Each of the 64 ways to divide scales and zero points between plan and call.
TEST(LinearAddTest, ConstantsAndPerCall) {
  const AllPairs pairs;
  const Scales scales = {0.3f, 0.2f, 0.4f};
  const Types types = {true, false, true};
  const ZeroPoints z = {-3, 200, 17};
  Oracle oracle(scales);
  const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
  Call call({65536}, scales, types, z);
  for (int mask = 0; mask < 64; ++mask) {
    Constants constant = call.constants, per_call = call.constants;
    ((mask & 1) != 0 ? constant : per_call).AScaleTensor = nullptr;
    ((mask & 2) != 0 ? constant : per_call).AZeroPointTensor = nullptr;
    ((mask & 4) != 0 ? constant : per_call).BScaleTensor = nullptr;
    ((mask & 8) != 0 ? constant : per_call).BZeroPointTensor = nullptr;
    ((mask & 16) != 0 ? constant : per_call).OutputScaleTensor = nullptr;
    ((mask & 32) != 0 ? constant : per_call).OutputZeroPointTensor = nullptr;
    const auto plan = Plan::Create(call.desc, constant);
    ASSERT_TRUE(plan.ok()) << plan.status();
    std::vector<uint8_t> output(65536, 0xA5);
    ASSERT_TRUE(
        plan->Run({pairs.a.data(), pairs.b.data(), output.data(), per_call})
            .ok());
    ExpectSame(output, expected);
  }
}

TEST(LinearAddTest, MissingZeroPointsAreZero) {
  Call call({3}, {1, 1, 1}, {true, false, true});
  call.desc.AZeroPointTensor = nullptr;
  call.desc.BZeroPointTensor = nullptr;
  call.desc.OutputZeroPointTensor = nullptr;
  const auto plan =
      Plan::Create(call.desc, {&call.scales.a, nullptr, &call.scales.b, nullptr,
                               &call.scales.output, nullptr});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const int8_t a[] = {-128, 5, 100};
  const uint8_t b[] = {0, 6, 200};
  int8_t output[3];
  ASSERT_TRUE(plan->Run({a, b, output, {}}).ok());
  EXPECT_THAT(output, ::testing::ElementsAre(-128, 11, 127));
}

}  // namespace
}  // namespace qconform::optimized::linear_add
