#include "spec/operator_spec.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

TEST(AllOperatorsTest, InTheOrderOfTheirNames) {
  std::vector<std::string> names;
  for (const OperatorSpec& spec : AllOperators()) names.push_back(spec.name);
  EXPECT_THAT(names, ElementsAre(kGrouped, kAdd, kMatmul, kQuantize));
  EXPECT_EQ(FindOperator("no_such_operator"), nullptr);
}

// Every id that has been decided, written out so that a lost clause is noticed.
TEST(AllOperatorsTest, EveryClauseStandsExactlyOnce) {
  const std::map<std::string, int> counts = {
      {"AR", 12}, {"QM", 9}, {"QA", 3}, {"AG", 14}, {"TQ", 13}};
  const std::map<std::string, std::string> prefixes = {
      {kMatmul, "QM"}, {kAdd, "QA"}, {kGrouped, "AG"}, {kQuantize, "TQ"}};
  for (const OperatorSpec& spec : AllOperators()) {
    std::multiset<std::string> expected;
    for (const std::string& prefix :
         {prefixes.at(spec.name), std::string("AR")}) {
      for (int i = 1; i <= counts.at(prefix); ++i) {
        expected.insert(absl::StrCat(prefix, i < 10 ? "-0" : "-", i));
      }
    }
    std::multiset<std::string> found;
    for (const Clause& clause : spec.clauses) {
      found.insert(clause.id);
      EXPECT_FALSE(clause.question.empty()) << clause.id;
      EXPECT_FALSE(clause.text.empty()) << clause.id;
      EXPECT_FALSE(clause.place.empty()) << clause.id;
      EXPECT_EQ(spec.FindClause(clause.id), &clause);
    }
    EXPECT_EQ(found, expected) << spec.name;
    EXPECT_EQ(spec.FindClause("XX-01"), nullptr);
  }
}

TEST(AllOperatorsTest, ConstraintsCiteClausesThatExist) {
  for (const OperatorSpec& spec : AllOperators()) {
    for (const Constraint& constraint : spec.constraints) {
      for (const std::string& id : constraint.clauses) {
        // QA-03 takes over some clauses of the matrix multiply.
        EXPECT_TRUE(spec.FindClause(id) != nullptr ||
                    FindOperator(kMatmul)->FindClause(id) != nullptr)
            << constraint.text;
      }
    }
  }
}

TEST(AllOperatorsTest, MatrixMultiplyAsTheDocumentSays) {
  const OperatorSpec* spec = FindOperator(kMatmul);
  ASSERT_NE(spec, nullptr);
  EXPECT_EQ(spec->title, "DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC");
  EXPECT_EQ(spec->tensors.size(), 9u);
  EXPECT_THAT(spec->attributes, IsEmpty());
  EXPECT_THAT(spec->options, ElementsAre("feature_level"));
  const TensorSpec* scale = spec->FindTensor("BScaleTensor");
  ASSERT_NE(scale, nullptr);
  EXPECT_FALSE(scale->is_output);
  EXPECT_FALSE(scale->optional);
  EXPECT_TRUE(scale->strides_allowed);
  EXPECT_THAT(scale->types, ElementsAre(DataType::kFloat32));
  EXPECT_EQ(scale->min_rank, 1);
  EXPECT_EQ(scale->max_rank, 4);
  EXPECT_THAT(scale->shapes, ElementsAre(ElementsAre("1", "1", "1", "1"),
                                         ElementsAre("1", "1", "1", "N")));
  EXPECT_TRUE(spec->FindTensor("BZeroPointTensor")->optional);
  EXPECT_TRUE(spec->FindTensor("OutputTensor")->is_output);
  EXPECT_EQ(spec->FindTensor("CTensor"), nullptr);
}

TEST(AllOperatorsTest, GroupedMatmulAsTheDocumentSays) {
  const OperatorSpec* spec = FindOperator(kGrouped);
  ASSERT_NE(spec, nullptr);
  const TensorSpec* weight = spec->FindTensor("weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_THAT(weight->formats,
              ElementsAre(TensorFormat::kNd, TensorFormat::kFractalNz));
  EXPECT_FALSE(weight->strides_allowed);
  EXPECT_TRUE(spec->FindTensor("biasOptional")->must_be_absent);
  EXPECT_TRUE(spec->FindTensor("xOffsetOptional")->must_be_absent);
  const AttributeSpec* mode = spec->FindAttribute("xQuantMode");
  ASSERT_NE(mode, nullptr);
  EXPECT_EQ(mode->type, "string");
  EXPECT_FALSE(mode->default_value.has_value());
  EXPECT_THAT(mode->allowed, ElementsAre(Attribute(std::string("pertoken")),
                                         Attribute(std::string("pertensor"))));
  EXPECT_EQ(spec->FindAttribute("transposeWeight")->default_value,
            Attribute(true));
}

// TQ-10
TEST(AllOperatorsTest, QuantizeAndDequantizeAsTheDocumentSays) {
  const OperatorSpec* spec = FindOperator(kQuantize);
  ASSERT_NE(spec, nullptr);
  EXPECT_EQ(spec->FindAttribute("signed_input")->default_value,
            Attribute(true));
  const AttributeSpec* bits = spec->FindAttribute("num_bits");
  ASSERT_NE(bits, nullptr);
  EXPECT_EQ(bits->default_value, Attribute(int64_t{8}));
  EXPECT_EQ(bits->minimum, 1);
  EXPECT_EQ(bits->maximum, 62);
  EXPECT_EQ(spec->FindAttribute("range_given")->default_value,
            Attribute(false));
  EXPECT_EQ(spec->FindAttribute("round_mode")->default_value,
            Attribute(std::string("HALF_TO_EVEN")));
  EXPECT_EQ(spec->FindAttribute("narrow_range")->default_value,
            Attribute(false));
  EXPECT_EQ(spec->FindAttribute("axis"), nullptr);
  EXPECT_GT(spec->FindTensor("input")->max_rank, 1000);
  EXPECT_EQ(spec->FindTensor("input_min")->max_rank, 0);
}

constexpr char kShared[] = R"({"schema": "shared_clauses/1", "clauses": [
  {"id": "AR-01", "question": "q", "text": "t", "place": "p"}]})";
constexpr char kSpec[] = R"({"schema": "operator_spec/1", "name": "n",
  "title": "t", "document": "d", "tensors": [{"name": "x", "role": "input",
    "optional": false, "must_be_absent": false, "strides_allowed": false,
    "types": ["int8"], "formats": ["ND"], "min_rank": 1, "max_rank": 2,
    "shapes": [["M"]], "description": "a tensor"}],
  "attributes": [{"name": "bits", "type": "int", "default": 8, "allowed": [],
    "minimum": 1, "description": "an attribute"}],
  "options": ["arithmetic"],
  "constraints": [{"text": "c", "clauses": ["TQ-01"]}],
  "clauses": [{"id": "TQ-01", "question": "q", "text": "t", "place": "p"}]})";

TEST(ParseOperatorSpecTest, ReadsAll) {
  const auto spec = ParseOperatorSpec(kSpec, kShared);
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->clauses.size(), 2u);
  EXPECT_EQ(spec->clauses[1].id, "AR-01");
  EXPECT_THAT(spec->constraints[0].clauses, ElementsAre("TQ-01"));
}

TEST(ParseOperatorSpecTest, NamesWhatIsWrong) {
  const struct {
    const char* from;
    const char* to;
    const char* message;
  } rows[] = {
      {"{\"schema\"", "{\"schem", "operator spec: [json"},
      {"operator_spec/1", "operator_spec/2", "allowed: operator_spec/1"},
      {"\"name\": \"n\",", "", "\"name\" is missing"},
      {"\"title\": \"t\"", "\"title\": 3", "\"title\" must be a string"},
      {"\"role\": \"input\"", "\"role\": \"in\"", "allowed: input, output"},
      {"\"optional\": false", "\"optional\": 0", "must be true or false"},
      {"\"optional\": false,", "", "\"optional\" is missing"},
      {"\"int8\"", "\"int4\"", "tensors[0]: unknown type \"int4\""},
      {"\"ND\"", "\"NZ\"", "unknown format \"NZ\""},
      {"\"min_rank\": 1", "\"min_rank\": 1.5", "must be an integer"},
      {"[[\"M\"]]", "[3]", "\"shapes\" must hold arrays"},
      {"[[\"M\"]]", "[[3]]", "a shape must hold strings"},
      {"[\"int8\"]", "3", "\"types\" must be an array"},
      {"[\"int8\"]", "[3]", "\"types\" must hold strings"},
      {"\"type\": \"int\"", "\"type\": \"real\"", "allowed: bool, int, string"},
      {"\"default\": 8", "\"default\": 8.5",
       "attributes[0]: \"default\" must hold"},
      {"\"default\": 8", "\"extra\": 8", "unknown member \"extra\""},
      {"\"text\": \"c\"", "\"text\": 1",
       "constraints[0]: \"text\" must be a string"},
      {"\"id\": \"TQ-01\"", "\"ID\": \"TQ-01\"",
       "clauses[0]: \"id\" is missing"},
      {"\"id\": \"TQ-01\"", "\"id\": \"AR-01\"", "AR-01 stands twice"},
      {"\"constraints\": [{\"text\": \"c\", \"clauses\": [\"TQ-01\"]}]",
       "\"constraints\": [3]", "constraints[0]: an object is expected"},
  };
  for (const auto& row : rows) {
    const std::string json = absl::StrReplaceAll(kSpec, {{row.from, row.to}});
    ASSERT_NE(json, kSpec) << row.from;
    const auto spec = ParseOperatorSpec(json, kShared);
    ASSERT_FALSE(spec.ok()) << row.to;
    EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr(row.message));
  }
}

TEST(ParseOperatorSpecTest, SharedClausesAreCheckedToo) {
  EXPECT_THAT(std::string(ParseOperatorSpec(kSpec, "[").status().message()),
              HasSubstr("shared clauses: [json"));
  EXPECT_THAT(std::string(ParseOperatorSpec(kSpec, "{}").status().message()),
              HasSubstr("shared clauses: \"schema\" is missing"));
  EXPECT_THAT(std::string(ParseOperatorSpec("[]", kShared).status().message()),
              HasSubstr("operator spec: an object is expected"));
}

}  // namespace
}  // namespace qconform::spec
