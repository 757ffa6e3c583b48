#include "harness/gate/stages.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/gate/generated_cases.h"

namespace qconform::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";

struct Outcome {
  RunResults results;
  uint64_t progress = 0;
};

Outcome RunStages(const std::string& fault, bool sweeps,
                  StageOptions options = StageOptions()) {
  options.operators = {kAdd};
  if (options.targets.empty()) options.targets = {"scalar"};
  options.sweep_sample = 400;
  Outcome outcome;
  options.progress = [&outcome](uint64_t, uint64_t) { ++outcome.progress; };
  const std::unique_ptr<Candidate> candidate =
      *mutants::MakeMutant(kAdd, fault);
  if (sweeps) {
    RunSweepStages(options, *candidate, outcome.results);
  } else {
    const std::vector<TestCase> cases = GenerateCases(kAdd, 1, 80, "");
    std::vector<const TestCase*> pointers;
    for (const TestCase& test_case : cases) pointers.push_back(&test_case);
    RunPropertyStages(options, pointers, *candidate, outcome.results);
  }
  return outcome;
}

const StageResult* Find(const RunResults& results, const std::string& name) {
  for (const StageResult& stage : results.stages) {
    if (stage.name == name) return &stage;
  }
  return nullptr;
}

TEST(StagesTest, ARightImplementationHasEveryProperty) {
  const Outcome outcome = RunStages("", false);
  EXPECT_GT(outcome.results.stages.size(), 4u);
  int64_t executed = 0;
  for (const StageResult& stage : outcome.results.stages) {
    EXPECT_EQ(stage.operator_name, kAdd);
    EXPECT_THAT(StageNames(kAdd), testing::Contains(stage.name));
    EXPECT_EQ(stage.Failed(), 0);
    EXPECT_THAT(stage.TargetsThat(CaseStatus::kPassed), ElementsAre("scalar"));
    EXPECT_THAT(stage.failures, IsEmpty());
    EXPECT_THAT(stage.distrust, IsEmpty());
    executed += stage.executed;
  }
  EXPECT_GT(executed, 80);
  EXPECT_GT(outcome.progress, 70u);
}

TEST(StagesTest, AViolatedPropertyIsNamed) {
  const Outcome outcome = RunStages("a-scale-for-both", false);
  const StageResult* stage = Find(outcome.results, "property:swap-operands");
  ASSERT_NE(stage, nullptr);
  EXPECT_GT(stage->Failed(), 3);
  EXPECT_THAT(stage->TargetsThat(CaseStatus::kFailed), ElementsAre("scalar"));
  ASSERT_EQ(stage->failures.size(), 3u);
  EXPECT_THAT(stage->failures[0], testing::StartsWith("generated-1-"));
  EXPECT_THAT(stage->failures[0], HasSubstr(" on scalar: "));
}

TEST(StagesTest, ATargetWithoutAnyCheckIsMistrusted) {
  StageOptions options;
  options.targets = {"scalar", "vector"};
  Outcome outcome = RunStages("", false, options);
  EXPECT_THAT(
      outcome.results.stages.at(0).distrust,
      ElementsAre("neither this nor another property was checked on vector"));
  Conclude(outcome.results);
  EXPECT_THAT(outcome.results.distrust,
              testing::Contains(HasSubstr("was checked on vector")));
  outcome = RunStages("", true, options);
  EXPECT_THAT(outcome.results.stages.at(0).distrust,
              ElementsAre("target vector did not run"));
}

TEST(StagesTest, SweepsHoldEveryResult) {
  const Outcome right = RunStages("", true);
  ASSERT_EQ(right.results.stages.size(), 1u);
  EXPECT_EQ(right.results.stages[0].name, "sweep:add");
  EXPECT_EQ(right.results.stages[0].operator_name, kAdd);
  EXPECT_GT(right.results.stages[0].executed, 10000);
  EXPECT_EQ(right.results.stages[0].Failed(), 0);
  EXPECT_THAT(right.results.broken, IsEmpty());
  EXPECT_GT(right.progress, 0u);
  const Outcome wrong = RunStages("half-away", true);
  const StageResult& stage = wrong.results.stages.at(0);
  EXPECT_GT(stage.Failed(), 0);
  ASSERT_FALSE(stage.failures.empty());
  EXPECT_LE(stage.failures.size(), 3u);
  EXPECT_THAT(stage.failures[0],
              testing::AllOf(HasSubstr(" on scalar ("),
                             HasSubstr("): expected "), HasSubstr(", got ")));
}

// The faulty target must be told from the right ones, and hide none.
TEST(StagesTest, ASweepThatFailsKnowsOnWhichTargets) {
  class OnTwo : public Candidate {
   public:
    std::string Name() const override { return "two"; }
    std::vector<std::string> Targets() const override {
      return {"A", "B", "C"};
    }
    Execution Execute(const spec::Arguments& arguments,
                      const ExecutionOptions& options,
                      OutputStorage& outputs) override {
      ExecutionOptions scalar = options;
      scalar.target = "scalar";
      return (options.target == "B" ? *right_ : *wrong_)
          .Execute(arguments, scalar, outputs);
    }

   private:
    std::unique_ptr<Candidate> right_ = *mutants::MakeMutant(kAdd, "");
    std::unique_ptr<Candidate> wrong_ = *mutants::MakeMutant(kAdd, "half-away");
  };
  OnTwo candidate;
  StageOptions options;
  options.operators = {kAdd};
  options.targets = candidate.Targets();
  options.sweep_sample = 400;
  RunResults results;
  RunSweepStages(options, candidate, results);
  ASSERT_EQ(results.stages.size(), 1u);
  EXPECT_THAT(results.stages[0].TargetsThat(CaseStatus::kFailed),
              ElementsAre("A", "C"));
  EXPECT_THAT(results.stages[0].TargetsThat(CaseStatus::kPassed),
              ElementsAre("B"));
  EXPECT_THAT(results.stages[0].failures,
              testing::Contains(HasSubstr(" on C (")));
}

TEST(StagesTest, AnOperatorThatIsNotElementwiseHasNoSweep) {
  const std::string grouped = "aclnn_quant_grouped_matmul_dequant";
  StageOptions options;
  options.operators = {grouped};
  options.targets = {"scalar"};
  RunResults results;
  RunSweepStages(options, **mutants::MakeMutant(grouped, ""), results);
  EXPECT_THAT(results.stages, IsEmpty());
}

TEST(StagesTest, InterruptionEndsBoth) {
  StageOptions options;
  options.interrupted = [] { return true; };
  for (const bool sweeps : {false, true}) {
    const Outcome outcome = RunStages("", sweeps, options);
    EXPECT_EQ(outcome.results.stopped, "interrupted");
  }
}

}  // namespace
}  // namespace qconform::harness
