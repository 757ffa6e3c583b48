#include "harness/judge/compare.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

using spec::DataType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kMaxFloat = 0x1.fffffep127;
constexpr double kMaxHalf = 65504;

int64_t Steps(DataType type, double expected, double found) {
  const Difference difference = Compare(type, expected, found);
  EXPECT_FALSE(difference.nan_mismatch);
  return difference.steps;
}

TEST(CompareTest, IntegersDifferBySignedDifference) {
  EXPECT_EQ(Steps(DataType::kUint8, 76, 77), 1);
  EXPECT_EQ(Steps(DataType::kUint8, 77, 76), -1);
  EXPECT_EQ(Steps(DataType::kUint8, 0, 255), 255);
  EXPECT_EQ(Steps(DataType::kInt8, 127, -128), -255);
  EXPECT_EQ(Steps(DataType::kInt8, -128, 127), 255);
  EXPECT_EQ(Steps(DataType::kInt8, -1, 1), 2);
  EXPECT_EQ(Steps(DataType::kInt16, -32768, 32767), 65535);
  EXPECT_EQ(Steps(DataType::kInt32, -2147483648.0, 2147483647.0), 4294967295);
}

TEST(CompareTest, EveryPairOfBytesDiffersByItsDifference) {
  for (int expected = -128; expected <= 127; ++expected) {
    for (int found = -128; found <= 127; ++found) {
      ASSERT_EQ(Steps(DataType::kInt8, expected, found), found - expected);
    }
  }
}

TEST(CompareTest, Float32CountsUnitsInTheLastPlace) {
  EXPECT_EQ(Steps(DataType::kFloat32, 1, 1), 0);
  EXPECT_EQ(Steps(DataType::kFloat32, 1, 0x1.000002p0), 1);
  EXPECT_EQ(Steps(DataType::kFloat32, 1, 0x1.00000ap0), 5);
  EXPECT_EQ(Steps(DataType::kFloat32, -1, -0x1.000002p0), -1);
}

TEST(CompareTest, Float32PowersOfTwoAreNoBorder) {
  // Below 1 the spacing halves; one step is one step on either side.
  EXPECT_EQ(Steps(DataType::kFloat32, 1, 0x1.fffffep-1), -1);
  EXPECT_EQ(Steps(DataType::kFloat32, 0x1.fffffep-1, 0x1.000002p0), 2);
  EXPECT_EQ(Steps(DataType::kFloat32, 0.5, 1), 1 << 23);
  EXPECT_EQ(Steps(DataType::kFloat32, 2, 1), -(1 << 23));
}

TEST(CompareTest, Float32CrossesZero) {
  EXPECT_EQ(Steps(DataType::kFloat32, 0x1p-149, -0x1p-149), -2);
  EXPECT_EQ(Steps(DataType::kFloat32, -0x1p-149, 0x1p-149), 2);
  EXPECT_EQ(Steps(DataType::kFloat32, 0, 0x1p-149), 1);
  EXPECT_EQ(Steps(DataType::kFloat32, -0.0, -0x1p-149), -1);
  EXPECT_EQ(Steps(DataType::kFloat32, -1, 1), 2 * int64_t{0x3f800000});
}

TEST(CompareTest, SignOfZeroIsNotCompared) {
  for (DataType type : {DataType::kFloat16, DataType::kFloat32}) {
    EXPECT_TRUE(Compare(type, -0.0, 0.0).IsEqual());
    EXPECT_TRUE(Compare(type, 0.0, -0.0).IsEqual());
    EXPECT_EQ(OrderedPosition(type, -0.0), 0);
  }
}

TEST(CompareTest, SubnormalsAreOrdinaryValues) {
  EXPECT_EQ(Steps(DataType::kFloat32, 0x1p-126, 0x1.fffffcp-127), -1);
  EXPECT_EQ(Steps(DataType::kFloat32, 0, 0x1p-126), 1 << 23);
  EXPECT_EQ(Steps(DataType::kFloat16, 0, 0x1p-24), 1);
  EXPECT_EQ(Steps(DataType::kFloat16, 0, 0x1p-14), 1 << 10);
}

TEST(CompareTest, InfinityFollowsTheLargestFiniteValue) {
  EXPECT_EQ(Steps(DataType::kFloat32, kMaxFloat, kInfinity), 1);
  EXPECT_EQ(Steps(DataType::kFloat32, kInfinity, kMaxFloat), -1);
  EXPECT_EQ(Steps(DataType::kFloat32, -kMaxFloat, -kInfinity), -1);
  EXPECT_EQ(Steps(DataType::kFloat16, kMaxHalf, kInfinity), 1);
  EXPECT_EQ(Steps(DataType::kFloat16, -kInfinity, -kMaxHalf), 1);
  EXPECT_EQ(Steps(DataType::kFloat32, kInfinity, kInfinity), 0);
  EXPECT_EQ(Steps(DataType::kFloat32, -kInfinity, kInfinity),
            2 * int64_t{0x7f800000});
  EXPECT_EQ(Steps(DataType::kFloat16, kInfinity, -kInfinity),
            -2 * int64_t{0x7c00});
}

TEST(CompareTest, NanEqualsNanOnly) {
  const double payload = std::bit_cast<double>(uint64_t{0xfff8000000001234});
  for (DataType type : {DataType::kFloat16, DataType::kFloat32}) {
    EXPECT_TRUE(Compare(type, kNan, payload).IsEqual());
    for (double number : {0.0, 1.0, -1.0, kInfinity, -kInfinity}) {
      EXPECT_TRUE(Compare(type, kNan, number).nan_mismatch);
      EXPECT_TRUE(Compare(type, number, kNan).nan_mismatch);
      EXPECT_FALSE(Compare(type, number, kNan).IsEqual());
      EXPECT_FALSE(Compare(type, kNan, number).IsEqual());
      EXPECT_EQ(Compare(type, number, kNan).steps, 0);
    }
  }
}

TEST(CompareTest, EveryFloat16HasItsOwnConsecutivePosition) {
  // Values in their order: the negatives downwards in bits, then the positives.
  std::vector<double> line;
  for (int bits = 0xfc00; bits > 0x8000; --bits) {
    line.push_back(spec::Float16ToDouble(static_cast<uint16_t>(bits)));
  }
  for (int bits = 0; bits <= 0x7c00; ++bits) {
    line.push_back(spec::Float16ToDouble(static_cast<uint16_t>(bits)));
  }
  ASSERT_EQ(line.size(), 2u * 0x7c00 + 1);
  for (size_t i = 0; i < line.size(); ++i) {
    if (i > 0) {
      ASSERT_LT(line[i - 1], line[i]);
    }
    ASSERT_EQ(OrderedPosition(DataType::kFloat16, line[i]),
              static_cast<int64_t>(i) - 0x7c00);
  }
}

TEST(CompareTest, Float32StepsAgreeWithNextafter) {
  for (float start :
       {0.0f, 1.0f, -1.0f, 0x1p-149f, -0x1p-126f, 0x1.fffff0p126f, 76.5f}) {
    float value = start;
    for (int step = 1; step <= 40; ++step) {
      value = std::nextafter(value, std::numeric_limits<float>::infinity());
      ASSERT_EQ(Steps(DataType::kFloat32, start, value), step);
      ASSERT_EQ(Steps(DataType::kFloat32, value, start), -step);
    }
  }
}

TEST(CompareTest, DistanceIsAntisymmetricAndAdditive) {
  const std::vector<double> values = {-kInfinity, -kMaxHalf, -1, -0x1p-24, 0,
                                      0x1p-24,    0x1p-14,   1,  2,        2048,
                                      kMaxHalf,   kInfinity};
  for (double a : values) {
    for (double b : values) {
      EXPECT_EQ(Steps(DataType::kFloat16, a, b),
                -Steps(DataType::kFloat16, b, a));
      EXPECT_EQ(Compare(DataType::kFloat16, a, b).IsEqual(), a == b);
      for (double c : values) {
        EXPECT_EQ(
            Steps(DataType::kFloat16, a, c),
            Steps(DataType::kFloat16, a, b) + Steps(DataType::kFloat16, b, c));
      }
    }
  }
}

TEST(CompareTest, FormatsValues) {
  EXPECT_EQ(FormatValue(DataType::kUint8, 255), "255");
  EXPECT_EQ(FormatValue(DataType::kInt8, -128), "-128");
  EXPECT_EQ(FormatValue(DataType::kFloat32, 1.5), "0x1.8p+0 (1.5)");
  EXPECT_EQ(FormatValue(DataType::kFloat16, kNan), "nan");
  EXPECT_EQ(FormatValue(DataType::kFloat32, -kInfinity), "-inf");
  EXPECT_EQ(FormatValue(DataType::kFloat32, kInfinity), "inf");
}

TEST(CompareTest, FormatsDifferences) {
  EXPECT_EQ(FormatDifference(DataType::kInt8, {false, 1}), "difference +1");
  EXPECT_EQ(FormatDifference(DataType::kFloat16, {false, -3}), "-3 ULP");
  EXPECT_EQ(FormatDifference(DataType::kFloat32, {true, 0}),
            "NaN against a number");
}

}  // namespace
}  // namespace qconform::harness
