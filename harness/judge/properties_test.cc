#include "harness/judge/properties.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/builtin.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/cases/hard_cases.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "harness/judge/fake_candidate.h"
#include "rapidcheck/gtest.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

spec::Arguments AnyCall(const std::string& name, RandomSource& random) {
  return random.OneIn(2) ? RandomArguments(name, random)
                         : RandomHardArguments(name, random);
}

// How often a property applied, and the first violation.
struct Tally {
  int applied = 0;
  std::string violation;
};

Tally CheckOften(const std::string& operator_name, const std::string& property,
                 Candidate& candidate, uint64_t first_seed, int calls) {
  Tally tally;
  const std::vector<std::string> targets = candidate.Targets();
  for (int i = 0; i < calls && tally.violation.empty(); ++i) {
    RandomSource random(first_seed + static_cast<uint64_t>(i));
    const spec::Arguments call = AnyCall(operator_name, random);
    ExecutionOptions options;
    options.target = random.Pick(targets);
    const PropertyOutcome outcome =
        CheckProperty(property, call, candidate, options, random);
    tally.applied += outcome.applies;
    tally.violation = outcome.violation;
  }
  return tally;
}

// The production kernels have every property, on whatever seed.
RC_GTEST_PROP(PropertiesTest, HoldForTheKernels, (uint16_t seed)) {
  BuiltinCandidate candidate;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    for (const std::string& property : PropertyNames(spec.name)) {
      const Tally tally =
          CheckOften(spec.name, property, candidate, seed * 100u, 1);
      if (!tally.violation.empty()) {
        RC_LOG() << spec.name << ", " << property << ": " << tally.violation;
      }
      RC_ASSERT(tally.violation.empty());
    }
  }
}

// A property that never applies would hold in vain.
TEST(PropertiesTest, Apply) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    const auto original = mutants::MakeMutant(spec.name, "");
    ASSERT_TRUE(original.ok());
    for (const std::string& property : PropertyNames(spec.name)) {
      const Tally tally = CheckOften(spec.name, property, **original, 1, 60);
      EXPECT_GE(tally.applied, 5) << spec.name << ", " << property;
      EXPECT_EQ(tally.violation, "") << spec.name << ", " << property;
    }
  }
}

// Each property finds a fault that breaks it.
TEST(PropertiesTest, CanFail) {
  struct Row {
    const char* operator_name;
    const char* fault;
    const char* property;
  };
  for (const Row& row : std::vector<Row>{
           {kMatmul, "a-scale-of-next-row", "permute-rows"},
           {kMatmul, "b-zero-point-of-first-column", "permute-columns"},
           {kMatmul, "strides-ignored", "stride-form"},
           {kAdd, "a-scale-for-both", "swap-operands"},
           {kGrouped, "empty-group-skips-weight", "split-group"},
           {kGrouped, "padding-read", "weight-layout"},
           {kGrouped, "epsilon-in-scale", "scale-together"},
           {kQuantize, "last-element-dropped", "permute-rows"}}) {
    SCOPED_TRACE(std::string(row.fault) + ", " + row.property);
    const auto mutant = mutants::MakeMutant(row.operator_name, row.fault);
    ASSERT_TRUE(mutant.ok()) << mutant.status();
    const Tally tally =
        CheckOften(row.operator_name, row.property, **mutant, 1, 400);
    EXPECT_NE(tally.violation, "");
  }
}

// Faults that no mutant has.
TEST(PropertiesTest, ExecutionFailedCallAndOrderCanFail) {
  for (const auto& [property, fault] :
       {std::pair{"execution", FakeFault::kWrongWithThreads},
        std::pair{"failed-call", FakeFault::kWritesThenRejects},
        std::pair{"monotone", FakeFault::kNegates},
        std::pair{"idempotent", FakeFault::kNegates}}) {
    FakeCandidate candidate(fault);
    EXPECT_NE(CheckOften(kQuantize, property, candidate, 1, 50).violation, "")
        << property;
  }
}

}  // namespace
}  // namespace qconform::harness
