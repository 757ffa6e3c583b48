#include "harness/judge/explain.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/fake_candidate.h"
#include "harness/judge/sample_cases.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string ExplainFake(const TestCase& test_case, const std::string& element,
                        FakeFault fault = FakeFault::kNone) {
  FakeCandidate candidate(fault, {"AVX2", "EMU128"});
  const auto text = Explain(test_case, element, candidate);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST(ExplainTest, ShowsWhyAValueIsWhatItIs) {
  const std::string text = ExplainFake(AddCase("a", {1, 5}), "1");
  EXPECT_THAT(text,
              AllOf(HasSubstr("OutputTensor[1] (element 1 of 2, uint8)"),
                    HasSubstr("QA-01"), HasSubstr("5/2 = 2.5"),
                    HasSubstr("clauses                    AR-03, QA-01")));
  EXPECT_THAT(text, HasSubstr("exact value                12\n"));
  EXPECT_THAT(text, HasSubstr("13  (difference +1 from the exact value)"));
  EXPECT_THAT(text, HasSubstr("nothing; the golden model's exact value"));
  EXPECT_THAT(text, HasSubstr("  AVX2                       12\n"));
  EXPECT_THAT(text, HasSubstr("  EMU128                     12\n"));
}

TEST(ExplainTest, ShowsWhatFaultyTargetsGive) {
  EXPECT_THAT(ExplainFake(AddCase("a", {1, 5}), "1", FakeFault::kWrongLane),
              HasSubstr("AVX2                       13  (difference +1"));
  EXPECT_THAT(ExplainFake(AddCase("a", {1, 5}), "1", FakeFault::kDropsLastLane),
              HasSubstr("left as it was"));
  EXPECT_THAT(ExplainFake(AddCase("a", {1, 5}), "1", FakeFault::kRejectsAll),
              HasSubstr("invalid_argument (161002): as the test wants"));
  EXPECT_THAT(ExplainFake(AddCase("a", {1, 5}), "1", FakeFault::kUnsupported),
              HasSubstr("AVX2                       as the test wants"));
}

TEST(ExplainTest, ShowsFrozenExpectations) {
  TestCase test_case = AddCase("a", {1, 5});
  Freeze(test_case, {10, 12});
  EXPECT_THAT(ExplainFake(test_case, "1"),
              HasSubstr("the vector expects         12\n"));
  test_case = GroupedCase("g");
  Freeze(test_case, std::vector<double>(32, 2), std::vector<bool>(32, true));
  EXPECT_THAT(ExplainFake(test_case, "3"),
              HasSubstr("null: it must stay as it was"));
}

TEST(ExplainTest, ShowsClamps) {
  TestCase test_case = AddCase("high", {255});
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, 2);
  EXPECT_THAT(ExplainFake(test_case, "0"), HasSubstr("to the upper limit"));
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, -2);
  EXPECT_THAT(ExplainFake(test_case, "0"), HasSubstr("to the lower limit"));
}

TEST(ExplainTest, AnElementThatMustStayIsSaidToStay) {
  const std::string text = ExplainFake(GroupedCase("g"), "1,0");
  EXPECT_THAT(text, HasSubstr("(element 16 of 32, float16)"));
  EXPECT_THAT(text, HasSubstr("must leave this element as it was"));
  EXPECT_THAT(text, HasSubstr("left as it was"));
}

TEST(ExplainTest, ShowsWhyTensorFlowPublishes76) {
  const std::string text = ExplainFake(TensorFlowCase("0.3"), "0");
  EXPECT_THAT(text, HasSubstr("76.500003"));
  EXPECT_THAT(text, HasSubstr("arithmetic \"tensorflow\" (TQ-12"));
  EXPECT_THAT(text, HasSubstr("The two differ because"));
  EXPECT_THAT(text, HasSubstr("TensorFlow's tests"));
  TestCase published = TensorFlowCase("0.3");
  published.arguments.options.arithmetic = "tensorflow";
  const std::string other = ExplainFake(published, "0");
  EXPECT_THAT(other, HasSubstr("76.500003"));
  EXPECT_THAT(other, HasSubstr("arithmetic \"exact\" (TQ-12"));
}

TEST(ExplainTest, TheOtherArithmeticMayRejectTheCall) {
  TestCase test_case = TensorFlowCase("one bit");
  test_case.arguments.attributes["signed_input"] = true;
  test_case.arguments.attributes["num_bits"] = int64_t{1};
  EXPECT_THAT(ExplainFake(test_case, "0"), HasSubstr("rejected"));
}

TEST(ExplainTest, RejectionsAreExplainedToo) {
  const std::string text = ExplainFake(ZeroScaleCase("z"), "0");
  EXPECT_THAT(text, HasSubstr("the error invalid_argument"));
  EXPECT_THAT(text, HasSubstr("rejects with invalid_argument: "));
  EXPECT_THAT(text, HasSubstr("AVX2                       invalid_argument"));
  EXPECT_THAT(ExplainFake(ZeroScaleCase("z"), "0", FakeFault::kAcceptsAll),
              HasSubstr("AVX2                       accepts the call"));
  TestCase test_case = ZeroScaleCase("z");
  test_case.error.reset();
  EXPECT_THAT(ExplainFake(test_case, "0"),
              HasSubstr("the vector expects         a result"));
  test_case = AddCase("a", {1});
  test_case.error =
      ExpectedError{.status = "invalid_argument", .aclnn_status = std::nullopt};
  EXPECT_THAT(ExplainFake(test_case, "0"), HasSubstr("accepts the call"));
}

TEST(ExplainTest, ElementsAreParsedAndChecked) {
  spec::TensorDesc desc;
  desc.sizes = {2, 3};
  EXPECT_EQ(*ParseElement("5", desc), 5);
  EXPECT_EQ(*ParseElement("1,2", desc), 5);
  EXPECT_EQ(*ParseElement("0,1", desc), 1);
  for (const char* text : {"6", "-1", "x", "", "1,3", "2,0", "0,-1", "0,0,0",
                           "1,", "99999999999999999999"}) {
    EXPECT_EQ(ParseElement(text, desc).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  FakeCandidate candidate(FakeFault::kNone);
  EXPECT_EQ(Explain(AddCase("a", {1}), "1", candidate).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace qconform::harness
