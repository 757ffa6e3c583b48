#include "harness/judge/verdict.h"

#include <bitset>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;

CaseVerdict JudgeFake(const TestCase& test_case, FakeFault fault,
                      Level level = Level::kExact, bool vary = false,
                      int threads = 2) {
  auto expectation = Expectation::Make(test_case);
  EXPECT_TRUE(expectation.ok()) << expectation.status();
  FakeCandidate candidate(fault);
  auto verdict =
      JudgeOnTarget(*expectation, candidate, "AVX2", level, vary, threads);
  EXPECT_TRUE(verdict.ok()) << verdict.status();
  return *verdict;
}

// 0.5, 1, 1.5, 2, 2.5 to half even, plus 10.
TestCase Ties() { return AddCase("ties", {1, 2, 3, 4, 5}); }

TEST(PoisonedOutputsTest, NoStorageForMoreThanThereIs) {
  TestCase test_case = AddCase("huge", {1});
  test_case.arguments.outputs["OutputTensor"].sizes = {int64_t{1} << 62};
  const OutputStorage outputs = PoisonedOutputs(test_case.arguments, false);
  EXPECT_TRUE(outputs.at("OutputTensor").empty());
}

TEST(VerdictTest, RightValuesPass) {
  const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kNone);
  EXPECT_EQ(verdict.status, CaseStatus::kPassed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.exact = 5}));
  EXPECT_TRUE(verdict.elements.empty());
}

TEST(VerdictTest, HalfAwayIsWrongAtBothLevels) {
  for (Level level : {Level::kExact, Level::kBinary32}) {
    const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kHalfAway, level);
    EXPECT_EQ(verdict.status, CaseStatus::kFailed);
    EXPECT_EQ(verdict.counts.wrong, 2);  // 0.5 and 2.5; 1.5 goes to 2 anyway
    EXPECT_EQ(verdict.counts.exact, 3);
    ASSERT_EQ(verdict.elements.size(), 2u);
    EXPECT_EQ(verdict.elements[0].element, 0);
    EXPECT_EQ(verdict.elements[0].verdict, ElementVerdict::kWrong);
    EXPECT_EQ(verdict.elements[0].difference.steps, 1);
    EXPECT_EQ(verdict.elements[0].enclosure, "[10, 10]");
    EXPECT_EQ(verdict.elements[1].element, 4);
    EXPECT_EQ(verdict.elements[1].verdict, ElementVerdict::kWrong);
  }
}

TEST(VerdictTest, ZeroPointBeforeRoundingIsWrongOnOddZeroPoints) {
  TestCase test_case = Ties();
  spec::WriteInteger(test_case.arguments.inputs["OutputZeroPointTensor"], 0,
                     11);
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kZeroPointFirst);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.counts.wrong, 3);
}

TEST(VerdictTest, OneWrongLaneIsNamed) {
  const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kWrongLane);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.exact = 4, .wrong = 1}));
  ASSERT_EQ(verdict.elements.size(), 1u);
  EXPECT_EQ(verdict.elements[0].element, 4);
  EXPECT_EQ(verdict.elements[0].verdict, ElementVerdict::kWrong);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kNone);
  EXPECT_EQ(verdict.elements[0].expected, 12);
  EXPECT_EQ(verdict.elements[0].found, 13);
}

TEST(VerdictTest, AnElementThatIsNotWrittenIsWrong) {
  const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kDropsLastLane);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  ASSERT_EQ(verdict.elements.size(), 1u);
  EXPECT_EQ(verdict.elements[0].element, 4);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kUntouched);
}

TEST(VerdictTest, EveryOutputByteIsNoticedWhenLeftAlone) {
  // Whatever value belongs there, one of the two poisons differs from it.
  for (int a = 0; a < 256; ++a) {
    const CaseVerdict verdict =
        JudgeFake(AddCase("byte", {static_cast<double>(a)}),
                  FakeFault::kDropsLastLane, Level::kBinary32);
    ASSERT_EQ(verdict.elements[0].fault, ElementFault::kUntouched) << a;
    ASSERT_EQ(verdict.status, CaseStatus::kFailed);
  }
}

TEST(VerdictTest, AHalfWrittenElementIsUnstable) {
  const CaseVerdict verdict =
      JudgeFake(GroupedCase("half"), FakeFault::kDropsFirstBytes);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kUnstable);
}

TEST(VerdictTest, AnElementThatDependsOnTheOutputIsUnstable) {
  const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kAddsToOutput);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kUnstable);
}

TEST(VerdictTest, StorageBetweenElementsMustStay) {
  const TestCase test_case = StridedAddCase("strided");
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kNone).status, CaseStatus::kPassed);
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kWritesPadding);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.exact = 4, .wrong = 1}));
  ASSERT_EQ(verdict.elements.size(), 1u);
  EXPECT_EQ(verdict.elements[0].element, -1);
  EXPECT_EQ(verdict.elements[0].offset, 2);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kOverwritten);
}

TEST(VerdictTest, RowsOfNoGroupMustStay) {
  const TestCase test_case = GroupedCase("grouped");
  const CaseVerdict right = JudgeFake(test_case, FakeFault::kNone);
  EXPECT_EQ(right.status, CaseStatus::kPassed);
  EXPECT_EQ(right.counts, (ElementCounts{.exact = 16, .preserved = 16}));
  EXPECT_TRUE(right.elements.empty());
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kWritesPadding);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.counts, (ElementCounts{.exact = 16, .wrong = 16}));
  ASSERT_EQ(verdict.elements.size(), 16u);
  EXPECT_EQ(verdict.elements[0].element, 16);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kOverwritten);
}

TEST(VerdictTest, RejectionsMustBeTheExpectedOnes) {
  const TestCase test_case = ZeroScaleCase("zero");
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kNone).status, CaseStatus::kPassed);
  const CaseVerdict accepted = JudgeFake(test_case, FakeFault::kAcceptsAll);
  EXPECT_EQ(accepted.status, CaseStatus::kFailed);
  EXPECT_THAT(accepted.reason,
              HasSubstr("must be rejected with invalid_argument"));
  const CaseVerdict another =
      JudgeFake(test_case, FakeFault::kRejectsWithAnother);
  EXPECT_EQ(another.status, CaseStatus::kFailed);
  EXPECT_THAT(another.reason,
              HasSubstr("expected the error invalid_argument, got "
                        "out_of_range (161001)"));
  const CaseVerdict wrote = JudgeFake(test_case, FakeFault::kWritesThenRejects);
  EXPECT_EQ(wrote.status, CaseStatus::kFailed);
  EXPECT_THAT(wrote.reason, HasSubstr("wrote byte 1 of OutputTensor"));
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kRejectsSecondCall).status,
            CaseStatus::kFailed);
}

TEST(VerdictTest, AclnnStatusesAreCompared) {
  TestCase test_case = GroupedCase("aclnn");
  spec::WriteInteger(test_case.arguments.inputs["groupList"], 0, 3);  // > m
  test_case.error = ExpectedError{.status = "", .aclnn_status = 161002};
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kNone).status, CaseStatus::kPassed);
  const CaseVerdict verdict =
      JudgeFake(test_case, FakeFault::kRejectsWithAnother);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_THAT(verdict.reason, HasSubstr("expected the error 161002, got "
                                        "out_of_range (161001)"));
}

TEST(VerdictTest, ACallThatMustSucceedMayNotBeRejected) {
  const CaseVerdict verdict = JudgeFake(Ties(), FakeFault::kRejectsAll);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_THAT(verdict.reason,
              HasSubstr("rejected a call that must succeed: invalid_argument"));
  EXPECT_EQ(JudgeFake(Ties(), FakeFault::kRejectsSecondCall).status,
            CaseStatus::kFailed);
}

TEST(VerdictTest, OutcomesOfTheCandidateBecomeStatuses) {
  EXPECT_EQ(JudgeFake(Ties(), FakeFault::kUnsupported).status,
            CaseStatus::kUnsupported);
  EXPECT_EQ(JudgeFake(Ties(), FakeFault::kCrashes).status,
            CaseStatus::kCrashed);
  EXPECT_EQ(JudgeFake(Ties(), FakeFault::kTimesOut).status,
            CaseStatus::kTimedOut);
}

TEST(VerdictTest, ChangedStorageIsAFailure) {
  for (FakeFault fault :
       {FakeFault::kShrinksOutput, FakeFault::kForgetsOutput}) {
    const CaseVerdict verdict = JudgeFake(Ties(), fault);
    EXPECT_EQ(verdict.status, CaseStatus::kFailed);
    EXPECT_THAT(verdict.reason, HasSubstr("OutputTensor"));
  }
}

TEST(VerdictTest, FrozenDataIsTheTruthAndDisagreementIsSaid) {
  TestCase test_case = Ties();
  Freeze(test_case, {10, 11, 12, 12, 12});
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kNone).status, CaseStatus::kPassed);
  Freeze(test_case, {11, 11, 12, 12, 12});
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kNone);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_TRUE(verdict.elements[0].golden_differs);
  EXPECT_EQ(verdict.elements[0].golden, 10);
  EXPECT_EQ(verdict.elements[0].expected, 11);
  // The enclosure is the golden model's: it holds what the candidate gave.
  EXPECT_EQ(verdict.elements[0].verdict, ElementVerdict::kExplained);
  EXPECT_THAT(verdict.reason, HasSubstr("the vector's data differs from the "
                                        "golden model in 1 of 5 elements"));
}

TEST(VerdictTest, FrozenNullMustStay) {
  TestCase test_case = GroupedCase("null");
  std::vector<double> values(32, 2);
  std::vector<bool> must_stay(32);
  std::fill(must_stay.begin() + 16, must_stay.end(), true);
  Freeze(test_case, values, must_stay);
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kNone).status, CaseStatus::kPassed);
  must_stay[3] = true;
  Freeze(test_case, values, must_stay);
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kNone);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  ASSERT_EQ(verdict.elements.size(), 1u);
  EXPECT_EQ(verdict.elements[0].element, 3);
  EXPECT_EQ(verdict.elements[0].fault, ElementFault::kOverwritten);
  EXPECT_TRUE(verdict.elements[0].golden_differs);
}

TEST(VerdictTest, AVectorThatExpectsAResultOfABadCallFails) {
  TestCase test_case = ZeroScaleCase("no-error");
  test_case.error.reset();
  const CaseVerdict rejected = JudgeFake(test_case, FakeFault::kNone);
  EXPECT_EQ(rejected.status, CaseStatus::kFailed);
  EXPECT_THAT(rejected.reason, HasSubstr("the golden model rejects the call"));
  const CaseVerdict accepted = JudgeFake(test_case, FakeFault::kAcceptsAll);
  EXPECT_EQ(accepted.status, CaseStatus::kFailed);
  EXPECT_THAT(accepted.reason, HasSubstr("the golden model rejects"));
  // With data of its own the vector is the truth: nothing was written.
  Freeze(test_case, {1, 1});
  const CaseVerdict frozen = JudgeFake(test_case, FakeFault::kAcceptsAll);
  EXPECT_EQ(frozen.status, CaseStatus::kFailed);
  EXPECT_EQ(frozen.counts.wrong, 2);
}

TEST(VerdictTest, DataThatTheGoldenModelRejectsIsStillCompared) {
  TestCase test_case = ZeroScaleCase("frozen-only");
  test_case.error.reset();
  Freeze(test_case, {1, 1});
  auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok());
  PoisonedRuns runs;
  for (size_t i : {0, 1}) {
    runs.outputs[i]["OutputTensor"] = {std::byte{1}, std::byte{2}};
  }
  const auto verdict = Judge(*expectation, runs, Level::kBinary32);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->counts, (ElementCounts{.exact = 1, .wrong = 1}));
  ASSERT_EQ(verdict->elements.size(), 1u);
  EXPECT_EQ(verdict->elements[0].element, 1);
  EXPECT_EQ(verdict->elements[0].enclosure, "");
}

TEST(VerdictTest, BothOrEitherPartOfAnErrorMayBeExpected) {
  TestCase test_case = Ties();
  test_case.error =
      ExpectedError{.status = "invalid_argument", .aclnn_status = std::nullopt};
  const CaseVerdict verdict = JudgeFake(test_case, FakeFault::kNone);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_THAT(verdict.reason, HasSubstr("the golden model accepts the call"));
  EXPECT_EQ(JudgeFake(test_case, FakeFault::kRejectsAll).status,
            CaseStatus::kPassed);
}

TEST(VerdictTest, ValuesInsideTheEnclosureAreExplained) {
  // 0.3f * 255 is 76.500003: float reaches the tie and may give 76 (TQ-12).
  const TestCase test_case = TensorFlowCase("0.3");
  auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok()) << expectation.status();
  ASSERT_EQ(expectation->elements().size(), 1u);
  EXPECT_EQ(expectation->elements()[0].value,
            static_cast<double>(static_cast<float>(77.0 / 255)));
  for (const auto& [value, expected] :
       {std::pair(static_cast<float>(76.0 / 255), ElementVerdict::kExplained),
        std::pair(static_cast<float>(77.0 / 255), ElementVerdict::kExact),
        std::pair(static_cast<float>(75.0 / 255), ElementVerdict::kWrong),
        std::pair(std::numeric_limits<float>::quiet_NaN(),
                  ElementVerdict::kWrong)}) {
    PoisonedRuns runs;
    for (size_t i : {0, 1}) {
      spec::Tensor tensor = MakeTensor(spec::DataType::kFloat32, {1}, {value});
      runs.outputs[i]["output"] = tensor.storage;
    }
    const auto exact = Judge(*expectation, runs, Level::kExact);
    const auto binary32 = Judge(*expectation, runs, Level::kBinary32);
    ASSERT_TRUE(exact.ok() && binary32.ok());
    const size_t listed = expected == ElementVerdict::kExact ? 0 : 1;
    ASSERT_EQ(exact->elements.size(), listed) << value;
    if (listed != 0) {
      EXPECT_EQ(exact->elements[0].verdict, expected) << value;
    }
    EXPECT_EQ(exact->status, expected == ElementVerdict::kExact
                                 ? CaseStatus::kPassed
                                 : CaseStatus::kFailed);
    EXPECT_EQ(binary32->status, expected == ElementVerdict::kWrong
                                    ? CaseStatus::kFailed
                                    : CaseStatus::kPassed);
  }
}

TEST(VerdictTest, SignsOfZeroAndNanPayloadsAreStable) {
  TestCase test_case = TensorFlowCase("zero");
  spec::WriteReal(test_case.arguments.inputs["input"], 0, 0);
  auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok());
  PoisonedRuns runs;
  runs.outputs[0]["output"] =
      MakeTensor(spec::DataType::kFloat32, {1}, {0.0}).storage;
  runs.outputs[1]["output"] =
      MakeTensor(spec::DataType::kFloat32, {1}, {-0.0}).storage;
  const auto verdict = Judge(*expectation, runs, Level::kExact);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->status, CaseStatus::kPassed);
}

TEST(VerdictTest, VariedExecutionsAreJudgedAndNamed) {
  // Over a few names each kind of variation occurs and is caught.
  for (const auto& [fault, word] :
       {std::pair(FakeFault::kWrongWithThreads, "7 threads"),
        std::pair(FakeFault::kWrongIfMisaligned, "misaligned by"),
        std::pair(FakeFault::kWrongIfGivenToRun, "constants given to Run")}) {
    int caught = 0;
    for (int i = 0; i < 20; ++i) {
      TestCase test_case = AddCase(absl::StrCat("varied-", i), {1, 2, 3});
      EXPECT_EQ(JudgeFake(test_case, fault).status, CaseStatus::kPassed);
      const CaseVerdict verdict =
          JudgeFake(test_case, fault, Level::kExact, /*vary=*/true, 7);
      if (verdict.status == CaseStatus::kPassed) continue;
      ++caught;
      EXPECT_THAT(verdict.variation, HasSubstr(word));
      EXPECT_EQ(verdict.counts.wrong, 1);
    }
    EXPECT_GT(caught, 0);
  }
}

TEST(VerdictTest, VariationsAreAllUsedAndRepeatable) {
  std::set<std::string> seen;
  std::set<size_t> misalignments;
  for (int i = 0; i < 200; ++i) {
    const TestCase test_case = AddCase(absl::StrCat("v", i), {1});
    const ExecutionOptions options = VariedExecution(test_case, "AVX2", 2);
    EXPECT_EQ(DescribeExecution(options),
              DescribeExecution(VariedExecution(test_case, "AVX2", 2)));
    EXPECT_EQ(options.target, "AVX2");
    misalignments.insert(options.misalignment);
    seen.insert(absl::StrCat(options.threads,
                             options.constants_in_plan ? "plan" : "run"));
  }
  EXPECT_EQ(misalignments.size(), 11u);
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(DescribeExecution({.target = "AVX2", .threads = 1}),
            "1 thread, buffers misaligned by 0 bytes, constants given to Plan");
}

TEST(VerdictTest, AFailureInThePlainExecutionIsNotBlamedOnAVariation) {
  const CaseVerdict verdict =
      JudgeFake(Ties(), FakeFault::kWrongLane, Level::kExact, /*vary=*/true);
  EXPECT_EQ(verdict.status, CaseStatus::kFailed);
  EXPECT_EQ(verdict.variation, "");
}

TEST(PoisonTest, PoisonsDifferInEveryBitAndByPosition) {
  std::set<int> bytes;
  for (size_t i = 0; i < 4096; ++i) {
    const int first = std::to_integer<int>(PoisonByte(i, false));
    const int second = std::to_integer<int>(PoisonByte(i, true));
    ASSERT_EQ(first ^ second, 0xff);
    bytes.insert(first);
  }
  EXPECT_EQ(bytes.size(), 256u);
}

TEST(PoisonTest, OutputsThatHaveNoStorageGetNone) {
  spec::Arguments arguments;
  arguments.outputs["out"].sizes = {-1};
  EXPECT_TRUE(PoisonedOutputs(arguments, false)["out"].empty());
}

TEST(VerdictTest, NamesAreThoseOfTheResults) {
  EXPECT_EQ(LevelName(Level::kExact), "exact");
  EXPECT_EQ(LevelName(Level::kBinary32), "binary32");
  EXPECT_EQ(ElementVerdictName(ElementVerdict::kExact), "exact");
  EXPECT_EQ(ElementVerdictName(ElementVerdict::kExplained), "explained");
  EXPECT_EQ(ElementVerdictName(ElementVerdict::kWrong), "wrong");
  EXPECT_EQ(CaseStatusName(CaseStatus::kPassed), "passed");
  EXPECT_EQ(CaseStatusName(CaseStatus::kFailed), "failed");
  EXPECT_EQ(CaseStatusName(CaseStatus::kExpectedFailure), "expected-failure");
  EXPECT_EQ(CaseStatusName(CaseStatus::kUnexpectedPass), "unexpected-pass");
  EXPECT_EQ(CaseStatusName(CaseStatus::kUnsupported), "unsupported");
  EXPECT_EQ(CaseStatusName(CaseStatus::kMistrusted), "mistrusted");
  EXPECT_EQ(CaseStatusName(CaseStatus::kCrashed), "crashed");
  EXPECT_EQ(CaseStatusName(CaseStatus::kTimedOut), "timed-out");
  EXPECT_EQ(ElementFaultName(ElementFault::kNone), "value");
  EXPECT_EQ(ElementFaultName(ElementFault::kUntouched), "untouched");
  EXPECT_EQ(ElementFaultName(ElementFault::kOverwritten), "overwritten");
  EXPECT_EQ(ElementFaultName(ElementFault::kUnstable), "unstable");
}

TEST(VerdictTest, FormatsIndices) {
  spec::TensorDesc desc;
  desc.sizes = {2, 3, 4};
  EXPECT_EQ(FormatIndex(desc, 0), "[0,0,0]");
  EXPECT_EQ(FormatIndex(desc, 23), "[1,2,3]");
  EXPECT_EQ(FormatIndex(desc, 13), "[1,0,1]");
  EXPECT_EQ(FormatIndex({}, 0), "[]");
}

}  // namespace
}  // namespace qconform::harness
