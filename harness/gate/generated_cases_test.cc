#include "harness/gate/generated_cases.h"

#include <set>

#include "gtest/gtest.h"
#include "harness/cases/vector_file.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

TEST(GeneratedCasesTest, ASeedMeansTheSameCases) {
  for (const spec::OperatorSpec& op : spec::AllOperators()) {
    const auto cases = GenerateCases(op.name, 7, 60, "made.json");
    ASSERT_GT(cases.size(), 50u);
    EXPECT_EQ(cases, GenerateCases(op.name, 7, 60, "made.json"));
    const auto fewer = GenerateCases(op.name, 7, 20, "made.json");
    EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), cases.begin()));
    EXPECT_NE(cases[0].arguments,
              GenerateCases(op.name, 8, 1, "made.json")[0].arguments);
    std::set<std::string> ids;
    int rejected = 0;
    for (const TestCase& test_case : cases) {
      ids.insert(test_case.id);
      rejected += test_case.error.has_value();
      EXPECT_EQ(test_case.file, "made.json");
    }
    EXPECT_EQ(ids.size(), cases.size());
    EXPECT_EQ(cases[0].id, "generated-7-0");
    EXPECT_TRUE(GenerateCases(op.name, 7, 60, "", [] { return true; }).empty());
    EXPECT_GT(rejected, 5) << op.name;
    EXPECT_LT(rejected, 30) << op.name;
  }
}

// A failing one is saved: it must come back as it was, but for the payload of
// NaNs, which no clause heeds.
TEST(GeneratedCasesTest, TheyCanBeWrittenAsVectors) {
  for (const spec::OperatorSpec& op : spec::AllOperators()) {
    VectorFile file = {"made.json", op.name,
                       GenerateCases(op.name, 1, 60, "made.json")};
    const std::string text = FormatVectorFile(file);
    const auto read = ParseVectorFile("made.json", text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->cases.size(), file.cases.size());
    EXPECT_TRUE(FormatVectorFile(*read) == text) << op.name;
  }
}

TEST(GeneratedCasesTest, VectorsComeFirstAndAreNotRepeated) {
  const std::string name = spec::AllOperators()[0].name;
  VectorFile file = {"own.json", name, GenerateCases(name, 1, 1, "own.json")};
  const GateCases cases = CollectCases({file}, 1, 20, "folder");
  EXPECT_EQ(cases.operators, std::set<std::string>{name});
  ASSERT_EQ(cases.generated.size(), 1u);
  EXPECT_EQ(cases.generated[0].path, "folder/" + name + ".json");
  EXPECT_EQ(cases.all.size(), 1 + cases.generated[0].cases.size());
  EXPECT_EQ(cases.all[0]->file, "own.json");
  std::set<std::string> ids;
  for (const TestCase* test_case : cases.all) ids.insert(test_case->id);
  EXPECT_EQ(ids.size(), cases.all.size());
}

TEST(GeneratedCasesTest, OnlyThoseThatFailedAreSaved) {
  const std::string name = spec::AllOperators()[0].name;
  const GateCases cases = CollectCases({{"own.json", name, {}}}, 1, 9, "f");
  RunResults results;
  for (const TestCase* test_case : cases.all) {
    CaseResult result;
    result.file = test_case->file;
    result.id = test_case->id;
    result.targets.resize(2);
    if (test_case == cases.all[2]) {
      result.targets[1].status = CaseStatus::kFailed;
    }
    if (test_case == cases.all[4]) {
      result.targets[0].status = CaseStatus::kCrashed;
    }
    if (test_case == cases.all[5]) {
      result.targets[0].status = CaseStatus::kExpectedFailure;
    }
    results.cases.push_back(result);
  }
  const std::vector<VectorFile> files = FailedGenerated(cases, results);
  ASSERT_EQ(files.size(), 1u);
  ASSERT_EQ(files[0].cases.size(), 2u);
  EXPECT_EQ(files[0].cases[0], *cases.all[2]);
  EXPECT_EQ(files[0].cases[1], *cases.all[4]);
  EXPECT_TRUE(FailedGenerated(cases, RunResults()).empty());
}

}  // namespace
}  // namespace qconform::harness
