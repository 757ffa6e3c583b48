#include "harness/judge/quotas.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/sample_cases.h"
#include "qconform_source_dir.h"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;

std::map<std::string, int64_t> Count(const TestCase& test_case,
                                     int64_t limit = 1000) {
  CounterTable counters;
  const auto expectation = Expectation::Make(test_case, limit);
  EXPECT_TRUE(expectation.ok()) << expectation.status();
  CountInputQuality(*expectation, counters);
  EXPECT_EQ(counters.size(), 1u);
  return counters[test_case.arguments.operator_name];
}

TEST(QuotasTest, CountsTiesClampsAndSteps) {
  // Output: a/2 + 10 with a scale of 0.5, so 490/2 ... are out of reach; the
  // upper clamp needs a larger scale.
  TestCase test_case = AddCase("a", {1, 2, 3, 255});
  auto counts = Count(test_case);
  EXPECT_EQ(counts["cases"], 1);
  EXPECT_EQ(counts["results"], 1);
  EXPECT_EQ(counts["elements"], 4);
  EXPECT_EQ(counts["ties"], 3);
  EXPECT_EQ(counts["clamped_high"], 0);
  EXPECT_EQ(counts["inputs_at_lowest"], 1);  // B is zero
  EXPECT_EQ(counts["inputs_at_highest"], 1);
  EXPECT_EQ(counts["power_of_two_scales"], 1);
  EXPECT_EQ(counts["vector_tails"], 1);
  EXPECT_EQ(counts["types:uint8+uint8->uint8"], 1);
  EXPECT_EQ(counts["rank:1"], 1);
  // 244, 245, 246 -> 254, 255, and 256 clamped.
  test_case = AddCase("b", {244, 245, 246, 250});
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, 1);
  counts = Count(test_case);
  EXPECT_EQ(counts["one_below_highest"], 1);
  EXPECT_EQ(counts["at_highest"], 1);
  EXPECT_EQ(counts["clamped_high"], 2);
  EXPECT_EQ(counts["ties"], 0);
  // -10, -9 and below with a negative scale: 0, 1, clamped.
  test_case = AddCase("c", {10, 9, 11, 255});
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, -1);
  counts = Count(test_case);
  EXPECT_EQ(counts["at_lowest"], 1);
  EXPECT_EQ(counts["one_above_lowest"], 1);
  EXPECT_EQ(counts["clamped_low"], 2);
  EXPECT_EQ(counts["negative_scales"], 1);
}

TEST(QuotasTest, CountsNeighboursOfTies) {
  TestCase test_case = AddCase("a", {1});
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, 0x1.000002p-1);
  const auto counts = Count(test_case);
  EXPECT_EQ(counts.at("tie_neighbors"), 1);
  EXPECT_EQ(counts.at("ties"), 0);
  EXPECT_FALSE(counts.contains("power_of_two_scales"));
}

TEST(QuotasTest, CountsZeroPointsAndScales) {
  TestCase test_case = AddCase("a", {2});
  auto& inputs = test_case.arguments.inputs;
  inputs["AZeroPointTensor"] = MakeTensor(spec::DataType::kUint8, {1}, {0});
  inputs["OutputZeroPointTensor"] =
      MakeTensor(spec::DataType::kUint8, {1}, {255});
  spec::WriteReal(inputs["BScaleTensor"], 0, 0x1p-140);
  const auto counts = Count(test_case);
  EXPECT_EQ(counts.at("zero_point_at_lowest"), 1);
  EXPECT_EQ(counts.at("zero_point_at_highest"), 1);
  EXPECT_EQ(counts.at("subnormal_scales"), 1);
}

TEST(QuotasTest, CountsStridesAndBroadcasts) {
  TestCase test_case = StridedAddCase("s");
  EXPECT_EQ(Count(test_case)["strided_outputs"], 1);
  EXPECT_EQ(Count(test_case)["strided_inputs"], 0);
  spec::Tensor& b = test_case.arguments.inputs["BTensor"];
  b.desc.strides = {0, 1};
  b.storage.resize(2);
  const auto counts = Count(test_case);
  EXPECT_EQ(counts.at("strided_inputs"), 1);
  EXPECT_EQ(counts.at("broadcast_inputs"), 1);
}

TEST(QuotasTest, CountsGroups) {
  TestCase test_case = GroupedCase("g");
  auto counts = Count(test_case);
  EXPECT_EQ(counts["several_groups"], 0);
  EXPECT_EQ(counts["rows_of_no_group"], 1);
  EXPECT_EQ(counts["preserved"], 16);
  EXPECT_EQ(counts["attribute:xQuantMode=pertoken"], 1);
  auto& inputs = test_case.arguments.inputs;
  inputs["groupList"] = MakeTensor(spec::DataType::kInt64, {3}, {0, 2, 2});
  inputs["weight"] = MakeTensor(spec::DataType::kInt8, {3, 16, 16},
                                std::vector<double>(768, -128));
  inputs["weightScale"] =
      MakeTensor(spec::DataType::kFloat32, {3, 16}, std::vector<double>(48, 1));
  counts = Count(test_case);
  EXPECT_EQ(counts["several_groups"], 1);
  EXPECT_EQ(counts["empty_groups"], 2);
  EXPECT_EQ(counts["rows_of_no_group"], 0);
  EXPECT_EQ(counts["inputs_at_lowest"], 1);
}

TEST(QuotasTest, CountsFloatsThatAreNoNumbers) {
  TestCase test_case = TensorFlowCase("t");
  test_case.arguments.inputs["input"] =
      MakeTensor(spec::DataType::kFloat32, {3},
                 {std::numeric_limits<double>::quiet_NaN(),
                  std::numeric_limits<double>::infinity(), 0x1p-149});
  test_case.arguments.outputs["output"].sizes = {3};
  auto counts = Count(test_case);
  EXPECT_EQ(counts["nan_inputs"], 1);
  EXPECT_EQ(counts["infinite_inputs"], 1);
  EXPECT_EQ(counts["subnormal_inputs"], 1);
  EXPECT_EQ(counts["nan_results"], 1);
  EXPECT_EQ(counts["attribute:signed_input=false"], 1);
  test_case.arguments.attributes["num_bits"] = int64_t{4};
  test_case.arguments.options.arithmetic = "tensorflow";
  counts = Count(test_case);
  EXPECT_EQ(counts["attribute:num_bits=4"], 1);
  EXPECT_EQ(counts["option:arithmetic=tensorflow"], 1);
}

TEST(QuotasTest, CountsOptions) {
  TestCase test_case = GroupedCase("g");
  test_case.arguments.options.allow_transpose_weight_false = true;
  EXPECT_EQ(Count(test_case)["option:allow_transpose_weight_false=true"], 1);
  test_case = AddCase("a", {1});
  test_case.arguments.operator_name = "dml_quantized_linear_matrix_multiply";
  test_case.arguments.options.feature_level = "2_1";
  for (auto& [name, tensor] : test_case.arguments.inputs) {
    tensor.desc.sizes = {1, 1, 1, 1};
  }
  test_case.arguments.outputs["OutputTensor"].sizes = {1, 1, 1, 1};
  EXPECT_EQ(Count(test_case)["option:feature_level=2_1"], 1);
}

TEST(QuotasTest, RejectionsAndEmptyCallsCountAsSuch) {
  auto counts = Count(ZeroScaleCase("z"));
  EXPECT_EQ(counts["rejections"], 1);
  EXPECT_EQ(counts["results"], 0);
  TestCase test_case = TensorFlowCase("e");
  test_case.arguments.inputs["input"] =
      MakeTensor(spec::DataType::kFloat32, {0}, {});
  test_case.arguments.outputs["output"].sizes = {0};
  counts = Count(test_case);
  EXPECT_EQ(counts["empty_calls"], 1);
  EXPECT_EQ(counts["vector_tails"], 0);
}

TEST(QuotasTest, LargeCasesHaveNoFacts) {
  auto counts = Count(AddCase("a", {1, 3}), /*limit=*/0);
  EXPECT_EQ(counts["second_oracle"], 1);
  EXPECT_EQ(counts["ties"], 0);
  EXPECT_EQ(counts["elements"], 2);
}

TEST(QuotasTest, ComparesCountsWithMinimums) {
  const auto quotas =
      CompareWithQuotas({{"a", {{"ties", 3}, {"cases", 1}}}},
                        {{"a", {{"ties", 4}}}, {"b", {{"cases", 1}}}});
  ASSERT_EQ(quotas.size(), 3u);
  EXPECT_EQ(quotas[0].counter, "cases");
  EXPECT_TRUE(quotas[0].Met());
  EXPECT_EQ(quotas[1].counter, "ties");
  EXPECT_EQ(quotas[1].count, 3);
  EXPECT_EQ(quotas[1].minimum, 4);
  EXPECT_FALSE(quotas[1].Met());
  EXPECT_EQ(quotas[2].operator_name, "b");
  EXPECT_FALSE(quotas[2].Met());
}

TEST(QuotasTest, ReadsItsFile) {
  const auto quotas = ParseQuotas("q.json",
                                  R"({"schema": "quotas/1", "quotas": {
          "dml_element_wise_quantized_linear_add":
              {"ties": 5, "rank:8": 1}}})");
  ASSERT_TRUE(quotas.ok()) << quotas.status();
  EXPECT_EQ(quotas->at("dml_element_wise_quantized_linear_add").at("rank:8"),
            1);
}

TEST(QuotasTest, MalformedFilesAreNamed) {
  const std::string add = R"("dml_element_wise_quantized_linear_add")";
  const auto wrap = [](const std::string& inner) {
    return R"({"schema": "quotas/1", "quotas": )" + inner + "}";
  };
  for (const auto& [json, message] :
       std::vector<std::pair<std::string, std::string>>{
           {"{", "is not JSON"},
           {"[]", "must be {"},
           {R"({"schema": "quotas/2", "quotas": {}})", "must be {"},
           {R"({"schema": "quotas/1", "quotas": {}, "more": 1})", "must be {"},
           {wrap("[]"), "must be {"},
           {wrap(R"({"no_operator": {}})"), "unknown operator no_operator"},
           {wrap("{" + add + ": 3}"), "must be an object"},
           {wrap("{" + add + R"(: {"tie": 3}})"), "unknown counter tie"},
           {wrap("{" + add + R"(: {"ties": 0}})"), "positive integer"},
           {wrap("{" + add + R"(: {"ties": 1.5}})"), "positive integer"},
           {wrap("{" + add + R"(: {"ties": 18446744073709551615}})"),
            "positive integer"},
           {wrap("{" + add + R"(: {"ties": "1"}})"), "positive integer"}}) {
    const auto quotas = ParseQuotas("q.json", json);
    EXPECT_EQ(quotas.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(quotas.status().message()), HasSubstr("q.json: "));
    EXPECT_THAT(std::string(quotas.status().message()), HasSubstr(message));
  }
}

TEST(QuotasTest, AFileThatCannotBeReadIsAnError) {
  EXPECT_EQ(ReadQuotas("/no/such/file").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(ReadQuotas(std::string(QCONFORM_SOURCE_DIR) +
                         "/harness/quotas/conform.json")
                  .ok());
}

}  // namespace
}  // namespace qconform::harness
