#include "reference/second_oracle/requantizer.h"

#include <bit>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace qconform::reference::second_oracle {
namespace {

constexpr spec::DataType kU8 = spec::DataType::kUint8;
constexpr spec::DataType kS8 = spec::DataType::kInt8;

struct Case {
  int64_t sum;
  float a_scale;
  float b_scale;
  float output_scale;
  int zero_point;
  spec::DataType type;
  int expected;
};

// Expected values: worked out with fractions.
TEST(Requantizer, HandWorkedValues) {
  const Case cases[] = {
      // Ties go to even, before the odd zero point is added.
      {3, 0x1p-1f, 1, 1, 0, kS8, 2},
      {5, 0x1p-1f, 1, 1, 1, kS8, 3},
      {-5, 0x1p-1f, 1, 1, 1, kS8, -1},
      // Negative scales.
      {5, -0x1p-1f, 1, 1, 0, kS8, -2},
      {5, -0x1p-1f, -1, 1, 0, kS8, 2},
      {5, -0x1p-1f, -1, -1, 0, kS8, -2},
      // Subnormal scales; quotients beyond any integer type.
      {5, 0x1p-149f, 0x1p-149f, 0x1p-149f, 7, kU8, 7},
      {5, 0x1.8p-148f, 0x1.8p-148f, 0x1p-149f, 0, kU8, 0},
      {3, 0x1p-149f, 0x1p127f, 0x1p-21f, 0, kU8, 2},
      {-1, 0x1p120f, 0x1p120f, 0x1p-149f, 255, kU8, 0},
      {1, 0x1p120f, 0x1p120f, 0x1p-149f, -128, kS8, 127},
      // 1/2, and one ulp of a scale beside it.
      {1, 0x1p120f, 0x1p-120f, 2, 0, kU8, 0},
      {1, 0x1p120f, 0x1.000002p-120f, 2, 0, kU8, 1},
      {1, 0x1p120f, 0x1.fffffep-121f, 2, 0, kU8, 0},
      {3, 0x1p120f, 0x1p-120f, 2, 0, kU8, 2},
      // Sums of 32 bits and more.
      {2147483647, 0x1.99999ap-4f, 0x1.47ae14p-7f, 0x1.0624dep+14f, 0, kU8,
       128},
      {-2147483648, 0x1.99999ap-4f, 0x1.47ae14p-7f, 0x1.0624dep+14f, 200, kU8,
       72},
      {int64_t{65025} * 33026, 0x1.fffffep-15f, 0x1p-7f, 8, 0, kU8, 128},
  };
  for (const Case& c : cases) {
    const Requantizer requantizer(c.a_scale, c.b_scale, c.output_scale,
                                  c.zero_point, c.type);
    EXPECT_EQ(requantizer.Requantize(c.sum), c.expected)
        << c.sum << " " << c.a_scale << " " << c.b_scale;
  }
}

struct FirstCase {
  int value;
  float a_scale;
  float output_scale;
  int zero_point;
  spec::DataType type;
  std::optional<int64_t> expected;
};

TEST(Requantizer, FirstSumReachingHandWorkedValues) {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();
  const FirstCase cases[] = {
      // round(S / 2): -1/2 and 1/2 give 0, 3/2 gives 2.
      {0, 0x1p-1f, 1, 0, kS8, -1},
      {1, 0x1p-1f, 1, 0, kS8, 2},
      {2, 0x1p-1f, 1, 0, kS8, 3},
      {-1, 0x1p-1f, 1, 0, kS8, -2},
      {-127, 0x1p-1f, 1, 3, kS8, -261},
      // round(-S / 2) falls: the largest sum that still reaches the value.
      {1, -0x1p-1f, 1, 0, kS8, -2},
      {2, -0x1p-1f, 1, 0, kS8, -3},
      {-1, -0x1p-1f, 1, 0, kS8, 2},
      // Every sum, or none.
      {-128, 0x1p-1f, 1, 0, kS8, kLowest},
      {0, -0x1p-1f, 1, 0, kU8, kHighest},
      {256, 0x1p-1f, 1, 0, kU8, std::nullopt},
      {128, -0x1p-1f, 1, 0, kS8, std::nullopt},
      {1, 0x1p-149f, 0x1p100f, 0, kU8, std::nullopt},
      {1, -0x1p-149f, 0x1p100f, 0, kU8, std::nullopt},
      {1, 0x1p-149f, 0x1p100f, 9, kU8, kLowest},
      {1, -0x1p-149f, 0x1p100f, 9, kU8, kHighest},
      // Each sum but 0 saturates.
      {5, 0x1p127f, 0x1p-149f, 5, kU8, 0},
      {6, 0x1p127f, 0x1p-149f, 5, kU8, 1},
      {6, -0x1p127f, 0x1p-149f, 5, kU8, -1},
      // On both sides of the ends of int64.
      {127, 0x1.8p-60f, 1, 100, kS8, std::nullopt},
      {127, -0x1.8p-60f, 1, 100, kS8, std::nullopt},
      {127, 0x1.8p-56f, 1, 100, kS8, 1273017494670060203},
      {-100, 0x1.8p-55f, 1, -20, kS8, -1933545440017732949},
      {-100, -0x1.8p-55f, 1, -20, kS8, 1933545440017732949},
      {-100, 0x1.8p-60f, 1, -20, kS8, kLowest},
      {-100, -0x1.8p-60f, 1, -20, kS8, kHighest},
  };
  for (const FirstCase& c : cases) {
    const Requantizer requantizer(c.a_scale, 1, c.output_scale, c.zero_point,
                                  c.type);
    EXPECT_EQ(requantizer.FirstSumReaching(c.value), c.expected)
        << c.value << " " << c.a_scale << " " << c.zero_point;
  }
}

// Two divisions that have nothing in common but the decomposition.
TEST(Requantizer, FirstSumReachingIsWhereRequantizeChanges) {
  std::mt19937_64 random(20240611);
  constexpr int64_t kLimit = int64_t{1} << 61;
  int64_t checked = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto scale = [&random](int exponent) {
      const uint32_t mantissa = random() % 4 == 0 ? 0 : random() & 0x7fffff;
      return std::bit_cast<float>(static_cast<uint32_t>((random() & 1) << 31) |
                                  static_cast<uint32_t>(exponent + 127) << 23 |
                                  mantissa);
    };
    const spec::DataType type = random() % 2 == 0 ? kU8 : kS8;
    const int zero_point =
        static_cast<int>(random() % 256) - (type == kS8 ? 128 : 0);
    const Requantizer requantizer(scale(static_cast<int>(random() % 60) - 40),
                                  scale(static_cast<int>(random() % 20) - 10),
                                  scale(static_cast<int>(random() % 20) - 10),
                                  zero_point, type);
    const int direction = requantizer.Decreasing() ? 1 : -1;
    for (int value = -130; value <= 257; value += 1 + random() % 7) {
      const std::optional<int64_t> first = requantizer.FirstSumReaching(value);
      if (!first.has_value() || *first > kLimit || *first < -kLimit) continue;
      ASSERT_GE(requantizer.Requantize(*first), value);
      ASSERT_LT(requantizer.Requantize(*first + direction), value);
      ++checked;
    }
  }
  EXPECT_GT(checked, 100000);
}

}  // namespace
}  // namespace qconform::reference::second_oracle
