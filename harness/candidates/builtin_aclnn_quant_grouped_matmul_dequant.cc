#include <optional>
#include <string>
#include <variant>

#include "harness/candidates/builtin.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"
#include "optimized/aclnn_status.h"

namespace qconform::harness {
namespace {

std::optional<optimized::TensorDesc> Describe(const BuiltinCall& call,
                                              const std::string& name) {
  const optimized::TensorDesc* desc = call.Desc(name);
  if (desc == nullptr) return std::nullopt;
  return *desc;
}

// Null if the attribute is not given. Text of another type is no mode.
std::optional<std::string> QuantMode(const BuiltinCall& call) {
  const auto& attributes = call.arguments().attributes;
  const auto given = attributes.find("xQuantMode");
  if (given == attributes.end()) return std::nullopt;
  const auto* mode = std::get_if<std::string>(&given->second);
  return mode == nullptr ? "not a string" : *mode;
}

bool TransposeWeight(const BuiltinCall& call) {
  const auto& attributes = call.arguments().attributes;
  const auto given = attributes.find("transposeWeight");
  return given == attributes.end() || given->second != spec::Attribute(false);
}

BuiltinOutcome Outcome(const absl::Status& status) {
  if (status.ok()) return {};
  return {status, optimized::AclnnStatus(status)};
}

}  // namespace

BuiltinOutcome RunAclnnQuantGroupedMatmulDequant(BuiltinCall& call) {
  optimized::QuantGroupedMatmulDequantDesc desc;
  desc.x = Describe(call, "x");
  desc.weight = Describe(call, "weight");
  desc.weight_scale = Describe(call, "weightScale");
  desc.group_list = Describe(call, "groupList");
  desc.bias_optional = Describe(call, "biasOptional");
  desc.x_scale_optional = Describe(call, "xScaleOptional");
  desc.x_offset_optional = Describe(call, "xOffsetOptional");
  desc.smooth_scale_optional = Describe(call, "smoothScaleOptional");
  desc.x_quant_mode = QuantMode(call);
  desc.transpose_weight = TransposeWeight(call);
  desc.out = Describe(call, "out");

  optimized::QuantGroupedMatmulDequantParameters given;
  given.weight = call.Input("weight");
  given.weight_scale = call.Input("weightScale");
  given.group_list = call.Input("groupList");
  given.x_scale = call.Input("xScaleOptional");
  given.smooth_scale = call.Input("smoothScaleOptional");
  const optimized::QuantGroupedMatmulDequantParameters nothing;
  const bool in_plan = call.options().constants_in_plan;

  const auto plan = optimized::QuantGroupedMatmulDequant::Plan(
      desc, in_plan ? given : nothing,
      {.allow_transpose_weight_false =
           call.arguments().options.allow_transpose_weight_false});
  if (!plan.ok()) return Outcome(plan.status());
  const size_t threads = static_cast<size_t>(call.options().threads);
  return Outcome(plan->Run(call.Input("x"), in_plan ? nothing : given,
                           call.Output("out"),
                           call.Context(plan->WorkspaceBytes(threads))));
}

}  // namespace qconform::harness
