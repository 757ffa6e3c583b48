// Each rule of AR-02 by itself.

#include "reference/arithmetic/enclosure.h"

#include <gtest/gtest.h>

#include <limits>

namespace qconform::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using End = Enclosure::End;
using Real = Enclosure::Real;

Real Interval(const mpq_class& low, const mpq_class& high) {
  return {{low, 0}, {high, 0}, false};
}
Real Point(const mpq_class& value) { return Interval(value, value); }
const End kPlusInfinity = {0, 1};
const End kMinusInfinity = {0, -1};
Real AtLeast(const mpq_class& low) { return {{low, 0}, kPlusInfinity, false}; }
Real AtMost(const mpq_class& high) {
  return {kMinusInfinity, {high, 0}, false};
}
Real Any() { return {{}, {}, true}; }

// The end moved outward as AR-02 says.
mpq_class Up(const mpq_class& end) {
  return end + abs(end) * PowerOfTwo(-23) + PowerOfTwo(-149);
}
mpq_class Down(const mpq_class& end) {
  return end - abs(end) * PowerOfTwo(-23) - PowerOfTwo(-149);
}

void ExpectInterval(const Real& value, const mpq_class& low,
                    const mpq_class& high) {
  EXPECT_FALSE(value.any);
  EXPECT_EQ(value.low.infinite, 0);
  EXPECT_EQ(value.high.infinite, 0);
  EXPECT_EQ(cmp(value.low.value, low), 0) << value.low.value;
  EXPECT_EQ(cmp(value.high.value, high), 0) << value.high.value;
}

TEST(EnclosureTest, PointsWithABinary32ResultStayPoints) {
  ExpectInterval(Point(3) * Point(mpq_class(1, 4)), mpq_class(3, 4),
                 mpq_class(3, 4));
  ExpectInterval(Point(3) + Point(mpq_class(1, 4)), mpq_class(13, 4),
                 mpq_class(13, 4));
  EXPECT_TRUE((Point(0) * Point(mpq_class(1, 8))).IsPoint());
  // The smallest subnormal is a binary32 number.
  EXPECT_TRUE((Point(PowerOfTwo(-100)) * Point(PowerOfTwo(-49))).IsPoint());
}

TEST(EnclosureTest, OtherResultsMoveOutward) {
  // 2^24 + 1 is no binary32 number.
  ExpectInterval(Point(1 << 24) + Point(1), Down((1 << 24) + 1),
                 Up((1 << 24) + 1));
  ExpectInterval(Point(PowerOfTwo(-100)) * Point(PowerOfTwo(-50)),
                 Down(PowerOfTwo(-150)), Up(PowerOfTwo(-150)));
  // Operands that are no points, though every product is a binary32 number.
  ExpectInterval(Interval(1, 2) * Point(2), Down(2), Up(4));
  // Negative ends move outward too.
  ExpectInterval(Interval(-2, -1) * Point(2), Down(-4), Up(-2));
  EXPECT_LT(Down(-4), -4);
}

TEST(EnclosureTest, DivisionStaysAPointOnlyByAPowerOfTwo) {
  ExpectInterval(Point(13) / Point(2), mpq_class(13, 2), mpq_class(13, 2));
  ExpectInterval(Point(13) / Point(mpq_class(-1, 2)), -26, -26);
  // 6 / 3 is exact, but a float implementation may multiply by 1/3.
  ExpectInterval(Point(6) / Point(3), Down(2), Up(2));
  ExpectInterval(Point(0) / Point(3), -PowerOfTwo(-149), PowerOfTwo(-149));
  // A power of two, but the result is no binary32 number.
  ExpectInterval(Point(PowerOfTwo(-149)) / Point(2), Down(PowerOfTwo(-150)),
                 Up(PowerOfTwo(-150)));
}

TEST(EnclosureTest, ConversionOfIntegers) {
  EXPECT_TRUE(Enclosure::FromInteger(int64_t{-16777216}).IsPoint());
  ExpectInterval(Enclosure::FromInteger(int64_t{16777217}), Down(16777217),
                 Up(16777217));
  Enclosure::Integer set(3);
  set.high = 4;
  ExpectInterval(Enclosure::FromInteger(set), Down(3), Up(4));
  ExpectInterval(Enclosure::FromInteger(Enclosure::Rounded{{5, 0}, {6, 0}}),
                 Down(5), Up(6));
  EXPECT_TRUE(
      Enclosure::FromInteger(Enclosure::Rounded{{5, 0}, {5, 0}}).IsPoint());
  set.any = true;
  EXPECT_TRUE(Enclosure::FromInteger(set).any);
  EXPECT_TRUE(Enclosure::FromInteger(Enclosure::Rounded{{}, {}, true}).any);
  EXPECT_TRUE(Enclosure::FromFloat(0.1f).IsPoint());
}

TEST(EnclosureTest, AnEndThatReaches2To128BecomesInfinite) {
  const Real large = Point(PowerOfTwo(127)) * Point(2);
  EXPECT_EQ(large.high.infinite, 1);
  // The lower end, 2^128 less its share, is still below.
  EXPECT_EQ(large.low.infinite, 0);
  const Real negative = Point(-PowerOfTwo(127)) * Interval(2, 3);
  EXPECT_EQ(negative.low.infinite, -1);
  EXPECT_EQ(negative.high.infinite, 0);
  const Real beyond = Point(PowerOfTwo(127)) * Point(4);
  EXPECT_EQ(beyond.low.infinite, 1);
  EXPECT_EQ(beyond.high.infinite, 1);
  // Infinite ends stay where they are.
  EXPECT_EQ((AtLeast(1) * Point(2)).high.infinite, 1);
  EXPECT_EQ((AtLeast(1) + Point(2)).high.infinite, 1);
  EXPECT_EQ((Point(2) + AtMost(1)).low.infinite, -1);
  EXPECT_EQ((AtMost(-1) / Point(2)).low.infinite, -1);
}

TEST(EnclosureTest, ProductsAndQuotientsOfAllSigns) {
  ExpectInterval(Interval(-2, 3) * Interval(-5, 7), Down(-15), Up(21));
  ExpectInterval(Interval(-2, 3) * Point(-1), Down(-3), Up(2));
  ExpectInterval(Interval(1, 2) / Interval(4, 8), Down(mpq_class(1, 8)),
                 Up(mpq_class(1, 2)));
  ExpectInterval(Interval(-1, 2) / Interval(-8, -4), Down(mpq_class(-1, 2)),
                 Up(mpq_class(1, 4)));
  // A finite number over one without bound.
  ExpectInterval(Point(8) / AtLeast(2), Down(0), Up(4));
}

TEST(EnclosureTest, AnyValue) {
  // 0 * inf, the 0 at an end or inside.
  EXPECT_TRUE((Point(0) * AtLeast(1)).any);
  EXPECT_TRUE((AtMost(-1) * Interval(-1, 1)).any);
  // inf - inf.
  EXPECT_TRUE((AtLeast(1) + AtMost(1)).any);
  EXPECT_TRUE((AtMost(1) + AtLeast(1)).any);
  EXPECT_FALSE((AtLeast(1) + AtLeast(1)).any);
  // A divisor that holds 0.
  EXPECT_TRUE((Point(1) / Interval(-1, 1)).any);
  EXPECT_TRUE((Point(1) / Interval(0, 1)).any);
  EXPECT_TRUE((Point(1) / Interval(-1, 0)).any);
  // inf / inf.
  EXPECT_TRUE((AtLeast(1) / AtLeast(1)).any);
}

TEST(EnclosureTest, AnyValueStaysAnyValue) {
  EXPECT_TRUE((Any() + Point(1)).any);
  EXPECT_TRUE((Point(1) * Any()).any);
  EXPECT_TRUE((Any() / Point(1)).any);
  EXPECT_TRUE(Enclosure::Abs(Any()).any);
  EXPECT_TRUE(Enclosure::Min(Any(), Point(1)).any);
  EXPECT_TRUE(Enclosure::Max(Point(1), Any()).any);
  const auto rounded = Enclosure::Round(Any(), Rounding::kHalfEven, 0);
  EXPECT_TRUE(rounded.any);
  const auto clamped = Enclosure::Clamp(rounded + 1, 0, 255);
  EXPECT_TRUE(clamped.any);
  EXPECT_TRUE(Enclosure::ToOutput(clamped).any);
  EXPECT_TRUE(Enclosure::ToFloat16(Any()).any);
  EXPECT_TRUE(Enclosure::ToFloat32(Any()).any);
  Enclosure::Integer sum(0);
  sum += clamped * 3;
  EXPECT_TRUE(sum.any);
}

TEST(EnclosureTest, RoundGivesTheIntegersReached) {
  const auto round = [](const Real& value, Rounding rounding) {
    return Describe(Enclosure::Round(value, rounding, 0));
  };
  EXPECT_EQ(round(Point(mpq_class(5, 2)), Rounding::kHalfEven), "2");
  EXPECT_EQ(round(Point(mpq_class(5, 2)), Rounding::kHalfUp), "3");
  EXPECT_EQ(
      round(Interval(mpq_class(9, 4), mpq_class(11, 4)), Rounding::kHalfEven),
      "{2 .. 3}");
  // Half to even at the ends themselves.
  EXPECT_EQ(
      round(Interval(mpq_class(3, 2), mpq_class(5, 2)), Rounding::kHalfEven),
      "2");
  EXPECT_EQ(round(AtLeast(mpq_class(7, 2)), Rounding::kHalfEven), "{4 .. inf}");
}

TEST(EnclosureTest, IntegerStepsNeverWiden) {
  const auto rounded = Enclosure::Round(
      Interval(mpq_class(9, 4), mpq_class(11, 4)), Rounding::kHalfEven, 0);
  const auto shifted = rounded + (-5);
  EXPECT_EQ(Describe(shifted), "{-3 .. -2}");
  EXPECT_EQ(Describe(Enclosure::Clamp(shifted, -2, 127)), "-2");
  EXPECT_EQ(Describe(Enclosure::Clamp(shifted, -128, 127)), "{-3 .. -2}");
  EXPECT_EQ(Describe(Enclosure::Clamp(rounded + 1000, -128, 127)), "127");
  const auto unbounded =
      Enclosure::Round({kMinusInfinity, kPlusInfinity, false},
                       Rounding::kHalfEven, 0) +
      7;
  EXPECT_EQ(Describe(Enclosure::Clamp(unbounded, -128, 127)), "{-128 .. 127}");
  EXPECT_EQ(Enclosure::ToOutput(Enclosure::Clamp(unbounded, 0, 255)).high, 255);
}

TEST(EnclosureTest, SumOfSetsIsItsHull) {
  Enclosure::Integer set(2);
  set.high = 3;
  Enclosure::Integer sum(10);
  sum += set * -4;  // {-12, -8}
  EXPECT_EQ(Describe(sum), "{-2 .. 2}");
  sum += set * 1;
  EXPECT_EQ(Describe(sum), "{0 .. 5}");
}

TEST(EnclosureTest, ClampMinMaxAbsNeverWiden) {
  ExpectInterval(Enclosure::Abs(Interval(-3, -2)), 2, 3);
  ExpectInterval(Enclosure::Abs(Interval(-3, 2)), 0, 3);
  ExpectInterval(Enclosure::Abs(Point(5)), 5, 5);
  EXPECT_EQ(Enclosure::Abs(AtMost(-1)).high.infinite, 1);
  ExpectInterval(Enclosure::Min(Interval(1, 4), Interval(2, 3)), 1, 3);
  ExpectInterval(Enclosure::Max(Interval(1, 4), Interval(2, 3)), 2, 4);
  ExpectInterval(Enclosure::Clamp(Point(9), Interval(0, 1), Interval(5, 6)), 5,
                 6);
  ExpectInterval(Enclosure::Clamp(AtMost(3), Point(0), Point(5)), 0, 3);
  Enclosure::NoteClamped(true);  // Facts are those of Exact.
}

TEST(EnclosureTest, ConversionToFloatTypesRoundsEachEnd) {
  const ValueSet half =
      Enclosure::ToFloat16(Interval(1 + PowerOfTwo(-11), 65520));
  EXPECT_EQ(half.low, 1);
  EXPECT_EQ(half.high, kInfinity);
  const ValueSet single = Enclosure::ToFloat32(
      {kMinusInfinity, {1 + PowerOfTwo(-24) + PowerOfTwo(-60), 0}, false});
  EXPECT_EQ(single.low, -kInfinity);
  EXPECT_EQ(single.high, 1 + 0x1p-23);
  EXPECT_FALSE(single.any);
}

TEST(EnclosureTest, Describe) {
  EXPECT_EQ(Describe(Point(mpq_class(77, 2))), "38.5");
  EXPECT_EQ(Describe(Interval(mpq_class(1, 3), 1)),
            "[0.333333333333333..., 1]");
  EXPECT_EQ(Describe(Real{kMinusInfinity, kPlusInfinity, false}),
            "[-inf, inf]");
  EXPECT_EQ(Describe(Any()), "any value");
  EXPECT_EQ(Describe(Enclosure::Rounded{{}, {}, true}), "any value");
  Enclosure::Integer any(0);
  any.any = true;
  EXPECT_EQ(Describe(any), "any value");
}

}  // namespace
}  // namespace qconform::reference
