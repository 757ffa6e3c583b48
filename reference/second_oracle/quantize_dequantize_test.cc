#include "reference/second_oracle/quantize_dequantize.h"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"

namespace qconform::reference::second_oracle {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Case {
  float value;
  float input_min;
  float input_max;
  QuantizeDequantizeParameters parameters;
  int64_t quantized;
  float output;
};

QuantizeDequantizeParameters Signed(int num_bits, bool narrow_range = false,
                                    bool half_up = false) {
  return {true, num_bits, narrow_range, half_up};
}

QuantizeDequantizeParameters Unsigned(int num_bits, bool half_up = false) {
  return {false, num_bits, false, half_up};
}

// Expected values: worked out with fractions.
TEST(QuantizeDequantize, HandWorkedValues) {
  const Case cases[] = {
      // The document's two examples.
      {-10, -10, 5, Signed(8), -128, -10},
      {1, -10, 5, Signed(8), 13, 1.015625f},
      {12, -10, 5, Signed(8), 127, 9.921875f},
      {5, -10, 10, Signed(8), 64, 0x1.42850ap+2f},
      {-20, -10, 10, Signed(8), -128, -0x1.42850ap+3f},
      // 0.3f is above 76.5/255: exactly 77 (TQ-12).
      {0x1.333334p-2f, 0, 1, Unsigned(8), 77, 0x1.353536p-2f},
      {-1, 0, 1, Unsigned(8), 0, 0},
      {1, -100, 1, Unsigned(8), 255, 1},
      // Ties: scale_factor 16, both round modes.
      {0x1.4p-3f, -8, 0x1.fcp2f, Signed(8), 2, 0x1p-3f},
      {0x1.4p-3f, -8, 0x1.fcp2f, Signed(8, false, true), 3, 0x1.8p-3f},
      {-0x1.4p-3f, -8, 0x1.fcp2f, Signed(8), -2, -0x1p-3f},
      {-0x1.4p-3f, -8, 0x1.fcp2f, Signed(8, false, true), -2, -0x1p-3f},
      {-0x1.cp-3f, -8, 0x1.fcp2f, Signed(8, false, true), -3, -0x1.8p-3f},
      // The whole float range.
      {1, -0x1.fffffep127f, 0x1.fffffep127f, Signed(8), 0, 0},
      {-0x1.fffffep127f, -0x1.fffffep127f, 0x1.fffffep127f, Signed(8), -127,
       -0x1.fffffep127f},
      {0x1p-149f, -0x1p-149f, 0x1p-149f, Signed(8), 127, 0x1p-149f},
      {-0x1p-149f, 0, 0x1.8p-148f, Signed(8), -42, -0x1p-149f},
      {0x1p-149f, 0, 0x1.8p-148f, Unsigned(2), 1, 0x1p-149f},
      // Many bits.
      {0x1.333334p-2f, 0, 1, Unsigned(62), 1383505860503797760, 0x1.333334p-2f},
      {0x1.333334p-2f, -1, 1, Signed(61), 345876465125949440, 0x1.333334p-2f},
      {0x1.333334p-2f, -1, 1, Signed(61, true), 345876465125949440,
       0x1.333334p-2f},
      {0x1.555556p-2f, 0, 3, Unsigned(24), 1864135, 0x1.555556p-2f},
      {0x1.921fb6p1f, -4, 0x1.91eb86p1f, Signed(32), 1686629760, 0x1.921fb6p1f},
      // One bit: {-1, 0}.
      {-0x1p-1f, -1, 1, Signed(1), 0, 0},
      {-0x1.000002p-1f, -1, 1, Signed(1), -1, -1},
      {0x1p-1f, -1, 1, Signed(1), 0, 0},
      // A range on one side of 0.
      {-0x1p-1f, -1, -0x1p-2f, Signed(8), -64, -0x1p-1f},
      {1, 0x1p-1f, 1, Signed(8), 127, 1},
  };
  for (const Case& c : cases) {
    const QuantizeDequantize operation(c.parameters, c.input_min, c.input_max);
    EXPECT_EQ(operation.QuantizeExact(c.value), c.quantized) << c.value;
    EXPECT_EQ(operation.Quantize(c.value), c.quantized) << c.value;
    EXPECT_EQ(operation.Exact(c.value), c.output) << c.value;
    EXPECT_EQ(operation(c.value), c.output) << c.value;
  }
}

TEST(QuantizeDequantize, Limits) {
  const QuantizeDequantize narrow(Signed(8, true), -1, 1);
  EXPECT_EQ(narrow.minimum(), -127);
  EXPECT_EQ(narrow.maximum(), 127);
  QuantizeDequantizeParameters parameters = Unsigned(62);
  parameters.narrow_range = true;  // without effect (TQ-01)
  const QuantizeDequantize widest(parameters, 0, 1);
  EXPECT_EQ(widest.minimum(), 0);
  EXPECT_EQ(widest.maximum(), (int64_t{1} << 62) - 1);
  const QuantizeDequantize widest_signed(Signed(61), 0, 1);
  EXPECT_EQ(widest_signed.minimum(), -(int64_t{1} << 60));
  EXPECT_EQ(widest_signed.maximum(), (int64_t{1} << 60) - 1);
}

TEST(QuantizeDequantize, NanAndInfinity) {
  const QuantizeDequantize operation(Signed(8), -10, 5);
  EXPECT_TRUE(std::isnan(operation(std::nanf(""))));
  EXPECT_TRUE(std::isnan(operation.Exact(std::nanf(""))));
  EXPECT_EQ(operation(kInfinity), 9.921875f);
  EXPECT_EQ(operation.Exact(kInfinity), 9.921875f);
  EXPECT_EQ(operation(-kInfinity), -10.0f);
  EXPECT_EQ(operation.Exact(-kInfinity), -10.0f);
  // The side that is not the scale's can lie beyond binary32.
  const QuantizeDequantize whole(Signed(8), -0x1.fffffep127f, 0x1.fffffep127f);
  EXPECT_EQ(whole(-kInfinity), -kInfinity);
}

TEST(QuantizeDequantize, TabulatedOutputsAreTheSame) {
  QuantizeDequantize tabulated(Signed(8), -10, 5);
  tabulated.Tabulate();
  tabulated.Tabulate();  // once is enough
  const QuantizeDequantize plain(Signed(8), -10, 5);
  for (int i = -1200; i <= 600; ++i) {
    const float value = static_cast<float>(i) / 100;
    ASSERT_EQ(tabulated(value), plain.Exact(value)) << value;
  }
  EXPECT_EQ(tabulated(kInfinity), 9.921875f);
  EXPECT_EQ(tabulated(-kInfinity), -10.0f);
  EXPECT_TRUE(std::isnan(tabulated(std::nanf(""))));
}

TEST(QuantizeDequantize, NoCandidate) {
  for (const QuantizeDequantize& operation :
       {QuantizeDequantize(Signed(8), 0, 0),
        QuantizeDequantize(Unsigned(8), -2, -1),
        QuantizeDequantize(Signed(1), 0, 1)}) {
    EXPECT_FALSE(operation.has_scale_factor());
    EXPECT_EQ(operation(3), 0);
    EXPECT_EQ(operation.Exact(3), 0);
    EXPECT_EQ(operation.Quantize(3), 0);
    EXPECT_EQ(operation.QuantizeExact(3), 0);
    EXPECT_EQ(operation(kInfinity), 0);
    EXPECT_TRUE(std::isnan(operation(std::nanf(""))));
    EXPECT_TRUE(std::isnan(operation.Exact(std::nanf(""))));
  }
}

// The reciprocals may only ever save time.
TEST(QuantizeDequantize, FastPathEqualsDivision) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    QuantizeDequantizeParameters parameters;
    parameters.signed_input = random() % 2 == 0;
    parameters.num_bits = 2 + static_cast<int>(random() % 60);
    if (random() % 2 == 0) parameters.num_bits = 8;
    parameters.narrow_range = random() % 2 == 0;
    parameters.half_up = random() % 2 == 0;
    const auto any_float = [&random](uint32_t exponents, uint32_t first) {
      return std::bit_cast<float>(static_cast<uint32_t>(
          (random() & 1) << 31 | ((first + random() % exponents) << 23) |
          (random() & 0x7fffff)));
    };
    const bool extreme = random() % 4 == 0;
    const float bound =
        std::abs(extreme ? any_float(254, 0) : any_float(20, 117));
    const float low = random() % 2 == 0 ? -bound : 0.0f;
    QuantizeDequantize operation(parameters, low, bound);
    if (random() % 2 == 0) operation.Tabulate();
    for (int j = 0; j < 500; ++j) {
      float value = extreme ? any_float(254, 0) : any_float(24, 110);
      // Onto a tie, or as near to one as a float can be.
      if (j % 2 == 0 && parameters.num_bits < 24) {
        const double step = static_cast<double>(bound) /
                            static_cast<double>(operation.maximum());
        const double halves = static_cast<double>(random() % 512) + 0.5;
        value = static_cast<float>(step * halves);
      }
      const int64_t quantized = operation.QuantizeExact(value);
      ASSERT_EQ(operation.Quantize(value), quantized)
          << value << " in " << low << ".." << bound;
      const float output = operation.Exact(value);
      ASSERT_EQ(operation(value), output)
          << value << " in " << low << ".." << bound;
    }
  }
}

}  // namespace
}  // namespace qconform::reference::second_oracle
