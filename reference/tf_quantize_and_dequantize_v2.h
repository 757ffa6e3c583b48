// Golden text of tensorflow::ops::QuantizeAndDequantizeV2. Document: the page
// of that class, C++ API reference. Below it the arithmetic named `tensorflow`
// (TQ-12), which is not the document's text but TensorFlow's own computation.

#ifndef QCONFORM_REFERENCE_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_
#define QCONFORM_REFERENCE_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_

#include <cfloat>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "reference/arithmetic/arithmetic.h"
#include "reference/trace.h"

namespace qconform::reference {

struct QuantizeAttributes {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  Rounding round_mode = Rounding::kHalfEven;
  bool narrow_range = false;
};

// The smallest and largest representable quantized value (TQ-01).
struct QuantizedLimits {
  int64_t min = 0;
  int64_t max = 0;
};
inline QuantizedLimits LimitsOf(const QuantizeAttributes& attributes) {
  if (!attributes.signed_input) {
    return {0, (int64_t{1} << attributes.num_bits) - 1};
  }
  const int64_t half = int64_t{1} << (attributes.num_bits - 1);
  return {attributes.narrow_range ? -half + 1 : -half, half - 1};
}

// The range as given or measured; NaN if it was measured over a tensor that
// holds NaN or an infinity (TQ-08).
struct InitialRange {
  double input_min = 0;
  double input_max = 0;
};

// The range after scale_factor was determined from it.
template <Arithmetic A>
struct ScaledRange {
  bool has_scale = false;  // false: no candidate (TQ-03)
  typename A::Real scale_factor{};
  typename A::Real input_min{};
  typename A::Real input_max{};
};

template <Arithmetic A>
ScaledRange<A> DetermineScale(A& math, const QuantizeAttributes& attributes,
                              InitialRange initial, Trace& trace) {
  using Real = typename A::Real;
  const QuantizedLimits q = LimitsOf(attributes);
  trace.Step("TQ-01", "qmin", q.min);
  trace.Step("TQ-01", "qmax", q.max);
  // If the output is unsigned, input_min is forced to be 0 (TQ-05).
  if (!attributes.signed_input) initial.input_min = 0;
  ScaledRange<A> range;
  // A scale is determined from one of input_min and input_max; the other is
  // updated to make the most of the representable range (TQ-02). qmin is never
  // positive and qmax never negative, so these are q * range > 0.
  if (q.min < 0 && initial.input_min < 0) {
    const Real candidate =
        math.FromInteger(q.min) / math.FromFloat(initial.input_min);
    trace.Step("TQ-02", "qmin / input_min", candidate);
    range.scale_factor = candidate;
    range.has_scale = true;
  }
  if (q.max > 0 && initial.input_max > 0) {
    const Real candidate =
        math.FromInteger(q.max) / math.FromFloat(initial.input_max);
    trace.Step("TQ-02", "qmax / input_max", candidate);
    range.scale_factor =
        range.has_scale ? math.Min(candidate, range.scale_factor) : candidate;
    range.has_scale = true;
  }
  if (!range.has_scale) return range;  // TQ-03
  trace.Step("TQ-02", "scale_factor", range.scale_factor);
  range.input_min = math.FromInteger(q.min) / range.scale_factor;
  range.input_max = math.FromInteger(q.max) / range.scale_factor;
  trace.Step("TQ-02", "input_min = qmin / scale_factor", range.input_min);
  trace.Step("TQ-02", "input_max = qmax / scale_factor", range.input_max);
  return range;
}

template <Arithmetic A>
ValueSet QuantizeAndDequantize(A& math, const QuantizeAttributes& attributes,
                               const InitialRange& initial,
                               const ScaledRange<A>& range, double value,
                               Trace& trace) {
  using Real = typename A::Real;
  // TQ-08
  if (std::isnan(value) || std::isnan(initial.input_max)) {
    trace.Note("TQ-08", "NaN, or a range measured over NaN or infinity", "nan");
    return ValueSet::Point(std::numeric_limits<double>::quiet_NaN());
  }
  if (!range.has_scale) {
    trace.Note("TQ-03", "the range has no scale_factor", "0");
    return ValueSet::Point(0);
  }
  // output = round(clamp(value, input_min, input_max) * scale_factor)
  //          / scale_factor
  Real clamped;
  if (std::isinf(value)) {  // TQ-08
    math.NoteClamped(value < 0);
    clamped = value < 0 ? range.input_min : range.input_max;
  } else {  // TQ-04
    clamped =
        math.Clamp(math.FromFloat(value), range.input_min, range.input_max);
  }
  trace.Step("TQ-04", "clamp(value, input_min, input_max)", clamped);
  const Real scaled = clamped * range.scale_factor;
  trace.Step("TQ-02", "clamp(...) * scale_factor", scaled);
  // AR-03, TQ-10
  const auto quantized =
      math.Round(scaled, attributes.round_mode, /*added_next=*/0);
  trace.Step("AR-03", "round(clamp(...) * scale_factor)", quantized);
  const Real output = math.FromInteger(quantized) / range.scale_factor;
  trace.Step("TQ-02", "round(...) / scale_factor", output);
  const ValueSet rounded = math.ToFloat32(output);
  trace.Step("AR-01", "output, rounded to float32", rounded);
  return rounded;
}

// TQ-12. Every step is a float operation, whatever A; A is told of ties and
// clamps, and for Exact a trace shows what the operation would give exactly.
template <Arithmetic A>
class TensorflowArithmetic {
 public:
  TensorflowArithmetic(A& math, Trace& trace) : math_(math), trace_(trace) {}

  float Multiply(const char* line, float a, float b) {
    const float product = a * b;
    Show(line, product, a, b,
         [](const auto& x, const auto& y) { return mpq_class(x * y); });
    return product;
  }
  float Divide(const char* line, float a, float b) {
    const float quotient = a / b;
    Show(line, quotient, a, b,
         [](const auto& x, const auto& y) { return mpq_class(x / y); });
    return quotient;
  }

  ValueSet QuantizeAndDequantize(const QuantizeAttributes& attributes,
                                 const InitialRange& initial, double value) {
    // TQ-08
    if (std::isnan(value) || std::isnan(initial.input_max)) {
      trace_.Note("TQ-08", "NaN, or a range measured over NaN or infinity",
                  "nan");
      return ValueSet::Point(std::numeric_limits<double>::quiet_NaN());
    }
    const QuantizedLimits q = LimitsOf(attributes);
    const float qmin = static_cast<float>(q.min);
    const float qmax = static_cast<float>(q.max);
    float lo = static_cast<float>(initial.input_min);
    float hi = static_cast<float>(initial.input_max);
    const float s_lo =
        qmin * lo > 0 ? Divide("s_lo = qmin / lo", qmin, lo) : FLT_MAX;
    const float s_hi =
        qmax * hi > 0 ? Divide("s_hi = qmax / hi", qmax, hi) : FLT_MAX;
    float scale;
    float inverse;
    if (s_lo < s_hi) {
      scale = s_lo;
      inverse = Divide("inverse = lo / qmin", lo, qmin);
      hi = Multiply("hi = qmax * inverse", qmax, inverse);
    } else {
      scale = s_hi;
      inverse = Divide("inverse = hi / qmax", hi, qmax);
      lo = Multiply("lo = qmin * inverse", qmin, inverse);
    }
    const float x = static_cast<float>(value);
    float clamped = x;
    if (attributes.range_given) {
      clamped = Binary32::Max(Binary32::Min(x, hi), lo);
      if (x > hi) math_.NoteClamped(/*low=*/false);
      if (x < lo) math_.NoteClamped(/*low=*/true);
    }
    trace_.Step("TQ-12", "x' = max(min(x, hi), lo), if range_given", clamped);
    const float scaled = Multiply("x' * scale", clamped, scale);
    const float rounded = Round(scaled, attributes.round_mode);
    trace_.Step("TQ-12", "round(x' * scale)", rounded);
    return ValueSet::Point(
        Multiply("output = round(x' * scale) * inverse", rounded, inverse));
  }

 private:
  float Round(float value, Rounding round_mode) {
    // Counted as a tie, or as near to one; the value is that of the float.
    if (std::isfinite(value)) {
      math_.Round(math_.FromFloat(value), round_mode, /*added_next=*/0);
    }
    const Rounding rounding = math_.RoundingFor(round_mode);
    if (rounding == Rounding::kHalfUp) return std::floor(value + 0.5f);
    return RoundFloat(value, rounding);
  }

  template <class Operation>
  void Show(const char* line, float result, float a, float b,
            Operation operation) {
    if constexpr (std::same_as<A, Exact>) {
      if (trace_.active() && std::isfinite(a) && std::isfinite(b) &&
          std::isfinite(result)) {
        trace_.Step("TQ-12", line, operation(mpq_class(a), mpq_class(b)));
        return;
      }
    }
    trace_.Step("TQ-12", line, result);
  }

  A& math_;
  Trace& trace_;
};

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_
