#include "harness/judge/expectation.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/sample_cases.h"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;

TEST(ExpectationTest, GivesTheGoldenValues) {
  const TestCase test_case = AddCase("a", {1, 2, 3});
  const auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok()) << expectation.status();
  EXPECT_EQ(expectation->output_name(), "OutputTensor");
  EXPECT_EQ(expectation->disagreement(), "");
  EXPECT_FALSE(expectation->error());
  ASSERT_EQ(expectation->elements().size(), 3u);
  EXPECT_EQ(expectation->elements()[0].value, 10);  // 0.5 to even
  EXPECT_EQ(expectation->elements()[2].value, 12);  // 1.5 to even
  ASSERT_EQ(expectation->golden().size(), 3u);
  EXPECT_TRUE(expectation->golden()[0].tie);
  EXPECT_FALSE(expectation->golden()[1].tie);
}

TEST(ExpectationTest, TheSecondOracleStandsInForLargeCases) {
  for (const TestCase& test_case :
       {AddCase("a", {1, 2, 3, 255}), StridedAddCase("s"), GroupedCase("g"),
        TensorFlowCase("t")}) {
    const auto golden = Expectation::Make(test_case);
    auto second = Expectation::Make(test_case, /*golden_limit=*/0);
    ASSERT_TRUE(golden.ok()) << golden.status();
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_TRUE(second->golden().empty());
    EXPECT_EQ(second->output_name(), golden->output_name());
    ASSERT_EQ(second->elements().size(), golden->elements().size());
    for (size_t i = 0; i < golden->elements().size(); ++i) {
      EXPECT_EQ(second->elements()[i].must_stay,
                golden->elements()[i].must_stay);
      if (!golden->elements()[i].must_stay) {
        EXPECT_EQ(second->elements()[i].value, golden->elements()[i].value);
      }
    }
  }
}

TEST(ExpectationTest, TheGoldenModelTakesSoManyElementsOnly) {
  for (const int64_t more : {0, 1}) {
    const size_t elements = Expectation::kDefaultGoldenLimit / 64 + more;
    const auto expectation =
        Expectation::Make(AddCase("a", std::vector<double>(elements, 2)));
    ASSERT_TRUE(expectation.ok()) << expectation.status();
    EXPECT_EQ(expectation->golden().empty(), more != 0);
  }
}

TEST(ExpectationTest, EstimatesAnyWork) {
  TestCase test_case = GroupedCase("g");
  spec::Arguments& call = test_case.arguments;
  call.outputs.at("out").sizes = {3, 16};
  call.inputs.at("x").desc.sizes = {3, 32};
  EXPECT_EQ(EstimateWork(call), 3 * 16 * 32);
  // As calls that must be rejected describe.
  call.outputs.at("out").sizes = {int64_t{1} << 40};
  call.inputs.at("x").desc.sizes = {int64_t{1} << 40};
  EXPECT_EQ(EstimateWork(call), std::numeric_limits<int64_t>::max());
  call.inputs.at("x").desc.sizes = {-5};
  EXPECT_EQ(EstimateWork(call), int64_t{1} << 40);
}

TEST(ExpectationTest, EnclosuresComeFromEvaluationOrTrace) {
  const TestCase test_case = AddCase("a", {1, 2, 3});
  for (int64_t limit : {Expectation::kDefaultGoldenLimit, int64_t{0}}) {
    auto expectation = Expectation::Make(test_case, limit);
    ASSERT_TRUE(expectation.ok());
    for (int round = 0; round < 2; ++round) {
      const auto element = expectation->Enclosure(2);
      ASSERT_TRUE(element.ok()) << element.status();
      EXPECT_EQ((*element)->enclosure_low, 12);
      EXPECT_EQ((*element)->enclosure_high, 12);
      EXPECT_FALSE((*element)->enclosure_any);
    }
  }
}

TEST(ExpectationTest, ARejectedCallHasNoEnclosure) {
  TestCase test_case = ZeroScaleCase("z");
  test_case.error.reset();
  Freeze(test_case, {1, 1});
  auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok());
  ASSERT_TRUE(expectation->Enclosure(0).ok());
  EXPECT_EQ(*expectation->Enclosure(0), nullptr);
  EXPECT_EQ(expectation->elements()[1].value, 1);
  EXPECT_THAT(expectation->disagreement(),
              HasSubstr("the vector expects a result, the golden model rejects "
                        "the call: invalid_argument"));
}

TEST(ExpectationTest, ExpectedErrorsAreHeldAgainstTheGoldenModel) {
  TestCase test_case = ZeroScaleCase("z");
  EXPECT_EQ(Expectation::Make(test_case)->disagreement(), "");
  test_case.error->status = "out_of_range";
  EXPECT_THAT(Expectation::Make(test_case)->disagreement(),
              HasSubstr("expects the error out_of_range, the golden model "
                        "rejects the call: invalid_argument"));
  test_case = GroupedCase("g");
  spec::WriteInteger(test_case.arguments.inputs["groupList"], 0, 3);
  test_case.error = ExpectedError{.status = "", .aclnn_status = 161002};
  EXPECT_EQ(Expectation::Make(test_case)->disagreement(), "");
  test_case.error->aclnn_status = 161001;
  EXPECT_THAT(Expectation::Make(test_case)->disagreement(),
              HasSubstr("expects the error 161001, the golden model rejects "
                        "the call: invalid_argument (161002)"));
}

TEST(ExpectationTest, DataOfATypeThatNoOutputHasIsNotCompared) {
  TestCase test_case = AddCase("wide", {1});
  test_case.arguments.outputs["OutputTensor"].type = spec::DataType::kInt64;
  test_case.expected["OutputTensor"] = {
      {test_case.arguments.outputs["OutputTensor"], std::vector<std::byte>(8)},
      {false}};
  const auto expectation = Expectation::Make(test_case);
  ASSERT_TRUE(expectation.ok());
  EXPECT_TRUE(expectation->elements().empty());
  EXPECT_NE(expectation->disagreement(), "");
}

TEST(ExpectationTest, WorkIsTheNumberOfProducts) {
  EXPECT_EQ(EstimateWork(AddCase("a", {1, 2, 3}).arguments), 3);
  EXPECT_EQ(EstimateWork(GroupedCase("g").arguments), 2 * 16 * 16);
  EXPECT_EQ(EstimateWork(TensorFlowCase("t").arguments), 1);
  spec::Arguments matmul;
  matmul.operator_name = "dml_quantized_linear_matrix_multiply";
  matmul.inputs["ATensor"].desc.sizes = {1, 1, 3, 7};
  matmul.inputs["BTensor"].desc.sizes = {1, 1, 7, 5};
  matmul.outputs["OutputTensor"].sizes = {1, 1, 3, 5};
  EXPECT_EQ(EstimateWork(matmul), 3 * 5 * 7);
}

TEST(ExpectationTest, DescribesErrors) {
  EXPECT_EQ(DescribeError(
                {.status = "invalid_argument", .aclnn_status = std::nullopt}),
            "invalid_argument");
  EXPECT_EQ(DescribeError({.status = "", .aclnn_status = 161001}), "161001");
  EXPECT_EQ(
      DescribeError({.status = "invalid_argument", .aclnn_status = 161002}),
      "invalid_argument (161002)");
  EXPECT_EQ(DescribeError(ErrorOf(absl::OutOfRangeError("too large"))),
            "out_of_range");
}

}  // namespace
}  // namespace qconform::harness
