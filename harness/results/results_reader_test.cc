// Tests of reading results back and of merging shards: everything that may be
// wrong with a file is told, and nothing is lost on the way.

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"
#include "harness/results/json_view.h"
#include "harness/results/merge.h"
#include "harness/results/run_cases.h"
#include "harness/results/summary.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";

std::vector<TestCase> SampleCases() {
  return {AddCase("ties", {1, 2, 3, 4, 5}), StridedAddCase("strided"),
          ZeroScaleCase("zero-scale"), GroupedCase("grouped"),
          TensorFlowCase("0.3")};
}

RunResults RunFake(FakeFault fault, const std::vector<std::string>& targets,
                   const std::vector<TestCase>& cases = SampleCases(),
                   const CounterTable& minimums = {}) {
  FakeCandidate candidate(fault, targets);
  std::vector<const TestCase*> pointers;
  for (const TestCase& test_case : cases) pointers.push_back(&test_case);
  RunOptions options;
  options.targets = targets;
  options.minimums = minimums;
  RunResults results;
  results.build = GetBuildInfo();
  results.started = "2020-01-01T00:00:00Z";
  results.corpus_hash = "fnv1a64:0123456789abcdef";
  results.corpus_cases = 5;
  results.seed = 0xffffffffffffffff;
  RunCases(pointers, candidate, options, results);
  results.wall_seconds = 1.5;
  return results;
}

TEST(FromJsonTest, ReadsBackWhatWasWritten) {
  for (const FakeFault fault :
       {FakeFault::kNone, FakeFault::kHalfAway, FakeFault::kDropsLastLane,
        FakeFault::kUnsupported, FakeFault::kCrashes, FakeFault::kAcceptsAll}) {
    const RunResults results = RunFake(fault, {"AVX2", "EMU128"});
    const std::string text = ToJson(results);
    const auto read = FromJson("a.json", text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ToJson(*read), text);
    EXPECT_EQ(read->exit_code, results.exit_code);
    EXPECT_EQ(read->seed, 0xffffffffffffffff);
    EXPECT_EQ(read->evidence.size(), results.evidence.size());
  }
}

TEST(FromJsonTest, EvidenceStandsAlone) {
  const RunResults results = RunFake(FakeFault::kHalfAway, {"AVX2"});
  ASSERT_FALSE(results.evidence.empty());
  const Evidence& evidence = results.evidence.front();
  EXPECT_EQ(evidence.operator_name, kAdd);
  EXPECT_EQ(evidence.types, "uint8+uint8->uint8");
  EXPECT_EQ(evidence.id, "ties");
  EXPECT_EQ(evidence.element, 0);
  EXPECT_THAT(evidence.explanation, HasSubstr("distance to nearest tie"));
  EXPECT_THAT(evidence.repeat, HasSubstr("qconform run 'made/by test.json'"));
  EXPECT_EQ(Json::parse(evidence.vector)["cases"][0]["id"], "ties-simplified");
}

TEST(FromJsonTest, EvidenceIsBounded) {
  std::vector<TestCase> cases;
  for (int i = 0; i < 4; ++i) {
    cases.push_back(AddCase(absl::StrCat("c", i), {1}));
  }
  std::vector<std::string> targets;
  for (int i = 0; i < 30; ++i) targets.push_back(absl::StrCat("T", i));
  const RunResults many = RunFake(FakeFault::kWrongLane, targets, cases);
  EXPECT_EQ(many.evidence.size(), Evidence::kMaxInAll);
  // What is too large is simplified.
  const std::vector<TestCase> large = {
      AddCase("large", std::vector<double>(9000, 1))};
  const RunResults failed = RunFake(FakeFault::kWrongLane, {"AVX2"}, large);
  ASSERT_EQ(failed.evidence.size(), 1u);
  EXPECT_THAT(failed.evidence[0].vector, HasSubstr("large-simplified"));
  EXPECT_THAT(failed.evidence[0].explanation, HasSubstr("element 8999"));
  // What crashed is not executed once more, and left out if it is too large.
  const RunResults crashed = RunFake(FakeFault::kCrashes, {"AVX2"}, large);
  ASSERT_EQ(crashed.evidence.size(), 1u);
  EXPECT_EQ(crashed.evidence[0].vector, "");
  EXPECT_EQ(crashed.evidence[0].explanation, "");
}

// Changes the JSON of a run and expects the reader to name the fault.
void ExpectRefused(const std::function<void(Json&)>& change,
                   const std::string& message) {
  static const std::string* const text =
      new std::string(ToJson(RunFake(FakeFault::kHalfAway, {"AVX2"})));
  Json json = Json::parse(*text);
  change(json);
  const auto read = FromJson("a.json", json.dump());
  ASSERT_FALSE(read.ok()) << message;
  EXPECT_THAT(std::string(read.status().message()), HasSubstr(message));
  EXPECT_THAT(std::string(read.status().message()), HasSubstr("a.json: "));
}

TEST(FromJsonTest, RefusesWhatIsNoResults) {
  for (const char* text :
       {"", "{", "\xff", "{\"schema\": \"results/2\"", "[1}"}) {
    EXPECT_THAT(std::string(FromJson("a", text).status().message()),
                HasSubstr("a: is not JSON"));
  }
  for (const char* text : {"[]", "1", "{}", "{\"schema\": \"results/1\"}",
                           "{\"schema\": {}}", "{\"cases\": [{}]}"}) {
    EXPECT_THAT(std::string(FromJson("a", text).status().message()),
                HasSubstr("must hold results of the schema \"results/2\""));
  }
  EXPECT_FALSE(ReadResults("/no/such/file").ok());
}

TEST(FromJsonTest, NamesThePlaceOfAFault) {
  ExpectRefused([](Json& j) { j.erase("level"); }, "results has no level");
  ExpectRefused([](Json& j) { j["more"] = 1; },
                "results holds the unknown key \"more\"");
  ExpectRefused([](Json& j) { j["level"] = "rough"; },
                "level is \"rough\", must be one of exact, binary32");
  ExpectRefused([](Json& j) { j["threads"] = 0; },
                "threads is 0, must be from 1 to");
  ExpectRefused([](Json& j) { j["threads"] = 1.5; }, "must be an integer");
  ExpectRefused([](Json& j) { j["exit_code"] = 5; }, "exit_code is 5");
  ExpectRefused([](Json& j) { j["partial"] = "no"; }, "must be true or false");
  ExpectRefused([](Json& j) { j["distrust"] = Json::array({1}); },
                "distrust holds 1, must hold strings");
  ExpectRefused([](Json& j) { j["seed"] = "-1"; },
                "seed is \"-1\", must be a decimal integer");
  ExpectRefused(
      [](Json& j) {
        j["shard"] = {{"count", 2}, {"index", 3}};
      },
      "shard index is 3, must be from 1 to 2");
  ExpectRefused([](Json& j) { j["build"] = 1; },
                "build is 1, must be an object");
  ExpectRefused([](Json& j) { j["build"]["dependencies"]["gmp"] = 6; },
                "dependencies must hold strings");
  ExpectRefused([](Json& j) { j["build"]["dirty"] = "maybe"; }, "dirty is");
  ExpectRefused([](Json& j) { j["wall_seconds"] = "long"; },
                "must be a number");
  ExpectRefused(
      [](Json& j) { j["candidate"] = Json::array({std::string(99, 'x')}); },
      "xxx..., must be a string");
  ExpectRefused(
      [](Json& j) {
        j["cases"] = {{"a", 1}};
      },
      "cases is {\"a\":1}, must be an array");
  ExpectRefused([](Json& j) { j["cases"].push_back(1); }, "must be an object");
  ExpectRefused([](Json& j) { j["cases"][0].erase("types"); },
                "results cases[0] has no types");
  ExpectRefused([](Json& j) { j["cases"][0]["targets"][0]["status"] = "fine"; },
                "results cases[0] targets[0] status is \"fine\"");
  ExpectRefused(
      [](Json& j) { j["cases"][0]["targets"][0]["failures"][0]["more"] = 1; },
      "failures[0] holds the unknown key");
  ExpectRefused([](Json& j) { j["groups"][1]["samples"][0] = {1}; },
                "samples must hold pairs");
  ExpectRefused([](Json& j) { j["groups"][0]["cases"]["fine"] = 1; },
                "cases holds the unknown key fine");
  ExpectRefused([](Json& j) { j["groups"][0]["cases"]["passed"] = -1; },
                "cases passed must be a count");
  ExpectRefused([](Json& j) { j["groups"][0]["elements"]["exact"] = 1e300; },
                "must be an integer");
  ExpectRefused(
      [](Json& j) { j["groups"][0]["elements"]["exact"] = 1ull << 63; },
      "exact is 9223372036854775808, must be from 0 to");
  ExpectRefused([](Json& j) { j["groups"][1]["histogram"][0]["high"] = -5; },
                "high is -5");
}

TEST(FromJsonTest, RefusesCountsThatContradictOneAnother) {
  ExpectRefused([](Json& j) { j["groups"][1]["cases"]["failed"] = 3; },
                "counts 3 cases as failed, the list of cases holds 1");
  ExpectRefused([](Json& j) { j["groups"][1]["cases"]["passed"] = 0; },
                "counts 0 cases as passed, the list of cases holds 2");
  ExpectRefused([](Json& j) { j["groups"][1]["elements"]["wrong"] = 1; },
                "counts 1 wrong elements, its cases hold 2");
  ExpectRefused([](Json& j) { j["groups"].push_back(j["groups"][0]); },
                "is there twice");
  ExpectRefused([](Json& j) { j["groups"].erase(0); }, "no group counts");
  ExpectRefused([](Json& j) { j["cases"].push_back(j["cases"][0]); },
                "is there twice");
  ExpectRefused(
      [](Json& j) { j["cases"][0]["targets"][0]["failure_count"] = 1; },
      "lists more failures than failure_count says");
  ExpectRefused([](Json& j) { j["clauses"][0]["outcome"] = "failed"; },
                "outcome contradicts the counts");
  ExpectRefused([](Json& j) { j["quotas"][0]["met"] = false; },
                "met contradicts");
}

TEST(FromJsonTest, PassedCasesMayBeLeftOut) {
  Json json = Json::parse(ToJson(RunFake(FakeFault::kNone, {"AVX2"})));
  json["cases"] = Json::array();
  const auto read = FromJson("a", json.dump());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(CountCases(*read, CaseStatus::kPassed), 5);
}

// Merging

TEST(MergeResultsTest, ShardsOfCasesGiveTheWholeRun) {
  const CounterTable minimums = {{kAdd, {{"ties", 3}, {"cases", 2}}}};
  const std::vector<TestCase> cases = SampleCases();
  const RunResults whole =
      RunFake(FakeFault::kHalfAway, {"AVX2"}, cases, minimums);
  const RunResults first = RunFake(FakeFault::kHalfAway, {"AVX2"},
                                   {cases[0], cases[3], cases[4]}, minimums);
  const RunResults second =
      RunFake(FakeFault::kHalfAway, {"AVX2"}, {cases[1], cases[2]}, minimums);
  EXPECT_FALSE(second.distrust.empty());  // no tie in it
  const auto merged = MergeResults({first, second});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(merged->exit_code, whole.exit_code);
  EXPECT_THAT(merged->distrust, IsEmpty());
  EXPECT_EQ(merged->merged, 2);
  EXPECT_EQ(merged->wall_seconds, 3);
  EXPECT_EQ(TallyAll(*merged).cases, TallyAll(whole).cases);
  EXPECT_EQ(TallyAll(*merged).elements, TallyAll(whole).elements);
  const Json merged_json = Json::parse(ToJson(*merged));
  const Json whole_json = Json::parse(ToJson(whole));
  for (const char* key : {"clauses", "quotas", "groups", "targets"}) {
    EXPECT_EQ(merged_json[key], whole_json[key]) << key;
  }
  EXPECT_EQ(merged->cases.size(), whole.cases.size());
}

TEST(MergeResultsTest, ShardsOfTargetsGiveTheWholeRun) {
  const RunResults whole = RunFake(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  const RunResults first = RunFake(FakeFault::kHalfAway, {"AVX2"});
  RunResults second = RunFake(FakeFault::kHalfAway, {"EMU128"});
  second.build.cpu = "another machine";
  second.stopped = "interrupted";
  second.filter = "x";
  const auto merged = MergeResults({first, second});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_THAT(merged->run_targets, ElementsAre("AVX2", "EMU128"));
  EXPECT_THAT(merged->build.cpu, HasSubstr("; another machine"));
  EXPECT_EQ(merged->stopped, "interrupted");
  EXPECT_THAT(merged->distrust, ElementsAre(HasSubstr("interrupted")));
  const Json merged_json = Json::parse(ToJson(*merged));
  const Json whole_json = Json::parse(ToJson(whole));
  for (const char* key : {"clauses", "quotas", "groups", "cases", "targets"}) {
    EXPECT_EQ(merged_json[key], whole_json[key]) << key;
  }
  // One shard alone is left as it is.
  EXPECT_EQ(ToJson(*MergeResults({first})), ToJson(first));
}

void ExpectUnmergeable(const std::function<void(RunResults&)>& change,
                       const std::string& message) {
  const std::vector<TestCase> cases = SampleCases();
  const CounterTable minimums = {{kAdd, {{"cases", 1}}}};
  const RunResults first =
      RunFake(FakeFault::kNone, {"AVX2"}, {cases[0], cases[3]}, minimums);
  RunResults second =
      RunFake(FakeFault::kNone, {"AVX2"}, {cases[1], cases[4]}, minimums);
  ASSERT_TRUE(MergeResults({first, second}).ok());
  change(second);
  const auto merged = MergeResults({first, second});
  ASSERT_FALSE(merged.ok()) << message;
  EXPECT_THAT(std::string(merged.status().message()), HasSubstr(message));
}

TEST(MergeResultsTest, RefusesWhatIsNotOfOneRun) {
  ExpectUnmergeable([](RunResults& r) { r.build.commit.append("?"); },
                    "? in another");
  ExpectUnmergeable([](RunResults& r) { r.corpus_hash.append("0"); },
                    "corpus hash");
  ExpectUnmergeable([](RunResults& r) { r.level = Level::kBinary32; }, "level");
  ExpectUnmergeable([](RunResults& r) { r.candidate.append("x"); },
                    "candidate");
  ExpectUnmergeable(
      [](RunResults& r) {
        r.build.dependencies.insert({"zlib", "1"});
      },
      "other dependencies");
  ExpectUnmergeable([](RunResults& r) { r.seed = 1; }, "seed");
  ExpectUnmergeable(
      [](RunResults& r) {
        for (Quota& quota : r.quotas) {
          if (quota.minimum > 0) quota.minimum += 7;
        }
      },
      "the quota cases of");
  ExpectUnmergeable([](RunResults& r) { r.cases[0].id.assign("ties"); },
                    "ties on AVX2 is in two results");
  ExpectUnmergeable(
      [](RunResults& r) {
        r.cases[0].id.assign("ties");
        r.cases[0].targets[0].target.assign("EMU128");
      },
      "of 2 and 2 cases they have 1 in common");
}

TEST(MergeResultsTest, NumberedShardsMustBeComplete) {
  const std::vector<TestCase> cases = SampleCases();
  RunResults first = RunFake(FakeFault::kNone, {"AVX2"}, {cases[0]});
  RunResults second = RunFake(FakeFault::kNone, {"AVX2"}, {cases[3]});
  first.shard = Shard{1, 2};
  EXPECT_THAT(std::string(MergeResults({first, second}).status().message()),
              HasSubstr("numbered differently"));
  second.shard = Shard{2, 3};
  EXPECT_THAT(std::string(MergeResults({first, second}).status().message()),
              HasSubstr("numbered differently"));
  first.shard->count = 3;
  second.shard->count = 3;
  const std::vector<std::vector<RunResults>> incomplete = {{first, second},
                                                           {first}};
  for (const auto& shards : incomplete) {
    const auto partial = MergeResults(shards);
    ASSERT_TRUE(partial.ok()) << partial.status();
    EXPECT_EQ(partial->exit_code, kUntrustworthy);
    EXPECT_THAT(partial->stopped, HasSubstr("of 3 is missing"));
  }
  first.shard->count = second.shard->count = 2;
  const auto merged = MergeResults({first, second});
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_FALSE(merged->shard);
  EXPECT_EQ(merged->exit_code, kConforms);
}

TEST(FromJsonTest, StagesAndRatchetsAreKept) {
  RunResults results = RunFake(FakeFault::kNone, {"AVX2"});
  results.shard = Shard{1, 2};
  StageResult stage;
  stage.operator_name = kAdd;
  stage.name = "sweep:add";
  stage.executed = 65536;
  stage.targets = {{"AVX2", 1, CaseStatus::kExpectedFailure, "known"},
                   {"EMU128", 0, CaseStatus::kUnexpectedPass, "listed"}};
  stage.failures = {"at 3"};
  stage.seconds = 0.5;
  stage.distrust = {"a target"};
  results.stages = {stage};
  results.ratchet = {{kAdd, "uint8", "", "ULP", "0", 2, 1}};
  const auto read = FromJson("a", ToJson(results));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToJson(*read), ToJson(results));
  EXPECT_EQ(read->ratchet[0].Outcome(), "better");
  EXPECT_EQ(read->stages[0].Failed(), 1);
  Json json = Json::parse(ToJson(results));
  json["stages"][0]["targets"][0]["status"] = "passed";
  EXPECT_THAT(std::string(FromJson("a", json.dump()).status().message()),
              HasSubstr("status contradicts the count of failures"));
  Conclude(results);
  EXPECT_EQ(results.exit_code, kDoesNotConform);
}

TEST(ConcludeTest, MistrustedCasesAreCounted) {
  RunResults results = RunFake(FakeFault::kNone, {"AVX2"});
  results.groups[0].cases[CaseStatus::kMistrusted] = 1;
  Conclude(results);
  EXPECT_EQ(results.exit_code, kUntrustworthy);
  EXPECT_THAT(results.distrust, ElementsAre("1 cases are mistrusted"));
}

}  // namespace
}  // namespace qconform::harness
