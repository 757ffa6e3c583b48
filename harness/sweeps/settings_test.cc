#include "harness/sweeps/settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "gmock/gmock.h"
#include "reference/golden.h"

namespace qconform::harness {
namespace {

double Golden(const spec::Arguments& call) {
  const auto result = reference::Evaluate(call);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? result->elements[0].exact : std::nan("");
}

TEST(SettingsTest, CallsMeanWhatTheySay) {
  AddSetting add;
  add.a_type = spec::DataType::kInt8;
  add.a_scale = 0.5f;
  add.b_zero_point = 3;
  // round(-1 * 0.5 + (8 - 3) * 1) = round(4.5) = 4
  EXPECT_EQ(Golden(AddCall(add, 0xFF, 8)), 4);

  RequantizeSetting requantize;
  requantize.output_scale = 2.0f;
  requantize.output_zero_point = 100;
  EXPECT_EQ(Golden(*RequantizeCall(requantize, 3, 2)), 102);
  EXPECT_EQ(Golden(*RequantizeCall(requantize, -5, 2)), 98);
  requantize.output_scale = 65025.0f;
  requantize.output_zero_point = 0;
  EXPECT_EQ(Golden(*RequantizeCall(requantize, 65025 * 20 + 300, 22)), 20);
  requantize.output_zero_point = 255;
  EXPECT_EQ(Golden(*RequantizeCall(requantize, -65025 * 20 - 300, 22)), 235);
  EXPECT_FALSE(RequantizeCall(requantize, 65025 * 20, 21).has_value());

  QuantizeAndDequantizeSetting quantize;
  quantize.input_min = -128;
  quantize.input_max = 127;
  EXPECT_EQ(Golden(QuantizeAndDequantizeCall(quantize, 2.5f)), 2);
  quantize.half_up = true;
  EXPECT_EQ(Golden(QuantizeAndDequantizeCall(quantize, 2.5f)), 3);

  // 1.5 * 2 / 0.5 = 6; 6 * 1 * 0.5 = 3
  const float scale = 0.5f;
  EXPECT_EQ(Golden(RowQuantizeCall(0x3E00, 0x4000, &scale, 0)), 3);
  // The largest product is 254, so the scale 2; 3 / 2 is a tie: 2 * 2.
  EXPECT_EQ(Golden(RowQuantizeCall(0x3E00, 0x4000, nullptr, 0x57F0)), 4);
}

TEST(SettingsTest, DescriptionsHoldEverything) {
  AddSetting add;
  add.b_scale = 0.1f;
  add.output_zero_point = 17;
  EXPECT_THAT(Describe(add), testing::AllOf(testing::HasSubstr("0x1.99999ap-4"),
                                            testing::HasSubstr("point 17")));
  EXPECT_THAT(Describe(HardRequantizeSettings()[9]),
              testing::HasSubstr("-0x1.8p-3"));
  QuantizeAndDequantizeSetting quantize;
  quantize.narrow_range = true;
  quantize.tensorflow = true;
  EXPECT_THAT(Describe(quantize),
              testing::AllOf(testing::HasSubstr("narrow_range"),
                             testing::HasSubstr("tensorflow")));
}

TEST(SettingsTest, ListsAreValidAndMixed) {
  std::map<int, int> types;
  for (const AddSetting& s : AddSettings(3, 800)) {
    ++types[static_cast<int>(s.a_type) * 100 + static_cast<int>(s.b_type) * 10 +
            static_cast<int>(s.output_type)];
    for (const float scale : {s.a_scale, s.b_scale, s.output_scale}) {
      ASSERT_TRUE(std::isfinite(scale) && scale != 0) << Describe(s);
    }
  }
  EXPECT_EQ(types.size(), 8u);
  for (const auto& [type, count] : types) EXPECT_EQ(count, 100);
  for (const RequantizeSetting& s : RequantizeSettings(3, 400)) {
    for (const float scale : {s.a_scale, s.b_scale, s.output_scale}) {
      ASSERT_TRUE(std::isfinite(scale) && scale != 0) << Describe(s);
    }
  }
  EXPECT_EQ(QuantizeAndDequantizeSettings(true).size(), 600u);
  EXPECT_EQ(QuantizeAndDequantizeSettings(false).size(), 30u);
}

TEST(SettingsTest, NearbyFloatsAreScales) {
  RandomSource source(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(NearbyFloat(0, source), 0);
    EXPECT_TRUE(std::isfinite(NearbyFloat(-1e300, source)));
    EXPECT_NEAR(NearbyFloat(1.0, source), 1.0, 0x1p-22);
  }
}

}  // namespace
}  // namespace qconform::harness
