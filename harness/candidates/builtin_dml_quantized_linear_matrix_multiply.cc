#include <cstddef>

#include "harness/candidates/builtin.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"

namespace qconform::harness {

BuiltinOutcome RunDmlQuantizedLinearMatrixMultiply(BuiltinCall& call) {
  optimized::DmlQuantizedLinearMatrixMultiplyDesc desc;
  desc.ATensor = call.Desc("ATensor");
  desc.AScaleTensor = call.Desc("AScaleTensor");
  desc.AZeroPointTensor = call.Desc("AZeroPointTensor");
  desc.BTensor = call.Desc("BTensor");
  desc.BScaleTensor = call.Desc("BScaleTensor");
  desc.BZeroPointTensor = call.Desc("BZeroPointTensor");
  desc.OutputScaleTensor = call.Desc("OutputScaleTensor");
  desc.OutputZeroPointTensor = call.Desc("OutputZeroPointTensor");
  desc.OutputTensor = call.Desc("OutputTensor");

  optimized::DmlQuantizedLinearMatrixMultiplyData constants;
  optimized::DmlQuantizedLinearMatrixMultiplyData data;
  auto& parameters = call.options().constants_in_plan ? constants : data;
  const auto scale = [&](const std::string& name) {
    return static_cast<const float*>(call.Input(name));
  };
  parameters.AScaleTensor = scale("AScaleTensor");
  parameters.AZeroPointTensor = call.Input("AZeroPointTensor");
  parameters.BTensor = call.Input("BTensor");
  parameters.BScaleTensor = scale("BScaleTensor");
  parameters.BZeroPointTensor = call.Input("BZeroPointTensor");
  parameters.OutputScaleTensor = scale("OutputScaleTensor");
  parameters.OutputZeroPointTensor = call.Input("OutputZeroPointTensor");
  data.ATensor = call.Input("ATensor");
  data.OutputTensor = call.Output("OutputTensor");

  // Another level than these two is no call at all; spec::Validate says so.
  const auto level = call.arguments().options.feature_level == "2_1"
                         ? optimized::DmlFeatureLevel::k2_1
                         : optimized::DmlFeatureLevel::k4_0;
  const auto plan = optimized::DmlQuantizedLinearMatrixMultiplyPlan::Create(
      desc, constants, level);
  if (!plan.ok()) return {plan.status(), {}};
  const auto threads = static_cast<size_t>(call.options().threads);
  return {plan->Run(data, call.Context(plan->WorkspaceBytes(threads))), {}};
}

}  // namespace qconform::harness
