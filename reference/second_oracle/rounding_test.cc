#include "reference/second_oracle/rounding.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "reference/second_oracle/wide_integer.h"

namespace qconform::reference::second_oracle {
namespace {

Uint128 Power(int exponent) { return static_cast<Uint128>(1) << exponent; }

TEST(WideInteger, BitLength) {
  EXPECT_EQ(BitLength(0), 0);
  EXPECT_EQ(BitLength(1), 1);
  EXPECT_EQ(BitLength(4), 3);
  EXPECT_EQ(BitLength(Power(64) - 1), 64);
  EXPECT_EQ(BitLength(Power(64)), 65);
  EXPECT_EQ(BitLength(Power(127)), 128);
}

TEST(WideInteger, AddsSubtractsAndHalvesAcrossLimbs) {
  // 2^200 - 1 is 2^199 + ... : built from (2^100 - 1) * (2^100 + 1).
  Uint384 value(Power(100) - 1, 100);
  value += Uint384(Power(100) - 1, 0);
  Uint384 next = value;
  next += Uint384(1, 0);
  EXPECT_EQ(next, Uint384(1, 200));
  EXPECT_LT(value, next);
  next -= Uint384(1, 0);
  EXPECT_EQ(next, value);
  Uint384 large(1, 320);
  large -= Uint384(Power(127), 193);
  EXPECT_EQ(large, Uint384(0, 0));
  Uint384 half(3, 192);
  half.Halve();
  EXPECT_EQ(half, Uint384(3, 191));
  EXPECT_GT(half, Uint384(Power(100), 92));
}

TEST(Decompose, Float32) {
  const Decomposed one = DecomposeFloat32(1.0f);
  EXPECT_EQ(one.mantissa, 1u << 23);
  EXPECT_EQ(one.exponent, -23);
  EXPECT_FALSE(one.negative);
  const Decomposed smallest = DecomposeFloat32(-0x1p-149f);
  EXPECT_EQ(smallest.mantissa, 1u);
  EXPECT_EQ(smallest.exponent, -149);
  EXPECT_TRUE(smallest.negative);
  const Decomposed smallest_normal = DecomposeFloat32(0x1p-126f);
  EXPECT_EQ(smallest_normal.mantissa, 1u << 23);
  EXPECT_EQ(smallest_normal.exponent, -149);
  const Decomposed largest = DecomposeFloat32(0x1.fffffep127f);
  EXPECT_EQ(largest.mantissa, (1u << 24) - 1);
  EXPECT_EQ(largest.exponent, 104);
}

TEST(Decompose, Float16) {
  EXPECT_EQ(Float16Value(0x3c00), 1.0);
  EXPECT_EQ(Float16Value(0xc000), -2.0);
  EXPECT_EQ(Float16Value(0x7bff), 65504.0);
  EXPECT_EQ(Float16Value(0x0001), 0x1p-24);
  EXPECT_EQ(Float16Value(0x8400), -0x1p-14);
  EXPECT_EQ(Float16Value(0x03ff), 0x1.ff8p-15);
  EXPECT_EQ(Float16Value(0x7c00), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Float16Value(0xfc00), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(Float16Value(0x7c01)));
  EXPECT_TRUE(std::isnan(Float16Value(0xfe00)));
}

TEST(RoundQuotient, TiesAndTheirNeighbours) {
  // 5/2, 7/2, then one part in 2^100 beside 5/2.
  EXPECT_EQ(RoundQuotient(5, 2, 0, Tie::kToEven), 2u);
  EXPECT_EQ(RoundQuotient(7, 2, 0, Tie::kToEven), 4u);
  EXPECT_EQ(RoundQuotient(5, 2, 0, Tie::kAway), 3u);
  EXPECT_EQ(RoundQuotient(5, 2, 0, Tie::kTowardZero), 2u);
  EXPECT_EQ(RoundQuotient(5 * Power(100) + 1, 1, -101, Tie::kToEven), 3u);
  EXPECT_EQ(RoundQuotient(5 * Power(100) - 1, 1, -101, Tie::kToEven), 2u);
  EXPECT_EQ(RoundQuotient(5, 3, 1, Tie::kToEven), 3u);   // 10/3
  EXPECT_EQ(RoundQuotient(5, 12, 2, Tie::kToEven), 2u);  // 5/3
  EXPECT_EQ(RoundQuotient(0, 3, 200, Tie::kToEven), 0u);
}

TEST(RoundQuotient, Extremes) {
  EXPECT_EQ(RoundQuotient(1, 1, -1, Tie::kToEven), 0u);
  EXPECT_EQ(RoundQuotient(1, 1, -1, Tie::kAway), 1u);
  EXPECT_EQ(RoundQuotient(3, 1, -2, Tie::kToEven), 1u);
  EXPECT_EQ(RoundQuotient(Power(125), 1, -400, Tie::kAway), 0u);
  EXPECT_EQ(RoundQuotient(1, (1 << 24) - 1, 400, Tie::kToEven),
            kMagnitudeLimit);
  EXPECT_EQ(RoundQuotient(1, 1, 62, Tie::kToEven), kMagnitudeLimit);
  EXPECT_EQ(RoundQuotient(1, 1, 61, Tie::kToEven), Power(61));
  // 2^62 + 1 has the length that is still divided.
  EXPECT_EQ(RoundQuotient(3 * Power(61), 2, 0, Tie::kToEven), 3 * Power(60));
  EXPECT_EQ(RoundQuotient(7 * Power(60), 1, 0, Tie::kToEven), kMagnitudeLimit);
}

TEST(RoundQuotientWide, TiesAndLimit) {
  const Uint384 denominator(1, 250);
  Uint384 tie(5, 249);  // 5/2
  EXPECT_EQ(RoundQuotient(tie, denominator), 2u);
  tie += Uint384(1, 0);
  EXPECT_EQ(RoundQuotient(tie, denominator), 3u);
  tie -= Uint384(2, 0);
  EXPECT_EQ(RoundQuotient(tie, denominator), 2u);
  EXPECT_EQ(RoundQuotient(Uint384(7, 249), denominator), 4u);
  EXPECT_EQ(RoundQuotient(Uint384(2047, 250), denominator), 2047u);
  EXPECT_EQ(RoundQuotient(Uint384(2048, 250), denominator), 2048u);
  EXPECT_EQ(RoundQuotient(Uint384(1, 300), denominator), 2048u);
  EXPECT_EQ(RoundQuotient(Uint384(0, 0), denominator), 0u);
}

struct ToFloatCase {
  Uint128 numerator;
  uint64_t denominator;
  int exponent;
  uint32_t bits;
};

// Expected values: the nearest multiple of the last place, worked out with
// fractions.
TEST(RoundToFloat, Float16) {
  const ToFloatCase cases[] = {
      {0, 1, 0, 0x0000},
      {65504, 1, 0, 0x7bff},
      {65519, 1, 0, 0x7bff},
      {65520, 1, 0, 0x7c00},  // halfway to 2^16: to even, which is infinity
      {131039, 2, 0, 0x7bff},
      {131041, 2, 0, 0x7c00},
      {1, 1, -25, 0x0000},  // half the smallest subnormal: to even
      {3, 1, -26, 0x0001},
      {1, 1, -24, 0x0001},
      {3, 1, -25, 0x0002},
      {5, 1, -25, 0x0002},
      {2047, 2, -24, 0x0400},  // a subnormal rounded up to the smallest normal
      {2049, 1, 0, 0x6800},    // 2048
      {2051, 1, 0, 0x6802},    // 2052
      {4097, 2, 0, 0x6800},
      {1, 3, 0, 0x3555},
      {1, 127, 0, 0x2008},
      {1, 1, -100, 0x0000},
      {1, 1, 400, 0x7c00},
      {1, 1, 1 << 20, 0x7c00},
      {Power(100) + 1, 1, -101, 0x3800},
      {(1 << 25) + 1, 127, -50, 0x0000},
  };
  for (const ToFloatCase& c : cases) {
    EXPECT_EQ(RoundToFloat(c.numerator, c.denominator, c.exponent, kFloat16),
              c.bits)
        << c.denominator << " " << c.exponent << " " << c.bits;
  }
}

TEST(RoundToFloat, Float32) {
  const ToFloatCase cases[] = {
      {1, 1, -150, 0},
      {3, 1, -151, 1},
      {3, 1, -150, 2},
      {(1 << 24) + 1, 1, 0, 0x4b800000},
      {(1 << 24) + 3, 1, 0, 0x4b800002},
      {(1 << 25) - 1, 1, 103, 0x7f800000},  // halfway to 2^128
      {(1 << 25) - 1, 1, 102, 0x7f000000},  // 2^127
      {(1 << 26) - 3, 2, 102, 0x7effffff},
      {1, 3, 0, 0x3eaaaaab},
      {2, 3, -149, 1},
      {1, 3, -149, 0},
      {(1 << 23) - 1, 1, -149, 0x007fffff},
      {(1 << 24) - 1, 1, -150, 0x00800000},
      {10, 127, 0, 0x3da14285},
      // A tie in the leading bits that the remainder decides upwards.
      {((Power(24) + 1) << 60) + 1, 1, -60, 0x4b800001},
  };
  for (const ToFloatCase& c : cases) {
    EXPECT_EQ(RoundToFloat(c.numerator, c.denominator, c.exponent, kFloat32),
              c.bits)
        << c.denominator << " " << c.exponent << " " << c.bits;
  }
}

}  // namespace
}  // namespace qconform::reference::second_oracle
