#include "harness/cases/hard_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/cases/arguments_hash.h"
#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/hard_faults.h"
#include "reference/golden.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

bool TakesLong(const std::string& kind) {
  return kind == "accumulator-near-2-to-31";
}

TEST(StepFloatTest, WalksOverZeroAndPowersOfTwo) {
  EXPECT_EQ(hard::StepFloat(1, 1), 0x1.000002p0);
  EXPECT_EQ(hard::StepFloat(1, -1), 0x1.fffffep-1);
  EXPECT_EQ(hard::StepFloat(-1, 1), -0x1.fffffep-1);
  EXPECT_EQ(hard::StepFloat(0, -1), -0x1p-149);
  EXPECT_EQ(hard::StepFloat(-0x1p-149, 2), 0x1p-149);
}

TEST(HardCaseTest, EveryKindIsValidAndTheSameForTheSameSeed) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    for (const std::string& kind : HardCaseKinds(spec.name)) {
      SCOPED_TRACE(spec.name + "/" + kind);
      const uint64_t calls = TakesLong(kind) ? 2 : 100;
      for (uint64_t seed = 0; seed < calls; ++seed) {
        RandomSource random(seed);
        const spec::Arguments call = HardCase(spec.name, kind, random);
        const absl::Status status = spec::Validate(call);
        ASSERT_TRUE(status.ok()) << "seed " << seed << ": " << status;
        ASSERT_FALSE(spec::IsEmptyCall(call));
        RandomSource again(seed);
        ASSERT_TRUE(call == HardCase(spec.name, kind, again));
      }
    }
  }
}

TEST(RandomHardArgumentsTest, TheSameOnEveryMachine) {
  uint64_t hash = 0;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    RandomSource random(2024);
    for (int i = 0; i < 100; ++i) {
      hash = HashArguments(RandomHardArguments(spec.name, random), hash);
    }
  }
  EXPECT_EQ(hash, 2898461914625101334u);
}

// What golden facts the calls of a kind show, as shares of the calls.
struct Shares {
  double ties = 0;
  double output_ties = 0;
  double neighbours = 0;  // nearer than 2^-12 to a tie, but none
  double clamped_low = 0;
  double clamped_high = 0;
  std::set<double> values;
};

Shares Survey(const std::string& operator_name, const std::string& kind) {
  Shares shares;
  const int calls = TakesLong(kind) ? 6 : 60;
  for (int seed = 0; seed < calls; ++seed) {
    RandomSource random(static_cast<uint64_t>(seed));
    const auto result =
        reference::Evaluate(HardCase(operator_name, kind, random),
                            {.enclosure = false, .binary32 = false});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) break;
    const auto any = [&](auto fact) {
      return std::any_of(result->elements.begin(), result->elements.end(),
                         [&](const reference::GoldenElement& element) {
                           return element.written && fact(element);
                         })
                 ? 1.0 / calls
                 : 0.0;
    };
    shares.ties += any([](const auto& element) { return element.tie; });
    shares.output_ties +=
        any([](const auto& element) { return element.output_tie; });
    shares.neighbours += any([](const auto& element) {
      return element.tie_distance > 0 && element.tie_distance < 0x1p-12;
    });
    shares.clamped_low +=
        any([](const auto& element) { return element.clamped_low; });
    shares.clamped_high +=
        any([](const auto& element) { return element.clamped_high; });
    for (const reference::GoldenElement& element : result->elements) {
      if (element.written) shares.values.insert(element.exact);
    }
  }
  return shares;
}

TEST(HardCaseTest, TiesAreMet) {
  EXPECT_GE(Survey(kAdd, "ties").ties, 0.9);
  EXPECT_GE(Survey(kMatmul, "ties").ties, 0.7);
  EXPECT_GE(Survey(kGrouped, "row-ties").ties, 0.95);
  EXPECT_GE(Survey(kGrouped, "static-ties").ties, 0.3);
  EXPECT_GE(Survey(kGrouped, "output-ties").output_ties, 0.8);
  EXPECT_GE(Survey(kQuantize, "ties").ties, 0.5);
  EXPECT_GE(Survey(kQuantize, "half-up").ties, 0.5);
  EXPECT_GE(Survey(kQuantize, "output-ties").output_ties, 0.25);
}

TEST(HardCaseTest, NeighboursOfTiesAreMet) {
  EXPECT_GE(Survey(kAdd, "tie-neighbours").neighbours, 0.9);
  EXPECT_GE(Survey(kMatmul, "tie-neighbours").neighbours, 0.5);
  EXPECT_GE(Survey(kMatmul, "accumulator-near-2-to-24").neighbours, 0.5);
  EXPECT_GE(Survey(kMatmul, "accumulator-near-2-to-31").neighbours, 0.5);
  EXPECT_GE(Survey(kGrouped, "accumulator-near-2-to-24").neighbours, 0.5);
  EXPECT_GE(Survey(kGrouped, "output-ties").neighbours, 0.5);
}

TEST(HardCaseTest, BothClampsAreMet) {
  for (const char* name : {kAdd, kMatmul, kQuantize}) {
    const Shares shares = Survey(name, "clamps");
    EXPECT_GE(shares.clamped_low, 0.5) << name;
    EXPECT_GE(shares.clamped_high, 0.5) << name;
  }
  const Shares add = Survey(kAdd, "clamps");
  for (const double inside : {-127.0, 126.0, 1.0, 254.0}) {
    EXPECT_TRUE(add.values.contains(inside)) << inside;
  }
}

TEST(HardCaseTest, Float16EndsAreMet) {
  const Shares shares = Survey(kGrouped, "output-ties");
  for (const double value :
       {65504.0, HUGE_VAL, -HUGE_VAL, 0x1p-24, 0x1p-14, 0.0}) {
    EXPECT_TRUE(shares.values.contains(value)) << value;
  }
}

// The sums themselves, not what the scales leave of them.
TEST(HardCaseTest, SumsLieAroundThePowerOfTwo) {
  for (const auto& [kind, middles] :
       std::vector<std::pair<std::string, std::vector<int64_t>>>{
           {"accumulator-near-2-to-24",
            {1 << 24, (1 << 24) + 2, 1 << 25, 3 << 23}},
           {"accumulator-near-2-to-31", {int64_t{1} << 31}}}) {
    int near = 0;
    int all = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      RandomSource random(seed);
      spec::Arguments call = HardCase(kMatmul, kind, random);
      const spec::Tensor& a = call.inputs.at("ATensor");
      const spec::Tensor& b = call.inputs.at("BTensor");
      const auto zero_point = [&](const char* name, int64_t column) {
        const auto found = call.inputs.find(name);
        if (found == call.inputs.end()) return int64_t{0};
        const spec::TensorDesc& desc = found->second.desc;
        const int64_t count = *spec::ElementCount(desc);
        return spec::ReadInteger(
            found->second, spec::StorageOffset(desc, count > 1 ? column : 0));
      };
      const int64_t k = a.desc.sizes.back();
      const int64_t n = b.desc.sizes.back();
      for (int64_t column = 0; column < n; ++column) {
        int64_t sum = 0;
        for (int64_t i = 0; i < k; ++i) {
          sum += (spec::ReadInteger(a, spec::StorageOffset(a.desc, i)) -
                  zero_point("AZeroPointTensor", 0)) *
                 (spec::ReadInteger(
                      b, spec::StorageOffset(b.desc, i * n + column)) -
                  zero_point("BZeroPointTensor", column));
        }
        ++all;
        near += std::any_of(middles.begin(), middles.end(), [&](int64_t m) {
          return std::abs(std::abs(sum) - m) <= 1;
        });
      }
    }
    EXPECT_GE(4 * near, 3 * all) << kind;
    EXPECT_GE(all, 8);
  }
}

// Rejected for the value, not for something that broke on the way.
TEST(HardFaultTest, IsRejectedForAValue) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    std::set<std::string> named;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      RandomSource random(seed);
      const absl::Status status = spec::Validate(HardFault(spec.name, random));
      const std::string message(status.message());
      ASSERT_THAT(message, testing::ContainsRegex("AR-08|AG-04|AG-05|TQ-07"))
          << "seed " << seed;
      named.insert(message.substr(0, message.find(' ')));
      if (spec.name == kGrouped) {
        EXPECT_EQ(spec::AclnnStatus(status), 161002);
      }
    }
    EXPECT_GE(named.size(), spec.name == kQuantize ? 2u : 3u) << spec.name;
  }
}

TEST(HardCaseTest, AnUnknownKindIsNoCall) {
  RandomSource random(1);
  EXPECT_EQ(HardCase(kAdd, "easy", random).operator_name, "");
}

}  // namespace
}  // namespace qconform::harness
