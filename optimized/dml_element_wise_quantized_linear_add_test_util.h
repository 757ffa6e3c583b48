// For tests of the add: scale sets, an exact oracle over GMP integers, and
// calls that are valid until a test changes them.

#ifndef QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_TEST_UTIL_H_

#include <gmpxx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized::linear_add {

struct Scales {
  float a, b, output;
};

inline const Scales kScales[] = {
    {1, 1, 1},
    {1, 1, 2},           // half of all pairs are ties
    {0.5f, 0.5f, 1},     // the same ties, other scales
    {0.25f, 3, 8},       // many exact in float
    {0.1f, 0.1f, 0.2f},  // ties, not powers of two
    {1, 1, 6},           // ties whose ratio is not exact
    {3, 5, 14},          // the same
    {7, 11, 30},         // the same
    {1, 1, 3},           // no ties: the divisor is odd
    {5, 7, 255},         // the same
    {0.1f, 0.3f, 0.2f},  // close to ties
    {0.1f, 0.2f, 0.6f},  // close to a divisor of 6
    {0.02f, 0.03f, 0.05f},
    {0.0235f, 0.0157f, 0.0314f},
    {0.7f, 0.3f, 1.1f},
    {0.5f, 0.3f, 1},   // ties on one line
    {1, 0x1p-24f, 2},  // beside a tie by less than float can hold
    {1, -0x1p-24f, 2},
    {1, 0x1p-60f, 2},  // by less than double can hold
    {1, -0x1p-60f, 2},
    {0x1p-60f, 1, 2},
    {1, 0x1p-149f, 2},
    {1, 0x1.000002p0f, 2},  // one ulp beside the scales of ties
    {1, 0x1.fffffep-1f, 2},
    {1, 1, 0x1.000002p1f},
    {1, 1, 0x1.fffffep0f},
    {-1, 1, 2},
    {-0.3f, -0.4f, -0.5f},
    {0.3f, 0.4f, -0.5f},
    {1, 1, -2},
    {0x1p-149f, 0x1p-149f, 0x1p-148f},  // subnormal, with ties
    {0x1.8p-140f, 0x1p-147f, 0x1p-141f},
    {0x1p-149f, 0x1p127f, 1},
    {0x1p127f, -0x1p127f, 0x1p-149f},
    {0x1p-149f, 0x1p-149f, 0x1p127f},
    {0x1p120f, 0x1p120f, 0x1p121f},
    {0x1.234568p120f, 0x1.abcdeep119f, 0x1.fedcbap120f},
    {0x1.fffffep127f, 0x1.fffffep127f, 0x1.fffffep127f},
    {0x1p20f, -0x1.000002p20f, 1},  // cancel
    {1000, -1000, 0.37f},
    {4096.5f, -4096, 1},
    {300000, 299999, 3},
    {0x1.fffffep127f, 0x1p-126f, 0x1p120f},  // sums beyond int16, in float
    {200, 150, 1},
    {700, 0.3f, 1.1f},
    {-500, -0.5f, 1.7f},
    {0x1.8p10f, 1000, 7},
    {0x1p10f, 0x1p10f, 0x1p-10f},  // everything clamps
    {0x1p-20f, 0x1p-20f, 1},       // everything is the zero point
    {1, 1, 510},                   // one tie at the end
    {1, 1, 65534},                 // a small ratio of a large divisor
    {16777215, 1, 16777214},       // integers that fill float
};

// round(x), half to even, of the rational number numerator / denominator;
// beyond +-4096 any value beyond will do.
inline int Round(const mpz_class& numerator, const mpz_class& denominator) {
  const mpz_class twice = 2 * denominator;
  mpz_class floor, rest;
  mpz_fdiv_qr(floor.get_mpz_t(), rest.get_mpz_t(), numerator.get_mpz_t(),
              denominator.get_mpz_t());
  rest *= 2;
  if (rest > denominator) ++floor;
  if (rest == denominator && mpz_odd_p(floor.get_mpz_t()) != 0) ++floor;
  if (floor > 4096) return 4096;
  if (floor < -4096) return -4096;
  return static_cast<int>(floor.get_si());
}

// A float times 2^149 is an integer.
inline mpz_class Scaled(float value) {
  return mpz_class(mpq_class(value) * (mpz_class(1) << 149));
}

// The rounded quotient for every pair of differences, computed as needed.
class Oracle {
 public:
  explicit Oracle(const Scales& s)
      : a_(Scaled(s.a)), b_(Scaled(s.b)), output_(Scaled(s.output)) {
    if (output_ < 0) {
      a_ = -a_;
      b_ = -b_;
      output_ = -output_;
    }
    known_.assign(511 * 511, kUnknown);
  }

  int Rounded(int x, int y) {
    int& known = known_[static_cast<size_t>((x + 255) * 511 + y + 255)];
    if (known == kUnknown) known = Round(a_ * x + b_ * y, output_);
    return known;
  }

 private:
  static constexpr int kUnknown = 1 << 20;
  mpz_class a_, b_, output_;
  std::vector<int> known_;
};

struct Types {
  bool a_signed, b_signed, output_signed;
};

struct ZeroPoints {
  int a, b, output;
};

inline int Value(uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<int8_t>(byte) : byte;
}

inline uint8_t Expected(Oracle& oracle, uint8_t a, uint8_t b, Types t,
                        ZeroPoints z) {
  const int rounded =
      oracle.Rounded(Value(a, t.a_signed) - z.a, Value(b, t.b_signed) - z.b);
  const int low = t.output_signed ? -128 : 0;
  return static_cast<uint8_t>(std::clamp(rounded + z.output, low, low + 255));
}

inline std::vector<Types> AllTypes() {
  std::vector<Types> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back({(i & 1) != 0, (i & 2) != 0, (i & 4) != 0});
  }
  return all;
}

// The zero point this far above the lowest of its type.
inline int ZeroPoint(int from_low, bool is_signed) {
  return from_low - (is_signed ? 128 : 0);
}

// A call with everything valid; tests change what they are about.
struct Call {
  explicit Call(const Dimensions& sizes, const Scales& s = {1, 1, 1},
                Types types = {false, false, false}, ZeroPoints z = {0, 0, 0})
      : scales(s),
        zero_points{static_cast<uint8_t>(z.a), static_cast<uint8_t>(z.b),
                    static_cast<uint8_t>(z.output)} {
    const Dimensions one(sizes.size(), 1);
    const auto type = [](bool is_signed) {
      return is_signed ? ElementType::kInt8 : ElementType::kUint8;
    };
    a.type = a_zero_point.type = type(types.a_signed);
    b.type = b_zero_point.type = type(types.b_signed);
    output.type = output_zero_point.type = type(types.output_signed);
    a.sizes = b.sizes = output.sizes = sizes;
    for (TensorDesc* scale : {&a_scale, &b_scale, &output_scale}) {
      scale->type = ElementType::kFloat32;
      scale->sizes = one;
    }
    for (TensorDesc* zero :
         {&a_zero_point, &b_zero_point, &output_zero_point}) {
      zero->sizes = one;
    }
    desc = {&a,       &a_scale,      &a_zero_point, &b,
            &b_scale, &b_zero_point, &output_scale, &output_zero_point,
            &output};
    constants = {&scales.a,       &zero_points[0], &scales.b,
                 &zero_points[1], &scales.output,  &zero_points[2]};
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Scales scales;
  uint8_t zero_points[3];
  TensorDesc a, a_scale, a_zero_point, b, b_scale, b_zero_point, output,
      output_scale, output_zero_point;
  DmlElementWiseQuantizedLinearAddDesc desc;
  DmlElementWiseQuantizedLinearAddConstants constants;
};

// All 65,536 pairs: a by rows, b by columns.
struct AllPairs {
  AllPairs() : a(65536), b(65536) {
    for (size_t i = 0; i < 65536; ++i) {
      a[i] = static_cast<uint8_t>(i >> 8);
      b[i] = static_cast<uint8_t>(i);
    }
  }
  std::vector<uint8_t> a, b;
};

inline std::vector<uint8_t> ExpectedPairs(Oracle& oracle, Types types,
                                          ZeroPoints z) {
  std::vector<uint8_t> expected(65536);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = Expected(oracle, static_cast<uint8_t>(i >> 8),
                           static_cast<uint8_t>(i), types, z);
  }
  return expected;
}

// Names the first difference; equal vectors pass.
inline void ExpectSame(const std::vector<uint8_t>& actual,
                       const std::vector<uint8_t>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  const auto [x, y] =
      std::mismatch(actual.begin(), actual.end(), expected.begin());
  EXPECT_TRUE(x == actual.end()) << "element " << x - actual.begin() << " is "
                                 << int{*x} << ", not " << int{*y};
}

inline std::string Name(const Scales& s) {
  return std::to_string(s.a) + " " + std::to_string(s.b) + " " +
         std::to_string(s.output);
}

}  // namespace qconform::optimized::linear_add

#endif  // QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_TEST_UTIL_H_
