#include "harness/cases/vector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "harness/cases/example_vectors.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Canonical(const std::string& json) {
  const absl::StatusOr<VectorFile> file = ParseVectorFile("a.json", json);
  EXPECT_TRUE(file.ok()) << file.status();
  return file.ok() ? FormatVectorFile(*file) : "";
}

TEST(VectorFile, ReadsEveryPart) {
  const absl::StatusOr<VectorFile> file = ParseVectorFile("a.json", kAdd);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->operator_name, "dml_element_wise_quantized_linear_add");
  ASSERT_EQ(file->cases.size(), 2u);
  const TestCase& first = file->cases[0];
  EXPECT_EQ(first.id, "first");
  EXPECT_EQ(first.title, "a \"title\"");
  EXPECT_EQ(first.source, "by hand");
  EXPECT_EQ(first.file, "a.json");
  EXPECT_THAT(first.clauses, ElementsAre("QA-01", "AR-03"));
  EXPECT_EQ(first.arguments.operator_name, file->operator_name);
  EXPECT_EQ(spec::ReadInteger(first.arguments.inputs.at("ATensor"), 2), 2);
  EXPECT_EQ(spec::ReadReal(first.arguments.inputs.at("AScaleTensor"), 0), 0.5);
  EXPECT_THAT(first.expected.at("OutputTensor").must_stay,
              ElementsAre(false, true, true, true));
  EXPECT_EQ(first.generated_data.count("BTensor"), 1u);
  EXPECT_EQ(file->cases[1].error->status, "invalid_argument");

  const TestCase nz = ParseVectorFile("", kGrouped)->cases[0];
  EXPECT_EQ(nz.error->aclnn_status, 161002);
  EXPECT_TRUE(nz.arguments.options.allow_transpose_weight_false);
  EXPECT_EQ(nz.arguments.inputs.at("weight").desc.format,
            spec::TensorFormat::kFractalNz);
  EXPECT_EQ(nz.arguments.attributes.at("transposeWeight"),
            spec::Attribute(false));
  EXPECT_EQ(nz.expected.count("out"), 0u);
  const TestCase dequantize = ParseVectorFile("", kDequantize)->cases[0];
  EXPECT_EQ(dequantize.arguments.options.arithmetic, "tensorflow");
  EXPECT_EQ(dequantize.arguments.attributes.at("num_bits"),
            spec::Attribute(int64_t{4}));
}

TEST(VectorFile, CanonicalTextComesBackAsItIs) {
  EXPECT_EQ(Canonical(kAdd), kAdd);
  EXPECT_EQ(Canonical(kGrouped), kGrouped);
  EXPECT_EQ(Canonical(kDequantize), kDequantize);
  const std::string empty =
      "{\n  \"schema\": \"test_vector/1\",\n  \"operator\": "
      "\"tf_quantize_and_dequantize_v2\",\n  \"cases\": []\n}\n";
  EXPECT_EQ(Canonical(empty), empty);
}

TEST(VectorFile, OtherSpellingsBecomeTheCanonicalOne) {
  EXPECT_EQ(
      Canonical(absl::StrReplaceAll(
          kAdd, {{"\n", " "},
                 {"  ", ""},
                 {"\"0x1p-1\"", "5e-1"},
                 {"\"type\": \"int8\", \"sizes\": [2]",
                  "\"sizes\": [2], \"format\": \"ND\", \"type\": \"int8\""},
                 {"[1, null, 2]", "[1, 0, 2]"}})),
      kAdd);
  EXPECT_EQ(Canonical(absl::StrReplaceAll(
                kGrouped, {{"[0, 16]}", "[0, 16], \"data\": null}"}})),
            kGrouped);
  EXPECT_EQ(
      Canonical(absl::StrReplaceAll(
          kDequantize, {{"\"num_bits\": 4, \"round_mode\": \"HALF_UP\"",
                         "\"round_mode\": \"HALF_UP\", \"num_bits\": 4"}})),
      kDequantize);
}

TEST(VectorFile, WriterDropsARuleThatNoLongerHolds) {
  VectorFile file = *ParseVectorFile("a.json", kAdd);
  spec::Tensor& b = file.cases[0].arguments.inputs["BTensor"];
  spec::WriteInteger(b, 0, 5);
  spec::WriteInteger(b, 1, 6);
  EXPECT_THAT(FormatVectorFile(file),
              HasSubstr("\"sizes\": [2], \"data\": [5, 6]}"));
  file.cases[0].generated_data["BTensor"] = "no json";
  EXPECT_THAT(FormatVectorFile(file),
              HasSubstr("\"sizes\": [2], \"data\": [5, 6]}"));
}

TEST(VectorFile, WriterTakesNamesThatNoOperatorHas) {
  VectorFile file;
  file.operator_name = "unknown";
  TestCase& test_case = file.cases.emplace_back();
  test_case.id = "a\xff";
  test_case.arguments.operator_name = "unknown";
  test_case.arguments.attributes["z"] = true;
  test_case.arguments.options.feature_level = "2_1";
  const std::string text = FormatVectorFile(file);
  EXPECT_THAT(text, AllOf(HasSubstr("\"z\": true"),
                          HasSubstr("\"feature_level\": \"2_1\"")));
  EXPECT_FALSE(ParseVectorFile("a.json", text).ok());
}

// Each malformed text, and what its message must name.
struct Malformed {
  std::string from;  // this part of a good file ...
  std::string to;    // ... becomes this
  std::vector<std::string> named;
};

void ExpectMalformed(const std::string& good,
                     const std::vector<Malformed>& all) {
  for (const Malformed& one : all) {
    const std::string json = absl::StrReplaceAll(good, {{one.from, one.to}});
    ASSERT_NE(json, good) << one.from;
    const absl::StatusOr<VectorFile> file = ParseVectorFile("dir/a.json", json);
    ASSERT_FALSE(file.ok()) << one.to;
    EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(file.status().message()),
                HasSubstr("dir/a.json: "));
    for (const std::string& named : one.named) {
      EXPECT_THAT(std::string(file.status().message()), HasSubstr(named));
    }
  }
}

TEST(VectorFile, NamesWhatIsMalformedInAFile) {
  ExpectMalformed(
      kAdd,
      {{"test_vector/1", "test_vector/2", {"schema", "\"test_vector/2\""}},
       {"\"test_vector/1\"", "1", {"schema: found 1"}},
       {"linear_add", "linear_sub", {"operator", "allowed are aclnn"}},
       {"\"dml_element_wise_quantized_linear_add\"", "[]", {"operator"}},
       {"\"schema\"", "\"scheme\"", {"the key \"scheme\""}},
       {"  \"schema\": \"test_vector/1\",", "", {"no \"schema\""}},
       {"\"id\": \"second\"", "\"id\": \"first\"", {"\"first\"", "twice"}},
       {"\"id\": \"second\"", "\"id\": \"a b\"", {"cases[1].id", "\"a b\""}},
       {"\"id\": \"second\"", "\"id\": \"-a\"", {"cases[1].id"}},
       {"\"id\": \"second\"", "\"id\": \"\"", {"cases[1].id"}},
       {"\"id\": \"second\"", "\"id\": 5", {"cases[1].id: found 5"}},
       {"\"id\": \"second\",", "", {"cases[1].id: found no id"}},
       {"\"first\",", "\"first\", \"id\": \"x\",", {"twice"}},
       {"    }\n  ]\n}", "", {"line"}}});
  for (const char* json : {"[]", "null", "{}", "\"a\""}) {
    EXPECT_FALSE(ParseVectorFile("a", json).ok()) << json;
  }
  EXPECT_FALSE(
      ParseVectorFile(
          "a", absl::StrReplaceAll(kDequantize,
                                   {{"\"cases\": [", "\"cases\": {\"a\": ["},
                                    {"\n  ]\n}", "\n  ]}\n}"}}))
          .ok());
  EXPECT_FALSE(ParseVectorFile("a", R"({"schema": "test_vector/1", "operator":
      "tf_quantize_and_dequantize_v2", "cases": [1]})")
                   .ok());
}

TEST(VectorFile, NamesWhatIsMalformedInACase) {
  ExpectMalformed(
      kAdd,
      {{"\"title\": \"t\"", "\"title\": 1", {"\"second\"", "title: found 1"}},
       {"\"title\": \"t\",", "", {"\"second\"", "no \"title\""}},
       {"\"by hand\"", "[]", {"\"first\"", "source: found a list"}},
       {"\"AR-03\"]", "3]", {"\"first\"", "clauses[1]: found 3"}},
       {"[\"QA-01\", \"AR-03\"]", "\"AR\"", {"clauses: found \"AR\""}},
       {"\"title\": \"t\"", "\"title\": \"t\", \"note\": 1", {"key \"note\""}},
       {"\"inputs\": {}", "\"inputs\": []", {"\"second\"", "inputs"}},
       {"\"outputs\": {},", "", {"\"second\"", "no \"outputs\""}},
       {"\"ATensor\"", "\"CTensor\"", {"\"CTensor\"", "ATensor, "}},
       {"\"OutputTensor\"", "\"ATensor\"", {"outputs", "\"ATensor\""}},
       {"\"BTensor\"", "\"OutputTensor\"", {"inputs", "\"OutputTensor\""}},
       {"invalid_argument", "invalid", {"error", "\"invalid\""}},
       {"\"invalid_argument\"", "161002", {"error: found 161002"}},
       {"\"inputs\": {},",
        "\"inputs\": {}, \"attributes\": {\"n\": 1},",
        {"\"n\"", "allowed are none"}},
       {"\"inputs\": {},",
        "\"inputs\": {}, \"options\": {\"arithmetic\": \"exact\"},",
        {"options", "\"arithmetic\""}},
       {"\"inputs\": {},", "\"inputs\": {}, \"options\": 1,", {"options"}},
       {"\"inputs\": {},",
        "\"inputs\": {}, \"attributes\": 1,",
        {"attributes"}}});
  ExpectMalformed(kGrouped,
                  {{"161002", "161003", {"error: found 161003", "161001"}},
                   {"161002", "true", {"error: found true"}},
                   {": false", ": 0", {"attributes.transposeWeight: found 0"}},
                   {"\"pertoken\"", "7", {"attributes.xQuantMode: found 7"}},
                   {"_false\": true", "_false\": 1", {"found 1"}},
                   {"[0, 16]}",
                    "[0, 16], \"data\": []}",
                    {"outputs.out.data", "a case with an error"}}});
  ExpectMalformed(
      kDequantize,
      {{"\"num_bits\": 4", "\"num_bits\": 4.5", {"num_bits"}},
       {"\"num_bits\"", "\"numBits\"", {"allowed are signed_input"}},
       {"\"tensorflow\"", "\"float\"", {"\"exact\", \"tensorflow\""}},
       {"\"tensorflow\"", "5", {"options.arithmetic: found 5"}}});
}

TEST(VectorFile, NamesWhatIsMalformedInATensor) {
  ExpectMalformed(
      kAdd,
      {{"\"uint8\"", "\"uint9\"", {"inputs.ATensor.type: ", "uint9"}},
       {"\"uint8\"", "8", {"inputs.ATensor.type: found 8"}},
       {"\"sizes\": [1]",
        "\"sizes\": [9223372036854775808]",
        {"inputs.AScaleTensor.sizes[0]"}},
       {"\"sizes\": [1]",
        "\"sizes\": [9223372036854775807, 2]",
        {"inputs.AScaleTensor"}},
       {"\"sizes\": [1]",
        "\"sizes\": [9223372036854775807]",
        {"AScaleTensor.data: found 1 elements"}},
       {"\"sizes\": [1]",
        "\"sizes\": [-1]",
        {"AScaleTensor.sizes[0]: found -1"}},
       {"\"sizes\": [1]", "\"sizes\": [1.0]", {"sizes[0]: found 1.0"}},
       {"\"sizes\": [1]", "\"sizes\": 1", {"sizes: found 1"}},
       {"\"strides\": [2]", "\"strides\": [-2]", {"strides[0]: found -2"}},
       {"\"strides\": [2]", "\"strides\": 2", {"strides: found 2"}},
       {"\"strides\": [2]", "\"strides\": [2, 1]", {"inputs.ATensor"}},
       {"\"strides\": [2]",
        "\"strides\": [9223372036854775807]",
        {"inputs.ATensor"}},
       {"\"strides\": [2]",
        "\"strides\": [3]",
        {"ATensor.data: found 3 elements"}},
       {"\"strides\": [2]", "\"layout\": [2]", {"key \"layout\""}},
       {"\"strides\": [2]", "\"format\": \"NZ\"", {"ATensor.format: ", "NZ"}},
       {"\"strides\": [2]", "\"format\": 1", {"ATensor.format: found 1"}},
       {", \"data\": [\"0x1p-1\"]", "", {"inputs.AScaleTensor", "no \"data\""}},
       {"[\"0x1p-1\"]", "null", {"AScaleTensor.data: found null"}},
       {"[\"0x1p-1\"]",
        "[0.1]",
        {"\"first\"", "AScaleTensor.data[0]: found 0.1", "0x1.99999ap-4"}},
       {"\"seed\"", "\"sed\"", {"inputs.BTensor.data.random"}},
       {"{\"type\": \"float32\"",
        "[], \"BScaleTensor\": {\"type\": \"float32\"",
        {"inputs.AScaleTensor: found a list"}}});
}

TEST(VectorFile, SomeCallsNoFileCanTell) {
  TestCase test_case = ParseVectorFile("", kAdd)->cases[0];
  EXPECT_TRUE(CanBeWritten(test_case));
  TestCase changed = test_case;
  changed.arguments.inputs.at("ATensor").desc.strides = {{1, 1, 1}};
  EXPECT_FALSE(CanBeWritten(changed));
  changed = test_case;
  changed.arguments.outputs.at("OutputTensor").sizes = {-1};
  EXPECT_FALSE(CanBeWritten(changed));
  changed = test_case;
  changed.id = "two words";
  EXPECT_FALSE(CanBeWritten(changed));
}

}  // namespace
}  // namespace qconform::harness
