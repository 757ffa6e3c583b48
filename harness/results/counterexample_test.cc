// Tests of simplified counterexamples: small, still failing, right about what
// is expected, and the case itself where nothing can be simplified.

#include "harness/results/counterexample.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/cases/vector_file.h"
#include "harness/judge/sample_cases.h"

namespace qconform::harness {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";

std::unique_ptr<Candidate> Mutant(const TestCase& test_case,
                                  const std::string& fault) {
  return mutants::MakeMutant(test_case.arguments.operator_name, fault).value();
}

TestCase Simplified(const TestCase& test_case, const std::string& fault) {
  return SimplifiedCase(test_case, *Mutant(test_case, fault),
                        {.target = "scalar"});
}

CaseStatus StatusOf(const TestCase& test_case, const std::string& fault) {
  Expectation expectation = Expectation::Make(test_case).value();
  return JudgeOnTarget(expectation, *Mutant(test_case, fault), "scalar",
                       Level::kExact, /*vary=*/false, /*threads=*/1)
      .value()
      .status;
}

TEST(SimplifiedCaseTest, OneElementShowsAWrongRounding) {
  const TestCase test_case = AddCase("ties", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const TestCase simple = Simplified(test_case, "half-away");
  EXPECT_EQ(simple.id, "ties-simplified");
  EXPECT_THAT(simple.title, HasSubstr("simplified from ties"));
  const ExpectedOutput& expected = simple.expected.at("OutputTensor");
  EXPECT_EQ(expected.tensor.desc.sizes, (std::vector<int64_t>{1}));
  EXPECT_EQ(expected.must_stay, std::vector<bool>{false});
  // Fails for the same reason, and a right implementation passes.
  EXPECT_EQ(StatusOf(simple, "half-away"), CaseStatus::kFailed);
  EXPECT_EQ(StatusOf(simple, ""), CaseStatus::kPassed);
  // A file with it reads back as it is.
  const auto file =
      ParseVectorFile("a.json", FormatVectorFile({"a.json", kAdd, {simple}}));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->cases[0].arguments, simple.arguments);
  EXPECT_EQ(file->cases[0].expected, simple.expected);
}

TEST(SimplifiedCaseTest, ElementsThatMustStayAreExpectedToStay) {
  const TestCase simple =
      Simplified(GroupedCase("grouped"), "rows-beyond-written");
  EXPECT_EQ(simple.id, "grouped-simplified");
  const std::vector<bool>& must_stay = simple.expected.at("out").must_stay;
  EXPECT_THAT(must_stay, Contains(true));
  EXPECT_EQ(StatusOf(simple, "rows-beyond-written"), CaseStatus::kFailed);
  EXPECT_EQ(StatusOf(simple, ""), CaseStatus::kPassed);
}

TEST(SimplifiedCaseTest, WhatDoesNotFailStays) {
  const TestCase test_case = AddCase("ties", {1, 2, 3});
  EXPECT_EQ(Simplified(test_case, ""), test_case);
}

TEST(SimplifiedCaseTest, WhatIsSimpleStays) {
  TestCase simple = Simplified(AddCase("ties", {1, 2, 3}), "half-away");
  simple.expected.clear();
  EXPECT_EQ(Simplified(simple, "half-away"), simple);
}

TEST(SimplifiedCaseTest, RejectionsStay) {
  const TestCase test_case = ZeroScaleCase("zero-scale");
  ASSERT_TRUE(test_case.error.has_value());
  EXPECT_EQ(Simplified(test_case, "half-away"), test_case);
}

}  // namespace
}  // namespace qconform::harness
