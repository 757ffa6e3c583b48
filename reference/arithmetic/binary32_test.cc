#include "reference/arithmetic/binary32.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace qconform::reference {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

TEST(RoundFloatTest, HalfEven) {
  EXPECT_EQ(RoundFloat(0.5f, Rounding::kHalfEven), 0);
  EXPECT_EQ(RoundFloat(1.5f, Rounding::kHalfEven), 2);
  EXPECT_EQ(RoundFloat(2.5f, Rounding::kHalfEven), 2);
  EXPECT_EQ(RoundFloat(-2.5f, Rounding::kHalfEven), -2);
  EXPECT_EQ(RoundFloat(-3.5f, Rounding::kHalfEven), -4);
  EXPECT_EQ(RoundFloat(0x1.fffffep-2f, Rounding::kHalfEven), 0);
  EXPECT_EQ(RoundFloat(0x1.000002p-1f, Rounding::kHalfEven), 1);
  EXPECT_EQ(RoundFloat(0x1p100f, Rounding::kHalfEven), 0x1p100f);
  EXPECT_EQ(RoundFloat(8388609.0f, Rounding::kHalfEven), 8388609.0f);
}

TEST(RoundFloatTest, HalfUpIsTakenExactly) {
  EXPECT_EQ(RoundFloat(-7.5f, Rounding::kHalfUp), -7);
  EXPECT_EQ(RoundFloat(7.5f, Rounding::kHalfUp), 8);
  // In float 0.49999997 + 0.5 is 1 and 8388609 + 0.5 is 8388610.
  EXPECT_EQ(RoundFloat(0x1.fffffep-2f, Rounding::kHalfUp), 0);
  EXPECT_EQ(RoundFloat(8388609.0f, Rounding::kHalfUp), 8388609.0f);
  EXPECT_EQ(RoundFloat(-0x1p-149f, Rounding::kHalfUp), 0);
  EXPECT_EQ(RoundFloat(-0x1.000002p-1f, Rounding::kHalfUp), -1);
}

TEST(RoundFloatTest, OtherWays) {
  EXPECT_EQ(RoundFloat(2.5f, Rounding::kHalfAway), 3);
  EXPECT_EQ(RoundFloat(-2.5f, Rounding::kHalfAway), -3);
  EXPECT_EQ(RoundFloat(-2.9f, Rounding::kTruncate), -2);
  EXPECT_EQ(RoundFloat(kInfinity, Rounding::kHalfEven), kInfinity);
  EXPECT_TRUE(std::isnan(RoundFloat(kNan, Rounding::kHalfUp)));
}

TEST(Binary32Test, EveryOperationRounds) {
  // 2^24 + 1 is a tie between two floats.
  EXPECT_EQ(Binary32::FromInteger(int64_t{16777217}), 16777216.0f);
  EXPECT_EQ(Binary32::FromInteger(Binary32::Integer(16777219)), 16777220.0f);
  EXPECT_EQ(Binary32::FromInteger(Binary32::Rounded{3}), 3.0f);
  // 0.3f * 255 is 76.500003 as a real number and 76.5 in float.
  EXPECT_EQ(Binary32::FromFloat(0.3f) * Binary32::FromFloat(255), 76.5f);
}

TEST(Binary32Test, NanAtRoundStaysNan) {
  const auto rounded = Binary32::Round(kNan, Rounding::kHalfEven, 0);
  auto clamped = Binary32::Clamp(rounded + 3, 0, 255);
  EXPECT_TRUE(clamped.nan);
  EXPECT_TRUE(std::isnan(Binary32::ToOutput(clamped).low));
  // Also through a sum.
  Binary32::Integer sum(0);
  sum += clamped * 0;
  sum += Binary32::Integer(5) * 2;
  EXPECT_TRUE(sum.nan);
  EXPECT_TRUE(std::isnan(Binary32::FromInteger(sum)));
}

TEST(Binary32Test, ClampBeforeConversion) {
  const auto clamp = [](double value) {
    return Binary32::ToOutput(
               Binary32::Clamp(Binary32::Rounded{value} + 1, -128, 127))
        .low;
  };
  EXPECT_EQ(clamp(kInfinity), 127);
  EXPECT_EQ(clamp(-kInfinity), -128);
  EXPECT_EQ(clamp(0x1p100), 127);
  EXPECT_EQ(clamp(-0x1p100), -128);
  EXPECT_EQ(clamp(126), 127);
  EXPECT_EQ(clamp(-129), -128);
  EXPECT_EQ(clamp(-3), -2);
}

TEST(Binary32Test, RealMinMaxAbsClamp) {
  EXPECT_EQ(Binary32::Abs(-2), 2);
  EXPECT_EQ(Binary32::Abs(2), 2);
  EXPECT_EQ(Binary32::Min(1, 2), 1);
  EXPECT_EQ(Binary32::Min(2, 1), 1);
  EXPECT_EQ(Binary32::Max(1, 2), 2);
  EXPECT_EQ(Binary32::Max(2, 1), 2);
  EXPECT_EQ(Binary32::Clamp(5, 0, 3), 3);
  EXPECT_EQ(Binary32::Clamp(-5, 0, 3), 0);
  Binary32::NoteClamped(true);  // Facts are those of Exact.
}

TEST(Binary32Test, ConversionToFloatTypes) {
  EXPECT_EQ(Binary32::ToFloat16(65520.0f).low, kInfinity);
  EXPECT_EQ(Binary32::ToFloat16(1.0f / 3).low, 0x1.554p-2);
  EXPECT_EQ(Binary32::ToFloat32(0.1f).high, static_cast<double>(0.1f));
}

TEST(Binary32Test, Describe) {
  EXPECT_EQ(Describe(76.5f), "0x1.32p+6 = 76.5");
  EXPECT_EQ(Describe(kInfinity), "inf");
  EXPECT_EQ(Describe(Binary32::Rounded{77}), "77");
  EXPECT_EQ(Describe(Binary32::Integer(-4)), "-4");
  EXPECT_EQ(Describe(Binary32::Integer(0, /*is_nan=*/true)), "nan");
}

}  // namespace
}  // namespace qconform::reference
