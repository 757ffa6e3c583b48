#include "harness/cases/tensor_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/cases/value_text.h"

namespace qconform::harness {
namespace {

using spec::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

spec::TensorDesc Desc(DataType type, std::vector<int64_t> sizes,
                      std::optional<std::vector<int64_t>> strides = {}) {
  spec::TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  desc.strides = std::move(strides);
  return desc;
}

absl::StatusOr<TensorData> Parse(const std::string& json,
                                 const spec::TensorDesc& desc,
                                 bool is_output = false) {
  GenerationBudget budget;
  return ParseTensorData(*ReadJson(json), desc, is_output, budget);
}

std::string ErrorOf(const std::string& json, const spec::TensorDesc& desc,
                    bool is_output = false) {
  const absl::StatusOr<TensorData> data = Parse(json, desc, is_output);
  EXPECT_FALSE(data.ok()) << json;
  return data.ok() ? "" : std::string(data.status().message());
}

std::vector<int64_t> Integers(const TensorData& data) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < data.must_stay.size(); ++i) {
    values.push_back(spec::ReadInteger(data.tensor, static_cast<int64_t>(i)));
  }
  return values;
}

TEST(AddressedStorage, FollowsStrides) {
  const auto addressed = [](std::vector<int64_t> sizes,
                            std::optional<std::vector<int64_t>> strides) {
    std::string text;
    for (const bool b :
         AddressedStorage(Desc(DataType::kInt8, sizes, strides))) {
      text += b ? 'x' : '.';
    }
    return text;
  };
  EXPECT_EQ(addressed({2, 3}, std::nullopt), "xxxxxx");
  EXPECT_EQ(addressed({2, 3}, {{4, 1}}), "xxx.xxx");
  EXPECT_EQ(addressed({3, 2}, {{1, 5}}), "xxx..xxx");
  EXPECT_EQ(addressed({2, 2, 2}, {{0, 6, 2}}), "x.x...x.x");
  EXPECT_EQ(addressed({1, 3}, {{100, 0}}), "x");
  EXPECT_EQ(addressed({0, 3}, {{4, 1}}), "");
  EXPECT_EQ(addressed({}, std::vector<int64_t>{}), "x");
  // Dimensions that overlap, and ones that meet.
  EXPECT_EQ(addressed({3, 3}, {{2, 3}}), "x.xxxxxxx.x");
  EXPECT_EQ(addressed({65536, 65537, 2}, {{0, 0, 3}}), "x..x");
}

TEST(TensorData, ReadsLists) {
  const absl::StatusOr<TensorData> data =
      Parse("[1, -2, null, 3]", Desc(DataType::kInt8, {2, 2}, {{3, 1}}));
  EXPECT_FALSE(data.ok());  // 5 storage elements are needed
  const absl::StatusOr<TensorData> right =
      Parse("[1, -2, null, 3, 4]", Desc(DataType::kInt8, {2, 2}, {{3, 1}}));
  ASSERT_TRUE(right.ok()) << right.status();
  EXPECT_THAT(Integers(*right), ElementsAre(1, -2, 0, 3, 4));
  EXPECT_EQ(FormatTensorData(right->tensor, {}), "[1, -2, null, 3, 4]");
  const absl::StatusOr<TensorData> reals =
      Parse(R"(["0x1p-1", "nan", 3, "-inf"])", Desc(DataType::kFloat16, {4}));
  ASSERT_TRUE(reals.ok());
  EXPECT_EQ(FormatTensorData(reals->tensor, {}),
            R"(["0x1p-1", "nan", "0x1.8p+1", "-inf"])");
  EXPECT_TRUE(Parse("[]", Desc(DataType::kInt8, {0, 5})).ok());
  EXPECT_TRUE(Parse("[7]", Desc(DataType::kInt8, {})).ok());
}

TEST(TensorData, NullMeansMustStayInOutputsAndPaddingInInputs) {
  const absl::StatusOr<TensorData> output =
      Parse("[1, null, 3]", Desc(DataType::kUint8, {3}), true);
  ASSERT_TRUE(output.ok());
  EXPECT_THAT(output->must_stay, ElementsAre(false, true, false));
  EXPECT_EQ(FormatTensorData(output->tensor, output->must_stay),
            "[1, null, 3]");
  EXPECT_THAT(ErrorOf("[1, null, 3]", Desc(DataType::kUint8, {3})),
              HasSubstr("[1]: found null"));
  EXPECT_THAT(ErrorOf("[1, 2, 3]", Desc(DataType::kUint8, {2}, {{2}}), true),
              HasSubstr("[1]: found a value in the padding of an output"));
}

TEST(TensorData, ErrorsNameThePlace) {
  EXPECT_EQ(ErrorOf("[1, 2]", Desc(DataType::kUint8, {3})),
            "found 2 elements; sizes and strides need 3 from offset 0 to the "
            "last element");
  EXPECT_THAT(
      ErrorOf("[1, 2]", Desc(DataType::kUint8, {2}, {{int64_t{1} << 62}})),
      HasSubstr("found 2 elements"));
  EXPECT_THAT(ErrorOf("[1, 2, 300]", Desc(DataType::kUint8, {3})),
              HasSubstr("[2]: found 300"));
  EXPECT_THAT(ErrorOf("[0.5, 0.1]", Desc(DataType::kFloat32, {2})),
              HasSubstr("[1]: found 0.1"));
  for (const char* json :
       {"null", "1", "\"a\"", "{}", R"({"repat": [1]})",
        R"({"repeat": [1], "random": {"seed": 1, "range": [0, 1]}})"}) {
    EXPECT_THAT(ErrorOf(json, Desc(DataType::kUint8, {1})),
                HasSubstr("is allowed"))
        << json;
  }
  EXPECT_THAT(ErrorOf("[]", Desc(DataType::kUint8, {2, 2}, {{1}})),
              HasSubstr("stride"));
}

TEST(TensorData, RepeatFillsTheStorage) {
  const absl::StatusOr<TensorData> data =
      Parse(R"({"repeat": [1, 2, 3]})", Desc(DataType::kInt16, {7}));
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_THAT(Integers(*data), ElementsAre(1, 2, 3, 1, 2, 3, 1));
  EXPECT_EQ(data->generated, R"({"repeat": [1, 2, 3]})");
  const absl::StatusOr<TensorData> real =
      Parse(R"({"repeat": [0.5]})", Desc(DataType::kFloat32, {3}));
  EXPECT_EQ(real->generated, R"({"repeat": ["0x1p-1"]})");
  const absl::StatusOr<TensorData> output = Parse(
      R"({"repeat": [5, null]})", Desc(DataType::kUint8, {3}, {{2}}), true);
  ASSERT_TRUE(output.ok()) << output.status();
  EXPECT_THAT(output->must_stay, ElementsAre(false, true, false, true, false));
  EXPECT_TRUE(Parse(R"({"repeat": [1]})", Desc(DataType::kInt8, {0})).ok());
}

TEST(TensorData, RepeatRejects) {
  const spec::TensorDesc desc = Desc(DataType::kUint8, {4});
  EXPECT_THAT(ErrorOf(R"({"repeat": []})", desc), HasSubstr("an empty list"));
  EXPECT_THAT(ErrorOf(R"({"repeat": 1})", desc), HasSubstr("found 1;"));
  EXPECT_THAT(ErrorOf(R"({"repeat": [1, 256]})", desc),
              HasSubstr(".repeat: [1]: found 256"));
  EXPECT_THAT(ErrorOf(R"({"repeat": [1, null]})", desc),
              HasSubstr(".repeat: element 1: found null"));
  EXPECT_THAT(
      ErrorOf(R"({"repeat": [1]})", Desc(DataType::kUint8, {int64_t{1} << 40})),
      HasSubstr("67108864 bytes"));
}

TEST(TensorData, BudgetIsShared) {
  GenerationBudget budget;
  budget.bytes = 10;
  const JsonValue rule = *ReadJson(R"({"repeat": [1]})");
  const spec::TensorDesc desc = Desc(DataType::kUint8, {6});
  EXPECT_TRUE(ParseTensorData(rule, desc, false, budget).ok());
  EXPECT_FALSE(ParseTensorData(rule, desc, false, budget).ok());
}

// splitmix64 with seed 1234567 begins with these outputs (the reference
// sequence of its published test vectors).
TEST(TensorData, RandomIsSplitMix64) {
  const absl::StatusOr<TensorData> data = Parse(
      R"({"random": {"seed": 1234567, "range":
          [-9223372036854775808, 9223372036854775807]}})",
      Desc(DataType::kInt64, {5}));
  ASSERT_TRUE(data.ok()) << data.status();
  std::vector<uint64_t> outputs;
  for (const int64_t value : Integers(*data)) {
    outputs.push_back(static_cast<uint64_t>(value) + (uint64_t{1} << 63));
  }
  EXPECT_THAT(outputs, ElementsAre(6457827717110365317u, 3203168211198807973u,
                                   9817491932198370423u, 4593380528125082431u,
                                   16408922859458223821u));
  // The same outputs modulo 10, from -3 on.
  const absl::StatusOr<TensorData> small =
      Parse(R"({"random": {"range": [-3, 6], "seed": 1234567}})",
            Desc(DataType::kInt8, {5}));
  EXPECT_THAT(Integers(*small), ElementsAre(4, 0, 0, -2, -2));
  EXPECT_EQ(small->generated,
            R"({"random": {"seed": 1234567, "range": [-3, 6]}})");
}

TEST(TensorData, RandomRejects) {
  const spec::TensorDesc desc = Desc(DataType::kUint8, {4});
  for (const char* rule :
       {"1", "{}", R"({"seed": 1})", R"({"range": [0, 1]})",
        R"({"seed": -1, "range": [0, 1]})", R"({"seed": 1.5, "range": [0, 1]})",
        R"({"seed": 1, "range": [0, 1, 2]})", R"({"seed": 1, "range": 5})",
        R"({"seed": 1, "range": [0, 1], "x": 1})"}) {
    std::string json = R"({"random": )";
    json += rule;
    json += "}";
    EXPECT_THAT(ErrorOf(json, desc), HasSubstr("of another form")) << rule;
  }
  EXPECT_THAT(ErrorOf(R"({"random": {"seed": 1, "range": [-1, 1]}})", desc),
              HasSubstr(".random.range[0]: found -1"));
  EXPECT_THAT(ErrorOf(R"({"random": {"seed": 1, "range": [0, 256]}})", desc),
              HasSubstr(".random.range[1]: found 256"));
  EXPECT_THAT(ErrorOf(R"({"random": {"seed": 1, "range": [2, 1]}})", desc),
              HasSubstr("may not exceed"));
  EXPECT_THAT(ErrorOf(R"({"random": {"seed": 1, "range": [0, 1]}})",
                      Desc(DataType::kFloat32, {4})),
              HasSubstr("only integer types"));
  EXPECT_THAT(
      ErrorOf(R"({"random": {"seed": 1, "range": [0, 1]}})", desc, true),
      HasSubstr("is allowed"));
  EXPECT_THAT(ErrorOf(R"({"random": {"seed": 1, "range": [0, 1]}})",
                      Desc(DataType::kUint8, {int64_t{1} << 40})),
              HasSubstr("67108864 bytes"));
}

}  // namespace
}  // namespace qconform::harness
