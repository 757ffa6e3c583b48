#include "reference/arithmetic/rational.h"

#include <gtest/gtest.h>

#include <limits>

namespace qconform::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

mpq_class Q(const char* text) {
  mpq_class value(text);
  value.canonicalize();
  return value;
}

TEST(RoundToIntegerTest, HalfEven) {
  EXPECT_EQ(RoundToInteger(Q("1/2"), Rounding::kHalfEven), 0);
  EXPECT_EQ(RoundToInteger(Q("3/2"), Rounding::kHalfEven), 2);
  EXPECT_EQ(RoundToInteger(Q("5/2"), Rounding::kHalfEven), 2);
  EXPECT_EQ(RoundToInteger(Q("-1/2"), Rounding::kHalfEven), 0);
  EXPECT_EQ(RoundToInteger(Q("-3/2"), Rounding::kHalfEven), -2);
  EXPECT_EQ(RoundToInteger(Q("-5/2"), Rounding::kHalfEven), -2);
  // A hair beside the tie decides.
  EXPECT_EQ(RoundToInteger(Q("5/2") + PowerOfTwo(-300), Rounding::kHalfEven),
            3);
  EXPECT_EQ(RoundToInteger(Q("3/2") - PowerOfTwo(-300), Rounding::kHalfEven),
            1);
  EXPECT_EQ(RoundToInteger(Q("-7"), Rounding::kHalfEven), -7);
}

TEST(RoundToIntegerTest, HalfUpIsFloorOfValuePlusOneHalf) {
  EXPECT_EQ(RoundToInteger(Q("15/2"), Rounding::kHalfUp), 8);
  EXPECT_EQ(RoundToInteger(Q("-15/2"), Rounding::kHalfUp), -7);
  EXPECT_EQ(RoundToInteger(Q("-1/2"), Rounding::kHalfUp), 0);
  EXPECT_EQ(RoundToInteger(Q("1/2") - PowerOfTwo(-60), Rounding::kHalfUp), 0);
}

TEST(RoundToIntegerTest, HalfAway) {
  EXPECT_EQ(RoundToInteger(Q("5/2"), Rounding::kHalfAway), 3);
  EXPECT_EQ(RoundToInteger(Q("-5/2"), Rounding::kHalfAway), -3);
  EXPECT_EQ(RoundToInteger(Q("-9/4"), Rounding::kHalfAway), -2);
  EXPECT_EQ(RoundToInteger(Q("-11/4"), Rounding::kHalfAway), -3);
}

TEST(RoundToIntegerTest, Truncate) {
  EXPECT_EQ(RoundToInteger(Q("11/4"), Rounding::kTruncate), 2);
  EXPECT_EQ(RoundToInteger(Q("-11/4"), Rounding::kTruncate), -2);
  EXPECT_EQ(RoundToInteger(Q("-3"), Rounding::kTruncate), -3);
}

TEST(RoundToFormatTest, Binary16NearestTiesToEven) {
  const auto half = [](const mpq_class& value) {
    return RoundToFormat(value, kBinary16).value;
  };
  EXPECT_EQ(half(0), 0);
  EXPECT_EQ(half(Q("1/3")), 0x1.554p-2);
  EXPECT_EQ(half(1 + PowerOfTwo(-11)), 1);  // tie, 1024/1024 is even
  EXPECT_EQ(half(1 + 3 * PowerOfTwo(-11)), 1 + 0x1p-9);  // tie, up to even
  EXPECT_EQ(half(1 + PowerOfTwo(-11) + PowerOfTwo(-40)), 1 + 0x1p-10);
  EXPECT_EQ(half(-1 - PowerOfTwo(-11) - PowerOfTwo(-40)), -1 - 0x1p-10);
  // Just below a power of two the ulp is the smaller one.
  EXPECT_EQ(half(2 - PowerOfTwo(-11)), 2);
  EXPECT_EQ(half(2 - 3 * PowerOfTwo(-12)), 2 - 0x1p-10);
}

TEST(RoundToFormatTest, Binary16Subnormals) {
  const auto half = [](const mpq_class& value) {
    return RoundToFormat(value, kBinary16).value;
  };
  EXPECT_EQ(half(PowerOfTwo(-24)), 0x1p-24);
  EXPECT_EQ(half(PowerOfTwo(-25)), 0);
  EXPECT_EQ(half(PowerOfTwo(-25) + PowerOfTwo(-80)), 0x1p-24);
  EXPECT_EQ(half(3 * PowerOfTwo(-25)), 0x1p-23);
  EXPECT_EQ(half(PowerOfTwo(-14) - PowerOfTwo(-25)), 0x1p-14);
}

TEST(RoundToFormatTest, Binary16Overflow) {
  const auto half = [](const mpq_class& value) {
    return RoundToFormat(value, kBinary16).value;
  };
  EXPECT_EQ(half(65504), 65504);
  EXPECT_EQ(half(Q("131039/2")), 65504);  // 65519.5
  EXPECT_EQ(half(65520), kInfinity);
  EXPECT_EQ(half(-65520), -kInfinity);
  EXPECT_EQ(half(PowerOfTwo(400)), kInfinity);
}

TEST(RoundToFormatTest, Binary32AgreesWithTheConversionFromDouble) {
  for (const double value :
       {0.1, -0.3, 1e-45, 7e-46, 0x1.fffffep127, 0x1.fffffefp127, 3e38,
        0x1.000001p0, 0x1.000003p0, 0x1.fffffe8p-127, 0x1p-149, 0x1p-150}) {
    EXPECT_EQ(RoundToFormat(mpq_class(value), kBinary32).value,
              static_cast<double>(static_cast<float>(value)))
        << value;
  }
  EXPECT_EQ(RoundToFormat(PowerOfTwo(128) - PowerOfTwo(103), kBinary32).value,
            kInfinity);
}

TEST(RoundToFormatTest, NamesTheTie) {
  const FormatRounding inside =
      RoundToFormat(1 + PowerOfTwo(-12), kBinary16);  // a quarter ulp above 1
  EXPECT_EQ(inside.tie, 1 + PowerOfTwo(-11));
  EXPECT_EQ(inside.ulp_exponent, -10);
  const FormatRounding negative = RoundToFormat(Q("-5/2"), kBinary16);
  EXPECT_EQ(negative.tie, -(Q("5/2") + PowerOfTwo(-10)));
  EXPECT_EQ(negative.ulp_exponent, -9);
  const FormatRounding beyond = RoundToFormat(100000, kBinary16);
  EXPECT_EQ(beyond.tie, 65520);
  EXPECT_EQ(beyond.ulp_exponent, 5);
  const FormatRounding zero = RoundToFormat(0, kBinary32);
  EXPECT_EQ(zero.tie, PowerOfTwo(-150));
  EXPECT_EQ(zero.ulp_exponent, -149);
}

TEST(RationalTest, IsBinary32) {
  EXPECT_TRUE(IsBinary32(0));
  EXPECT_TRUE(IsBinary32(PowerOfTwo(-149)));
  EXPECT_FALSE(IsBinary32(PowerOfTwo(-150)));
  EXPECT_TRUE(IsBinary32(3 * PowerOfTwo(-149)));
  EXPECT_FALSE(IsBinary32(3 * PowerOfTwo(-150)));
  EXPECT_TRUE(IsBinary32((1 << 24) - 1));
  EXPECT_TRUE(IsBinary32(1 << 24));
  EXPECT_FALSE(IsBinary32((1 << 24) + 1));
  EXPECT_TRUE(IsBinary32(-(1 << 24) - 2));
  EXPECT_TRUE(IsBinary32(PowerOfTwo(128) - PowerOfTwo(104)));
  EXPECT_FALSE(IsBinary32(PowerOfTwo(128)));
  EXPECT_FALSE(IsBinary32(Q("1/3")));
}

TEST(RationalTest, IsPowerOfTwo) {
  EXPECT_TRUE(IsPowerOfTwo(1));
  EXPECT_TRUE(IsPowerOfTwo(-2));
  EXPECT_TRUE(IsPowerOfTwo(PowerOfTwo(-200)));
  EXPECT_FALSE(IsPowerOfTwo(0));
  EXPECT_FALSE(IsPowerOfTwo(3));
  EXPECT_FALSE(IsPowerOfTwo(Q("1/3")));
  EXPECT_FALSE(IsPowerOfTwo(Q("3/4")));
}

TEST(RationalTest, UnreducedFractionsHaveTheRightValue) {
  const auto reduced = [](mpq_class value) {
    value.canonicalize();
    return value;
  };
  EXPECT_EQ(reduced(UnreducedSum(Q("1/6"), Q("1/3"))), Q("1/2"));
  EXPECT_EQ(reduced(UnreducedSum(Q("1/6"), Q("1/6"))), Q("1/3"));
  EXPECT_EQ(reduced(UnreducedProduct(Q("-2/3"), Q("3/4"))), Q("-1/2"));
  EXPECT_EQ(reduced(UnreducedQuotient(Q("2/3"), Q("-4/3"))), Q("-1/2"));
  EXPECT_GT(UnreducedQuotient(Q("-2/3"), Q("-4/3")), 0);
}

TEST(RationalTest, DecimalText) {
  EXPECT_EQ(DecimalText(0, 5), "0");
  EXPECT_EQ(DecimalText(Q("77/2"), 20), "38.5");
  EXPECT_EQ(DecimalText(Q("-1/3"), 5), "-0.33333...");
  EXPECT_EQ(DecimalText(1000, 5), "1000");
  EXPECT_EQ(DecimalText(Q("1/1024"), 20), "0.0009765625");
  EXPECT_EQ(DecimalText(123456, 3), "123000...");
  EXPECT_EQ(DecimalText(PowerOfTwo(100), 5), "1.2676...e30");
  EXPECT_EQ(DecimalText(mpq_class("1000000000000000000000000000000"), 5),
            "1e30");
  EXPECT_EQ(DecimalText(PowerOfTwo(-149), 5), "1.4012...e-45");
  EXPECT_EQ(DecimalText(Q("999999/1000"), 10), "999.999");
}

TEST(RationalTest, RationalText) {
  EXPECT_EQ(RationalText(Q("77/2")), "77/2 = 38.5");
  EXPECT_EQ(RationalText(-4), "-4");
  EXPECT_EQ(RationalText(Q("2/3")), "2/3 = 0.66666666666666666666...");
  // 2^-300 has a denominator of 91 digits.
  EXPECT_EQ(RationalText(PowerOfTwo(-300)), "4.9090934652977265530...e-91");
}

}  // namespace
}  // namespace qconform::reference
