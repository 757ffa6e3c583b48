#include "optimized/requantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/requantize_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

// Runs a row through the kernel at a stride and checks each element, and that
// nothing lies between or behind the elements.
template <typename Sum>
void CheckRow(const std::vector<Sum>& given, const std::vector<float>& given_b,
              float a, float y, int32_t zero, bool is_signed, size_t stride) {
  const size_t count = given.size();
  std::vector<Sum> sums = given;
  std::vector<float> b = given_b;
  sums.resize(count + 16, 1);
  b.resize(count + 16, 1.0f);
  const RequantizeRow row =
      MakeRequantizeRow(a, y, zero, SummarizeColumnScales(b.data(), count));
  constexpr uint8_t kPoison = 0x5B;
  std::vector<uint8_t> out(count * stride + 16, kPoison);
  RequantizeTile tile;
  tile.rows = &row;
  tile.row_count = 1;
  if constexpr (sizeof(Sum) == sizeof(int32_t)) {
    tile.narrow = sums.data();
  } else {
    tile.wide = sums.data();
  }
  tile.b_scales = b.data();
  tile.columns = count;
  tile.output.data = out.data();
  tile.output.is_signed = is_signed;
  tile.output.stride = stride;
  // Saying that scales are equal changes nothing.
  if (std::count(given_b.begin(), given_b.end(), given_b[0]) ==
      static_cast<ptrdiff_t>(count)) {
    std::vector<uint8_t> shorter = out;
    tile.b_scales_are_equal = true;
    tile.output.data = shorter.data();
    ChooseRequantize()(tile);
    tile.b_scales_are_equal = false;
    tile.output.data = out.data();
    ChooseRequantize()(tile);
    ASSERT_EQ(shorter, out);
  } else {
    ChooseRequantize()(tile);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (i % stride != 0 || i / stride >= count) {
      ASSERT_EQ(out[i], kPoison) << "byte " << i;
      continue;
    }
    const size_t n = i / stride;
    const int32_t found =
        is_signed ? int32_t{static_cast<int8_t>(out[i])} : int32_t{out[i]};
    ASSERT_EQ(found, ExpectedByte(sums[n], a, b[n], y, zero, is_signed))
        << "sum " << sums[n] << ", scales " << a << ", " << b[n] << ", " << y
        << ", zero point " << zero << ", element " << n << " of " << count;
  }
}

template <typename Generator>
float RandomScale(Generator& random) {
  const auto pick = [&](uint32_t n) { return random() % n; };
  float scale = 1.0f + static_cast<float>(random() % (1u << 23)) * 0x1p-23f;
  switch (pick(6)) {
    case 0:  // a power of two
      scale = std::ldexp(1.0f, static_cast<int>(pick(20)) - 10);
      break;
    case 1:  // a small integer: ties without powers of two
      scale = static_cast<float>(1 + pick(40));
      break;
    case 2:  // subnormal
      scale = std::ldexp(static_cast<float>(1 + pick(1000)), -149);
      break;
    case 3:  // huge
      scale = std::ldexp(scale, 100 + static_cast<int>(pick(28)));
      break;
    default:
      scale = std::ldexp(scale, static_cast<int>(pick(24)) - 16);
  }
  return pick(5) == 0 ? -scale : scale;
}

TEST(RequantizeTest, ValuesByHand) {
  ForEachTarget([] {
    // Halves: -2.5 -1.5 -0.5 0.5 1.5 2.5 to even, then an odd zero point.
    CheckRow<int32_t>({-5, -3, -1, 1, 3, 5}, {1, 1, 1, 1, 1, 1}, 1, 2, 3, true,
                      1);
    EXPECT_EQ(ExpectedByte(-5, 1, 1, 2, 3, true), 1);
    EXPECT_EQ(ExpectedByte(3, 1, 1, 2, 3, true), 5);
    EXPECT_EQ(ExpectedByte(1, 1, 1, 2, 3, true), 3);
    // 1/6 of 3 is a tie that no float shows.
    EXPECT_EQ(ExpectedByte(3, 1, 1, 6, 0, false), 0);
    EXPECT_EQ(ExpectedByte(9, 1, 1, 6, 0, false), 2);
    CheckRow<int32_t>({3, 9, 15, -3, -9}, {1, 1, 1, 1, 1}, 1, 6, 100, false, 1);
    // One ulp beside a tie, on both sides.
    const float above = std::nextafter(0.5f, 1.0f);
    const float below = std::nextafter(0.5f, 0.0f);
    EXPECT_EQ(ExpectedByte(1, above, 1, 1, 0, false), 1);
    EXPECT_EQ(ExpectedByte(3, below, 1, 1, 0, false), 1);
    CheckRow<int32_t>({1, 3, 5, 7}, {1, 1, 1, 1}, above, 1, 0, false, 1);
    CheckRow<int32_t>({1, 3, 5, 7}, {1, 1, 1, 1}, below, 1, 0, false, 1);
  });
}

TEST(RequantizeTest, RandomScalesOfEveryKind) {
  ForEachTarget([] {
    std::mt19937 random(1);
    for (int round = 0; round < 6000; ++round) {
      // Up to several groups of four vectors.
      const size_t count = 1 + random() % (round % 8 == 0 ? 200 : 40);
      const float a = RandomScale(random);
      const float y = RandomScale(random);
      std::vector<float> b(count, RandomScale(random));
      if (random() % 2 == 0) {
        for (float& scale : b) scale = RandomScale(random);
      }
      std::vector<int32_t> sums(count);
      for (size_t i = 0; i < count; ++i) {
        // Aim at a tie or beside it, where the range allows.
        const double tie = static_cast<double>(random() % 600) - 299.5;
        const double aim = tie * double{y} / (double{a} * double{b[i]}) +
                           static_cast<double>(random() % 3) - 1;
        sums[i] = std::abs(aim) < 2147483000.0
                      ? static_cast<int32_t>(std::nearbyint(aim))
                      : static_cast<int32_t>(random());
      }
      const bool is_signed = random() % 2 == 0;
      const int32_t zero =
          static_cast<int32_t>(random() % 256) - (is_signed ? 128 : 0);
      CheckRow(sums, b, a, y, zero, is_signed, 1 + random() % 3);
      std::vector<int64_t> wide(sums.begin(), sums.end());
      if (random() % 2 == 0) {
        for (int64_t& sum : wide) sum = sum * 65521 + random() % 65521;
      }
      CheckRow(wide, b, a, y, zero, is_signed, 1 + random() % 3);
    }
  });
}

// Scales that put an integer sum extremely near a tie without reaching it:
// convergents of y / (a * b) times a half-integer.
TEST(RequantizeTest, NearestMissesOfTies) {
  ForEachTarget([] {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
      const float a =
          1.0f + static_cast<float>(random() % (1u << 23)) * 0x1p-23f;
      const float y = std::ldexp(
          1.0f + static_cast<float>(random() % (1u << 23)) * 0x1p-23f, 16);
      // sum * a / y next to (2n + 1) / 2 for every n in range.
      std::vector<int32_t> sums;
      for (int n = -260; n <= 260; ++n) {
        const double aim = (n + 0.5) * double{y} / double{a};
        sums.push_back(static_cast<int32_t>(std::floor(aim)));
        sums.push_back(static_cast<int32_t>(std::floor(aim)) + 1);
      }
      // Keep those that come closest.
      const auto distance = [&](int32_t sum) {
        const double x = sum * double{a} / double{y};
        return std::abs(std::abs(x - std::floor(x)) - 0.5);
      };
      std::sort(sums.begin(), sums.end(), [&](int32_t left, int32_t right) {
        return distance(left) < distance(right);
      });
      sums.resize(64);
      const std::vector<float> b(sums.size(), round % 2 == 0 ? 1.0f : -0.5f);
      CheckRow(sums, b, a, round % 2 == 0 ? y : y / 2, 0, true, 1);
    }
  });
}

// Two rows at once, with parameters of their own and shared.
TEST(RequantizeTest, RowsOfATile) {
  ForEachTarget([] {
    constexpr size_t kColumns = 70;
    constexpr size_t kSumStride = 96;
    constexpr size_t kOutputStride = 75;
    std::vector<int32_t> sums(2 * kSumStride);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] = static_cast<int32_t>(i * 7) - 600;
    }
    const std::vector<float> b(kSumStride, 0.3f);
    const float a_scales[] = {0.7f, 1.9f};
    const int32_t zero_points[] = {3, -100};
    const ColumnScaleSummary summary = SummarizeColumnScales(b.data(), 1);
    const RequantizeRow rows[] = {
        MakeRequantizeRow(a_scales[0], 1.1f, zero_points[0], summary),
        MakeRequantizeRow(a_scales[1], 1.1f, zero_points[1], summary)};
    for (size_t step = 0; step < 2; ++step) {
      std::vector<int8_t> out(2 * kOutputStride, 77);
      RequantizeTile tile;
      tile.rows = rows;
      tile.row_step = step;
      tile.row_count = 2;
      tile.narrow = sums.data();
      tile.sum_stride = kSumStride;
      tile.b_scales = b.data();
      tile.columns = kColumns;
      tile.output.data = out.data();
      tile.output.is_signed = true;
      tile.output.row_stride = kOutputStride;
      ChooseRequantize()(tile);
      for (size_t r = 0; r < 2; ++r) {
        for (size_t n = 0; n < kOutputStride; ++n) {
          const int32_t expected =
              n < kColumns
                  ? ExpectedByte(sums[r * kSumStride + n], a_scales[r * step],
                                 0.3f, 1.1f, zero_points[r * step], true)
                  : 77;
          ASSERT_EQ(int32_t{out[r * kOutputStride + n]}, expected)
              << "row " << r << ", column " << n;
        }
      }
    }
  });
}

TEST(RequantizeTest, ExtremeSums) {
  ForEachTarget([] {
    constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
    constexpr int32_t kMin = std::numeric_limits<int32_t>::min() + 1;
    const std::vector<int32_t> sums = {kMax,    kMin,         0, 1, -1,
                                       1 << 24, (1 << 24) + 1};
    const float kScales[] = {0x1p-149f, 0x1p-126f, 0x1p-31f,
                             1.0f,      0x1p127f,  0x1.fffffep127f};
    for (float a : kScales) {
      for (float b : kScales) {
        for (float y : kScales) {
          const std::vector<float> columns(sums.size(), b);
          CheckRow(sums, columns, a, y, 0, true, 1);
          CheckRow(sums, columns, a, y, -128, true, 1);
          CheckRow(sums, columns, -a, y, 255, false, 1);
          CheckRow(sums, columns, a, -y, 128, false, 2);
        }
      }
    }
  });
}

TEST(RequantizeTest, FilterIsSwitchedByTheScales) {
  const float ones[] = {1.0f};
  const ColumnScaleSummary one = SummarizeColumnScales(ones, 1);
  const auto threshold = [&](float a, float y, const ColumnScaleSummary& b) {
    return MakeRequantizeRow(a, y, 0, b).threshold;
  };
  EXPECT_GT(threshold(1.0f, 0x1p15f, one), 0.5f);  // never decide
  EXPECT_GT(threshold(3.0f, 4.0f, one), 0.5f);
  EXPECT_LT(threshold(1.0f, 0x1p16f, one), 0.5f);  // filter
  EXPECT_GT(threshold(1.0f, 0x1p16f, one), 0.4f);
  EXPECT_LT(threshold(1.0f, 3.0f, one), 0.5f);
  EXPECT_LT(threshold(0x1p-149f, 1.0f, one), 0.0f);  // always decide
  EXPECT_LT(threshold(0x1p120f, 0x1p-120f, one), 0.0f);
  const float huge[] = {0x1p100f, 1.0f};
  EXPECT_LT(threshold(0x1p30f, 1.0f, SummarizeColumnScales(huge, 2)), 0.0f);
  const float long_and_short[] = {1.0f, 0x1.000002p0f};
  EXPECT_LT(threshold(0x1.8p0f, 1.0f, SummarizeColumnScales(long_and_short, 2)),
            0.5f);
}

}  // namespace
}  // namespace qconform::optimized
