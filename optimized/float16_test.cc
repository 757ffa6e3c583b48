#include "optimized/float16.h"

#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The value of float16 bits by the definition of the format.
double Value(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  double magnitude;
  if (exponent == 31) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0 : 1.0);
}

std::vector<uint16_t> AllPatterns() {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint16_t>(i);
  return all;
}

struct Rounding {
  float value;
  uint16_t expected;
};

// Every point half-way between neighbours and its own neighbours, of both
// signs, with the value to which it must round.
std::vector<Rounding> HalfWayPoints() {
  std::vector<Rounding> points;
  for (uint32_t low = 0; low <= kFloat16Max; ++low) {
    const uint16_t high = static_cast<uint16_t>(low + 1);
    // Beyond the largest finite value rounding goes on as if the exponent
    // range did, to 65536, which then is infinity.
    const double above = low == kFloat16Max ? 65536.0 : Value(high);
    const float half_way =
        static_cast<float>((Value(static_cast<uint16_t>(low)) + above) / 2);
    const uint16_t even = low % 2 == 0 ? static_cast<uint16_t>(low) : high;
    const Rounding rounding[] = {
        {static_cast<float>(Value(static_cast<uint16_t>(low))),
         static_cast<uint16_t>(low)},
        {std::nextafter(half_way, 0.0f), static_cast<uint16_t>(low)},
        {half_way, even},
        {std::nextafter(half_way, kInfinity), high}};
    for (const Rounding& r : rounding) {
      points.push_back(r);
      points.push_back({-r.value, static_cast<uint16_t>(r.expected | 0x8000)});
    }
  }
  for (const float large : {65536.0f, 0x1p127f, 0x1.fffffep127f, kInfinity}) {
    points.push_back({large, 0x7C00});
    points.push_back({-large, 0xFC00});
  }
  for (const float tiny : {0x1p-149f, 0x1p-127f, 0x1p-126f, 0x1.fffffep-26f}) {
    points.push_back({tiny, 0x0000});
    points.push_back({-tiny, 0x8000});
  }
  return points;
}

void ExpectSameFloat(float actual, uint16_t bits) {
  const double expected = Value(bits);
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << bits;
  } else {
    EXPECT_EQ(actual, expected) << bits;
  }
  EXPECT_EQ(std::signbit(actual), (bits & 0x8000) != 0) << bits;
}

bool IsNan(uint16_t bits) { return (bits & 0x7FFF) > 0x7C00; }

TEST(Float16Test, ScalarDecodesEveryPattern) {
  for (const uint16_t bits : AllPatterns()) {
    ExpectSameFloat(Float16ToFloat32(bits), bits);
  }
}

TEST(Float16Test, ScalarReturnsEveryPattern) {
  for (const uint16_t bits : AllPatterns()) {
    const uint16_t back = Float32ToFloat16(Float16ToFloat32(bits));
    if (IsNan(bits)) {
      EXPECT_TRUE(IsNan(back)) << bits;
      EXPECT_EQ(back, bits | 0x0200) << "payload of a quiet NaN";
    } else {
      EXPECT_EQ(back, bits);
    }
  }
}

TEST(Float16Test, ScalarRoundsHalfToEven) {
  for (const Rounding& r : HalfWayPoints()) {
    EXPECT_EQ(Float32ToFloat16(r.value), r.expected) << r.value;
  }
}

TEST(Float16Test, KnownValues) {
  EXPECT_EQ(Float16ToFloat32(0x3C00), 1.0f);
  EXPECT_EQ(Float16ToFloat32(0x3555), 0x1.554p-2f);  // nearest to 1/3
  EXPECT_EQ(Float16ToFloat32(0x0001), 0x1p-24f);
  EXPECT_EQ(Float16ToFloat32(kFloat16Max), 65504.0f);
  EXPECT_EQ(Float32ToFloat16(1.0f / 3), 0x3555);
  EXPECT_EQ(Float32ToFloat16(65519.996f), kFloat16Max);
  EXPECT_EQ(Float32ToFloat16(65520.0f), 0x7C00);
  // A NaN whose payload lies in the dropped bits alone must not become
  // infinity.
  const float low_payload = std::bit_cast<float>(0xFF800001u);
  EXPECT_EQ(Float32ToFloat16(low_payload), 0xFE00);
}

TEST(Float16Test, VectorsDecodeEveryPattern) {
  ForEachTarget([] {
    const std::vector<uint16_t> from = AllPatterns();
    std::vector<float> to(from.size());
    ConvertFloat16ToFloat32(from.data(), from.size(), to.data());
    for (size_t i = 0; i < from.size(); ++i) ExpectSameFloat(to[i], from[i]);
  });
}

TEST(Float16Test, VectorsRoundHalfToEven) {
  ForEachTarget([] {
    const std::vector<Rounding> points = HalfWayPoints();
    std::vector<float> from;
    for (const Rounding& r : points) from.push_back(r.value);
    std::vector<uint16_t> to(from.size());
    ConvertFloat32ToFloat16(from.data(), from.size(), to.data());
    for (size_t i = 0; i < from.size(); ++i) {
      EXPECT_EQ(to[i], points[i].expected) << from[i];
    }
  });
}

TEST(Float16Test, VectorsKeepNan) {
  ForEachTarget([] {
    std::vector<float> from;
    for (const uint32_t payload :
         {1u, 0x1000u, 0x2000u, 0x400000u, 0x7FFFFFu}) {
      from.push_back(std::bit_cast<float>(0x7F800000u | payload));
      from.push_back(std::bit_cast<float>(0xFF800000u | payload));
    }
    std::vector<uint16_t> to(from.size());
    ConvertFloat32ToFloat16(from.data(), from.size(), to.data());
    for (size_t i = 0; i < from.size(); ++i) {
      EXPECT_TRUE(IsNan(to[i])) << i;
      EXPECT_EQ(to[i] >> 15, i % 2) << i;
      EXPECT_EQ(to[i], Float32ToFloat16(from[i])) << i;
    }
  });
}

// Every count around the vector lengths, every alignment, and nothing written
// beside the result.
TEST(Float16Test, CountsAndAlignments) {
  constexpr uint16_t kPoison16 = 0x5A5A;
  constexpr float kPoison32 = 12345.0f;
  ForEachTarget([=] {
    for (size_t count = 0; count <= 70; ++count) {
      for (size_t offset = 0; offset < 9; ++offset) {
        std::vector<uint16_t> halves(count + offset);
        for (size_t i = 0; i < halves.size(); ++i) {
          halves[i] = static_cast<uint16_t>(0x3C00 + 37 * i);
        }
        std::vector<float> floats(count + offset + 1, kPoison32);
        ConvertFloat16ToFloat32(halves.data() + offset, count,
                                floats.data() + offset);
        for (size_t i = 0; i < floats.size(); ++i) {
          const bool inside = i >= offset && i < offset + count;
          ASSERT_EQ(floats[i], inside ? Value(halves[i]) : kPoison32) << i;
        }
        std::vector<uint16_t> back(count + offset + 1, kPoison16);
        ConvertFloat32ToFloat16(floats.data() + offset, count,
                                back.data() + offset);
        for (size_t i = 0; i < back.size(); ++i) {
          const bool inside = i >= offset && i < offset + count;
          ASSERT_EQ(back[i], inside ? halves[i] : kPoison16) << i;
        }
      }
    }
  });
}

}  // namespace
}  // namespace qconform::optimized
