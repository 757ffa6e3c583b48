// Tests of the views for machines and of comparisons.

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"
#include "harness/results/comparison.h"
#include "harness/results/console_view.h"
#include "harness/results/html_view.h"
#include "harness/results/junit_view.h"
#include "harness/results/markdown_view.h"
#include "harness/results/run_cases.h"
#include "harness/results/summary.h"
#include "harness/results/text_safety.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

RunResults RunFake(FakeFault fault, const std::vector<TestCase>& cases,
                   const std::vector<std::string>& targets = {"AVX2"}) {
  FakeCandidate candidate(fault, targets);
  std::vector<const TestCase*> pointers;
  for (const TestCase& test_case : cases) pointers.push_back(&test_case);
  RunOptions options;
  options.targets = targets;
  RunResults results;
  results.build = GetBuildInfo();
  results.started = "2020-01-01T00:00:00Z";
  RunCases(pointers, candidate, options, results);
  return results;
}

TEST(TextSafetyTest, ReplacesWhatIsNoText) {
  EXPECT_EQ(CleanText("a\tb\nc"), "a\tb\nc");
  EXPECT_EQ(CleanText("\x01\x7f"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(CleanText("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  for (const char* broken :
       {"\xff", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xef\xbf\xbf", "\xe2\x82"}) {
    EXPECT_THAT(CleanText(broken), HasSubstr("\xef\xbf\xbd")) << broken;
  }
  EXPECT_EQ(CutText("abc", 3), "abc");
  EXPECT_EQ(CutText("abcd", 3), "abc...");
  EXPECT_EQ(CutText("a\xc3\xa9", 2), "a...");
}

TEST(JunitViewTest, EscapesMarkup) {
  EXPECT_EQ(EscapeXml("<a b=\"c\">&\n\x02"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&#10;\xef\xbf\xbd");
}

TEST(JunitViewTest, CountsAsTheModelDoes) {
  TestCase culprit = AddCase("culprit", {1, 3});
  culprit.file = "<script>.json";
  const RunResults results =
      RunFake(FakeFault::kHalfAway, {culprit, AddCase("right", {2})});
  const std::string text = ToJunit(results);
  EXPECT_THAT(text, HasSubstr("<testsuites name=\"qconform\" tests=\"3\" "
                              "failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text, HasSubstr("<testsuite name=\"dml_element_wise_quantized_"
                              "linear_add on AVX2\" tests=\"2\" "
                              "failures=\"1\" errors=\"0\" skipped=\"0\""));
  EXPECT_THAT(text, HasSubstr("<failure type=\"failed\" message=\"1 elements "
                              "differ\">OutputTensor[0]: expected 10, got 11"));
  EXPECT_THAT(text, HasSubstr("file=\"&lt;script&gt;.json\""));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
}

TEST(JunitViewTest, ARunThatProvesNothingIsNotGreen) {
  const RunResults results =
      RunFake(FakeFault::kUnsupported, {AddCase("a", {1})});
  const std::string text = ToJunit(results);
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" "
                              "skipped=\"1\""));
  EXPECT_THAT(text, HasSubstr("<skipped type=\"unsupported\""));
  EXPECT_THAT(text, HasSubstr("<error type=\"mistrusted\" message=\"no case "
                              "was executed\">"));
  EXPECT_THAT(ToJunit(RunFake(FakeFault::kCrashes, {AddCase("a", {1})})),
              HasSubstr("<error type=\"crashed\""));
}

TEST(JunitViewTest, TellsVariationsAndLongLists) {
  std::vector<double> many(9, 1);
  RunResults results = RunFake(FakeFault::kHalfAway, {AddCase("many", many)});
  results.cases[0].targets[0].variation = "7 threads";
  EXPECT_THAT(ToJunit(results),
              AllOf(HasSubstr("4 more elements"), HasSubstr("with 7 threads")));
}

TEST(MarkdownViewTest, EscapesMarkup) {
  EXPECT_EQ(EscapeMarkdown("a|b *c* <d>&\n"), "a\\|b \\*c\\* &lt;d>&amp; ");
  EXPECT_EQ(CodeSpan("a"), "`a`");
  EXPECT_EQ(CodeSpan("a``b"), "``` a``b ```");
}

TEST(MarkdownViewTest, ShowsVerdictMatrixFailuresAndGaps) {
  FakeCandidate candidate(FakeFault::kHalfAway, {"AVX2", "EMU128"});
  candidate.LimitFaultTo("EMU128");
  std::vector<TestCase> cases;
  for (int i = 0; i < 25; ++i) {
    cases.push_back(AddCase(absl::StrCat("c", i), {1, 3, 1}));
  }
  std::vector<const TestCase*> pointers;
  for (const TestCase& test_case : cases) pointers.push_back(&test_case);
  RunOptions options;
  options.targets = {"AVX2", "EMU128", "NEON"};
  RunResults results;
  results.build = GetBuildInfo();
  results.filter = "c*";
  results.merged = 2;
  RunCases(pointers, candidate, options, results);
  const std::string text = ToMarkdown(results);
  EXPECT_THAT(text, HasSubstr("## ❌ qconform: does not conform\n"));
  EXPECT_THAT(text, HasSubstr("\n| operator | AVX2 | EMU128 | NEON |\n"));
  EXPECT_THAT(text,
              HasSubstr("| dml\\_element\\_wise\\_quantized\\_linear\\_add | "
                        "✅ 25 | ❌ **25** of 25 | not run |"));
  EXPECT_THAT(text, HasSubstr("50 cases, 25 passed, 25 failed (each case once "
                              "per target). Elements: 100 exact, 0 explained, "
                              "50 wrong, 0 preserved."));
  EXPECT_THAT(text, HasSubstr("- and 5 more\n"));
  EXPECT_THAT(text, HasSubstr("OutputTensor\\[0\\]: expected 10, got 11, "
                              "difference +1"));
  EXPECT_THAT(text, HasSubstr("Target NEON was expected and did not run."));
  EXPECT_THAT(text, HasSubstr("Only cases that match \"c\\*\" were selected"));
  EXPECT_THAT(text, HasSubstr("results | merged from 2"));
}

TEST(MarkdownViewTest, ShowsMistrustAndBrokenRuns) {
  const std::vector<TestCase> cases = {AddCase("a", {1})};
  RunResults results = RunFake(FakeFault::kUnsupported, cases);
  results.stopped = "interrupted";
  results.broken = {"the golden <model> fell over"};
  results.quotas = {{"op", "ties", 1, 2}};
  const std::string text = ToMarkdown(results);
  EXPECT_THAT(text, HasSubstr("## ⚠ qconform: mistrusted (partial)"));
  EXPECT_THAT(text, HasSubstr("| unsupported 1 |"));
  EXPECT_THAT(text, HasSubstr("the golden &lt;model> fell over"));
  EXPECT_THAT(text, HasSubstr("op: ties 1 of 2"));
  EXPECT_THAT(ToMarkdown(RunResults()), HasSubstr("## ✅ qconform: conforms"));
  RunResults half = RunFake(FakeFault::kNone, {cases[0], AddCase("b", {1})});
  half.groups[0].cases = {{CaseStatus::kPassed, 1},
                          {CaseStatus::kUnsupported, 1}};
  EXPECT_THAT(ToMarkdown(half), HasSubstr("⚠ 1 of 2"));
}

// A run whose cases pass, but neither its stages nor its differences.
RunResults GateResults() {
  RunResults results = RunFake(FakeFault::kNone, {AddCase("a", {2})});
  StageResult stage;
  stage.operator_name = "op_a";
  stage.name = "sweep:<all>";
  stage.executed = 99;
  stage.targets = {{"AVX2", 0, CaseStatus::kPassed, ""},
                   {"EMU128", 7, CaseStatus::kFailed, "it expired"},
                   {"SSE4", 2, CaseStatus::kExpectedFailure, "known"}};
  stage.failures = {"1 + 1 is 3", "1 + 2 is 4"};
  results.stages = {stage};
  stage.name = "property:good";
  stage.targets = {{"AVX2", 0, CaseStatus::kPassed, ""}};
  stage.failures.clear();
  results.stages.push_back(stage);
  results.ratchet = {{"op_a", "x->y", "", "ULP", "0", 2, 2},
                     {"op_a", "x->z", "AVX2", "ULP", "enclosure", 2, 3},
                     {"op_a", "y->z", "", "ULP", "0", 0, 0}};
  Conclude(results);
  return results;
}

TEST(GateViewTest, WhatComparedNothingHasNotPassed) {
  RunResults results = GateResults();
  results.stages.back().executed = 0;
  results.stages.back().targets.clear();
  EXPECT_THAT(FormatSummary(results),
              HasSubstr("op_a property:good: 0 compared\n"));
}

TEST(GateViewTest, EveryViewNamesWhatFailsAndWhere) {
  const RunResults results = GateResults();
  EXPECT_EQ(results.exit_code, kDoesNotConform);
  const std::string stage =
      "op_a sweep:<all>: 99 compared, failed on EMU128, expected-failure on "
      "SSE4";
  const std::string worse =
      "op_a x->z on AVX2 is worse: largest difference 3 ULP, recorded 2, "
      "permitted: enclosure";
  EXPECT_THAT(
      FormatSummary(results),
      AllOf(HasSubstr(stage + "\n  it expired\n  known\n  counterexample: 1 + "
                              "1 is 3\n  counterexample: 1 + 2 is 4\n  and 7 "
                              "more\n"),
            HasSubstr("op_a property:good: 99 compared, passed\n"),
            HasSubstr("ratchet: " + worse + "\n"), Not(HasSubstr("x->y"))));
  EXPECT_THAT(
      ToMarkdown(results),
      AllOf(HasSubstr("### Sweeps and properties that did not pass\n\n- ❌ " +
                      EscapeMarkdown(stage) + "\n- EMU128: it expired\n"),
            HasSubstr("- 1 + 1 is 3\n"),
            HasSubstr("<summary>1 sweeps and properties passed</summary>"),
            HasSubstr("### Largest differences\n\n- ❌ " +
                      EscapeMarkdown(worse) + "\n- op\\_a x->y is equal"),
            Not(HasSubstr("y->z"))));
  EXPECT_THAT(
      ToJunit(results),
      AllOf(HasSubstr("<testsuites name=\"qconform\" tests=\"9\" "
                      "failures=\"2\" errors=\"0\" skipped=\"1\""),
            HasSubstr("<testsuite name=\"sweeps and properties\" tests=\"4\" "
                      "failures=\"1\" errors=\"0\" skipped=\"1\">"),
            HasSubstr("classname=\"op_a.EMU128\" name=\"sweep:&lt;all&gt;\">\n "
                      "  <failure type=\"failed\" message=\"it expired\">"),
            HasSubstr("<skipped type=\"expected-failure\" "
                      "message=\"known\">"),
            HasSubstr("<testsuite name=\"largest differences\" tests=\"3\" "
                      "failures=\"1\""),
            HasSubstr("classname=\"op_a.all targets\" name=\"largest "
                      "difference of x-&gt;y\"/>")));
  EXPECT_THAT(ToHtml(results), HasSubstr("\"status\":\"expected-failure\""));
}

TEST(GateViewTest, KnownFailuresAreNoFailures) {
  RunResults results = RunFake(FakeFault::kNone, {AddCase("a", {2})});
  results.groups[0].cases = {{CaseStatus::kPassed, 3},
                             {CaseStatus::kExpectedFailure, 2}};
  EXPECT_THAT(ToMarkdown(results), HasSubstr("| ✅ 3, 2 known failures |"));
  EXPECT_THAT(FormatSummary(results), HasSubstr("preserved  known failures\n"));
  EXPECT_EQ(TallyAll(results).Failed(), 0);
}

TEST(HtmlViewTest, NothingEscapesItsPlace) {
  TestCase culprit = AddCase("culprit", {1, 3});
  culprit.title = "</script><script>alert(1)</script>";
  culprit.file = "<img src=x onerror=alert(1)>\xff.json";
  const RunResults results = RunFake(FakeFault::kHalfAway, {culprit});
  HtmlExtras extras;
  extras.mutants = "{\"a\": \"</script>\"}";
  const std::string page = ToHtml(results, extras);
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, Not(HasSubstr("http://www.w3.org/1999/xhtml")));
  size_t ends = 0;
  for (size_t i = page.find("</script"); i != std::string::npos;
       i = page.find("</script", i + 1)) {
    ++ends;
  }
  EXPECT_EQ(ends, 2u);  // the data's and the script's own
}

TEST(HtmlViewTest, ManyBucketsBecomeWide) {
  RunResults results = RunFake(FakeFault::kNone, {AddCase("a", {2})});
  for (int64_t difference = -1000; difference <= 1000; ++difference) {
    results.groups[0].histogram.Add(difference);
  }
  const std::string page = ToHtml(results);
  EXPECT_THAT(page,
              HasSubstr("[-1023,-512,489],[-511,-256,256],[-255,-128,128]"));
  EXPECT_THAT(page, HasSubstr("[-31,-16,16],[-15,-15,1]"));
  EXPECT_THAT(page, HasSubstr("[15,15,1],[16,31,16]"));
}

TEST(HistogramTest, TakesEveryDifference) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kHalf = int64_t{1} << 62;
  RunResults results = RunFake(FakeFault::kNone, {AddCase("a", {2})});
  Histogram& histogram = results.groups[0].histogram;
  histogram = Histogram();
  for (const int64_t difference : {kLowest, kHighest}) {
    histogram.Add(difference);
  }
  const std::vector<Histogram::Bucket> buckets = histogram.Buckets();
  ASSERT_EQ(buckets.size(), 2u);
  EXPECT_EQ(buckets[0].low, -kHighest);
  EXPECT_EQ(buckets[0].high, -kHalf);
  EXPECT_EQ(buckets[1].low, kHalf);
  EXPECT_EQ(buckets[1].high, kHighest);
  EXPECT_EQ(LargestDifference(results.groups[0]), kHighest);
  // So many that the page puts neighbours together.
  for (int64_t difference = 1; difference < 100; ++difference) {
    histogram.Add(difference);
  }
  EXPECT_THAT(ToHtml(results),
              AllOf(HasSubstr("[-9223372036854775807,-4611686018427387904,1]"),
                    HasSubstr("[4611686018427387904,9223372036854775807,1]")));
}

TEST(HtmlViewTest, ExtrasMustBeJson) {
  EXPECT_TRUE(CheckExtra("a", "[1]").ok());
  EXPECT_EQ(CheckExtra("a", "[1").message(), "a: is not JSON");
  EXPECT_THAT(
      std::string(CheckExtra("a", std::string(2'100'000, ' ')).message()),
      HasSubstr("a: has 2100000 bytes, at most 2000000"));
}

TEST(SummaryTest, NamesEveryVerdict) {
  EXPECT_EQ(VerdictName(kBadInput), "bad input");
  EXPECT_EQ(VerdictName(kBroken), "broken");
}

TEST(ComparisonTest, EqualResultsHaveNoChange) {
  const RunResults results =
      RunFake(FakeFault::kHalfAway, {AddCase("a", {1, 2, 3})});
  const Comparison comparison = CompareResults(results, results);
  EXPECT_TRUE(comparison.Empty());
  EXPECT_THAT(comparison.setup, IsEmpty());
  EXPECT_THAT(ToMarkdown(results, &comparison), HasSubstr("Nothing changed."));
}

TEST(ComparisonTest, TellsWhatGotWorseFirst) {
  const RunResults before = RunFake(
      FakeFault::kNone,
      {AddCase("ties", {1}), AddCase("gone", {2}), AddCase("same", {2})});
  RunResults after = RunFake(FakeFault::kHalfAway,
                             {AddCase("ties", {1}), AddCase("a-new", {2}),
                              AddCase("same", {2}), GroupedCase("g")});
  after.build.commit = "0123";
  const Comparison comparison = CompareResults(before, after);
  EXPECT_FALSE(comparison.Empty());
  EXPECT_EQ(comparison.before, kConforms);
  EXPECT_EQ(comparison.after, kDoesNotConform);
  EXPECT_EQ(comparison.transitions.at({"passed", "failed"}), 1);
  EXPECT_EQ(comparison.transitions.at({"passed", "absent"}), 1);
  EXPECT_EQ(comparison.transitions.at({"absent", "passed"}), 2);
  ASSERT_THAT(comparison.cases, SizeIs(4));
  EXPECT_EQ(comparison.cases[0].id, "gone");
  EXPECT_EQ(comparison.cases[1].id, "ties");
  ASSERT_THAT(comparison.groups, SizeIs(2));
  EXPECT_EQ(comparison.groups[1].largest_before, 0);
  EXPECT_EQ(comparison.groups[1].largest_after, 1);
  EXPECT_EQ(comparison.setup[0].name, "commit");
  EXPECT_THAT(comparison.clauses, Not(IsEmpty()));
  EXPECT_THAT(
      ToMarkdown(after, &comparison),
      AllOf(HasSubstr("conforms → does not conform."),
            HasSubstr("- 1 cases: passed → failed\n"),
            HasSubstr("on AVX2: passed → failed\n"), HasSubstr("→ 0123\n")));
}

TEST(ComparisonTest, LongListsAreCut) {
  std::vector<TestCase> cases;
  for (int i = 0; i < 250; ++i) {
    cases.push_back(AddCase(absl::StrCat("c", i), {2}));
  }
  const RunResults after = RunFake(FakeFault::kNone, cases);
  const Comparison comparison = CompareResults(RunResults(), after);
  EXPECT_EQ(comparison.transitions.at({"absent", "passed"}), 250);
  EXPECT_THAT(comparison.cases, SizeIs(Comparison::kMaxCases));
  EXPECT_THAT(ToMarkdown(after, &comparison), HasSubstr("- and more\n"));
}

}  // namespace
}  // namespace qconform::harness
