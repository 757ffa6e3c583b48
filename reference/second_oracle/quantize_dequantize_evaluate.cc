// The whole call: the range, the two arithmetics, and NaN and infinity.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/second_oracle/quantize_dequantize.h"
#include "reference/second_oracle/tensor_access.h"
#include "spec/validate.h"

namespace qconform::reference::second_oracle {
namespace {

// TensorFlow's own computation (TQ-12), the one place of the second oracle that
// computes in floats: there the document of truth is a sequence of binary32
// operations. TensorFlow does not set the minimum to 0 for unsigned data: that
// shows where quantized_max / input_max overflows and the minimum's side is
// taken.
class TensorflowArithmetic {
 public:
  TensorflowArithmetic(const QuantizeDequantizeParameters& parameters,
                       bool range_given, float input_min, float input_max,
                       int64_t minimum, int64_t maximum)
      : range_given_(range_given),
        half_up_(parameters.half_up),
        low_(input_min),
        high_(input_max) {
    const float quantized_min = static_cast<float>(minimum);
    const float quantized_max = static_cast<float>(maximum);
    const float scale_low = quantized_min * low_ > 0
                                ? quantized_min / low_
                                : std::numeric_limits<float>::max();
    const float scale_high = quantized_max * high_ > 0
                                 ? quantized_max / high_
                                 : std::numeric_limits<float>::max();
    if (scale_low < scale_high) {
      scale_ = scale_low;
      inverse_ = low_ / quantized_min;
      high_ = quantized_max * inverse_;
    } else {
      scale_ = scale_high;
      inverse_ = high_ / quantized_max;
      low_ = quantized_min * inverse_;
    }
  }

  float operator()(float value) const {
    if (std::isnan(value)) return value;  // TQ-08
    if (range_given_) value = std::max(std::min(value, high_), low_);
    const float scaled = value * scale_;
    const float rounded =
        half_up_ ? std::floor(scaled + 0.5f) : std::nearbyint(scaled);
    return rounded * inverse_;
  }

 private:
  bool range_given_;
  bool half_up_;
  float low_;
  float high_;
  float scale_;
  float inverse_;
};

}  // namespace

Result EvaluateQuantizeDequantize(const spec::Arguments& arguments) {
  const std::vector<float> input =
      Float32Elements(arguments.inputs.at("input"));
  Result result = WrittenResult(static_cast<int64_t>(input.size()));

  QuantizeDequantizeParameters parameters;
  parameters.signed_input = spec::BoolAttribute(arguments, "signed_input");
  parameters.num_bits =
      static_cast<int>(spec::IntAttribute(arguments, "num_bits"));
  parameters.narrow_range = spec::BoolAttribute(arguments, "narrow_range");
  parameters.half_up =
      spec::StringAttribute(arguments, "round_mode") == "HALF_UP";
  const bool range_given = spec::BoolAttribute(arguments, "range_given");

  float input_min = 0;
  float input_max = 0;
  if (range_given) {
    input_min = Float32Elements(arguments.inputs.at("input_min")).front();
    input_max = Float32Elements(arguments.inputs.at("input_max")).front();
  } else {
    for (const float value : input) {
      if (std::isfinite(value)) continue;
      result.values.assign(input.size(),
                           std::numeric_limits<double>::quiet_NaN());
      return result;  // TQ-08
    }
    input_min = *std::min_element(input.begin(), input.end());
    input_max = *std::max_element(input.begin(), input.end());
  }

  const QuantizeDequantize exact(parameters, input_min, input_max);
  if (arguments.options.arithmetic == "tensorflow") {
    const TensorflowArithmetic tensorflow(parameters, range_given, input_min,
                                          input_max, exact.minimum(),
                                          exact.maximum());
    std::transform(input.begin(), input.end(), result.values.begin(),
                   tensorflow);
  } else {
    std::transform(input.begin(), input.end(), result.values.begin(), exact);
  }
  return result;
}

}  // namespace qconform::reference::second_oracle
