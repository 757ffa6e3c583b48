#include "harness/candidates/builtin.h"
#include "harness/candidates/builtin_dml.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"

namespace qconform::harness {

BuiltinOutcome RunDmlElementWiseQuantizedLinearAdd(BuiltinCall& call) {
  const auto desc =
      DescribeDmlTensors<optimized::DmlElementWiseQuantizedLinearAddDesc>(call);
  optimized::DmlElementWiseQuantizedLinearAddConstants given;
  GiveScalesAndZeroPoints(call, given);
  const optimized::DmlElementWiseQuantizedLinearAddConstants nothing;
  const bool in_plan = call.options().constants_in_plan;

  const auto plan = optimized::DmlElementWiseQuantizedLinearAddPlan::Create(
      desc, in_plan ? given : nothing);
  if (!plan.ok()) return {plan.status(), {}};
  return {plan->Run({call.Input("ATensor"), call.Input("BTensor"),
                     call.Output("OutputTensor"), in_plan ? nothing : given},
                    call.Context(plan->WorkspaceBytes())),
          {}};
}

}  // namespace qconform::harness
