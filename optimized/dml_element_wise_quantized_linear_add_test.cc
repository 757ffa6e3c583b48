#include "optimized/dml_element_wise_quantized_linear_add.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized::linear_add {
namespace {

using ::testing::HasSubstr;
using Constants = DmlElementWiseQuantizedLinearAddConstants;
using Data = DmlElementWiseQuantizedLinearAddData;
using Plan = DmlElementWiseQuantizedLinearAddPlan;

class Threads : public ParallelFor {
 public:
  explicit Threads(size_t count) : count_(count) {}
  size_t MaxThreads() const override { return count_; }
  void Run(size_t count, absl::FunctionRef<void(size_t)> task) override {
    tasks += count;
    std::vector<std::thread> threads;
    for (size_t t = 0; t < std::max<size_t>(count_, 1); ++t) {
      threads.emplace_back([&, t] {
        for (size_t i = t; i < count; i += std::max<size_t>(count_, 1)) {
          task(count - 1 - i);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  size_t tasks = 0;

 private:
  size_t count_;
};

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

// Random ranks, sizes and strides: broadcasts, padding, any order of axes.
TEST(LinearAddTest, Strides) {
  std::mt19937 random(2);
  const Scales scales = {0.3f, 0.2f, 0.4f};
  Oracle oracle(scales);
  for (int round = 0; round < 400; ++round) {
    const size_t rank = 1 + random() % 8;
    Dimensions sizes(rank);
    for (int64_t& size : sizes) {
      size = 1 + static_cast<int64_t>(random() % (rank < 4 ? 12 : 3));
    }
    if (round % 5 == 0) sizes[random() % rank] = 70 + round;
    const bool keep_order = round % 3 == 0;
    // Strides without overlap: axes in some order, each beyond the last.
    const auto strides = [&](bool broadcast) {
      std::vector<size_t> order(rank);
      std::iota(order.begin(), order.end(), size_t{0});
      std::reverse(order.begin(), order.end());
      if (!keep_order) std::shuffle(order.begin(), order.end(), random);
      Dimensions result(rank);
      int64_t next = 1 + static_cast<int64_t>(random() % 8 == 0);
      for (const size_t axis : order) {
        result[axis] = next;
        next *= sizes[axis];
        if (random() % 4 == 0) next += 1 + static_cast<int64_t>(random() % 3);
        if (broadcast && random() % 5 == 0) result[axis] = 0;
      }
      return result;
    };
    Call call(sizes, scales);
    if (round % 7 != 0) call.a.strides = strides(true);
    if (round % 11 != 0) call.b.strides = strides(true);
    call.output.strides = strides(false);
    const auto packed = [&] {
      Dimensions result(rank, 1);
      for (size_t i = rank; i-- > 1;) result[i - 1] = result[i] * sizes[i];
      return result;
    }();
    const Dimensions strides_a = call.a.strides.value_or(packed);
    const Dimensions strides_b = call.b.strides.value_or(packed);
    const Dimensions strides_output = *call.output.strides;
    const auto extent = [&](const Dimensions& s) {
      int64_t last = 0;
      for (size_t i = 0; i < rank; ++i) last += (sizes[i] - 1) * s[i];
      return static_cast<size_t>(last + 1);
    };
    std::vector<uint8_t> a(extent(strides_a)), b(extent(strides_b));
    for (uint8_t& byte : a) byte = static_cast<uint8_t>(random());
    for (uint8_t& byte : b) byte = static_cast<uint8_t>(random());
    std::vector<uint8_t> expected(extent(strides_output), 0xA5);
    int64_t total = 1;
    for (const int64_t size : sizes) total *= size;
    for (int64_t element = 0; element < total; ++element) {
      int64_t rest = element, at_a = 0, at_b = 0, at_output = 0;
      for (size_t i = rank; i-- > 0;) {
        const int64_t index = rest % sizes[i];
        rest /= sizes[i];
        at_a += index * strides_a[i];
        at_b += index * strides_b[i];
        at_output += index * strides_output[i];
      }
      expected[static_cast<size_t>(at_output)] = Expected(
          oracle, a[static_cast<size_t>(at_a)], b[static_cast<size_t>(at_b)],
          {false, false, false}, {0, 0, 0});
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

struct Rejection {
  const char* message;
  std::function<void(Call&)> change;
};

const float kZero = 0.0f;
const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInfinity = std::numeric_limits<float>::infinity();

TEST(LinearAddTest, CreateRejects) {
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

TEST(LinearAddTest, RunRejectsAndWritesNothing) {
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
TEST(LinearAddTest, NeighboursDoNotOverlap) {
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
