// For tests of quantize-and-dequantize: what each element must be, by exact
// rational numbers, and calls that are valid until a test changes them.

#ifndef QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_TEST_UTIL_H_

#include <gmpxx.h>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "optimized/tf_quantize_and_dequantize_v2.h"

namespace qconform::optimized::quantize_and_dequantize {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The value of a float, 2^128 standing for infinity: the next of the sequence.
inline mpq_class RationalOf(float value) {
  if (!std::isinf(value)) return mpq_class(value);
  const mpq_class next(mpz_class(1) << 128);
  return value < 0 ? mpq_class(-next) : next;
}

// The nearest float, half to even, by trying neighbours of an estimate.
inline float NearestFloat(const mpq_class& exact) {
  const double estimate = exact.get_d();
  if (std::abs(estimate) > 0x1.8p128)
    return estimate < 0 ? -kInfinity : kInfinity;
  const float middle = static_cast<float>(estimate);
  float best = middle;
  for (const float candidate : {std::nextafter(middle, -kInfinity),
                                std::nextafter(middle, kInfinity)}) {
    const mpq_class distance = abs(RationalOf(candidate) - exact);
    const mpq_class best_distance = abs(RationalOf(best) - exact);
    const bool is_even = (std::bit_cast<uint32_t>(candidate) & 1) == 0;
    if (distance < best_distance || (distance == best_distance && is_even)) {
      best = candidate;
    }
  }
  return best;
}

// What the document's formula gives.
class ExactOracle {
 public:
  ExactOracle(const TfQuantizeAndDequantizeV2Attributes& a, float input_min,
              float input_max)
      : half_up_(a.round_mode == "HALF_UP") {
    mpz_class low = 0;
    mpz_class high = (mpz_class(1) << static_cast<unsigned>(a.num_bits)) - 1;
    if (a.signed_input) {
      low = -(mpz_class(1) << static_cast<unsigned>(a.num_bits - 1));
      high = -low - 1;
      if (a.narrow_range) ++low;
    }
    low_ = low;
    high_ = high;
    if (low < 0 && input_min < 0) scale_ = low_ / mpq_class(input_min);
    if (high > 0 && input_max > 0) {
      const mpq_class candidate = high_ / mpq_class(input_max);
      if (!scale_.has_value() || candidate <= *scale_) scale_ = candidate;
    }
  }

  float Output(float value) const {
    if (std::isnan(value)) return value;
    if (!scale_.has_value()) return 0;
    mpq_class scaled = value < 0 ? low_ : high_;
    if (!std::isinf(value)) {
      scaled = mpq_class(value) * *scale_;
      scaled = std::clamp(scaled, low_, high_);
    }
    const mpq_class shifted = scaled + mpq_class(1, 2);
    mpz_class rounded;
    mpz_fdiv_q(rounded.get_mpz_t(), shifted.get_num_mpz_t(),
               shifted.get_den_mpz_t());
    if (!half_up_ && shifted == rounded && mpz_odd_p(rounded.get_mpz_t())) {
      --rounded;
    }
    return NearestFloat(rounded / *scale_);
  }

 private:
  bool half_up_;
  mpq_class low_, high_;
  std::optional<mpq_class> scale_;
};

// TQ-12, one scalar operation after another.
inline float TensorFlowOutput(const TfQuantizeAndDequantizeV2Attributes& a,
                              float lo, float hi, float value) {
  const int64_t half = int64_t{1} << (a.num_bits - 1);
  const float qmin = static_cast<float>(
      a.signed_input ? (a.narrow_range ? 1 - half : -half) : 0);
  const float qmax =
      static_cast<float>(a.signed_input ? half - 1 : 2 * half - 1);
  const float s_lo = qmin * lo > 0 ? qmin / lo : FLT_MAX;
  const float s_hi = qmax * hi > 0 ? qmax / hi : FLT_MAX;
  float scale, inverse;
  if (s_lo < s_hi) {
    scale = s_lo;
    inverse = lo / qmin;
    hi = qmax * inverse;
  } else {
    scale = s_hi;
    inverse = hi / qmax;
    lo = qmin * inverse;
  }
  if (std::isnan(value)) return value;
  if (a.range_given) value = std::max(std::min(value, hi), lo);
  const float scaled = value * scale;
  const float rounded = a.round_mode == "HALF_UP" ? std::floor(scaled + 0.5f)
                                                  : std::nearbyint(scaled);
  return rounded * inverse;
}

// A call with everything valid.
struct Call {
  explicit Call(const Dimensions& sizes) {
    for (TensorDesc* d : {&input, &input_min, &input_max, &output}) {
      d->type = ElementType::kFloat32;
    }
    input.sizes = output.sizes = sizes;
    desc.input = &input;
    desc.input_min = &input_min;
    desc.input_max = &input_max;
    desc.output = &output;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  TensorDesc input, input_min, input_max, output;
  TfQuantizeAndDequantizeV2Desc desc;
};

// Creates a plan for `values` and runs it; the range is constant if given.
inline std::vector<float> Outputs(
    const TfQuantizeAndDequantizeV2Attributes& attributes,
    TfArithmetic arithmetic, float min, float max,
    const std::vector<float>& values) {
  Call call({static_cast<int64_t>(values.size())});
  call.desc.attributes = attributes;
  call.desc.arithmetic = arithmetic;
  const auto plan =
      TfQuantizeAndDequantizeV2Plan::Create(call.desc, {&min, &max});
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  std::vector<std::byte> workspace(plan->WorkspaceBytes());
  RunContext context;
  context.workspace = absl::MakeSpan(workspace);
  std::vector<float> output(values.size(), 12345.0f);
  const absl::Status status =
      plan->Run({values.data(), output.data(), {}}, context);
  EXPECT_TRUE(status.ok()) << status;
  return output;
}

// Equal, -0 like +0 and all NaN alike (AR-06, AR-07).
inline bool IsSame(float actual, float expected) {
  return actual == expected || (std::isnan(actual) && std::isnan(expected));
}

inline void ExpectSame(const std::vector<float>& actual,
                       const std::vector<float>& expected,
                       const std::vector<float>& input) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_TRUE(IsSame(actual[i], expected[i]))
        << "element " << i << ", input " << std::hexfloat << input[i] << ": "
        << actual[i] << ", not " << expected[i];
  }
}

}  // namespace qconform::optimized::quantize_and_dequantize

#endif  // QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_TEST_UTIL_H_
