#include "reference/arithmetic/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace qconform::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ExactTest, RoundRecordsTies) {
  Exact math;
  EXPECT_EQ(math.Round(mpq_class(9, 4), Rounding::kHalfEven, 0), 2);
  EXPECT_FALSE(math.facts.tie);
  EXPECT_EQ(math.facts.TieDistanceOfLastRounding(), 0.25);
  EXPECT_EQ(math.Round(mpq_class(5, 2), Rounding::kHalfEven, 0), 2);
  EXPECT_TRUE(math.facts.tie);
  EXPECT_EQ(math.facts.TieDistanceOfLastRounding(), 0);
  // One tie among many roundings is not forgotten.
  EXPECT_EQ(math.Round(3, Rounding::kHalfUp, 0), 3);
  EXPECT_TRUE(math.facts.tie);
  EXPECT_EQ(math.facts.nearest_round->argument, mpq_class(5, 2));
}

TEST(ExactTest, DistanceIsHalfInTheMiddleBetweenTies) {
  Exact math;
  math.Round(-7, Rounding::kHalfEven, 0);
  EXPECT_EQ(math.facts.TieDistanceOfLastRounding(), 0.5);
}

TEST(ExactTest, NothingRounded) {
  EXPECT_TRUE(std::isnan(ExactFacts().TieDistanceOfLastRounding()));
  EXPECT_EQ(ExactFacts().TieDistanceInWords(), "nothing is rounded");
}

TEST(ExactTest, Variants) {
  const mpq_class tie(5, 2);
  EXPECT_EQ(Exact::WithRounding(Rounding::kHalfAway)
                .Round(tie, Rounding::kHalfEven, 0),
            3);
  EXPECT_EQ(Exact::WithRounding(Rounding::kTruncate)
                .Round(mpq_class(-11, 4), Rounding::kHalfEven, 0),
            -2);
  // round(5/2 + 1) - 1 = round(7/2) - 1 = 4 - 1: an odd zero point added too
  // early turns the tie.
  EXPECT_EQ(
      Exact::WithZeroPointBeforeRounding().Round(tie, Rounding::kHalfEven, 1),
      3);
  EXPECT_EQ(
      Exact::WithZeroPointBeforeRounding().Round(tie, Rounding::kHalfEven, 2),
      2);
}

TEST(ExactTest, ClampOfIntegers) {
  Exact math;
  EXPECT_EQ(math.Clamp(mpz_class(255), 0, 255), 255);
  EXPECT_EQ(math.Clamp(mpz_class(0), 0, 255), 0);
  EXPECT_FALSE(math.facts.clamped_low);
  EXPECT_FALSE(math.facts.clamped_high);
  EXPECT_EQ(math.Clamp(mpz_class("-100000000000000000000"), 0, 255), 0);
  EXPECT_TRUE(math.facts.clamped_low);
  EXPECT_FALSE(math.facts.clamped_high);
  EXPECT_EQ(math.Clamp(mpz_class("100000000000000000000"), -128, 127), 127);
  EXPECT_TRUE(math.facts.clamped_high);
}

TEST(ExactTest, ClampOfReals) {
  Exact math;
  EXPECT_EQ(math.Clamp(mpq_class(1, 3), 0, 1), mpq_class(1, 3));
  EXPECT_FALSE(math.facts.clamped_low || math.facts.clamped_high);
  EXPECT_EQ(math.Clamp(mpq_class(-1, 3), 0, 1), 0);
  EXPECT_TRUE(math.facts.clamped_low);
  EXPECT_EQ(math.Clamp(mpq_class(4, 3), 0, 1), 1);
  EXPECT_TRUE(math.facts.clamped_high);
}

TEST(ExactTest, WithoutClampsValuesPass) {
  Exact math = Exact::WithoutClamps();
  EXPECT_FALSE(math.clamps());
  EXPECT_TRUE(Exact().clamps());
  EXPECT_EQ(math.Clamp(mpq_class(4, 3), 0, 1), mpq_class(4, 3));
  EXPECT_EQ(math.Clamp(mpq_class(-1, 3), 0, 1), mpq_class(-1, 3));
  EXPECT_EQ(math.Clamp(mpz_class(300), 0, 255), 300);
  EXPECT_EQ(math.Clamp(mpz_class("-100000000000000000000"), 0, 255),
            -Exact::kBeyondLimits);
}

TEST(ExactTest, MinMaxAbs) {
  EXPECT_EQ(Exact::Min(2, 3), 2);
  EXPECT_EQ(Exact::Min(3, 2), 2);
  EXPECT_EQ(Exact::Max(2, 3), 3);
  EXPECT_EQ(Exact::Max(3, 2), 3);
  EXPECT_EQ(Exact::Abs(mpq_class(-1, 3)), mpq_class(1, 3));
}

TEST(ExactTest, ConversionToFloatTypes) {
  Exact math;
  const mpq_class above_1 = 1 + PowerOfTwo(-11) / 2;
  EXPECT_EQ(math.ToFloat16(above_1).low, 1);
  EXPECT_FALSE(math.facts.output_tie);
  EXPECT_EQ(math.facts.TieDistanceOfLastRounding(), 0.25);
  EXPECT_EQ(math.ToFloat16(65520).high, kInfinity);
  EXPECT_TRUE(math.facts.output_tie);
  EXPECT_EQ(math.facts.TieDistanceOfLastRounding(), 0);
  // Half away from zero would give infinity too.
  EXPECT_FALSE(math.facts.output_tie_decides);
  EXPECT_EQ(math.ToFloat16(-1 - PowerOfTwo(-11)).low, -1);
  EXPECT_TRUE(math.facts.output_tie_decides);
  EXPECT_EQ(math.ToFloat32(mpq_class(1, 3)).low,
            static_cast<double>(1.0f / 3.0f));
  EXPECT_EQ(math.ToOutput(-128).low, -128);
}

TEST(ExactTest, DistanceInWords) {
  Exact math;
  math.Round(mpq_class(5, 2), Rounding::kHalfEven, 0);
  EXPECT_EQ(math.facts.TieDistanceInWords(), "exactly on the tie 5/2 = 2.5");
  math.ToFloat16(1);
  EXPECT_EQ(math.facts.TieDistanceInWords(),
            "round(): exactly on the tie 5/2 = 2.5; output: 1/2048 = "
            "0.00048828125 below the tie 2049/2048 = 1.00048828125; 1 ulp is "
            "2^-10");
  Exact other;
  other.Round(mpq_class(11, 4), Rounding::kHalfEven, 0);
  EXPECT_EQ(other.facts.TieDistanceInWords(),
            "1/4 = 0.25 above the tie 5/2 = 2.5");
}

TEST(ExactTest, Describe) {
  EXPECT_EQ(Describe(mpq_class(-1, 2)), "-1/2 = -0.5");
  EXPECT_EQ(Describe(mpz_class(12)), "12");
  EXPECT_EQ(Describe(int64_t{-3}), "-3");
  EXPECT_EQ(Describe(ValueSet::Point(0.5)), "0x1p-1 = 0.5");
  EXPECT_EQ(Describe(ValueSet::Point(7)), "7");
  EXPECT_EQ(Describe(ValueSet::Point(kInfinity)), "inf");
  EXPECT_EQ(Describe(ValueSet::Point(std::nan(""))), "nan");
  EXPECT_EQ(Describe(ValueSet{1, 2, false}), "[1, 2]");
  EXPECT_EQ(Describe(ValueSet{0, 0, true}), "any value");
}

}  // namespace
}  // namespace qconform::reference
