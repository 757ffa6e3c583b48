#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "absl/functional/function_ref.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_model.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

using ::testing::Each;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void ForKernelsOfEachTarget(
    absl::FunctionRef<void(const GroupedMatmulKernels&)> test) {
  ForEachTarget([&] { test(ChooseGroupedMatmulKernels()); });
}

// Quantizes the rows of `call` on every target and compares them with the
// model. `smooth` is smooth_scale in float.
void ExpectQuantized(const model::Call& call,
                     const std::vector<float>& smooth) {
  std::vector<model::QuantizedRow> expected;
  for (size_t row = 0; row < call.m; ++row) {
    expected.push_back(model::QuantizeRow(call, row));
  }
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<int8_t> quantized(call.m * call.k + 1, 99);
    std::vector<float> factors(call.m, -1);
    RowQuantization q;
    q.x = call.x.data();
    q.row_stride = call.k;
    q.column_stride = 1;
    q.k = call.k;
    q.smooth = call.smooth_scale.empty() ? nullptr : smooth.data();
    q.x_scale = call.x_scale.empty() ? nullptr : call.x_scale.data();
    q.x_scale_stride = call.per_tensor ? 0 : 1;
    q.quantized = quantized.data();
    q.row_factors = factors.data();
    kernels.quantize_rows(q, 0, call.m);
    EXPECT_EQ(quantized.back(), 99);
    for (size_t row = 0; row < call.m; ++row) {
      if (expected[row].is_nan) {
        EXPECT_TRUE(std::isnan(factors[row])) << row;
        continue;
      }
      EXPECT_EQ(factors[row], expected[row].factor) << row;
      for (size_t k = 0; k < call.k; ++k) {
        ASSERT_EQ(quantized[row * call.k + k], expected[row].values[k])
            << "row " << row << ", k " << k << ", x bits "
            << call.x[row * call.k + k] << ", factor " << factors[row];
      }
    }
  });
}

// Finite float16 of every magnitude, subnormals included.
uint16_t RandomFinite(std::mt19937_64& random) {
  return static_cast<uint16_t>(random() % 0x7C00 + (random() % 2) * 0x8000);
}

TEST(QuantizeRowsTest, DynamicRandom) {
  std::mt19937_64 random(1);
  model::Call call;
  call.m = 40;
  for (const size_t k : {16, 32, 48, 304}) {
    call.k = k;
    call.x.resize(call.m * k);
    for (size_t i = 0; i < call.x.size(); ++i) {
      // A narrow range of magnitudes, so that x_q is seldom 0.
      call.x[i] = i / k % 2 == 0
                      ? RandomFinite(random)
                      : static_cast<uint16_t>(0x3800 + random() % 0x0C00 +
                                              (random() % 2) * 0x8000);
    }
    for (const bool with_smooth : {false, true}) {
      std::vector<float> smooth;
      call.smooth_scale.clear();
      if (with_smooth) {
        for (size_t i = 0; i < k; ++i) {
          call.smooth_scale.push_back(
              static_cast<uint16_t>(0x3800 + random() % 0x0800));
          smooth.push_back(
              1024 + static_cast<float>(call.smooth_scale.back() & 0x3FF));
          // 0x3800 .. 0x3FFF is 1/2 .. 2.
          smooth.back() *=
              call.smooth_scale.back() < 0x3C00 ? 0x1p-11f : 0x1p-10f;
        }
      }
      ExpectQuantized(call, smooth);
    }
  }
}

// Half the maximum is 63.5 and rounds to 64, three quarters 95.25; a row of
// zeros and one of the smallest subnormals.
TEST(QuantizeRowsTest, DynamicTiesByHand) {
  std::vector<uint16_t> x(3 * 16, 0);
  x[0] = 0x4000;   // 2
  x[1] = 0x3C00;   // 1
  x[2] = 0xBC00;   // -1
  x[3] = 0x3E00;   // 1.5
  x[4] = 0xC000;   // -2
  x[32] = 0x0001;  // 2^-24
  x[33] = 0x8001;
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<int8_t> quantized(3 * 16, 99);
    std::vector<float> factors(3, -1);
    RowQuantization q;
    q.x = x.data();
    q.row_stride = 16;
    q.column_stride = 1;
    q.k = 16;
    q.quantized = quantized.data();
    q.row_factors = factors.data();
    kernels.quantize_rows(q, 0, 3);
    EXPECT_EQ(std::vector<int8_t>(quantized.begin(), quantized.begin() + 6),
              (std::vector<int8_t>{127, 64, -64, 95, -127, 0}));
    EXPECT_EQ(
        std::vector<int8_t>(quantized.begin() + 16, quantized.begin() + 32),
        std::vector<int8_t>(16, 0));
    EXPECT_EQ(
        std::vector<int8_t>(quantized.begin() + 32, quantized.begin() + 35),
        (std::vector<int8_t>{127, -127, 0}));
    EXPECT_EQ(factors, (std::vector<float>{2.0f, 0.0f, 0x1p-24f}));
  });
}

// Every magnitude of x against scales at which ties and clamps are met.
TEST(QuantizeRowsTest, StaticWholeDomain) {
  model::Call call;
  call.k = 0x7C00;
  for (uint32_t bits = 0; bits < 0x7C00; ++bits) {
    call.x.push_back(
        static_cast<uint16_t>(bits % 2 == 0 ? bits : bits | 0x8000));
  }
  call.per_tensor = true;
  for (const float scale :
       {1.0f, 2.0f, -0.5f, 0x1p-20f, 0x1.000002p0f, 0x1.fffffep-1f, 3.0f,
        0x1.99999ap-4f, 0x1p-149f, -0x1.fffffep127f, 0x1p-126f, 0.0f, -0.0f,
        0x1.5p3f, 0x1p-25f}) {
    SCOPED_TRACE(scale);
    call.x_scale = {scale};
    ExpectQuantized(call, {});
  }
}

// AG-03: rows with NaN or infinity, alone or with a smooth of 0 or a scale of
// 0.
TEST(QuantizeRowsTest, NanAndInfinity) {
  constexpr uint16_t kNan = 0x7E01, kMinusNan = 0xFE00, kInf = 0x7C00,
                     kMinusInf = 0xFC00;
  model::Call call;
  call.m = 8;
  call.x.assign(8 * 16, 0x3C00);
  call.x[0 * 16 + 3] = kNan;
  call.x[1 * 16 + 15] = kMinusNan;
  call.x[2 * 16 + 0] = kInf;
  call.x[3 * 16 + 7] = kMinusInf;
  call.x[4 * 16 + 1] = kInf;  // meets smooth 0
  call.x[5 * 16 + 2] = kInf;  // meets smooth -1
  call.x[6 * 16 + 0] = kInf;
  call.x[6 * 16 + 4] = kNan;
  std::vector<uint16_t> smooth_bits(16, 0x3C00);
  std::vector<float> smooth(16, 1.0f);
  smooth_bits[1] = 0;
  smooth[1] = 0.0f;
  smooth_bits[2] = 0xBC00;
  smooth[2] = -1.0f;
  for (const bool with_smooth : {false, true}) {
    if (with_smooth) call.smooth_scale = smooth_bits;
    for (const float scale : {kInfinity, 1.0f, -0.25f, 0.0f, 0x1p-149f}) {
      call.x_scale.clear();  // infinity stands for dynamic
      if (scale != kInfinity) call.x_scale.assign(8, scale);
      ExpectQuantized(call, smooth);
    }
  }
}

TEST(QuantizeRowsTest, StridesAndRanges) {
  constexpr size_t kK = 304;  // more than one gathered piece
  std::mt19937_64 random(2);
  std::vector<uint16_t> storage(4 * 3 * kK);
  for (uint16_t& bits : storage) bits = RandomFinite(random);
  model::Call call;
  call.m = 4;
  call.k = kK;
  for (size_t i = 0; i < 4 * kK; ++i) call.x.push_back(storage[3 * i]);
  const std::vector<int> expected[] = {{},
                                       model::QuantizeRow(call, 1).values,
                                       model::QuantizeRow(call, 2).values};
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<int8_t> quantized(4 * kK, 99);
    std::vector<float> factors(4, -1);
    RowQuantization q;
    q.x = storage.data();
    q.row_stride = 3 * kK;
    q.column_stride = 3;
    q.k = kK;
    q.quantized = quantized.data();
    q.row_factors = factors.data();
    kernels.quantize_rows(q, 1, 3);
    EXPECT_EQ(factors[0], -1);
    EXPECT_EQ(factors[3], -1);
    EXPECT_EQ(quantized[kK - 1], 99);
    EXPECT_EQ(quantized[3 * kK], 99);
    for (size_t i = kK; i < 3 * kK; ++i) {
      ASSERT_EQ(quantized[i], expected[i / kK][i % kK]);
    }
  });
}

// Dequantizes on every target and by the wide path; all must be the model's.
void ExpectDequantized(const std::vector<int32_t>& sums,
                       const std::vector<float>& weight_scale, float row_factor,
                       bool is_dynamic) {
  std::vector<uint16_t> expected;
  for (size_t i = 0; i < sums.size(); ++i) {
    expected.push_back(model::Dequantize(sums[i], weight_scale[i], row_factor,
                                         is_dynamic ? 127 : 1));
  }
  const Dequantization q = {weight_scale.data(), row_factor, is_dynamic};
  const auto compare = [&](const std::vector<uint16_t>& out) {
    EXPECT_EQ(out.back(), 0x1234);
    for (size_t i = 0; i < sums.size(); ++i) {
      ASSERT_TRUE(model::SameFloat16(out[i], expected[i]))
          << sums[i] << " * " << weight_scale[i] << " * " << row_factor
          << (is_dynamic ? " / 127" : "") << ": " << out[i] << ", expected "
          << expected[i];
    }
  };
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<uint16_t> out(sums.size() + 1, 0x1234);
    kernels.dequantize(q, sums.data(), sums.size(), out.data());
    compare(out);
  });
  SCOPED_TRACE("wide");
  const std::vector<int64_t> wide_sums(sums.begin(), sums.end());
  std::vector<uint16_t> out(sums.size() + 1, 0x1234);
  DequantizeWide(q, wide_sums.data(), sums.size(), out.data());
  compare(out);
}

TEST(DequantizeTest, Random) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const size_t count = 1 + random() % 40;
    std::vector<int32_t> sums;
    std::vector<float> scales;
    const float factor = std::ldexp(static_cast<float>(random() % 0x400000 + 1),
                                    static_cast<int>(random() % 40) - 40);
    for (size_t i = 0; i < count; ++i) {
      sums.push_back(static_cast<int32_t>(random()) >> (random() % 31));
      if (sums.back() == std::numeric_limits<int32_t>::min()) sums.back() = 0;
      scales.push_back(
          std::ldexp(static_cast<float>(random() % 0x1000000) - 0x800000,
                     static_cast<int>(random() % 40) - 50));
    }
    ExpectDequantized(sums, scales, factor, false);
    ExpectDequantized(sums, scales, factor, true);
  }
}

// Every sum of 16 bits with power-of-two scales: thousands of exact ties, in
// the normal and the subnormal range.
TEST(DequantizeTest, TiesOfPowersOfTwo) {
  std::vector<int32_t> sums;
  for (int32_t s = -40000; s < 40000; ++s) sums.push_back(s);
  for (const float scale : {1.0f, -2.0f, 0x1p-10f, 0x1p-27f, 0x1p-30f}) {
    const std::vector<float> scales(sums.size(), scale);
    ExpectDequantized(sums, scales, 1.0f, false);
  }
}

// Multiples of 127 divide by 127 without rest, their neighbours miss ties by
// little.
TEST(DequantizeTest, DynamicTies) {
  std::vector<int32_t> sums;
  for (int32_t s = 0; s < 20000; s += 3) {
    for (const int32_t offset : {-1, 0, 1}) sums.push_back(127 * s + offset);
  }
  for (const float factor : {1.0f, 0x1.8p-20f, 0x1.004p-22f}) {
    const std::vector<float> scales(sums.size(), 0x1p-2f);
    ExpectDequantized(sums, scales, factor, true);
  }
}

// Values beside a tie by less than double can show: sum * integer is
// divisor * tie * 2^j + offset with an offset of 1 or -1 and a product of 54
// bits. The factors were found by factoring such products.
TEST(DequantizeTest, BesideTiesPastDouble) {
  const struct {
    int64_t divisor, twice_tie, offset, sum, integer;
    uint16_t expected;  // tie = twice_tie / 2 lies between 1024 and 2048
  } cases[] = {
      {1, 4075, -1, 2032295019, 8818621, 0x6400 + 2037 - 1024},
      {1, 4073, 1, 1093741557, 16377949, 0x6400 + 2037 - 1024},
      {1, 4077, -1, 1759665923, 10189909, 0x6400 + 2038 - 1024},
      {127, 4091, -1, 1950672485, 9151635, 0x6400 + 2045 - 1024},
      {127, 4083, -1, 1992262061, 8943067, 0x6400 + 2041 - 1024},
      {127, 4079, 1, 1632226295, 10905031, 0x6400 + 2040 - 1024},
  };
  for (const auto& c : cases) {
    const int j = c.divisor == 1 ? 42 : 35;
    ASSERT_EQ(c.sum * c.integer, ((c.divisor * c.twice_tie) << j) + c.offset);
    const auto sum = static_cast<int32_t>(c.sum);
    const float scale = std::ldexp(static_cast<float>(c.integer), -j - 1 - 7);
    ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
      uint16_t out = 0;
      kernels.dequantize({&scale, 128.0f, c.divisor == 127}, &sum, 1, &out);
      EXPECT_EQ(out, c.expected) << c.twice_tie;
    });
    ExpectDequantized({sum, -sum}, {scale, scale}, 128.0f, c.divisor == 127);
  }
}

// All 48 bits of the product of the scales count.
TEST(DequantizeTest, LongScales) {
  std::vector<int32_t> sums;
  std::vector<float> scales;
  for (const int32_t sum : {0x40000001, 0x7FFFFFFF, 0x40000000, 0x10000001}) {
    for (uint32_t i = 0; i < 200; ++i) {
      sums.push_back(i % 2 == 0 ? sum : -sum);
      scales.push_back(std::ldexp(static_cast<float>(0x800000 + i), -60));
      sums.push_back(sum);
      scales.push_back(std::ldexp(static_cast<float>(0x1000000 - i - 1), -60));
      sums.push_back(sum);
      scales.push_back(std::ldexp(static_cast<float>(0x801000 + i), -60));
    }
  }
  for (const float factor :
       {0x1.000002p10f, 0x1.fffffep9f, 0x1p10f, 0x1.001p9f, 0x1.ffdffep10f}) {
    ExpectDequantized(sums, scales, factor, false);
    ExpectDequantized(sums, scales, factor, true);
  }
}

// By hand: 65519.99 stays finite, 65520 is a tie and goes to infinity; 2^-25 is
// a tie and goes to 0, anything above it to 2^-24.
TEST(DequantizeTest, OverflowAndUnderflowByHand) {
  const std::vector<int32_t> sums = {65519, 65520, -65520, 65504, 1,
                                     0x801, -1,    0,      3,     2147483647};
  const std::vector<float> scales = {1,        1,        1, 1,        0x1p-25f,
                                     0x1p-36f, 0x1p-25f, 5, 0x1p-25f, 1e38f};
  const std::vector<uint16_t> expected = {0x7BFF, 0x7C00, 0xFC00, 0x7BFF, 0, 1,
                                          0x8000, 0,      2,      0x7C00};
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<uint16_t> out(sums.size());
    kernels.dequantize({scales.data(), 1.0f, false}, sums.data(), sums.size(),
                       out.data());
    EXPECT_EQ(out, expected);
  });
  ExpectDequantized(sums, scales, 1.0f, false);
}

TEST(DequantizeTest, ExtremeScales) {
  const std::vector<float> extremes = {
      0x1p-149f,       -0x1p-149f,     0x1.fffffcp-127f, 0x1p-126f,
      0x1.fffffep127f, -0x1.8p127f,    0x1p100f,         0.0f,
      -0.0f,           0x1.fffffep-30f};
  std::vector<int32_t> sums;
  std::vector<float> scales;
  for (const int32_t sum : {1, -1, 3, 2147483647, -2147483647, 0, 65521}) {
    for (const float scale : extremes) {
      sums.push_back(sum);
      scales.push_back(scale);
    }
  }
  for (const float factor : extremes) {
    ExpectDequantized(sums, scales, factor, false);
    ExpectDequantized(sums, scales, std::fabs(factor), true);
  }
}

TEST(DequantizeTest, NanRow) {
  const std::vector<int32_t> sums(37, 5);
  const std::vector<int64_t> wide_sums(37, 5);
  const std::vector<float> scales(37, 1.0f);
  const Dequantization q = {scales.data(), std::nanf(""), true};
  ForKernelsOfEachTarget([&](const GroupedMatmulKernels& kernels) {
    std::vector<uint16_t> out(37, 0);
    kernels.dequantize(q, sums.data(), 37, out.data());
    EXPECT_THAT(out, Each(0x7E00));
    std::vector<uint16_t> wide_out(37, 0);
    DequantizeWide(q, wide_sums.data(), 37, wide_out.data());
    EXPECT_THAT(wide_out, Each(0x7E00));
  });
}

// Sums that int32 does not hold.
TEST(DequantizeTest, WideSums) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const int64_t sum = static_cast<int64_t>(random()) >> (1 + random() % 60);
    const float scale =
        std::ldexp(static_cast<float>(random() % 0x1000000) - 0x800000,
                   static_cast<int>(random() % 60) - 90);
    const float factor =
        std::ldexp(static_cast<float>(random() % 0x1000000), -10);
    const bool is_dynamic = i % 2 == 0;
    uint16_t out = 0;
    DequantizeWide({&scale, factor, is_dynamic}, &sum, 1, &out);
    ASSERT_TRUE(model::SameFloat16(
        out, model::Dequantize(sum, scale, factor, is_dynamic ? 127 : 1)))
        << sum << " * " << scale << " * " << factor << ": " << out;
  }
}

}  // namespace
}  // namespace qconform::optimized
