// The built-in grouped matmul against the spec's validation, the second oracle
// and the golden model.

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/builtin.h"
#include "harness/cases/random_arguments.h"
#include "reference/golden.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/tensor.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

constexpr char kOperator[] = "aclnn_quant_grouped_matmul_dequant";

ExecutionOptions RandomOptions(RandomSource& random,
                               const std::vector<std::string>& targets) {
  ExecutionOptions options;
  options.target = targets[static_cast<size_t>(
      random.Between(0, static_cast<int64_t>(targets.size()) - 1))];
  options.threads = static_cast<int>(random.Between(1, 3));
  options.misalignment = static_cast<size_t>(random.Between(0, 63));
  options.constants_in_plan = random.Between(0, 1) == 1;
  return options;
}

// Storage for the outputs that the call describes, full of `poison`.
OutputStorage PoisonedOutputs(const spec::Arguments& arguments,
                              std::byte poison) {
  OutputStorage outputs;
  for (const auto& [name, desc] : arguments.outputs) {
    const auto count = spec::StorageElementCount(desc);
    const bool usable = count.ok() && *count < 1 << 20;
    outputs[name].assign(
        usable ? static_cast<size_t>(*count) * spec::ByteSize(desc.type) : 0,
        poison);
  }
  return outputs;
}

bool AllPoison(const OutputStorage& outputs, std::byte poison) {
  for (const auto& [name, storage] : outputs) {
    for (const std::byte byte : storage) {
      if (byte != poison) return false;
    }
  }
  return true;
}

// Runs the call with `poison` and compares every element with value and
// written of `expected`.
template <class Value, class Written>
void ExpectOutput(BuiltinCandidate& candidate, const spec::Arguments& arguments,
                  const ExecutionOptions& options, std::byte poison,
                  size_t elements, const Value& value, const Written& written) {
  OutputStorage outputs = PoisonedOutputs(arguments, poison);
  const Execution execution = candidate.Execute(arguments, options, outputs);
  ASSERT_EQ(execution.outcome, ExecutionOutcome::kCompleted)
      << execution.message;
  const spec::TensorDesc& desc = arguments.outputs.at("out");
  const spec::Tensor out = {desc, outputs.at("out")};
  for (size_t i = 0; i < elements; ++i) {
    const int64_t offset = spec::StorageOffset(desc, static_cast<int64_t>(i));
    if (!written(i)) {
      EXPECT_EQ(out.storage[static_cast<size_t>(offset) * 2], poison) << i;
      EXPECT_EQ(out.storage[static_cast<size_t>(offset) * 2 + 1], poison) << i;
      continue;
    }
    const double found = spec::ReadReal(out, offset);
    if (std::isnan(value(i))) {
      ASSERT_TRUE(std::isnan(found)) << "element " << i << ": " << found;
    } else {
      ASSERT_EQ(found, value(i)) << "element " << i;
    }
  }
}

TEST(BuiltinGroupedMatmulTest, AcceptsAndRejectsAsTheSpec) {
  BuiltinCandidate candidate;
  const std::vector<std::string> targets = candidate.Targets();
  ASSERT_FALSE(targets.empty());
  std::map<int, int> seen;  // by aclnn status; 0: accepted
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const spec::Arguments arguments = RandomArguments(kOperator, random);
    const ExecutionOptions options = RandomOptions(random, targets);
    const absl::Status expected = spec::Validate(arguments);
    OutputStorage outputs = PoisonedOutputs(arguments, std::byte{0x5A});
    const Execution execution = candidate.Execute(arguments, options, outputs);
    if (expected.ok()) {
      EXPECT_EQ(execution.outcome, ExecutionOutcome::kCompleted)
          << execution.message;
      ++seen[0];
      continue;
    }
    ASSERT_EQ(execution.outcome, ExecutionOutcome::kRejected) << expected;
    EXPECT_EQ(execution.status, "invalid_argument");
    EXPECT_EQ(execution.aclnn_status, spec::AclnnStatus(expected))
        << execution.message << " / " << expected;
    EXPECT_TRUE(AllPoison(outputs, std::byte{0x5A}));
    ++seen[*execution.aclnn_status];
  }
  EXPECT_GT(seen[0], 1000);
  EXPECT_GT(seen[161001], 100);
  EXPECT_GT(seen[161002], 1000);
}

TEST(BuiltinGroupedMatmulTest, EqualsTheSecondOracle) {
  BuiltinCandidate candidate;
  const std::vector<std::string> targets = candidate.Targets();
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const spec::Arguments arguments = RandomValidArguments(kOperator, random);
    const ExecutionOptions options = RandomOptions(random, targets);
    const auto expected = reference::second_oracle::Evaluate(arguments);
    ASSERT_TRUE(expected.ok()) << expected.status();
    ExpectOutput(
        candidate, arguments, options,
        seed % 2 == 0 ? std::byte{0x5A} : std::byte{0xA5},
        expected->values.size(), [&](size_t i) { return expected->values[i]; },
        [&](size_t i) { return expected->written[i]; });
  }
}

TEST(BuiltinGroupedMatmulTest, EqualsTheGoldenModelOnEveryTarget) {
  BuiltinCandidate candidate;
  for (uint64_t seed = 10000; seed < 10100; ++seed) {
    SCOPED_TRACE(seed);
    RandomSource random(seed);
    const spec::Arguments arguments = RandomValidArguments(kOperator, random);
    const auto expected =
        reference::Evaluate(arguments, {.enclosure = false, .binary32 = false});
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (const std::string& target : candidate.Targets()) {
      SCOPED_TRACE(target);
      ExecutionOptions options;
      options.target = target;
      ExpectOutput(
          candidate, arguments, options, std::byte{0x5A},
          expected->elements.size(),
          [&](size_t i) { return expected->elements[i].exact; },
          [&](size_t i) { return expected->elements[i].written; });
    }
  }
}

}  // namespace
}  // namespace qconform::harness
