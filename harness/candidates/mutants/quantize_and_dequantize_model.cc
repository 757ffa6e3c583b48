// Scalar model of TensorFlow's QuantizeAndDequantizeV2 with its faults.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "harness/candidates/mutants/models.h"
#include "harness/candidates/mutants/padded_tensor.h"
#include "harness/candidates/mutants/scalar_math.h"
#include "spec/validate.h"

namespace qconform::harness::mutants {
namespace {

using spec::Arguments;
using spec::Tensor;

enum QdqFault {
  kNone,
  kHalfAway,
  kHalfUpAlways,
  kHalfEvenAlways,
  kTruncate,
  kHalfUpByFloatAdd,
  kNarrowRangeIgnored,
  kNarrowRangeForUnsigned,
  kNarrowRangeCutsBothEnds,
  kRangeNotUpdated,
  kNoClampWhenMeasured,
  kScaleFromSmallerCandidateOnly,
  kScaleFromMaximumOnly,
  kFloatScale,
  kFloatProduct,
  kReciprocalOutput,
  kDoubleRoundedOutput,
  kBitsMinusOne,
  kSignedIgnored,
  kUnsignedKeepsMinimum,
  kNanToZero,
  kNanStaysAloneWhenMeasured,
  kInfinityMeasuredAsLargest,
  kFlushSubnormals,
  kZeroRangePassesThrough,
  kRangeAlwaysMeasured,
  kGivenRangeWhenMeasured,
  kLastElementDropped,
  kLastElementNotMeasured,
  kLargestMagnitudeMeasured,
  kQuantizedValueWritten,
  kTensorflowInsteadOfExact,
  kExactInsteadOfTensorflow,
  kTensorflowFused,
  kTensorflowNoClamp,
  kAcceptsBadRange,
};

std::vector<FaultText> Faults() {
  return {
      {"half-away", "rounds halves away from zero"},
      {"half-up-always", "HALF_UP whatever round_mode says"},
      {"half-even-always", "HALF_TO_EVEN whatever round_mode says"},
      {"truncate", "drops the fraction"},
      {"half-up-by-float-add", "HALF_UP as floor of a float sum with 0.5"},
      {"narrow-range-ignored", "ignores narrow_range"},
      {"narrow-range-for-unsigned", "lets narrow_range raise an unsigned 0"},
      {"narrow-range-cuts-both-ends", "narrow_range lowers the maximum too"},
      {"range-not-updated", "clamps to the given or measured range"},
      {"no-clamp-when-measured", "clamps only if range_given"},
      {"larger-scale", "takes the larger candidate for scale_factor"},
      {"scale-from-maximum", "takes scale_factor from input_max alone"},
      {"float-scale", "rounds scale_factor to float"},
      {"float-product", "rounds value times scale_factor to float"},
      {"reciprocal-output", "multiplies by a float reciprocal at the end"},
      {"double-rounded-output", "rounds the output to float16 first"},
      {"one-bit-less", "uses num_bits - 1"},
      {"signed-input-ignored", "always signed"},
      {"unsigned-keeps-minimum", "measures or takes input_min for unsigned"},
      {"nan-to-zero", "turns NaN into 0"},
      {"nan-alone-when-measured", "a NaN leaves the other outputs alone"},
      {"infinity-measured-as-largest",
       "measures infinity as the largest float"},
      {"flush-subnormals", "takes subnormal inputs and outputs as 0"},
      {"zero-range-passes-through", "without a scale, copies the input"},
      {"range-always-measured", "ignores range_given"},
      {"given-range-when-measured", "uses input_min and input_max always"},
      {"last-element-dropped", "does not write the last of an odd number"},
      {"last-element-not-measured", "leaves the last element out of the range"},
      {"largest-magnitude-measured",
       "measures the largest magnitude and takes it for both ends"},
      {"quantized-value-written", "does not dequantize"},
      {"tensorflow-for-exact", "computes in binary32 when asked to be exact"},
      {"exact-for-tensorflow", "computes exactly when asked for tensorflow"},
      {"tensorflow-fused", "tensorflow: keeps the scaled value unrounded"},
      {"tensorflow-no-clamp", "tensorflow: no clamp for a given range"},
      {"accepts-bad-range", "accepts input_min above input_max"},
  };
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

mpz_class Power(int64_t exponent) {
  return mpz_class(1) << static_cast<mp_bitcnt_t>(exponent);
}

class Qdq {
 public:
  Qdq(const Arguments& arguments, int fault)
      : fault_(fault),
        input_(arguments.inputs.at("input")),
        count_(*ElementCount(input_.desc)),
        is_signed_(BoolAttribute(arguments, "signed_input") ||
                   fault == kSignedIgnored),
        range_given_(BoolAttribute(arguments, "range_given")),
        low_(ReadReal(arguments.inputs.at("input_min"), 0)),
        high_(ReadReal(arguments.inputs.at("input_max"), 0)),
        tensorflow_((arguments.options.arithmetic == "tensorflow" &&
                     fault != kExactInsteadOfTensorflow) ||
                    fault == kTensorflowInsteadOfExact) {
    const bool half_up =
        (StringAttribute(arguments, "round_mode") == "HALF_UP" ||
         fault == kHalfUpAlways) &&
        fault != kHalfEvenAlways;
    rounding_ = fault == kHalfAway   ? Rounding::kHalfAway
                : fault == kTruncate ? Rounding::kTruncate
                : half_up            ? Rounding::kHalfUp
                                     : Rounding::kHalfEven;
    bool narrow = BoolAttribute(arguments, "narrow_range");
    if (fault == kNarrowRangeIgnored) narrow = false;
    int64_t bits = IntAttribute(arguments, "num_bits");
    if (fault == kBitsMinusOne) bits = std::max<int64_t>(bits - 1, 1);
    if (is_signed_) {
      q_min_ = -Power(bits - 1) + (narrow ? 1 : 0);
      q_max_ = Power(bits - 1) - 1;
      if (narrow && fault == kNarrowRangeCutsBothEnds) q_max_ -= 1;
    } else {
      q_min_ = narrow && fault == kNarrowRangeForUnsigned ? 1 : 0;
      q_max_ = Power(bits) - 1;
    }
  }

  void Run(const Arguments& arguments, OutputStorage& outputs) {
    OutputTensor output(arguments, "output", outputs);
    const bool measured =
        (!range_given_ && fault_ != kGivenRangeWhenMeasured) ||
        fault_ == kRangeAlwaysMeasured;
    bool poisoned = false;
    if (measured) poisoned = !Measure();
    // Only kGivenRangeWhenMeasured uses a range that nobody has checked.
    if (!std::isfinite(low_) || !std::isfinite(high_)) poisoned = true;
    const std::vector<double> values =
        poisoned      ? std::vector<double>(static_cast<size_t>(count_), kNan)
        : tensorflow_ ? Tensorflow(!measured)
                      : Exact(!measured);
    for (int64_t i = 0; i < count_; ++i) {
      if (fault_ == kLastElementDropped && count_ % 2 == 1 && i == count_ - 1) {
        continue;
      }
      double value = values[static_cast<size_t>(i)];
      if (fault_ == kNanToZero && std::isnan(value)) value = 0;
      if (fault_ == kFlushSubnormals && std::abs(value) < 0x1p-126) value = 0;
      WriteReal(output.tensor, i, value);
    }
  }

 private:
  double Input(int64_t i) const {
    const double value = ReadReal(input_, i);
    return fault_ == kFlushSubnormals && std::abs(value) < 0x1p-126 ? 0 : value;
  }

  // False if a NaN or an infinity makes every output NaN.
  bool Measure() {
    bool first = true;
    low_ = high_ = 0;
    const int64_t end = fault_ == kLastElementNotMeasured
                            ? std::max<int64_t>(count_ - 1, 1)
                            : count_;
    for (int64_t i = 0; i < end && i < count_; ++i) {
      double value = Input(i);
      if (std::isnan(value)) {
        if (fault_ == kNanStaysAloneWhenMeasured || fault_ == kNanToZero) {
          continue;
        }
        return false;
      }
      if (std::isinf(value)) {
        if (fault_ != kInfinityMeasuredAsLargest) return false;
        value = std::copysign(std::numeric_limits<float>::max(), value);
      }
      if (first) low_ = high_ = value;
      first = false;
      low_ = std::min(low_, value);
      high_ = std::max(high_, value);
    }
    if (fault_ == kLargestMagnitudeMeasured) {
      high_ = std::max(-low_, high_);
      low_ = -high_;
    }
    return true;
  }

  std::optional<mpq_class> ScaleFactor() const {
    std::optional<mpq_class> scale;
    const auto consider = [&](const mpz_class& q, double range) {
      if (range == 0 || q == 0 || sgn(q) != (range > 0 ? 1 : -1)) return;
      const mpq_class candidate = mpq_class(q) / mpq_class(range);
      const bool larger = scale.has_value() && candidate > *scale;
      if (!scale.has_value() ||
          larger == (fault_ == kScaleFromSmallerCandidateOnly)) {
        scale = candidate;
      }
    };
    const bool use_minimum = fault_ != kScaleFromMaximumOnly &&
                             (is_signed_ || fault_ == kUnsignedKeepsMinimum);
    // An unsigned implementation that keeps the minimum scales by the width of
    // the range.
    if (!is_signed_ && fault_ == kUnsignedKeepsMinimum) {
      consider(q_max_, high_ - low_);
      return scale;
    }
    if (use_minimum) consider(q_min_, low_);
    consider(q_max_, high_);
    if (scale.has_value() && fault_ == kFloatScale) {
      scale = ThroughFloat(*scale);
    }
    return scale;
  }

  // round() to any integer: num_bits may be 62, beyond what Round covers.
  mpz_class RoundWide(const mpq_class& value) const {
    if (abs(value) < mpq_class(Power(61))) {
      if (rounding_ == Rounding::kHalfUp && fault_ == kHalfUpByFloatAdd) {
        return Floor(ThroughFloat(ThroughFloat(value) + mpq_class(1, 2)));
      }
      return mpz_class(static_cast<long>(Round(value, rounding_)));
    }
    const mpz_class floor = Floor(value);
    const int against_half = cmp(value - floor, mpq_class(1, 2));
    const bool up = against_half > 0 ||
                    (against_half == 0 && (rounding_ != Rounding::kHalfEven ||
                                           mpz_odd_p(floor.get_mpz_t())));
    return up ? mpz_class(floor + 1) : floor;
  }

  static mpz_class Floor(const mpq_class& value) {
    mpz_class quotient;
    mpz_fdiv_q(quotient.get_mpz_t(), value.get_num_mpz_t(),
               value.get_den_mpz_t());
    return quotient;
  }

  std::vector<double> Exact(bool given) const {
    const std::optional<mpq_class> scale = ScaleFactor();
    std::vector<double> values;
    for (int64_t i = 0; i < count_; ++i) {
      const double x = Input(i);
      if (std::isnan(x)) {
        values.push_back(kNan);
      } else if (!scale.has_value()) {
        values.push_back(fault_ == kZeroRangePassesThrough ? x : 0);
      } else {
        values.push_back(Element(x, *scale, given));
      }
    }
    return values;
  }

  double Element(double x, const mpq_class& scale, bool given) const {
    mpq_class lowest = q_min_ / scale, highest = q_max_ / scale;
    if (fault_ == kRangeNotUpdated) {
      lowest = mpq_class(low_);
      highest = mpq_class(high_);
    }
    mpq_class value;
    const bool clamps = given || fault_ != kNoClampWhenMeasured;
    if (std::isinf(x)) {
      value = x > 0 ? highest : lowest;
    } else {
      value = mpq_class(x);
      if (clamps && value < lowest) value = lowest;
      if (clamps && value > highest) value = highest;
    }
    mpq_class scaled = value * scale;
    if (fault_ == kFloatProduct) scaled = ThroughFloat(scaled);
    const mpz_class quantized = RoundWide(scaled);
    if (fault_ == kQuantizedValueWritten) return ToFloat32(quantized);
    if (fault_ == kReciprocalOutput) {
      return ToFloat32(ThroughFloat(quantized) * ThroughFloat(1 / scale));
    }
    const mpq_class result = mpq_class(quantized) / scale;
    return fault_ == kDoubleRoundedOutput ? ToFloat16(result)
                                          : ToFloat32(result);
  }

  // TQ-12, every step in binary32.
  std::vector<double> Tensorflow(bool given) const {
    const float q_min = static_cast<float>(q_min_.get_d());
    const float q_max = static_cast<float>(q_max_.get_d());
    // TensorFlow has no 0 here for unsigned data: the minimum shows where
    // q_max / high overflows.
    float low = static_cast<float>(low_);
    float high = static_cast<float>(high_);
    const float largest = std::numeric_limits<float>::max();
    const float from_low = q_min * low > 0 ? q_min / low : largest;
    const float from_high = q_max * high > 0 ? q_max / high : largest;
    float scale, inverse;
    if (from_low < from_high) {
      scale = from_low;
      inverse = low / q_min;
      high = q_max * inverse;
    } else {
      scale = from_high;
      inverse = high / q_max;
      low = q_min * inverse;
    }
    std::vector<double> values;
    for (int64_t i = 0; i < count_; ++i) {
      float x = static_cast<float>(Input(i));
      if (std::isnan(x)) {
        values.push_back(kNan);
        continue;
      }
      if (given && fault_ != kTensorflowNoClamp) {
        // Comparisons with a NaN bound leave the other operand.
        x = high < x ? high : x;
        x = x < low ? low : x;
      }
      values.push_back(RoundFloat(x, scale) * inverse);
    }
    return values;
  }

  float RoundFloat(float x, float scale) const {
    const float scaled = x * scale;
    if (!std::isfinite(scaled) || std::abs(scaled) >= 0x1p24f) return scaled;
    if (rounding_ == Rounding::kHalfUp) return std::floor(scaled + 0.5f);
    const mpq_class value = fault_ == kTensorflowFused
                                ? mpq_class(x) * mpq_class(scale)
                                : mpq_class(scaled);
    return static_cast<float>(Round(value, rounding_));
  }

  int fault_;
  const Tensor& input_;
  int64_t count_;
  bool is_signed_;
  bool range_given_;
  double low_, high_;
  bool tensorflow_;
  Rounding rounding_;
  mpz_class q_min_, q_max_;
};

void Run(const Arguments& arguments, int fault, OutputStorage& outputs) {
  Qdq(arguments, fault).Run(arguments, outputs);
}

bool Accepts(const Arguments& arguments, int fault) {
  if (fault != kAcceptsBadRange) return false;
  Arguments repaired = arguments;
  const auto low = repaired.inputs.find("input_min");
  const auto high = repaired.inputs.find("input_max");
  if (low == repaired.inputs.end() || high == repaired.inputs.end()) {
    return false;
  }
  std::swap(low->second.storage, high->second.storage);
  return spec::Validate(repaired).ok();
}

}  // namespace

Model QuantizeAndDequantizeModel() {
  return {"tf_quantize_and_dequantize_v2", Faults(), Run, Accepts};
}

}  // namespace qconform::harness::mutants
