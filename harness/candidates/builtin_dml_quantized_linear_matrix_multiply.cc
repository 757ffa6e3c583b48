#include <cstddef>

#include "harness/candidates/builtin.h"
#include "harness/candidates/builtin_dml.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"

namespace qconform::harness {

BuiltinOutcome RunDmlQuantizedLinearMatrixMultiply(BuiltinCall& call) {
  const auto desc =
      DescribeDmlTensors<optimized::DmlQuantizedLinearMatrixMultiplyDesc>(call);
  optimized::DmlQuantizedLinearMatrixMultiplyData constants;
  optimized::DmlQuantizedLinearMatrixMultiplyData data;
  auto& parameters = call.options().constants_in_plan ? constants : data;
  GiveScalesAndZeroPoints(call, parameters);
  parameters.BTensor = call.Input("BTensor");
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
