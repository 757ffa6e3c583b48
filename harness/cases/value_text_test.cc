#include "harness/cases/value_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

using spec::DataType;
using ::testing::HasSubstr;

absl::StatusOr<double> Real(const std::string& json, DataType type) {
  return ParseReal(*ReadJson(json), type);
}

std::string RealError(const std::string& json, DataType type) {
  const absl::StatusOr<double> value = Real(json, type);
  EXPECT_FALSE(value.ok()) << json;
  return value.ok() ? "" : std::string(value.status().message());
}

TEST(HexFloat, IsTheShortestSpelling) {
  EXPECT_EQ(HexFloat(0.5), "0x1p-1");
  EXPECT_EQ(HexFloat(-3), "-0x1.8p+1");
  EXPECT_EQ(HexFloat(0), "0x0p+0");
  EXPECT_EQ(HexFloat(-0.0), "-0x0p+0");
  EXPECT_EQ(HexFloat(0.1f), "0x1.99999ap-4");
  EXPECT_EQ(HexFloat(0.1), "0x1.999999999999ap-4");
  EXPECT_EQ(HexFloat(65504), "0x1.ffcp+15");
  // 2^-149 and 2^-1074, the smallest subnormals of float and double.
  EXPECT_EQ(HexFloat(std::numeric_limits<float>::denorm_min()), "0x1p-149");
  EXPECT_EQ(HexFloat(std::numeric_limits<double>::denorm_min()), "0x1p-1074");
  EXPECT_EQ(HexFloat(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(HexFloat(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(HexFloat(std::nan("")), "nan");
}

TEST(ParseReal, ReadsEverySpelling) {
  EXPECT_EQ(*Real("\"0x1.8p+1\"", DataType::kFloat32), 3);
  EXPECT_EQ(*Real("\"0X1.8P1\"", DataType::kFloat32), 3);
  EXPECT_EQ(*Real("\"-0x18p-3\"", DataType::kFloat16), -3);
  EXPECT_EQ(*Real("\"0x1.0000000000000000p+0\"", DataType::kFloat32), 1);
  EXPECT_EQ(*Real("\"0x.8p1\"", DataType::kFloat32), 1);
  EXPECT_EQ(*Real("\"0x0p0\"", DataType::kFloat32), 0);
  EXPECT_TRUE(std::signbit(*Real("\"-0x0p+0\"", DataType::kFloat32)));
  EXPECT_EQ(*Real("\"0x1p-24\"", DataType::kFloat16), std::ldexp(1, -24));
  EXPECT_TRUE(std::isnan(*Real("\"nan\"", DataType::kFloat16)));
  EXPECT_EQ(*Real("\"inf\"", DataType::kFloat32), HUGE_VAL);
  EXPECT_EQ(*Real("\"-inf\"", DataType::kFloat32), -HUGE_VAL);
  EXPECT_EQ(*Real("0.5", DataType::kFloat32), 0.5);
  EXPECT_EQ(*Real("-1.25e2", DataType::kFloat16), -125);
  EXPECT_EQ(*Real("16777216", DataType::kFloat32), 16777216);
  EXPECT_EQ(*Real("0.0", DataType::kFloat32), 0);
  EXPECT_EQ(*Real("18446744073709551616", DataType::kFloat32), 0x1p64);
  EXPECT_TRUE(std::signbit(*Real("-0", DataType::kFloat32)));
}

TEST(ParseReal, NamesTheRightSpelling) {
  EXPECT_THAT(RealError("0.1", DataType::kFloat32),
              HasSubstr("\"0x1.99999ap-4\""));
  EXPECT_THAT(RealError("0.1", DataType::kFloat64),
              HasSubstr("\"0x1.999999999999ap-4\""));
  EXPECT_THAT(RealError("\"0.1\"", DataType::kFloat32),
              HasSubstr("\"0x1.99999ap-4\""));
  EXPECT_THAT(RealError("\"-2.5\"", DataType::kFloat32),
              HasSubstr("\"-0x1.4p+1\""));
  EXPECT_THAT(RealError("16777217", DataType::kFloat32),
              HasSubstr("\"0x1p+24\""));
  // A double, but no float16.
  EXPECT_THAT(RealError("65505", DataType::kFloat16),
              HasSubstr("\"0x1.ffcp+15\""));
  EXPECT_THAT(RealError("\"0x1.8p-25\"", DataType::kFloat16),
              HasSubstr("\"0x1p-24\""));
  // A decimal that only rounds to 1.
  EXPECT_THAT(RealError("1.00000000000000000000000001", DataType::kFloat32),
              HasSubstr("\"0x1p+0\""));
  EXPECT_THAT(RealError("\"0x1.000001p+0\"", DataType::kFloat32),
              HasSubstr("\"0x1p+0\""));
  EXPECT_THAT(RealError("\"0x1.00000000000001p+0\"", DataType::kFloat64),
              HasSubstr("\"0x1p+0\""));
  EXPECT_THAT(RealError("\"0x1.00000000000000001p+0\"", DataType::kFloat64),
              HasSubstr("\"0x1p+0\""));
  EXPECT_THAT(RealError("\"0x1p+128\"", DataType::kFloat32),
              HasSubstr("\"inf\""));
  EXPECT_THAT(RealError("\"-0x1p+99999\"", DataType::kFloat64),
              HasSubstr("\"-inf\""));
  EXPECT_THAT(RealError("\"0x1p-99999\"", DataType::kFloat64),
              HasSubstr("\"0x0p+0\""));
}

TEST(ParseReal, SaysWhatIsAllowed) {
  for (const char* json :
       {"\"\"", "\"-\"", "\"0x\"", "\"0x1\"", "\"0x1p\"", "\"0x1p+\"",
        "\"0x1px\"", "\"0x1p1x\"", "\"0x1.8\"", "\"0x1..p1\"", "\"0xp1\"",
        "\"1.5x\"", "\"Infinity\"", "\"0x1p12345678901\"", "\"+0x1p0\"", "true",
        "null", "[]", "{}"}) {
    EXPECT_THAT(RealError(json, DataType::kFloat32),
                HasSubstr("is a C hex-float string"))
        << json;
  }
}

TEST(ParseInteger, HoldsToTheType) {
  const auto parse = [](const std::string& json, DataType type) {
    return ParseInteger(*ReadJson(json), type);
  };
  const auto ends = {
      std::make_tuple(DataType::kUint8, "0", "255", "-1", "256"),
      std::make_tuple(DataType::kInt8, "-128", "127", "-129", "128"),
      std::make_tuple(DataType::kInt16, "-32768", "32767", "-32769", "32768"),
      std::make_tuple(DataType::kInt32, "-2147483648", "2147483647",
                      "-2147483649", "2147483648"),
      std::make_tuple(DataType::kInt64, "-9223372036854775808",
                      "9223372036854775807", "-9223372036854775809",
                      "9223372036854775808")};
  for (const auto& [type, low, high, below, above] : ends) {
    EXPECT_EQ(*parse(low, type), MinimumOf(type));
    EXPECT_EQ(*parse(high, type), MaximumOf(type));
    for (const std::string outside : {below, above}) {
      EXPECT_EQ(parse(outside, type).status().message(),
                absl::StrCat("found ", outside, "; the type ",
                             spec::DataTypeName(type), " holds integers from ",
                             low, " to ", high));
    }
  }
  EXPECT_EQ(parse("1.0", DataType::kInt8).status().message(),
            "found 1.0; the type int8 holds integers from -128 to 127");
  EXPECT_FALSE(parse("\"1\"", DataType::kInt8).ok());
  EXPECT_FALSE(parse("null", DataType::kInt8).ok());
}

// Every float16 and many floats come back from their spelling bit for bit.
TEST(ParseReal, ReadsWhatHexFloatWrites) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = spec::Float16ToDouble(static_cast<uint16_t>(bits));
    const absl::StatusOr<double> read =
        Real(absl::StrCat("\"", HexFloat(value), "\""), DataType::kFloat16);
    ASSERT_TRUE(read.ok()) << read.status();
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(*read));
    } else {
      ASSERT_EQ(std::bit_cast<uint64_t>(*read), std::bit_cast<uint64_t>(value));
    }
  }
  for (uint32_t i = 0; i < 100000; ++i) {
    const float value = std::bit_cast<float>(i * 42949u + 7u);
    if (std::isnan(value)) continue;
    const absl::StatusOr<double> read =
        Real(absl::StrCat("\"", HexFloat(value), "\""), DataType::kFloat32);
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(std::bit_cast<uint64_t>(*read),
              std::bit_cast<uint64_t>(static_cast<double>(value)));
  }
}

}  // namespace
}  // namespace qconform::harness
