#include "harness/gate/annotations.h"

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TargetResult Failed(const std::string& target, const std::string& expected) {
  TargetResult result;
  result.target = target;
  result.status = CaseStatus::kFailed;
  result.failure_count = 3;
  Failure failure;
  failure.output = "OutputTensor";
  failure.index = "[4]";
  failure.expected = expected;
  failure.found = "12";
  failure.difference_text = "difference -1";
  failure.reason = "wrong";
  result.failures = {failure};
  return result;
}

RunResults Sample() {
  const std::string path = testing::TempDir() + "/annotated.json";
  std::ofstream(path) << "{\"cases\": [\n {\"id\": \"ties\"}]}\n";
  RunResults results;
  CaseResult result;
  result.operator_name = "dml_add";
  result.id = "ties";
  result.file = path;
  result.types = "uint8";
  result.targets = {Failed("AVX2", "13"), Failed("EMU128", "14")};
  TargetResult expected = Failed("SSE4", "15");
  expected.status = CaseStatus::kExpectedFailure;
  expected.reason = "known, 100 %";
  result.targets.push_back(expected);
  TargetResult unsupported;
  unsupported.target = "NEON";
  unsupported.status = CaseStatus::kUnsupported;
  result.targets.push_back(unsupported);
  results.cases.push_back(result);
  result.file = "gone.json";
  TargetResult pass;
  pass.target = "AVX2";
  pass.status = CaseStatus::kUnexpectedPass;
  pass.reason = "passes";
  result.targets = {pass};
  results.cases.push_back(result);
  StageResult stage;
  stage.operator_name = "dml_add";
  stage.name = "sweep:add";
  stage.targets = {{"AVX2", 1, CaseStatus::kFailed, "it expired"},
                   {"SSE4", 0, CaseStatus::kPassed, ""},
                   {"EMU128", 2, CaseStatus::kExpectedFailure, "known"}};
  stage.failures = {"1 + 1 is 3"};
  results.stages = {stage};
  RatchetRow row;
  row.operator_name = "tf";
  row.types = "float32->float32";
  row.target = "AVX2";
  row.difference_unit = "ULP";
  row.permitted = "0";
  row.recorded = 1;
  row.observed = 2;
  results.ratchet = {row};
  row.observed = 0;
  results.ratchet.push_back(row);
  row.observed = 1;
  results.ratchet.push_back(row);
  results.broken = {"the model fell over \xff"};
  results.distrust = {"target NEON did not run"};
  results.build.version = "1.2";
  return results;
}

std::vector<Finding> SampleFindings() {
  Baseline baseline;
  baseline.path = "base.json";
  return CollectFindings(Sample(), baseline, {"expires tomorrow"});
}

TEST(AnnotationsTest, CollectsFindings) {
  const std::vector<Finding> findings = SampleFindings();
  ASSERT_EQ(findings.size(), 10u);
  EXPECT_EQ(findings[0].rule, "failed");
  EXPECT_EQ(findings[0].line, 2);
  EXPECT_EQ(findings[0].title, "dml_add failed on AVX2, EMU128");
  EXPECT_EQ(findings[0].message,
            "dml_add/ties (uint8)\n"
            "AVX2: OutputTensor [4] expected 13, got 12, difference -1: wrong "
            "(and 2 more elements)\n"
            "EMU128: OutputTensor [4] expected 14, got 12, difference -1: "
            "wrong (and 2 more elements)");
  EXPECT_EQ(findings[1].rule, "expected-failure");
  EXPECT_TRUE(findings[1].suppressed);
  EXPECT_THAT(findings[1].message, HasSubstr("; known, 100 %"));
  EXPECT_EQ(findings[2].rule, "unexpected-pass");
  EXPECT_EQ(findings[2].line, 0);
  EXPECT_EQ(findings[2].message, "dml_add/ties (uint8)\nAVX2: passes");
  EXPECT_EQ(findings[3].title, "dml_add failed on AVX2");
  EXPECT_EQ(findings[3].message,
            "dml_add/sweep:add\nAVX2: it expired\n1 + 1 is 3");
  EXPECT_EQ(findings[4].title, "dml_add expected-failure on EMU128");
  EXPECT_EQ(findings[4].message, "dml_add/sweep:add\nEMU128: known");
  EXPECT_TRUE(findings[4].suppressed);
  EXPECT_EQ(findings[5].title, "tf is worse");
  EXPECT_EQ(findings[5].message,
            "tf float32->float32 on AVX2 is worse: largest difference 2 ULP, "
            "recorded 1, permitted: 0");
  EXPECT_EQ(findings[6].title, "tf is better");
  EXPECT_EQ(findings[6].severity, Severity::kNote);
  EXPECT_EQ(findings[7].rule, "broken");
  EXPECT_EQ(findings[8].rule, "mistrusted");
  EXPECT_EQ(findings[9].severity, Severity::kWarning);
  // The same again has the same names.
  EXPECT_EQ(SampleFindings()[0].fingerprint, findings[0].fingerprint);
  EXPECT_NE(findings[1].fingerprint, findings[0].fingerprint);
}

TEST(AnnotationsTest, EscapesGitHubCommands) {
  Finding finding;
  finding.file = "a,b:c.json";
  finding.line = 3;
  finding.title = "x: y, z";
  finding.message = "100 %\nnext: line";
  EXPECT_EQ(ToGitHubAnnotations({finding}),
            "::error file=a%2Cb%3Ac.json,line=3,title=x%3A y%2C z::100 "
            "%25%0Anext: line\n");
  finding = Finding();
  finding.severity = Severity::kNote;
  finding.title = "t";
  finding.message = "m";
  EXPECT_EQ(ToGitHubAnnotations({finding}), "::notice title=t::m\n");
}

TEST(AnnotationsTest, SaysHowManyGitHubWouldDrop) {
  Finding finding;
  finding.title = finding.message = "x";
  const std::string ten =
      ToGitHubAnnotations(std::vector<Finding>(10, finding));
  EXPECT_EQ(std::count(ten.begin(), ten.end(), '\n'), 10);
  EXPECT_EQ(ten.find("more"), std::string::npos);
  const std::string eleven =
      ToGitHubAnnotations(std::vector<Finding>(11, finding));
  EXPECT_EQ(std::count(eleven.begin(), eleven.end(), '\n'), 10);
  EXPECT_THAT(eleven, HasSubstr("::error::and 2 more"));
}

TEST(AnnotationsTest, WritesSarif) {
  const auto sarif =
      nlohmann::json::parse(ToSarif(SampleFindings(), Sample().build));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const auto& run = sarif["runs"].at(0);
  EXPECT_EQ(run["tool"]["driver"]["name"], "qconform");
  EXPECT_EQ(run["tool"]["driver"]["version"], "1.2");
  std::set<std::string> rules;
  for (const auto& rule : run["tool"]["driver"]["rules"]) {
    rules.insert(rule["id"].get<std::string>());
    EXPECT_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
  }
  ASSERT_EQ(run["results"].size(), 10u);
  for (const auto& result : run["results"]) {
    EXPECT_TRUE(rules.contains(result["ruleId"].get<std::string>()));
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_FALSE(
        result["partialFingerprints"]["qconform/1"].get<std::string>().empty());
  }
  const auto& first = run["results"][0];
  EXPECT_EQ(first["level"], "error");
  const auto& place = first["locations"].at(0)["physicalLocation"];
  EXPECT_THAT(place["artifactLocation"]["uri"].get<std::string>(),
              HasSubstr("annotated.json"));
  EXPECT_EQ(place["region"]["startLine"], 2);
  EXPECT_FALSE(first.contains("suppressions"));
  EXPECT_EQ(run["results"][1]["suppressions"].at(0)["kind"], "external");
  EXPECT_EQ(run["results"][1]["level"], "note");
  EXPECT_FALSE(run["results"][7].contains("locations"));
  EXPECT_EQ(run["results"][9]["level"], "warning");
  EXPECT_TRUE(
      nlohmann::json::parse(ToSarif({}, BuildInfo()))["runs"][0]["results"]
          .is_array());
}

TEST(AnnotationsTest, WritesCodeQuality) {
  const auto list = nlohmann::json::parse(ToCodeQuality(SampleFindings()));
  ASSERT_EQ(list.size(), 10u);
  EXPECT_EQ(list[0]["severity"], "critical");
  EXPECT_EQ(list[0]["check_name"], "qconform/failed");
  EXPECT_EQ(list[0]["location"]["lines"]["begin"], 2);
  EXPECT_EQ(list[1]["severity"], "info");
  EXPECT_EQ(list[7]["location"]["path"], ".");
  EXPECT_EQ(list[7]["location"]["lines"]["begin"], 1);
  EXPECT_EQ(list[9]["severity"], "minor");
  EXPECT_THAT(list[5]["description"].get<std::string>(),
              StartsWith("tf is worse: tf float32->float32"));
  EXPECT_EQ(ToCodeQuality({}), "[]\n");
}

}  // namespace
}  // namespace qconform::harness
