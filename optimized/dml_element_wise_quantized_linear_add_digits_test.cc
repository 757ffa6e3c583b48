#include "optimized/dml_element_wise_quantized_linear_add_digits.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized::linear_add {
namespace {

Parameters ParametersOf(const Scales& s, Types t, ZeroPoints z) {
  return ChooseParameters({s.a, s.b, s.output, z.a, z.b, z.output, t.a_signed,
                           t.b_signed, t.output_signed});
}

std::optional<Digits> FoundBySearch(const Parameters& parameters,
                                    bool tries_pairs = true) {
  const KernelTable& kernels = DispatchKernels();
  return SearchDigits(parameters, DispatchDigits(),
                      kernels.rows[static_cast<size_t>(parameters.kernel)],
                      tries_pairs);
}

// Runs every pair of bytes through what the search, with trials and without,
// and the quick look find, on every target. Adds the kernels found to
// `kernels`.
void Check(const Scales& scales, size_t set,
           std::multiset<DigitKernel>& kernels, int& quick) {
  SCOPED_TRACE(Name(scales));
  static const AllPairs pairs;
  Oracle oracle(scales);
  const Types types = AllTypes()[set % 8];
  const ZeroPoints z = {
      ZeroPoint(static_cast<int>(set * 37 % 256), types.a_signed),
      ZeroPoint(static_cast<int>(set * 91 % 256), types.b_signed),
      ZeroPoint(static_cast<int>(set * 53 % 256), types.output_signed)};
  const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
  const Parameters parameters = ParametersOf(scales, types, z);
  const auto check = [&](const Digits& digits) {
    std::vector<uint8_t> output(65536, 0xA5);
    DispatchDigits().rows[static_cast<size_t>(digits.kernel)](
        digits, pairs.a.data(), pairs.b.data(), output.size(), output.data());
    ExpectSame(output, expected);
  };
  const std::optional<Digits> found = FoundBySearch(parameters);
  if (found.has_value()) kernels.insert(found->kernel);
  ForEachTarget([&] {
    // A plan is the same on every target (AR-10).
    const std::optional<Digits> again = FoundBySearch(parameters);
    ASSERT_EQ(again.has_value(), found.has_value());
    if (again.has_value()) {
      ASSERT_EQ(again->kernel, found->kernel);
      check(*again);
    }
    for (const auto& digits : {QuickDigits(parameters, DispatchDigits()),
                               FoundBySearch(parameters, false)}) {
      if (digits.has_value()) check(*digits);
    }
  });
  quick += QuickDigits(parameters, DispatchDigits()).has_value() ? 1 : 0;
}

TEST(LinearAddDigitsTest, KnownScaleSets) {
  std::multiset<DigitKernel> kernels;
  int quick = 0;
  size_t set = 0;
  for (const Scales& scales : kScales) Check(scales, set++, kernels, quick);
  // More fraction bits than the first digit has.
  Check({0x1.004p0f, 0.5f, 1}, set++, kernels, quick);
  // The sets are chosen to be difficult, and to reach every kernel with ties.
  EXPECT_GT(kernels.count(DigitKernel::kOneTies), 0u);
  EXPECT_GT(kernels.count(DigitKernel::kThreeTies), 0u);
  EXPECT_GT(kernels.count(DigitKernel::kThreeTiesInFirst), 0u);
  EXPECT_GT(quick, 0);
}

TEST(LinearAddDigitsTest, RandomScaleSets) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-5, -3);
  std::bernoulli_distribution is_negative(0.1);
  const auto scale = [&] {
    const float magnitude = std::exp2(exponent(random));
    return is_negative(random) ? -magnitude : magnitude;
  };
  std::multiset<DigitKernel> kernels;
  int quick = 0;
  constexpr int kSets = 300;
  for (int i = 0; i < kSets; ++i) {
    const Scales scales = {scale(), scale(), scale()};
    Check(scales, random() % 1000, kernels, quick);
  }
  // Nearly all random scales have an answer of three digits.
  EXPECT_GE(kernels.size(), kSets * 98 / 100);
  EXPECT_GE(kernels.count(DigitKernel::kThree), kSets * 80 / 100);
  EXPECT_GE(quick, kSets * 80 / 100);
  RecordProperty("three", static_cast<int>(kernels.count(DigitKernel::kThree)));
  RecordProperty("four", static_cast<int>(kernels.count(DigitKernel::kFour)));
  RecordProperty("quick", quick);
}

// Large ratios leave few fraction bits, where the proof by the pairs near ties
// alone comes to its limits.
TEST(LinearAddDigitsTest, RatiosFarApart) {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> exponent(-10, 5.5f);
  std::multiset<DigitKernel> kernels;
  int quick = 0;
  constexpr int kSets = 100;
  for (int i = 0; i < kSets; ++i) {
    const Scales scales = {std::exp2(exponent(random)),
                           std::exp2(exponent(random)), 1};
    Check(scales, random() % 1000, kernels, quick);
  }
  EXPECT_GE(quick, kSets / 2);
}

TEST(LinearAddDigitsTest, ScaleSetsFullOfTies) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> mantissa(1, 7), exponent(-6, -4),
      output(-4, -2);
  std::multiset<DigitKernel> kernels;
  int quick = 0;
  constexpr int kSets = 100;
  for (int i = 0; i < kSets; ++i) {
    const Scales scales = {
        std::ldexp(static_cast<float>(mantissa(random)), exponent(random)),
        std::ldexp(static_cast<float>(mantissa(random)), exponent(random)),
        std::ldexp(1.0f, output(random))};
    Check(scales, random() % 1000, kernels, quick);
  }
  EXPECT_EQ(quick, kSets);
}

// Scales as people write them: up to half of all pairs lie beside ties, and not
// on them. Where time is short they have no digits.
TEST(LinearAddDigitsTest, HalfOfThePairsBesideTies) {
  std::multiset<DigitKernel> kernels;
  int quick = 0;
  size_t set = 0;
  for (const Scales& scales :
       {Scales{0.3f, 0.7f, 0.2f}, Scales{0.9f, 1.1f, 0.2f},
        Scales{0.3f, 2.1f, 0.6f}, Scales{1.3f, 2.6f, 0.4f}}) {
    const Parameters p = ParametersOf(scales, {}, {});
    EXPECT_TRUE(FoundBySearch(p).has_value()) << Name(scales);
    EXPECT_FALSE(FoundBySearch(p, false).has_value()) << Name(scales);
    Check(scales, set++, kernels, quick);
  }
}

// Beyond what int16 can hold there are no digits.
TEST(LinearAddDigitsTest, NoDigitsForLargeRatios) {
  for (const Scales& scales :
       {Scales{64, 1, 1}, Scales{1, -300, 1}, Scales{0x1p127f, 1, 0x1p-149f}}) {
    const Parameters p = ParametersOf(scales, {}, {});
    EXPECT_FALSE(QuickDigits(p, DispatchDigits()).has_value());
    EXPECT_FALSE(FoundBySearch(p).has_value());
  }
}

// Outputs that go past the caches: any count and alignment, nothing written
// beside.
TEST(LinearAddDigitsTest, StreamsAnyAlignment) {
  const Scales scales = {0.0235f, 0.0157f, 0.0314f};
  Oracle oracle(scales);
  const Types types = {true, false, true};
  const ZeroPoints z = {-7, 131, 5};
  std::optional<Digits> digits = FoundBySearch(ParametersOf(scales, types, z));
  ASSERT_TRUE(digits.has_value());
  std::mt19937 random(3);
  std::vector<uint8_t> a(600), b(600);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint8_t>(random());
    b[i] = static_cast<uint8_t>(random());
  }
  for (const bool streams : {false, true}) {
    digits->streams = streams;
    ForEachTarget([&] {
      const DigitRow row =
          DispatchDigits().rows[static_cast<size_t>(digits->kernel)];
      for (const size_t count : {0, 1, 7, 8, 15, 31, 63, 64, 65, 127, 300}) {
        for (size_t offset = 0; offset < 66; offset += 5) {
          std::vector<uint8_t> output(600, 0xA5);
          row(*digits, a.data() + offset, b.data() + 2 * offset, count,
              output.data() + offset);
          for (size_t i = 0; i < output.size(); ++i) {
            const bool is_written = i >= offset && i < offset + count;
            ASSERT_EQ(output[i], is_written ? Expected(oracle, a[i],
                                                       b[i + offset], types, z)
                                            : 0xA5)
                << i << " of " << count << " from " << offset;
          }
        }
      }
    });
  }
}

TEST(LinearAddDigitsTest, FindsNumbersNearZero) {
  const AllSums sums = {0x9E3779B9, 0x7F4A7C15, 0x80000000};
  constexpr uint32_t kLimit = 0x00400000;
  std::vector<uint16_t> expected;
  for (uint32_t pair = 0; pair < 65536; ++pair) {
    const uint32_t number = sums.start + (pair / 256 - 128) * sums.a_step +
                            (pair % 256 - 128) * sums.b_step;
    const auto value = static_cast<int32_t>(number);
    if (value >= -static_cast<int32_t>(kLimit) &&
        value < static_cast<int32_t>(kLimit)) {
      expected.push_back(static_cast<uint16_t>(pair));
    }
  }
  ASSERT_GT(expected.size(), 10u);
  ForEachTarget([&] {
    std::vector<uint16_t> found(expected.size());
    const auto find = DispatchDigits().find_near_zero;
    EXPECT_EQ(find(sums, kLimit, found.size(), found.data()), expected.size());
    EXPECT_EQ(found, expected);
    EXPECT_GT(find(sums, kLimit, 3, found.data()), 3u);
  });
}

}  // namespace
}  // namespace qconform::optimized::linear_add
