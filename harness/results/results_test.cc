// Tests of the result model and its views: what a run of fake candidates comes
// to, from verdicts to exit codes and text.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"
#include "harness/results/console_view.h"
#include "harness/results/json_view.h"
#include "harness/results/run_cases.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<TestCase>& SampleCases() {
  static const std::vector<TestCase>* const cases = new std::vector<TestCase>{
      AddCase("ties", {1, 2, 3, 4, 5}), StridedAddCase("strided"),
      ZeroScaleCase("zero-scale"), GroupedCase("grouped"),
      TensorFlowCase("0.3")};
  return *cases;
}

RunResults RunFake(Candidate& candidate, RunOptions options = {},
                   const std::vector<TestCase>& cases = SampleCases()) {
  std::vector<const TestCase*> pointers;
  for (const TestCase& test_case : cases) pointers.push_back(&test_case);
  if (options.targets.empty()) options.targets = candidate.Targets();
  RunResults results;
  results.build = GetBuildInfo();
  results.started = "2020-01-01T00:00:00Z";
  results.corpus_hash = "fnv1a64:0123456789abcdef";
  RunCases(pointers, candidate, options, results);
  return results;
}

// Of the add.
const ClauseResult& FindClause(const RunResults& results,
                               const std::string& id) {
  const auto found =
      std::find_if(results.clauses.begin(), results.clauses.end(),
                   [&](const ClauseResult& clause) {
                     return clause.operator_name ==
                                "dml_element_wise_quantized_linear_add" &&
                            clause.id == id;
                   });
  EXPECT_NE(found, results.clauses.end());
  return *found;
}

TEST(RunCasesTest, ARightCandidateConforms) {
  FakeCandidate candidate(FakeFault::kNone, {"AVX2", "EMU128"});
  RunOptions options;
  options.threads = 3;
  size_t last_done = 0;
  options.progress = [&](size_t done, size_t total) {
    EXPECT_EQ(total, 5u);
    EXPECT_EQ(done, last_done + 1);
    last_done = done;
  };
  const RunResults results = RunFake(candidate, options);
  EXPECT_EQ(results.exit_code, kConforms);
  EXPECT_EQ(last_done, 5u);
  EXPECT_EQ(results.cases.size(), 5u);
  EXPECT_THAT(results.run_targets, ElementsAre("AVX2", "EMU128"));
  EXPECT_EQ(CountCases(results, CaseStatus::kPassed), 10);
  EXPECT_TRUE(results.distrust.empty());
  EXPECT_EQ(candidate.calls(), 5 * 2 * 2);  // cases, targets, poisons
  EXPECT_EQ(results.groups.size(), 3u * 2);
  EXPECT_EQ(FindClause(results, "AR-08").Outcome(), "passed");
  EXPECT_EQ(FindClause(results, "AR-03").cases, 2);
  EXPECT_EQ(FindClause(results, "AR-03").passed, 2);
  EXPECT_EQ(FindClause(results, "QA-02").Outcome(), "not covered");
}

TEST(RunCasesTest, AFailureOnOneTargetIsFoundThere) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  candidate.LimitFaultTo("EMU128");
  const RunResults results =
      RunFake(candidate, {}, {AddCase("ties", {1, 2, 3, 4, 5})});
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  ASSERT_EQ(results.groups.size(), 2u);
  const Group& faulty = results.groups[1];
  EXPECT_EQ(faulty.target, "EMU128");
  EXPECT_EQ(faulty.types, "uint8+uint8->uint8");
  EXPECT_EQ(faulty.difference_unit, "integer");
  EXPECT_EQ(faulty.cases.at(CaseStatus::kFailed), 1);
  EXPECT_EQ(faulty.counts, (ElementCounts{.exact = 3, .wrong = 2}));
  EXPECT_EQ(faulty.with_facts, 5);
  EXPECT_EQ(faulty.ties, 3);
  // Wrong at ties only: all samples lie at distance 0.
  ASSERT_EQ(faulty.samples.size(), 2u);
  for (const Sample& sample : faulty.samples) {
    EXPECT_EQ(sample.tie_distance, 0);
    EXPECT_EQ(sample.difference, 1);
  }
  EXPECT_EQ(faulty.equal_samples.size(), 3u);
  const auto buckets = faulty.histogram.Buckets();
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].low, 0);
  EXPECT_EQ(buckets[0].count, 3);
  EXPECT_EQ(buckets[1].low, 1);
  EXPECT_EQ(buckets[1].count, 2);
  ASSERT_EQ(faulty.worst.size(), 2u);
  EXPECT_EQ(faulty.worst[0].failure.element, 0);
  EXPECT_EQ(faulty.worst[0].tie_distance, 0);
  EXPECT_EQ(results.groups[0].counts.wrong, 0);
  EXPECT_EQ(FindClause(results, "AR-03").Outcome(), "failed");
}

TEST(RunCasesTest, BrokenCandidatesAndHarnessesComeBeforeFailures) {
  FakeCandidate crashing(FakeFault::kCrashes, {"AVX2"});
  EXPECT_EQ(RunFake(crashing).exit_code, kBroken);
  FakeCandidate hanging(FakeFault::kTimesOut, {"AVX2"});
  EXPECT_EQ(RunFake(hanging).exit_code, kBroken);
}

TEST(RunCasesTest, ARunWithoutACaseIsMistrusted) {
  FakeCandidate candidate(FakeFault::kNone);
  const RunResults results = RunFake(candidate, {}, {});
  EXPECT_EQ(results.exit_code, kUntrustworthy);
  EXPECT_THAT(results.distrust, ElementsAre("no case was executed"));
}

TEST(RunCasesTest, AMissingTargetIsMistrusted) {
  FakeCandidate candidate(FakeFault::kNone, {"AVX2"});
  RunOptions options;
  options.targets = {"AVX2", "NEON"};
  const RunResults results = RunFake(candidate, options);
  EXPECT_EQ(results.exit_code, kUntrustworthy);
  EXPECT_THAT(results.distrust,
              ElementsAre("target NEON did not run: the candidate fake does "
                          "not have it here"));
  EXPECT_THAT(results.run_targets, ElementsAre("AVX2"));
  options.targets = {"NEON"};
  EXPECT_EQ(RunFake(candidate, options).exit_code, kUntrustworthy);
  EXPECT_EQ(FindClause(RunFake(candidate, options), "AR-03").Outcome(),
            "incomplete");
}

TEST(RunCasesTest, AnUnsupportedOperatorIsMistrusted) {
  FakeCandidate candidate(FakeFault::kUnsupported, {"AVX2", "EMU128"});
  candidate.LimitFaultTo("EMU128");
  const RunResults results = RunFake(candidate, {}, {AddCase("a", {1, 2})});
  EXPECT_EQ(results.exit_code, kUntrustworthy);
  EXPECT_THAT(results.distrust,
              ElementsAre("dml_element_wise_quantized_linear_add is "
                          "unsupported on EMU128 in 1 cases"));
  EXPECT_THAT(results.run_targets, ElementsAre("AVX2"));
  EXPECT_EQ(FindClause(results, "AR-03").Outcome(), "incomplete");
}

TEST(RunCasesTest, AFailureComesBeforeDistrust) {
  FakeCandidate candidate(FakeFault::kWrongLane, {"AVX2"});
  RunOptions options;
  options.targets = {"AVX2", "NEON"};
  EXPECT_EQ(RunFake(candidate, options).exit_code, kDoesNotConform);
}

TEST(RunCasesTest, QuotasAreEnforced) {
  FakeCandidate candidate(FakeFault::kNone);
  RunOptions options;
  options.enforce_quotas = true;
  options.minimums["dml_element_wise_quantized_linear_add"]["ties"] = 3;
  RunResults results = RunFake(candidate, options);
  EXPECT_EQ(results.exit_code, kConforms);
  EXPECT_THAT(FormatSummary(results), HasSubstr("ties 3 (of 3)"));
  options.minimums["dml_element_wise_quantized_linear_add"]["ties"] = 4;
  results = RunFake(candidate, options);
  EXPECT_EQ(results.exit_code, kUntrustworthy);
  EXPECT_THAT(
      results.distrust,
      ElementsAre("quota not met: dml_element_wise_quantized_linear_add "
                  "ties is 3, must be at least 4"));
  EXPECT_THAT(FormatSummary(results), HasSubstr("ties 3 (NOT MET: of 4)"));
}

TEST(RunCasesTest, LargeCasesAreJudgedByTheSecondOracle) {
  FakeCandidate candidate(FakeFault::kWrongLane);
  RunOptions options;
  options.golden_limit = 0;
  const RunResults results = RunFake(candidate, options);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  ASSERT_FALSE(results.groups.empty());
  for (const Group& group : results.groups) EXPECT_EQ(group.with_facts, 0);
}

TEST(RunCasesTest, KeepsFewOfManyFailuresAndSamples) {
  // 3 is a tie that half away takes elsewhere only for every other integer:
  // 1/2 -> 1, not 0.
  const std::vector<double> many(3000, 1);
  FakeCandidate candidate(FakeFault::kHalfAway);
  const RunResults results = RunFake(candidate, {}, {AddCase("many", many)});
  const TargetResult& target = results.cases[0].targets[0];
  EXPECT_EQ(target.failure_count, 3000);
  EXPECT_EQ(target.failures.size(), 5u);
  EXPECT_EQ(results.groups[0].samples.size(), Group::kMaxSamples);
  EXPECT_EQ(results.groups[0].worst.size(), Group::kMaxWorst);
  EXPECT_THAT(FormatFailures(results), HasSubstr("2995 more elements"));
  FakeCandidate right(FakeFault::kNone);
  const RunResults equal = RunFake(right, {}, {AddCase("many", many)});
  EXPECT_EQ(equal.groups[0].equal_seen, 3000);
  EXPECT_LE(equal.groups[0].equal_samples.size(), Group::kMaxEqualSamples);
  EXPECT_GE(equal.groups[0].equal_samples.size(), Group::kMaxEqualSamples / 2);
}

TEST(RunCasesTest, FaultsCountAsWorst) {
  FakeCandidate candidate(FakeFault::kDropsLastLane);
  const RunResults results = RunFake(candidate, {}, {AddCase("a", {1, 2, 3})});
  EXPECT_EQ(results.groups[0].faults.at(ElementFault::kUntouched), 1);
  ASSERT_EQ(results.groups[0].worst.size(), 1u);
  EXPECT_FALSE(results.groups[0].worst[0].failure.difference);
}

TEST(HistogramTest, IsExactNearZeroAndByPowersOfTwoBeyond) {
  Histogram histogram;
  for (int64_t difference :
       {0, 1, 1, -1, 255, -255, 256, 300, 511, 512, -256, -511, -512}) {
    histogram.Add(difference);
  }
  std::string text;
  for (const Histogram::Bucket& bucket : histogram.Buckets()) {
    absl::StrAppend(&text, bucket.low, "..", bucket.high, ":", bucket.count,
                    " ");
  }
  EXPECT_EQ(text,
            "-1023..-512:1 -511..-256:2 -255..-255:1 -1..-1:1 0..0:1 1..1:2 "
            "255..255:1 256..511:3 512..1023:1 ");
}

TEST(ConsoleViewTest, FailuresNameElementAndCommand) {
  FakeCandidate candidate(FakeFault::kHalfAway);
  const RunResults results =
      RunFake(candidate, {}, {AddCase("ties", {1, 2, 3, 4, 5})});
  const std::string text = FormatFailures(results);
  EXPECT_THAT(
      text,
      HasSubstr("failed dml_element_wise_quantized_linear_add/ties on AVX2: "
                "OutputTensor[4] (element 4): expected 12, got 13, difference "
                "+1: wrong: outside the binary32 enclosure [12, 12]\n"));
  EXPECT_THAT(text,
              HasSubstr("  repeat:  qconform run 'made/by test.json' "
                        "--filter=dml_element_wise_quantized_linear_add/ties "
                        "--targets=AVX2 --candidate=fake --level=exact\n"));
  EXPECT_THAT(text, HasSubstr("  explain: qconform explain 'made/by test.json' "
                              "--case=ties --element=0\n"));
}

TEST(ConsoleViewTest, FaultsAreSaidInWords) {
  FakeCandidate padding(FakeFault::kWritesPadding);
  const std::string text = FormatFailures(RunFake(padding));
  EXPECT_THAT(text, HasSubstr("OutputTensor storage 2: expected unchanged, got "
                              "3: storage between the elements must stay"));
  EXPECT_THAT(text,
              HasSubstr("out[1,0] (element 16): expected unchanged, got "));
  EXPECT_THAT(text, HasSubstr("must stay as it was, was written"));
  FakeCandidate dropping(FakeFault::kDropsLastLane);
  EXPECT_THAT(FormatFailures(RunFake(dropping)),
              HasSubstr("expected 12, got unchanged: must be written, was left "
                        "untouched"));
  FakeCandidate adding(FakeFault::kAddsToOutput);
  EXPECT_THAT(FormatFailures(RunFake(adding)),
              HasSubstr("depends on what the output held before"));
  FakeCandidate accepting(FakeFault::kAcceptsAll);
  EXPECT_THAT(FormatFailures(RunFake(accepting)),
              HasSubstr("zero-scale on AVX2: accepted a call that must be "
                        "rejected with invalid_argument\n"));
}

TEST(ConsoleViewTest, ExplainedElementsAndDisagreementsAreShown) {
  TestCase test_case = TensorFlowCase("published");
  Freeze(test_case, {static_cast<float>(76.0 / 255)});
  FakeCandidate candidate(FakeFault::kNone);
  const RunResults results = RunFake(candidate, {}, {test_case});
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  const std::string text = FormatFailures(results);
  EXPECT_THAT(text, AllOf(HasSubstr("ULP: explained: inside the binary32 "
                                    "enclosure"),
                          HasSubstr("the golden model gives"),
                          HasSubstr("not what the vector expects")));
  EXPECT_THAT(FormatSummary(results),
              HasSubstr("note: tf_quantize_and_dequantize_v2/published: the "
                        "vector's data differs"));
  RunOptions options;
  options.level = Level::kBinary32;
  EXPECT_EQ(RunFake(candidate, options, {test_case}).exit_code, kConforms);
}

TEST(ConsoleViewTest, VariationsAreNamedAndRepeatable) {
  std::vector<TestCase> cases;
  for (int i = 0; i < 8; ++i)
    cases.push_back(AddCase(absl::StrCat("v", i), {1}));
  FakeCandidate candidate(FakeFault::kWrongWithThreads);
  RunOptions options;
  options.vary = true;
  options.threads = 7;
  const std::string text = FormatFailures(RunFake(candidate, options, cases));
  EXPECT_THAT(text, HasSubstr("on AVX2 (with 7 threads, buffers misaligned"));
  EXPECT_THAT(text, HasSubstr("--threads=7"));
}

TEST(ConsoleViewTest, ALongListIsCut) {
  std::vector<TestCase> cases;
  for (int i = 0; i < 103; ++i) {
    cases.push_back(AddCase(absl::StrCat("c", i), {1}));
  }
  FakeCandidate candidate(FakeFault::kWrongLane);
  EXPECT_THAT(FormatFailures(RunFake(candidate, {}, cases)),
              HasSubstr("and 3 more failures"));
}

TEST(ConsoleViewTest, TheSummaryCountsPerOperatorAndTarget) {
  FakeCandidate candidate(FakeFault::kNone, {"AVX2", "EMU128"});
  const RunResults results = RunFake(candidate);
  EXPECT_EQ(FormatFailures(results), "");
  const std::string text = FormatSummary(results);
  EXPECT_THAT(text, HasSubstr("targets expected: AVX2 EMU128; run: AVX2 "
                              "EMU128"));
  EXPECT_THAT(text, HasSubstr("dml_element_wise_quantized_linear_add  AVX2  "));
  EXPECT_THAT(text, HasSubstr("conforms (exit code 0)"));
  FakeCandidate unsupported(FakeFault::kUnsupported);
  EXPECT_THAT(FormatSummary(RunFake(unsupported)),
              AllOf(HasSubstr("mistrusted: no case was executed"),
                    HasSubstr("mistrusted (exit code 4)")));
  FakeCandidate wrong(FakeFault::kWrongLane);
  EXPECT_THAT(FormatSummary(RunFake(wrong)),
              HasSubstr("does not conform (exit code 1)"));
  FakeCandidate crashing(FakeFault::kCrashes);
  RunResults broken = RunFake(crashing);
  broken.broken.push_back("the golden model fell over");
  EXPECT_THAT(FormatSummary(broken),
              AllOf(HasSubstr("broken (exit code 3)"),
                    HasSubstr("broken: the golden model fell over")));
}

TEST(ConsoleViewTest, QuotesForTheShell) {
  EXPECT_EQ(ShellQuote("a/b-c_1.json"), "a/b-c_1.json");
  EXPECT_EQ(ShellQuote("a b"), "'a b'");
  EXPECT_EQ(ShellQuote("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellQuote(""), "''");
  EXPECT_EQ(ShellQuote("a*"), "'a*'");
}

TEST(JsonViewTest, AgreesWithTheModel) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  candidate.LimitFaultTo("AVX2");
  const RunResults results =
      RunFake(candidate, {}, {AddCase("ties", {1, 2, 3, 4, 5})});
  const auto json = nlohmann::json::parse(ToJson(results));
  EXPECT_EQ(json["schema"], "results/2");
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["groups"][0]["elements"]["wrong"], 2);
  EXPECT_EQ(json["groups"][0]["samples"].size(), 2u);
  EXPECT_EQ(json["groups"][0]["worst"][0]["failure"]["difference"], 1);
  EXPECT_EQ(json["groups"][1]["elements"]["wrong"], 0);
  EXPECT_EQ(json["cases"][0]["targets"][0]["status"], "failed");
  EXPECT_EQ(json["cases"][0]["targets"][1]["status"], "passed");
  EXPECT_EQ(json["targets"]["run"].size(), 2u);
  EXPECT_EQ(json["build"]["commit"], GetBuildInfo().commit);
}

TEST(JsonViewTest, BytesThatAreNoUtf8DoNotBreakIt) {
  RunResults results;
  results.filter = "\xff";
  EXPECT_TRUE(nlohmann::json::accept(ToJson(results)));
}

TEST(BuildInfoTest, SaysWhatTheProgramWasBuiltFrom) {
  const BuildInfo& info = GetBuildInfo();
  EXPECT_THAT(info.commit, ::testing::AnyOf("unknown", ::testing::SizeIs(40)));
  EXPECT_THAT(info.flags, HasSubstr("-ffp-contract=off"));
  EXPECT_THAT(info.flags, Not(HasSubstr(";")));
  EXPECT_EQ(info.dependencies.at("highway").substr(0, 2), "1.");
  EXPECT_FALSE(info.cpu.empty());
  EXPECT_GE(info.processors, 1);
}

}  // namespace
}  // namespace qconform::harness
