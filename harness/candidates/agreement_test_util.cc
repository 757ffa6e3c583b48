#include "harness/candidates/agreement_test_util.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/builtin.h"
#include "harness/candidates/rejection.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/tensor.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

constexpr std::byte kPoison{0x5A};

// Poisoned storage of every output; of a single byte where the description is
// too broken to say how much it needs.
OutputStorage PoisonedOutputs(const spec::Arguments& arguments) {
  OutputStorage outputs;
  for (const auto& [name, desc] : arguments.outputs) {
    const auto count = spec::StorageElementCount(desc);
    const size_t bytes =
        count.ok() && *count < (int64_t{1} << 20)
            ? static_cast<size_t>(*count) * spec::ByteSize(desc.type)
            : 1;
    outputs[name].assign(bytes, kPoison);
  }
  return outputs;
}

bool SameValue(double found, double expected) {
  return found == expected || (std::isnan(found) && std::isnan(expected));
}

// Elements are the oracle's, everything else is still poison.
void CheckOutput(const std::string& name, const spec::TensorDesc& desc,
                 const std::vector<std::byte>& storage,
                 const reference::second_oracle::Result& expected) {
  const spec::Tensor tensor = {desc, storage};
  const size_t width = spec::ByteSize(desc.type);
  std::vector<bool> is_element(storage.size() / width, false);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    if (!expected.written[i]) continue;
    const int64_t offset = spec::StorageOffset(desc, static_cast<int64_t>(i));
    is_element[static_cast<size_t>(offset)] = true;
    const double found = spec::ReadReal(tensor, offset);
    ASSERT_TRUE(SameValue(found, expected.values[i]))
        << name << ", element " << i << ": " << found << ", expected "
        << expected.values[i];
  }
  for (size_t i = 0; i < storage.size(); ++i) {
    if (is_element[i / width]) continue;
    ASSERT_EQ(storage[i], kPoison) << name << ", byte " << i;
  }
}

}  // namespace

bool ExpectAgreement(const spec::Arguments& arguments, uint64_t variation) {
  RandomSource random(variation);
  const absl::Status status = spec::Validate(arguments);
  BuiltinCandidate candidate;
  for (const std::string& target : candidate.Targets()) {
    SCOPED_TRACE(target);
    ExecutionOptions options;
    options.target = target;
    options.threads = static_cast<int>(random.Between(1, 3));
    options.misalignment = static_cast<size_t>(random.Between(0, 63));
    options.constants_in_plan = random.OneIn(2);
    OutputStorage outputs = PoisonedOutputs(arguments);
    const Execution execution = candidate.Execute(arguments, options, outputs);
    if (!status.ok()) {
      EXPECT_EQ(execution.outcome, ExecutionOutcome::kRejected)
          << "spec::Validate says " << status;
      EXPECT_EQ(execution.status, StatusCodeName(status.code()))
          << execution.message << "; spec::Validate says " << status;
      EXPECT_EQ(execution.aclnn_status, spec::AclnnStatus(status))
          << execution.message << "; spec::Validate says " << status;
      EXPECT_EQ(outputs, PoisonedOutputs(arguments));  // AR-12
      continue;
    }
    EXPECT_EQ(execution.outcome, ExecutionOutcome::kCompleted)
        << execution.message;
    if (execution.outcome != ExecutionOutcome::kCompleted) continue;
    const auto expected = reference::second_oracle::Evaluate(arguments);
    EXPECT_TRUE(expected.ok()) << expected.status();
    if (!expected.ok()) continue;
    // Every operator has one output.
    EXPECT_EQ(arguments.outputs.size(), 1u);
    const auto& [name, desc] = *arguments.outputs.begin();
    CheckOutput(name, desc, outputs[name], *expected);
  }
  return status.ok();
}

void ExpectAgreementOnRandomCalls(const std::string& operator_name, int calls) {
  int accepted = 0;
  for (int seed = 0; seed < calls; ++seed) {
    SCOPED_TRACE(testing::Message() << operator_name << ", seed " << seed);
    RandomSource random(static_cast<uint64_t>(seed));
    // Made before the next number is drawn, so that a seed means the same call
    // whatever order the compiler evaluates arguments in.
    const spec::Arguments arguments = RandomArguments(operator_name, random);
    if (ExpectAgreement(arguments, random.Next())) {
      ++accepted;
    }
    // The first disagreement tells more than a thousand of its kind.
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GE(accepted, calls / 4);
  EXPECT_LE(accepted, calls - calls / 4);
}

}  // namespace qconform::harness
