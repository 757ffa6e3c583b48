#include "harness/cases/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;
using Kind = JsonValue::Kind;

std::string ErrorOf(const std::string& text) {
  const absl::StatusOr<JsonValue> value = ReadJson(text);
  EXPECT_FALSE(value.ok()) << text;
  if (value.ok()) return "";
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(value.status().message());
}

TEST(JsonReader, KeepsKindsAndSpelling) {
  const absl::StatusOr<JsonValue> value = ReadJson(
      R"({"a": [null, true, 18446744073709551615, -9223372036854775808,
                -0, 0.10, 1e2, "x\n"], "b": {}})");
  ASSERT_TRUE(value.ok()) << value.status();
  ASSERT_EQ(value->kind, Kind::kObject);
  EXPECT_EQ(value->Find("b")->kind, Kind::kObject);
  EXPECT_EQ(value->Find("c"), nullptr);
  const std::vector<JsonValue>& items = value->Find("a")->items;
  ASSERT_EQ(items.size(), 8u);
  EXPECT_EQ(items[0].kind, Kind::kNull);
  EXPECT_TRUE(items[1].boolean);
  EXPECT_EQ(items[2].unsigned_value, 18446744073709551615u);
  EXPECT_EQ(items[3].negative_value, INT64_MIN);
  EXPECT_EQ(items[4].kind, Kind::kNegative);
  EXPECT_EQ(items[5].text, "0.10");
  EXPECT_EQ(items[6].kind, Kind::kReal);
  EXPECT_EQ(items[7].text, "x\n");
}

TEST(JsonReader, DescribesShortly) {
  const auto describe = [](const std::string& text) {
    return ReadJson(text)->Describe();
  };
  EXPECT_EQ(describe("null"), "null");
  EXPECT_EQ(describe("true"), "true");
  EXPECT_EQ(describe("false"), "false");
  EXPECT_EQ(describe("12"), "12");
  EXPECT_EQ(describe("-12"), "-12");
  EXPECT_EQ(describe("-0"), "-0");
  EXPECT_EQ(describe("1.50"), "1.50");
  EXPECT_EQ(describe("\"a\""), "\"a\"");
  EXPECT_EQ(describe("[1]"), "a list");
  EXPECT_EQ(describe("{}"), "an object");
  EXPECT_EQ(describe(absl::StrCat("\"", std::string(1000, 'a'), "\"")).size(),
            65u);
  EXPECT_EQ(describe(absl::StrCat("0.", std::string(1000, '1'))).size(), 60u);
}

TEST(JsonReader, RejectsWhatIsNoJson) {
  EXPECT_THAT(ErrorOf("{\"a\": [1, 2"), HasSubstr("line 1, column 12"));
  EXPECT_THAT(ErrorOf("{\"a\": 1} x"), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf("\"\xff\""), HasSubstr("UTF-8"));
  EXPECT_THAT(ErrorOf("1e999"), HasSubstr("1e999"));
}

TEST(JsonReader, RejectsWhatFollowsAZeroByte) {
  EXPECT_EQ(ReadJson(std::string("{}\0garbage", 10)).status().message(),
            "found a zero byte at offset 2, no JSON");
}

TEST(JsonReader, RejectsDuplicateKeys) {
  EXPECT_THAT(ErrorOf(R"({"a": 1, "b": {"a": 2}, "a": 3})"),
              HasSubstr("\"a\" stands twice"));
  EXPECT_TRUE(ReadJson(R"([{"a": 1}, {"a": 1, "b": {"a": 2}}])").ok());
}

TEST(JsonReader, BoundsNesting) {
  EXPECT_TRUE(ReadJson(std::string(32, '[') + std::string(32, ']')).ok());
  EXPECT_THAT(ErrorOf(std::string(33, '[') + std::string(33, ']')),
              HasSubstr("32 levels"));
  EXPECT_THAT(ErrorOf(std::string(1000000, '[')), HasSubstr("32 levels"));
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"a\":";
  EXPECT_THAT(ErrorOf(objects), HasSubstr("32 levels"));
}

}  // namespace
}  // namespace qconform::harness
