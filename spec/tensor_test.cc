#include "spec/tensor.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr DataType kAllTypes[] = {DataType::kUint8,   DataType::kInt8,
                                  DataType::kInt16,   DataType::kInt32,
                                  DataType::kInt64,   DataType::kFloat16,
                                  DataType::kFloat32, DataType::kFloat64};

TensorDesc Desc(std::vector<int64_t> sizes) {
  TensorDesc desc;
  desc.sizes = std::move(sizes);
  return desc;
}

TensorDesc Strided(std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  TensorDesc desc = Desc(std::move(sizes));
  desc.strides = std::move(strides);
  return desc;
}

Tensor Vector(DataType type, int64_t count) {
  Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = {count};
  tensor.storage.resize(static_cast<size_t>(count) * ByteSize(type));
  return tensor;
}

TEST(DataTypeTest, NamesAndSizes) {
  const std::string names[] = {"uint8", "int8",    "int16",   "int32",
                               "int64", "float16", "float32", "float64"};
  const size_t sizes[] = {1, 1, 2, 4, 8, 2, 4, 8};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(DataTypeName(kAllTypes[i]), names[i]);
    EXPECT_EQ(ByteSize(kAllTypes[i]), sizes[i]);
    EXPECT_EQ(IsFloat(kAllTypes[i]), i >= 5);
    const auto parsed = ParseDataType(names[i]);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, kAllTypes[i]);
  }
  EXPECT_THAT(std::string(ParseDataType("uint4").status().message()),
              HasSubstr("\"uint4\"; allowed: uint8"));
}

TEST(TensorFormatTest, Names) {
  for (const auto format : {TensorFormat::kNd, TensorFormat::kFractalNz}) {
    const auto parsed = ParseTensorFormat(TensorFormatName(format));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, format);
  }
  EXPECT_EQ(TensorFormatName(TensorFormat::kFractalNz), "FRACTAL_NZ");
  EXPECT_THAT(std::string(ParseTensorFormat("NZ").status().message()),
              HasSubstr("allowed: ND, FRACTAL_NZ"));
}

TEST(ElementCountTest, ProductOfTheSizes) {
  EXPECT_EQ(*ElementCount(Desc({})), 1);
  EXPECT_EQ(*ElementCount(Desc({2, 3, 4})), 24);
  EXPECT_EQ(*ElementCount(Desc({5, 0})), 0);
  EXPECT_EQ(*ElementCount(Desc({kMax, 1})), kMax);
  EXPECT_EQ(*ElementCount(Desc({kMax, kMax, 0})), 0);
  EXPECT_THAT(std::string(ElementCount(Desc({kMax, 2})).status().message()),
              HasSubstr("exceeds"));
  EXPECT_THAT(std::string(ElementCount(Desc({0, -3})).status().message()),
              HasSubstr("size -3 is negative"));
}

TEST(EffectiveStridesTest, PackedUnlessGiven) {
  EXPECT_THAT(EffectiveStrides(Desc({2, 3, 4})), ElementsAre(12, 4, 1));
  EXPECT_THAT(EffectiveStrides(Desc({})), ElementsAre());
  EXPECT_THAT(EffectiveStrides(Strided({2, 3}, {0, 7})), ElementsAre(0, 7));
  // Sizes that no check has seen yet do no harm.
  EXPECT_EQ(EffectiveStrides(Desc({kMax, kMax, kMax})).size(), 3u);
}

TEST(StorageElementCountTest, FromTheFirstToTheLastElement) {
  EXPECT_EQ(*StorageElementCount(Desc({})), 1);
  EXPECT_EQ(*StorageElementCount(Desc({2, 3})), 6);
  EXPECT_EQ(*StorageElementCount(Desc({2, 0})), 0);
  EXPECT_EQ(*StorageElementCount(Strided({2, 3}, {5, 1})), 8);
  EXPECT_EQ(*StorageElementCount(Strided({2, 3}, {0, 0})), 1);
  EXPECT_EQ(*StorageElementCount(Strided({2, 0}, {kMax, kMax})), 0);
  EXPECT_EQ(*StorageElementCount(Strided({2}, {kMax - 1})), kMax);
}

TEST(StorageElementCountTest, Rejections) {
  EXPECT_THAT(
      std::string(StorageElementCount(Strided({2, 3}, {1})).status().message()),
      HasSubstr("1 strides for 2 sizes"));
  EXPECT_THAT(
      std::string(StorageElementCount(Strided({2}, {-1})).status().message()),
      HasSubstr("stride -1 is negative"));
  EXPECT_THAT(
      std::string(StorageElementCount(Strided({2}, {kMax})).status().message()),
      HasSubstr("exceeds"));
  EXPECT_THAT(
      std::string(StorageElementCount(Strided({3}, {kMax})).status().message()),
      HasSubstr("exceeds"));
  EXPECT_FALSE(StorageElementCount(Strided({kMax, 2}, {0, 0})).ok());
  EXPECT_FALSE(StorageElementCount(Desc({kMax, 2})).ok());
}

TEST(StorageOffsetTest, RowMajorElementToStorage) {
  const TensorDesc desc = Strided({2, 3}, {10, 2});
  const int64_t expected[] = {0, 2, 4, 10, 12, 14};
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(StorageOffset(desc, i), expected[i]);
    EXPECT_EQ(StorageOffset(Desc({2, 3}), i), i);
  }
  EXPECT_EQ(StorageOffset(Desc({}), 0), 0);
}

TEST(ReadWriteTest, IntegerEndsOfEachType) {
  const struct {
    DataType type;
    int64_t low, high;
  } rows[] = {{DataType::kUint8, 0, 255},
              {DataType::kInt8, -128, 127},
              {DataType::kInt16, -32768, 32767},
              {DataType::kInt32, -2147483648LL, 2147483647LL},
              {DataType::kInt64, -kMax - 1, kMax}};
  for (const auto& row : rows) {
    Tensor tensor = Vector(row.type, 4);
    WriteInteger(tensor, 1, row.low);
    WriteInteger(tensor, 2, row.high);
    EXPECT_EQ(ReadInteger(tensor, 0), 0);
    EXPECT_EQ(ReadInteger(tensor, 1), row.low);
    EXPECT_EQ(ReadInteger(tensor, 2), row.high);
    EXPECT_EQ(ReadInteger(tensor, 3), 0);
    if (row.type == DataType::kInt64) continue;
    EXPECT_EQ(ReadReal(tensor, 1), static_cast<double>(row.low));
    WriteReal(tensor, 3, static_cast<double>(row.low));
    EXPECT_EQ(ReadInteger(tensor, 3), row.low);
  }
}

TEST(ReadWriteTest, FloatsRoundToNearestEven) {
  Tensor wide = Vector(DataType::kFloat64, 1);
  WriteReal(wide, 0, 0.1);
  EXPECT_EQ(ReadReal(wide, 0), 0.1);

  Tensor tensor = Vector(DataType::kFloat32, 2);
  const struct {
    double value, expected;
  } rows[] = {
      {0.1, 0x1.99999ap-4},
      {0x1.000001p0, 1.0},           // a tie goes to even
      {0x1.000003p0, 0x1.000004p0},  // the other way
      {0x1p-149, 0x1p-149},          // subnormals are kept (AR-05)
      {0x1p-150, 0},                 // a tie with 0
      {0x1.8p-149, 0x1p-148},        // between 1 and 2 units
      {0x1.fffffep127, 0x1.fffffep127},
      {0x1.fffffefffffffp127, 0x1.fffffep127},
      {-0x1.fffffefffffffp127, -0x1.fffffep127},
      {0x1.ffffffp127, INFINITY},  // the tie with 2^128
      {-0x1p1000, -INFINITY},
      {INFINITY, INFINITY},
  };
  for (const auto& row : rows) {
    WriteReal(tensor, 1, row.value);
    EXPECT_EQ(ReadReal(tensor, 1), row.expected) << row.value;
  }
  WriteReal(tensor, 1, std::nan(""));
  EXPECT_TRUE(std::isnan(ReadReal(tensor, 1)));

  Tensor half = Vector(DataType::kFloat16, 3);
  WriteReal(half, 2, 1.5);
  EXPECT_EQ(ReadReal(half, 2), 1.5);
  EXPECT_EQ(ReadReal(half, 1), 0);
}

// The defining table of IEEE 754 binary16, independent of the code above.
double Float16ByDefinition(int bits) {
  const int exponent = (bits >> 10) % 32;
  const double fraction = (bits % 1024) / 1024.0;
  const double magnitude = exponent == 0
                               ? std::pow(2.0, -14) * fraction
                               : std::pow(2.0, exponent - 15) * (1 + fraction);
  return bits < 32768 ? magnitude : -magnitude;
}

TEST(Float16Test, AllBitPatterns) {
  for (int bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const double value = Float16ToDouble(half);
    if ((bits & 0x7c00) == 0x7c00) {
      if ((bits & 0x3ff) == 0) {
        EXPECT_EQ(value, bits < 32768 ? INFINITY : -INFINITY);
        EXPECT_EQ(DoubleToFloat16(value), half);
      } else {
        EXPECT_TRUE(std::isnan(value));
        EXPECT_TRUE(std::isnan(Float16ToDouble(DoubleToFloat16(value))));
      }
      continue;
    }
    ASSERT_EQ(value, Float16ByDefinition(bits)) << bits;
    ASSERT_EQ(DoubleToFloat16(value), half) << bits;
  }
}

// Every gap between neighbours: just below the middle goes down, the middle
// goes to the even one, just above it goes up.
TEST(Float16Test, RoundsEveryGapToNearestEven) {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    const double low = Float16ByDefinition(bits);
    // Rounding works as if the exponent went on above the largest finite value.
    const double high =
        bits == 0x7bff ? 65536.0 : Float16ByDefinition(bits + 1);
    const double middle = (low + high) / 2;
    const int even = bits % 2 == 0 ? bits : bits + 1;
    for (const int sign : {0, 0x8000}) {
      const double s = sign == 0 ? 1 : -1;
      ASSERT_EQ(DoubleToFloat16(s * middle), sign + even);
      ASSERT_EQ(DoubleToFloat16(s * std::nextafter(middle, 0)), sign + bits);
      ASSERT_EQ(DoubleToFloat16(s * std::nextafter(middle, 1e9)),
                sign + bits + 1);
    }
  }
}

TEST(Float16Test, FarAway) {
  EXPECT_EQ(DoubleToFloat16(1e300), 0x7c00);
  EXPECT_EQ(DoubleToFloat16(-65536), 0xfc00);
  EXPECT_EQ(DoubleToFloat16(1e-300), 0);
  EXPECT_EQ(DoubleToFloat16(-5e-324), 0x8000);
  EXPECT_EQ(DoubleToFloat16(-0.0), 0x8000);
}

}  // namespace
}  // namespace qconform::spec
