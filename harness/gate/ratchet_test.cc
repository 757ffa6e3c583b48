#include "harness/gate/ratchet.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"
#include "harness/results/run_cases.h"

namespace qconform::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
const absl::CivilDay kToday(2026, 6, 15);

Baseline WithKnownFailure(absl::CivilDay expires,
                          std::vector<std::string> targets = {}) {
  Baseline baseline;
  baseline.path = "base.json";
  KnownFailure entry;
  entry.operator_name = kAdd;
  entry.case_id = "ties";
  entry.targets = std::move(targets);
  entry.reason = "rounds half away";
  entry.link = "https://example.org/7";
  entry.expires = expires;
  baseline.known_failures.push_back(entry);
  return baseline;
}

// Two cases on AVX2 and EMU128.
RunResults RunGate(Candidate& candidate, const Baseline& baseline,
                   bool fail_fast = false) {
  const TestCase ties = AddCase("ties", {1, 2, 3, 4, 5});
  const TestCase even = AddCase("even", {2, 4});
  Ratchet ratchet(baseline, Level::kExact, kToday);
  RunOptions options;
  options.targets = {"AVX2", "EMU128"};
  options.fail_fast = fail_fast;
  options.adjust = [&](const TestCase& test_case, const std::string& target,
                       CaseVerdict& verdict) {
    ratchet.Apply(test_case, target, verdict);
  };
  RunResults results;
  RunCases({&ties, &even}, candidate, options, results);
  results.ratchet = ratchet.Rows();
  Conclude(results);
  return results;
}

TEST(RatchetTest, AKnownFailureIsExpected) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  EXPECT_EQ(RunGate(candidate, Baseline()).exit_code, kDoesNotConform);
  const RunResults results = RunGate(candidate, WithKnownFailure(kToday));
  EXPECT_EQ(results.exit_code, kConforms);
  EXPECT_EQ(CountCases(results, CaseStatus::kExpectedFailure), 2);
  EXPECT_EQ(CountCases(results, CaseStatus::kPassed), 2);
  EXPECT_EQ(results.cases[0].targets[0].reason,
            "known failure until 2026-06-15: rounds half away "
            "(https://example.org/7)");
}

TEST(RatchetTest, AnUnexpectedPassFails) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  candidate.LimitFaultTo("EMU128");
  RunResults results = RunGate(candidate, WithKnownFailure(kToday));
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  EXPECT_EQ(results.cases[0].targets[0].status, CaseStatus::kUnexpectedPass);
  EXPECT_THAT(results.cases[0].targets[0].reason,
              HasSubstr("remove it from base.json"));
  EXPECT_EQ(results.cases[0].targets[1].status, CaseStatus::kExpectedFailure);
  // An entry for this target alone says what is so.
  results = RunGate(candidate, WithKnownFailure(kToday, {"EMU128"}));
  EXPECT_EQ(results.exit_code, kConforms);
}

TEST(RatchetTest, AnExpiredFailureFails) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  const RunResults results = RunGate(candidate, WithKnownFailure(kToday - 1));
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  EXPECT_EQ(CountCases(results, CaseStatus::kFailed), 2);
  EXPECT_THAT(results.cases[0].targets[0].reason,
              HasSubstr("the known failure expired on 2026-06-14"));
}

TEST(RatchetTest, ACrashIsNeverExpected) {
  FakeCandidate candidate(FakeFault::kCrashes, {"AVX2", "EMU128"});
  const RunResults results = RunGate(candidate, WithKnownFailure(kToday));
  EXPECT_EQ(results.exit_code, kBroken);
  EXPECT_EQ(CountCases(results, CaseStatus::kCrashed), 4);
}

TEST(RatchetTest, FailFastPassesByKnownFailures) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  RunResults results = RunGate(candidate, WithKnownFailure(kToday), true);
  EXPECT_EQ(results.stopped, "");
  EXPECT_EQ(results.cases.size(), 2u);
  results = RunGate(candidate, Baseline(), true);
  EXPECT_EQ(results.stopped, "stopped at the first failure");
  EXPECT_EQ(results.cases.size(), 1u);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
}

TEST(RatchetTest, WarnsTwoWeeksBeforeExpiry) {
  const auto warnings = [](const Baseline& baseline) {
    return Ratchet(baseline, Level::kExact, kToday).Warnings();
  };
  EXPECT_THAT(warnings(WithKnownFailure(kToday + 14)),
              ElementsAre(HasSubstr("ties expires on 2026-06-29: rounds")));
  EXPECT_THAT(warnings(WithKnownFailure(kToday + 15)), IsEmpty());
  EXPECT_THAT(warnings(WithKnownFailure(kToday - 1)), IsEmpty());
}

CaseVerdict Passed(int64_t difference) {
  CaseVerdict verdict;
  ElementOutcome outcome;
  outcome.difference.steps = difference;
  verdict.elements = {outcome, ElementOutcome()};
  return verdict;
}

KnownDifference Record(const std::string& target, int64_t observed) {
  KnownDifference entry;
  entry.operator_name = "tf_quantize_and_dequantize_v2";
  entry.types = "float32->float32";
  entry.target = target;
  entry.unit = "ULP";
  entry.permitted = "enclosure (AR-02)";
  entry.observed = observed;
  return entry;
}

TEST(RatchetTest, DifferencesMayOnlyShrink) {
  const TestCase test_case = TensorFlowCase("0.3");
  Baseline baseline;
  baseline.differences = {Record("", 2), Record("AVX2", 5), Record("NEON", 9)};
  Ratchet ratchet(baseline, Level::kBinary32, kToday);
  CaseVerdict verdict = Passed(-4);
  ratchet.Apply(test_case, "AVX2", verdict);
  EXPECT_EQ(verdict.status, CaseStatus::kPassed);
  for (const int difference : {1, 3, -2}) {
    verdict = Passed(difference);
    ratchet.Apply(test_case, "EMU128", verdict);
  }
  // A failure is told as such, not by the ratchet.
  verdict = Passed(100);
  verdict.status = CaseStatus::kFailed;
  ratchet.Apply(test_case, "EMU128", verdict);
  const std::vector<RatchetRow> rows = ratchet.Rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].target, "");
  EXPECT_EQ(rows[0].recorded, 2);
  EXPECT_EQ(rows[0].observed, 3);
  EXPECT_EQ(rows[0].Outcome(), "worse");
  EXPECT_EQ(rows[0].difference_unit, "ULP");
  EXPECT_EQ(rows[0].permitted, "enclosure (AR-02)");
  EXPECT_EQ(rows[1].target, "AVX2");
  EXPECT_EQ(rows[1].Outcome(), "better");
  // Lowered, never raised; what did not run stays.
  const Baseline shrunk = ratchet.Shrunk();
  EXPECT_EQ(shrunk.differences[0].observed, 2);
  EXPECT_EQ(shrunk.differences[1].observed, 4);
  EXPECT_EQ(shrunk.differences[2].observed, 9);
}

TEST(RatchetTest, WhatIsNotRecordedIsZero) {
  const TestCase test_case = TensorFlowCase("0.3");
  const Baseline baseline;
  Ratchet ratchet(baseline, Level::kBinary32, kToday);
  CaseVerdict verdict = Passed(0);
  ratchet.Apply(test_case, "AVX2", verdict);
  EXPECT_EQ(ratchet.Rows().at(0).Outcome(), "equal");
  EXPECT_THAT(ratchet.Begun().differences, IsEmpty());
  verdict = Passed(2);
  ratchet.Apply(test_case, "AVX2", verdict);
  EXPECT_EQ(ratchet.Rows().at(0).Outcome(), "worse");
  EXPECT_THAT(ratchet.Shrunk().differences, IsEmpty());
  const Baseline begun = ratchet.Begun();
  ASSERT_EQ(begun.differences.size(), 1u);
  EXPECT_EQ(begun.differences[0].observed, 2);
  EXPECT_EQ(begun.differences[0].target, "");
  Ratchet next(begun, Level::kBinary32, kToday);
  next.Apply(test_case, "AVX2", verdict);
  EXPECT_EQ(next.Rows().at(0).Outcome(), "equal");
}

TEST(RatchetTest, AWorseDifferenceFailsTheRun) {
  RunResults results;
  results.run_targets = {"AVX2"};
  RatchetRow row;
  row.recorded = 1;
  row.observed = 1;
  results.ratchet = {row};
  Conclude(results);
  EXPECT_EQ(results.exit_code, kConforms);
  results.ratchet[0].observed = 2;
  Conclude(results);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  results.ratchet.clear();
  StageResult stage;
  stage.targets = {{"AVX2", 1, CaseStatus::kFailed, ""}};
  results.stages = {stage};
  Conclude(results);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
}

TEST(RatchetTest, StagesCanBeKnownFailures) {
  StageResult stage;
  stage.operator_name = kAdd;
  stage.name = "sweep:add";
  stage.targets = {{"AVX2", 1, CaseStatus::kFailed, ""},
                   {"EMU128", 0, CaseStatus::kPassed, ""}};
  const auto outcome = [&stage](const Baseline& baseline) {
    RunResults results;
    results.run_targets = {"AVX2"};
    results.stages = {stage};
    Ratchet(baseline, Level::kExact, kToday).Apply(results.stages[0]);
    Conclude(results);
    return results;
  };
  Baseline baseline = WithKnownFailure(kToday, {"AVX2"});
  EXPECT_EQ(outcome(baseline).exit_code, kDoesNotConform);  // of another name
  baseline.known_failures[0].case_id = "sweep:add";
  RunResults results = outcome(baseline);
  EXPECT_EQ(results.exit_code, kConforms);
  EXPECT_EQ(results.stages[0].targets[0].status, CaseStatus::kExpectedFailure);
  EXPECT_THAT(results.stages[0].targets[0].reason,
              HasSubstr("known failure until 2026-06-15"));
  baseline.known_failures[0].targets.clear();
  results = outcome(baseline);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  EXPECT_THAT(results.stages[0].TargetsThat(CaseStatus::kUnexpectedPass),
              testing::ElementsAre("EMU128"));
  baseline.known_failures[0].expires = kToday - 1;
  EXPECT_THAT(outcome(baseline).stages[0].targets[0].reason,
              HasSubstr("expired on 2026-06-14"));
}

}  // namespace
}  // namespace qconform::harness
