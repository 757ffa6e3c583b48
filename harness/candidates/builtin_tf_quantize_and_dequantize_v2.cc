#include <string>
#include <variant>

#include "harness/candidates/builtin.h"
#include "optimized/tf_quantize_and_dequantize_v2.h"

namespace qconform::harness {
namespace {

// Attributes as the call gives them, the document's defaults elsewhere. A value
// of the wrong kind is a call that no C++ caller could write.
template <class T>
absl::Status Take(const spec::Arguments& arguments, const std::string& name,
                  T& value) {
  const auto found = arguments.attributes.find(name);
  if (found == arguments.attributes.end()) return absl::OkStatus();
  if (const T* given = std::get_if<T>(&found->second)) {
    value = *given;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(name + ": a value of the wrong type");
}

}  // namespace

BuiltinOutcome RunTfQuantizeAndDequantizeV2(BuiltinCall& call) {
  const spec::Arguments& arguments = call.arguments();
  optimized::TfQuantizeAndDequantizeV2Desc desc;
  desc.input = call.Desc("input");
  desc.input_min = call.Desc("input_min");
  desc.input_max = call.Desc("input_max");
  desc.output = call.Desc("output");
  for (const absl::Status& status :
       {Take(arguments, "signed_input", desc.attributes.signed_input),
        Take(arguments, "num_bits", desc.attributes.num_bits),
        Take(arguments, "range_given", desc.attributes.range_given),
        Take(arguments, "round_mode", desc.attributes.round_mode),
        Take(arguments, "narrow_range", desc.attributes.narrow_range)}) {
    if (!status.ok()) return {status, {}};
  }
  const std::string& arithmetic = arguments.options.arithmetic;
  if (arithmetic == "tensorflow") {
    desc.arithmetic = optimized::TfArithmetic::kTensorFlow;
  } else if (arithmetic != "exact") {
    return {absl::InvalidArgumentError("arithmetic: \"" + arithmetic +
                                       "\"; allowed are \"exact\" and "
                                       "\"tensorflow\""),
            {}};
  }

  const optimized::TfQuantizeAndDequantizeV2Constants given = {
      static_cast<const float*>(call.Input("input_min")),
      static_cast<const float*>(call.Input("input_max"))};
  const optimized::TfQuantizeAndDequantizeV2Constants nothing;
  const bool in_plan = call.options().constants_in_plan;
  const auto plan = optimized::TfQuantizeAndDequantizeV2Plan::Create(
      desc, in_plan ? given : nothing);
  if (!plan.ok()) return {plan.status(), {}};
  return {plan->Run({static_cast<const float*>(call.Input("input")),
                     static_cast<float*>(call.Output("output")),
                     in_plan ? nothing : given},
                    call.Context(plan->WorkspaceBytes())),
          {}};
}

}  // namespace qconform::harness
