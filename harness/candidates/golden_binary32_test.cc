#include "harness/candidates/golden_binary32.h"

#include "gtest/gtest.h"
#include "harness/judge/sample_cases.h"
#include "harness/judge/verdict.h"

namespace qconform::harness {
namespace {

CaseVerdict JudgeCase(const TestCase& test_case, Level level) {
  auto expectation = Expectation::Make(test_case);
  EXPECT_TRUE(expectation.ok()) << expectation.status();
  GoldenBinary32Candidate candidate;
  auto verdict = JudgeOnTarget(*expectation, candidate, "golden", level,
                               /*vary=*/false, /*threads=*/1);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return *verdict;
}

TEST(GoldenBinary32Test, HasOneTarget) {
  GoldenBinary32Candidate candidate;
  EXPECT_EQ(candidate.Name(), "golden-binary32");
  EXPECT_EQ(candidate.Targets(), std::vector<std::string>{"golden"});
}

TEST(GoldenBinary32Test, GivesExactValuesWhereFloatDoes) {
  const CaseVerdict verdict =
      JudgeCase(AddCase("a", {1, 2, 3, 255}), Level::kExact);
  EXPECT_EQ(verdict.status, CaseStatus::kPassed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.exact = 4}));
}

TEST(GoldenBinary32Test, IsExplainedWhereFloatRoundsAcrossATie) {
  EXPECT_EQ(JudgeCase(TensorFlowCase("t"), Level::kBinary32).status,
            CaseStatus::kPassed);
  const CaseVerdict verdict = JudgeCase(TensorFlowCase("t"), Level::kExact);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.explained = 1}));
}

TEST(GoldenBinary32Test, LeavesAloneWhatMustStay) {
  EXPECT_EQ(JudgeCase(StridedAddCase("s"), Level::kExact).status,
            CaseStatus::kPassed);
  const CaseVerdict verdict = JudgeCase(GroupedCase("g"), Level::kBinary32);
  EXPECT_EQ(verdict.status, CaseStatus::kPassed);
  EXPECT_EQ(verdict.counts.preserved, 16);
}

TEST(GoldenBinary32Test, RejectsAsTheSpecSays) {
  EXPECT_EQ(JudgeCase(ZeroScaleCase("z"), Level::kExact).status,
            CaseStatus::kPassed);
  TestCase test_case = GroupedCase("g");
  spec::WriteInteger(test_case.arguments.inputs["groupList"], 0, 3);
  test_case.error = ExpectedError{.status = "", .aclnn_status = 161002};
  EXPECT_EQ(JudgeCase(test_case, Level::kExact).status, CaseStatus::kPassed);
}

TEST(GoldenBinary32Test, GivesZeroWhereNanReachesRound) {
  // 2 * 2^127 overflows to infinity, and infinity minus infinity is NaN.
  TestCase test_case = AddCase("nan", {2});
  auto& inputs = test_case.arguments.inputs;
  spec::WriteInteger(inputs["BTensor"], 0, 2);
  spec::WriteReal(inputs["AScaleTensor"], 0, 0x1p127);
  spec::WriteReal(inputs["BScaleTensor"], 0, -0x1p127);
  const CaseVerdict verdict = JudgeCase(test_case, Level::kExact);
  EXPECT_EQ(verdict.elements[0].expected, 10);
  EXPECT_EQ(verdict.elements[0].found, 0);
}

}  // namespace
}  // namespace qconform::harness
