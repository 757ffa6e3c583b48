#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/target_test_util.h"
#include "optimized/tf_quantize_and_dequantize_v2_test_util.h"

namespace qconform::optimized::quantize_and_dequantize {
namespace {

struct Bounds {
  float min, max;
};

const Bounds kBounds[] = {
    {-10, 5},
    {-10, 10},
    {-1, 1},
    {0, 1},
    {-0.1f, 0.7f},
    {-3, 0.3f},
    {-1, 0},
    {-128, 127},  // every half is a tie
    {-64, 63.5f},
    {0.25f, 255},
    {-0x1.fffffep-1f, 0x1.000002p0f},
    {-0x1.234568p20f, 0x1.abcdeep19f},
    {-0x1p-149f, 0x1p-149f},  // subnormal
    {-0x1.8p-140f, 0x1.4p-142f},
    {-0x1p-126f, 0x1p-127f},
    {-0x1p-120f, 0x1p-10f},  // one side far below the other
    {-0x1.fffffep127f, 0x1.fffffep127f},
    {-0x1p127f, 0x1.fffffep127f},
    {-0x1p-149f, 0x1.fffffep127f},
    {-0x1.8p127f, 0x1p-149f},
    {1, 2},    // without the zero
    {-2, -1},  // on one side
    {0, 0},
};

// Values on ties of the quantization and beside them, over the whole range and
// beyond, small and large ones.
std::vector<float> Values(const TfQuantizeAndDequantizeV2Attributes& a,
                          const Bounds& bounds, std::mt19937& random) {
  std::vector<float> values = {0.0f,      -0.0f,      kInfinity, -kInfinity,
                               0x1p-149f, -0x1p-149f, FLT_MAX,   -FLT_MAX,
                               kNan,      bounds.min, bounds.max};
  const double steps = std::ldexp(1, static_cast<int>(a.num_bits));
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 24; ++i) {
    const double end = i % 2 == 0 ? bounds.min : bounds.max;
    // About k + 1/2 steps, k small or anywhere.
    const double k = std::floor(unit(random) * (i < 8 ? 4 : steps));
    for (const double divisor : {steps - 1, steps, steps / 2, steps / 2 - 1}) {
      if (divisor <= 0) continue;
      const float near = static_cast<float>((k + 0.5) / divisor * end);
      values.push_back(near);
      values.push_back(std::nextafter(near, kInfinity));
      values.push_back(std::nextafter(near, -kInfinity));
    }
    values.push_back(static_cast<float>(unit(random) * end * 1.25));
  }
  return values;
}

std::vector<TfQuantizeAndDequantizeV2Attributes> AllAttributes(
    const std::vector<int64_t>& widths) {
  std::vector<TfQuantizeAndDequantizeV2Attributes> all;
  for (const int64_t bits : widths) {
    for (int i = 0; i < 8; ++i) {
      TfQuantizeAndDequantizeV2Attributes a;
      a.num_bits = bits;
      a.range_given = true;
      a.signed_input = (i & 1) != 0;
      a.narrow_range = (i & 2) != 0;
      a.round_mode = (i & 4) != 0 ? "HALF_UP" : "HALF_TO_EVEN";
      if (!a.signed_input && a.narrow_range) continue;
      if (a.signed_input && a.narrow_range && bits == 1) continue;
      if (a.signed_input && bits > 61) continue;
      all.push_back(a);
    }
  }
  return all;
}

void CheckExact(const std::vector<int64_t>& widths) {
  std::mt19937 random(1);
  for (const auto& attributes : AllAttributes(widths)) {
    for (const Bounds& bounds : kBounds) {
      SCOPED_TRACE(testing::Message()
                   << attributes.num_bits << " bits, signed "
                   << attributes.signed_input << ", narrow "
                   << attributes.narrow_range << ", " << attributes.round_mode
                   << ", " << std::hexfloat << bounds.min << " to "
                   << bounds.max);
      const ExactOracle oracle(attributes, bounds.min, bounds.max);
      const std::vector<float> values = Values(attributes, bounds, random);
      std::vector<float> expected;
      for (const float value : values) expected.push_back(oracle.Output(value));
      ForEachTarget([&] {
        ExpectSame(Outputs(attributes, TfArithmetic::kExact, bounds.min,
                           bounds.max, values),
                   expected, values);
      });
    }
  }
}

TEST(QuantizeAndDequantizeKernelsTest, FewBits) { CheckExact({1, 2, 3, 5}); }

TEST(QuantizeAndDequantizeKernelsTest, EightBits) { CheckExact({7, 8, 9}); }

// 24 is the last width that double decides.
TEST(QuantizeAndDequantizeKernelsTest, UpTo24Bits) {
  CheckExact({12, 16, 23, 24});
}

TEST(QuantizeAndDequantizeKernelsTest, Beyond24Bits) {
  CheckExact({25, 26, 31, 32, 33, 48});
}

TEST(QuantizeAndDequantizeKernelsTest, WidestBits) {
  CheckExact({53, 54, 60, 61, 62});
}

// Where both kernels apply they agree: a check of each by the other.
TEST(QuantizeAndDequantizeKernelsTest, WideAgreesWithVectors) {
  std::mt19937 random(2);
  for (const auto& attributes : AllAttributes({4, 8, 24})) {
    const int64_t half = int64_t{1} << (attributes.num_bits - 1);
    Format format;
    format.half_up = attributes.round_mode == "HALF_UP";
    format.quantized_min = attributes.signed_input ? -half : 0;
    format.quantized_max = attributes.signed_input ? half - 1 : 2 * half - 1;
    const Parameters parameters =
        ChooseParameters(format, {-1.3f, 1.7f, true}, true);
    ASSERT_EQ(parameters.kernel,
              attributes.num_bits <= 8 ? Kernel::kFloat : Kernel::kExact);
    std::vector<float> values(5000), outputs(5000);
    std::uniform_real_distribution<float> uniform(-2, 2);
    for (float& value : values) value = uniform(random);
    for (const Kernel kernel : {parameters.kernel, Kernel::kExact}) {
      DispatchKernels().run[static_cast<size_t>(kernel)](
          parameters, values.data(), values.size(), outputs.data());
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(outputs[i], WideElement(parameters, values[i])) << values[i];
      }
    }
  }
}

// Every boundary between two steps, with the floats beside it: ranges of few
// bits, where ties are floats (all of them with the minimum's side, some with
// the maximum's), and ranges of any bits.
TEST(QuantizeAndDequantizeKernelsTest, EveryStepOfFewBits) {
  std::mt19937 random(7);
  std::vector<Bounds> ranges = {{-10, 5},      {-12.75f, 12.75f}, {-51, 85},
                                {-127, 1},     {-3, 12.7f},       {0, 2.55f},
                                {-0.3f, 0.1f}, {-1, 1023},        {-1000, 255}};
  std::uniform_real_distribution<float> mantissa(1, 2);
  std::uniform_int_distribution<int> exponent(-58, 58);
  while (ranges.size() < 24) {
    const int e = exponent(random);
    ranges.push_back(
        {-std::ldexp(mantissa(random), e), std::ldexp(mantissa(random), e)});
  }
  for (const auto& attributes : AllAttributes({1, 2, 4, 8, 10})) {
    const int64_t half = int64_t{1} << (attributes.num_bits - 1);
    const int64_t low = attributes.signed_input ? -half : 0;
    const int64_t high = attributes.signed_input ? half : 2 * half;
    for (const Bounds& bounds : ranges) {
      Format format;
      format.quantized_min = low + (attributes.narrow_range ? 1 : 0);
      format.quantized_max = high - 1;
      const Parameters p =
          ChooseParameters(format, {bounds.min, bounds.max, true}, true);
      if (p.kernel == Kernel::kZero) continue;
      ASSERT_EQ(p.kernel, Kernel::kFloat);
      std::vector<float> values;
      for (int64_t k = low - 1; k <= high; ++k) {
        const double boundary = (static_cast<double>(k) + 0.5) * p.range /
                                static_cast<double>(p.quantized);
        float value = static_cast<float>(boundary);
        for (int i = 0; i < 2; ++i) value = std::nextafter(value, -kInfinity);
        for (int i = 0; i < 5; ++i) {
          values.push_back(value);
          value = std::nextafter(value, kInfinity);
        }
      }
      const ExactOracle oracle(attributes, bounds.min, bounds.max);
      std::vector<float> expected;
      for (const float value : values) expected.push_back(oracle.Output(value));
      SCOPED_TRACE(testing::Message()
                   << attributes.num_bits << " bits, signed "
                   << attributes.signed_input << ", narrow "
                   << attributes.narrow_range << ", " << attributes.round_mode
                   << ", " << std::hexfloat << bounds.min << " to "
                   << bounds.max);
      ForEachTarget([&] {
        ExpectSame(Outputs(attributes, TfArithmetic::kExact, bounds.min,
                           bounds.max, values),
                   expected, values);
      });
    }
  }
}

// Outputs that go past the caches: any alignment, nothing written beside.
void CheckStreams(const Format& format, const Range& range,
                  FloatRounding rounding) {
  Parameters p = ChooseParameters(format, range, true);
  ASSERT_EQ(p.kernel, Kernel::kFloat);
  ASSERT_EQ(p.rounding, rounding);
  p.streams = true;
  std::mt19937 random(8);
  std::uniform_real_distribution<float> uniform(-4, 4);
  std::vector<float> values(1000);
  for (float& value : values) value = uniform(random);
  values[700] = kNan;
  ForEachTarget([&] {
    const auto run = DispatchKernels().run[static_cast<size_t>(Kernel::kFloat)];
    for (const size_t count : {0, 1, 3, 15, 16, 17, 31, 63, 64, 900}) {
      for (size_t offset = 0; offset < 17; ++offset) {
        std::vector<float> output(values.size(), 12345.0f);
        run(p, values.data() + offset, count, output.data() + 2 * offset);
        for (size_t i = 0; i < output.size(); ++i) {
          const size_t from = i - offset;
          const bool is_written = i >= 2 * offset && i < 2 * offset + count;
          const float expected = !is_written ? 12345.0f
                                 : std::isnan(values[from])
                                     ? values[from]
                                     : WideElement(p, values[from]);
          ASSERT_TRUE(IsSame(output[i], expected)) << i << " " << count;
        }
      }
    }
  });
}

TEST(QuantizeAndDequantizeKernelsTest, Streams) {
  Format format;
  CheckStreams(format, {-3.7f, 2.9f, true}, FloatRounding::kOneWay);
  CheckStreams(format, {-3.75f, 2.9f, true}, FloatRounding::kEitherWay);
  CheckStreams(format, {-4, 2.9f, true}, FloatRounding::kFloatProduct);
  format.half_up = true;
  CheckStreams(format, {-3.75f, 2.9f, true}, FloatRounding::kOneWay);
}

TEST(QuantizeAndDequantizeKernelsTest, ChoosesKernels) {
  Format format;  // 8 bits, signed
  const auto kernel = [&](float min, float max, bool is_finite = true) {
    return ChooseParameters(format, {min, max, is_finite}, false).kernel;
  };
  EXPECT_EQ(kernel(-1, 1), Kernel::kFloat);
  EXPECT_EQ(kernel(-0x1p-59f, 0), Kernel::kFloat);
  EXPECT_EQ(kernel(-0x1p-60f, 0), Kernel::kExact);
  EXPECT_EQ(kernel(0, 0x1.fffffep59f), Kernel::kFloat);
  EXPECT_EQ(kernel(0, 0x1p60f), Kernel::kExact);
  EXPECT_EQ(kernel(0, 0), Kernel::kZero);
  EXPECT_EQ(kernel(1, 2, false), Kernel::kNan);
  EXPECT_EQ(kernel(-FLT_MAX, FLT_MAX), Kernel::kWide);
  format.quantized_min = 0;
  format.quantized_max = (int64_t{1} << 24) - 1;
  EXPECT_EQ(kernel(-5, 1), Kernel::kExact);
  EXPECT_EQ(kernel(-5, -1), Kernel::kZero);
  format.quantized_max = (int64_t{1} << 25) - 1;
  EXPECT_EQ(kernel(-5, 1), Kernel::kWide);
  format.tensorflow = true;
  EXPECT_EQ(kernel(-5, 1), Kernel::kTensorFlow);
}

// A tie of 2k + 1 = Q' * j; with 8 bits and the minimum's side every odd j,
// with the maximum's 127 or what of it the range does not divide.
TEST(QuantizeAndDequantizeKernelsTest, ChoosesRoundings) {
  Format format;  // 8 bits, signed
  const auto choose = [&](float min, float max) {
    return ChooseParameters(format, {min, max, true}, true);
  };
  // Ties go to 64 and -64.
  const Parameters away = choose(-1.1f, 1.1f);
  EXPECT_EQ(away.rounding, FloatRounding::kOneWay);
  EXPECT_GT(away.biased_low, away.scale_low);
  EXPECT_EQ(away.bias, 0);
  // x = r / 256 goes to 0; 3 * r / 256 is no float.
  const Parameters towards_zero = choose(-0x1.fffffep0f, 1);
  EXPECT_EQ(towards_zero.rounding, FloatRounding::kOneWay);
  EXPECT_LT(towards_zero.biased_low, towards_zero.scale_low);
  // 3 * r / 256 is a float, and goes to 2.
  EXPECT_EQ(choose(-0x1.555554p0f, 1).rounding, FloatRounding::kEitherWay);
  EXPECT_EQ(choose(-0x1.555556p0f, 1).rounding, FloatRounding::kOneWay);
  EXPECT_EQ(choose(-10, 5).rounding, FloatRounding::kEitherWay);
  // Odd multiples of 1/2.
  EXPECT_EQ(choose(-128, 127).rounding, FloatRounding::kFloatProduct);
  EXPECT_EQ(choose(-2, 1).rounding, FloatRounding::kFloatProduct);
  EXPECT_EQ(choose(-1, 1).rounding, FloatRounding::kFloatProduct);
  format.quantized_min = 0;
  format.quantized_max = 255;
  // 127.5 goes to 128; with a multiple of 3 also 42.5 goes to 42.
  EXPECT_EQ(choose(0, 0x1.000006p0f).rounding, FloatRounding::kOneWay);
  EXPECT_EQ(choose(0, 21).rounding, FloatRounding::kEitherWay);
  format.half_up = true;
  for (const float max : {1.0f, 21.0f, 255.0f}) {
    const Parameters up = choose(0, max);
    EXPECT_EQ(up.rounding, FloatRounding::kOneWay);
    EXPECT_EQ(up.biased_low, up.scale_low);
    EXPECT_GT(up.bias, 0);
  }
}

// Given and measured ranges, all widths, any values: bit for bit the scalar
// formula.
TEST(QuantizeAndDequantizeKernelsTest, TensorFlowArithmetic) {
  std::mt19937 random(3);
  for (auto attributes :
       AllAttributes({1, 2, 4, 8, 16, 23, 24, 25, 32, 48, 61, 62})) {
    if (attributes.signed_input && attributes.num_bits == 1) continue;
    for (const Bounds& bounds : kBounds) {
      for (const bool range_given : {false, true}) {
        attributes.range_given = range_given;
        std::vector<float> values = Values(attributes, bounds, random);
        float min = bounds.min, max = bounds.max;
        if (!range_given) {
          std::erase_if(values, [](float v) { return !std::isfinite(v); });
          min = *std::min_element(values.begin(), values.end());
          max = *std::max_element(values.begin(), values.end());
        }
        std::vector<float> expected;
        for (const float value : values) {
          expected.push_back(TensorFlowOutput(attributes, min, max, value));
        }
        SCOPED_TRACE(testing::Message()
                     << attributes.num_bits << " bits, signed "
                     << attributes.signed_input << ", " << std::hexfloat << min
                     << " to " << max);
        ForEachTarget([&] {
          ExpectSame(
              Outputs(attributes, TfArithmetic::kTensorFlow, min, max, values),
              expected, values);
        });
      }
    }
  }
}

// Every float that has a fraction, and around the last of them.
TEST(QuantizeAndDequantizeKernelsTest, TensorFlowRoundsLargeValues) {
  TfQuantizeAndDequantizeV2Attributes attributes;
  attributes.num_bits = 25;
  attributes.range_given = true;
  for (const char* mode : {"HALF_TO_EVEN", "HALF_UP"}) {
    attributes.round_mode = mode;
    // The scale is 1: -2^24 / -2^24.
    const float min = -0x1p24f, max = 0x1.fffffep23f;
    std::vector<float> values;
    for (const float base : {0.5f, 1.5f, 2.5f, 0x1p21f, 0x1p22f, 0x1p23f}) {
      float value = base;
      for (int i = 0; i < 3; ++i) value = std::nextafter(value, 0.0f);
      for (int i = 0; i < 7; ++i, value = std::nextafter(value, kInfinity)) {
        values.push_back(value);
        values.push_back(-value);
      }
    }
    std::vector<float> expected;
    for (const float value : values) {
      expected.push_back(TensorFlowOutput(attributes, min, max, value));
    }
    ForEachTarget([&] {
      ExpectSame(
          Outputs(attributes, TfArithmetic::kTensorFlow, min, max, values),
          expected, values);
    });
  }
}

}  // namespace
}  // namespace qconform::optimized::quantize_and_dequantize
