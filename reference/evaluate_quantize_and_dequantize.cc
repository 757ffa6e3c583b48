#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>

#include "reference/evaluation.h"
#include "reference/operands.h"
#include "reference/operators.h"
#include "reference/tf_quantize_and_dequantize_v2.h"
#include "spec/validate.h"

namespace qconform::reference {
namespace {

InitialRange Measure(const std::vector<double>& input) {
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(input.begin(), input.end(), finite)) {  // TQ-08
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan};
  }
  const auto [min, max] = std::minmax_element(input.begin(), input.end());
  return {*min, *max};
}

struct QuantizeCall {
  explicit QuantizeCall(const spec::Arguments& arguments)
      : input(ReadReals(arguments.inputs.at("input"))),
        tensorflow(arguments.options.arithmetic == "tensorflow") {
    attributes.signed_input = spec::BoolAttribute(arguments, "signed_input");
    attributes.num_bits = spec::IntAttribute(arguments, "num_bits");
    attributes.range_given = spec::BoolAttribute(arguments, "range_given");
    attributes.narrow_range = spec::BoolAttribute(arguments, "narrow_range");
    if (spec::StringAttribute(arguments, "round_mode") == "HALF_UP") {
      attributes.round_mode = Rounding::kHalfUp;
    }
    if (attributes.range_given) {
      range.input_min = ReadReals(arguments.inputs.at("input_min"))[0];
      range.input_max = ReadReals(arguments.inputs.at("input_max"))[0];
    } else {
      range = Measure(input);
    }
  }

  std::vector<double> input;
  bool tensorflow = false;  // TQ-12
  QuantizeAttributes attributes;
  InitialRange range;
};

template <class A>
class QuantizeEvaluator {
 public:
  explicit QuantizeEvaluator(const QuantizeCall& call) : call_(call) {}

  std::optional<ValueSet> Element(int64_t i, A& math, Trace& trace) {
    const double value = call_.input[static_cast<size_t>(i)];
    QuantizeAttributes attributes = call_.attributes;
    if constexpr (std::same_as<A, Exact>) {
      if (!math.clamps()) {
        // Infinities, and what TQ-12 clamps, pass the arithmetic by.
        if (std::isinf(value)) return ValueSet::Point(value);
        if (call_.tensorflow) attributes.range_given = false;
      }
    }
    if (call_.tensorflow) {
      return TensorflowArithmetic<A>(math, trace)
          .QuantizeAndDequantize(attributes, call_.range, value);
    }
    if (!range_) {
      // The same for every element.
      range_ = DetermineScale(math, call_.attributes, call_.range, trace);
    }
    return QuantizeAndDequantize(math, attributes, call_.range, *range_, value,
                                 trace);
  }

 private:
  const QuantizeCall& call_;
  std::optional<ScaledRange<A>> range_;
};

}  // namespace

std::vector<GoldenElement> EvaluateQuantizeAndDequantize(
    const spec::Arguments& arguments, const GoldenRequest& request) {
  const QuantizeCall call(arguments);
  std::vector<GoldenElement> elements = EvaluateElements<QuantizeEvaluator>(
      call, static_cast<int64_t>(call.input.size()), request);
  if (request.decisions) NoteDecisions<QuantizeEvaluator>(call, elements);
  return elements;
}

ElementTrace TraceQuantizeAndDequantize(const spec::Arguments& arguments,
                                        int64_t element) {
  const QuantizeCall call(arguments);
  const RoundingVariant other_mode =
      call.attributes.round_mode == Rounding::kHalfUp
          ? RoundingVariant::kHalfEven
          : RoundingVariant::kHalfUp;
  return TraceOneElement<QuantizeEvaluator>(
      call, element,
      {RoundingVariant::kHalfAway, other_mode, RoundingVariant::kTruncate});
}

}  // namespace qconform::reference
