#include "reference/second_oracle/row_quantizer.h"

#include "gtest/gtest.h"

namespace qconform::reference::second_oracle {
namespace {

constexpr uint16_t kZero = 0x0000;
constexpr uint16_t kOne = 0x3c00;
constexpr uint16_t kTwo = 0x4000;
constexpr uint16_t kMinusOne = 0xbc00;
constexpr uint16_t kInfinity = 0x7c00;
constexpr uint16_t kMinusInfinity = 0xfc00;
constexpr uint16_t kNan = 0x7e00;
constexpr uint16_t kLargest = 0x7bff;   // 65504
constexpr uint16_t kSmallest = 0x0001;  // 2^-24

TEST(MultiplyFloat16, SpecialValues) {
  using Kind = Product::Kind;
  EXPECT_EQ(MultiplyFloat16(kNan, kOne).kind, Kind::kNan);
  EXPECT_EQ(MultiplyFloat16(kOne, kNan).kind, Kind::kNan);
  EXPECT_EQ(MultiplyFloat16(kInfinity, kZero).kind, Kind::kNan);
  EXPECT_EQ(MultiplyFloat16(kInfinity, 0x8000).kind, Kind::kNan);
  const Product infinite = MultiplyFloat16(kInfinity, kMinusOne);
  EXPECT_EQ(infinite.kind, Kind::kInfinite);
  EXPECT_TRUE(infinite.negative);
  EXPECT_FALSE(MultiplyFloat16(kMinusInfinity, kMinusOne).negative);
  EXPECT_EQ(MultiplyFloat16(kOne, kTwo).kind, Kind::kFinite);
}

TEST(SmallerMagnitude, OverTheWholeRange) {
  const Product tiny = MultiplyFloat16(kSmallest, kSmallest);
  const Product huge = MultiplyFloat16(kLargest, kLargest);
  const Product minus_one = MultiplyFloat16(kMinusOne, kOne);
  EXPECT_TRUE(SmallerMagnitude(tiny, minus_one));
  EXPECT_TRUE(SmallerMagnitude(minus_one, huge));
  EXPECT_FALSE(SmallerMagnitude(huge, tiny));
  // The same value from different mantissas.
  EXPECT_FALSE(SmallerMagnitude(minus_one, MultiplyFloat16(kTwo, 0x3800)));
  EXPECT_FALSE(SmallerMagnitude(MultiplyFloat16(kTwo, 0x3800), minus_one));
}

TEST(RowQuantizer, DynamicMapsTheLargestTo127) {
  const RowQuantizer quantizer =
      RowQuantizer::Dynamic(MultiplyFloat16(0xc7f0, kOne));  // -7.9375
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0xc7f0, kOne)), -127);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x47f0, kOne)), 127);
  // scale_x is 1/16: 0.03125 and 0.09375 are ties.
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x2800, kOne)), 0);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x2e00, kOne)), 2);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x2801, kOne)), 1);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0xae00, kOne)), -2);
  // 3 * 1/16 * 4
  EXPECT_EQ(quantizer.Dequantize(3, 4.0f), 0x3a00);
  EXPECT_EQ(quantizer.Dequantize(-3, 4.0f), 0xba00);
  EXPECT_EQ(quantizer.Dequantize(-3, -4.0f), 0x3a00);
}

TEST(RowQuantizer, DynamicDividesBy127Exactly) {
  const RowQuantizer quantizer =
      RowQuantizer::Dynamic(MultiplyFloat16(kOne, kOne));
  // 1/127 in float16: 129 * 2^-14.
  EXPECT_EQ(quantizer.Dequantize(1, 1.0f), 0x2008);
  EXPECT_EQ(quantizer.Dequantize(127, 1.0f), kOne);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x3800, kOne)), 64);  // 63.5
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(0x37ff, kOne)), 63);
}

TEST(RowQuantizer, ZeroRowAndZeroScale) {
  const RowQuantizer zero_row =
      RowQuantizer::Dynamic(MultiplyFloat16(kZero, kOne));
  EXPECT_EQ(zero_row.Quantize(MultiplyFloat16(kZero, kOne)), 0);
  EXPECT_EQ(zero_row.Dequantize(0, 1.0f), 0);
  const RowQuantizer zero_scale = RowQuantizer::Given(0.0f);
  EXPECT_EQ(zero_scale.Quantize(MultiplyFloat16(kLargest, kOne)), 0);
  EXPECT_EQ(zero_scale.Quantize(MultiplyFloat16(kInfinity, kOne)), 0);
  EXPECT_EQ(zero_scale.Dequantize(0, 1.0f), 0);
}

TEST(RowQuantizer, GivenScale) {
  const RowQuantizer quantizer = RowQuantizer::Given(0x1p-1f);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(kOne, kOne)), 2);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(kLargest, kOne)), 127);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(kLargest, kMinusOne)), -128);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(kInfinity, kOne)), 127);
  EXPECT_EQ(quantizer.Quantize(MultiplyFloat16(kMinusInfinity, kOne)), -128);
  const RowQuantizer negative = RowQuantizer::Given(-0x1p-1f);
  EXPECT_EQ(negative.Quantize(MultiplyFloat16(kOne, kOne)), -2);
  EXPECT_EQ(negative.Quantize(MultiplyFloat16(kInfinity, kOne)), -128);
  EXPECT_EQ(negative.Dequantize(4, 1.0f), 0xc000);
  const RowQuantizer subnormal = RowQuantizer::Given(0x1p-149f);
  EXPECT_EQ(subnormal.Quantize(MultiplyFloat16(kSmallest, kSmallest)), 127);
  const RowQuantizer huge = RowQuantizer::Given(0x1.fffffep127f);
  EXPECT_EQ(huge.Quantize(MultiplyFloat16(kLargest, kLargest)), 0);
}

TEST(RowQuantizer, DequantizeRoundsOnceAtTheEndsOfFloat16) {
  const RowQuantizer one = RowQuantizer::Given(1.0f);
  EXPECT_EQ(one.Dequantize(65519, 1.0f), 0x7bff);
  EXPECT_EQ(one.Dequantize(65520, 1.0f), kInfinity);
  EXPECT_EQ(one.Dequantize(-65520, 1.0f), kMinusInfinity);
  EXPECT_EQ(one.Dequantize(1, 0x1p-25f), 0);
  EXPECT_EQ(one.Dequantize(1, 0x1.000002p-25f), kSmallest);
  EXPECT_EQ(one.Dequantize(3, 0x1p-25f), 2);
  // 0x1p-149 * 2^127 * 2^22 = 1: a subnormal weight scale is kept (AR-05).
  EXPECT_EQ(RowQuantizer::Given(0x1p127f).Dequantize(1 << 22, 0x1p-149f), kOne);
  // Rounding to float32 first would meet a tie: 1 + 2^-11 + 2^-40.
  EXPECT_EQ(
      one.Dequantize((int64_t{1} << 40) + (int64_t{1} << 29) + 1, 0x1p-40f),
      kOne + 1);
}

}  // namespace
}  // namespace qconform::reference::second_oracle
