#include "harness/candidates/builtin.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"

namespace qconform::harness {

BuiltinOutcome RunDmlElementWiseQuantizedLinearAdd(BuiltinCall& call) {
  optimized::DmlElementWiseQuantizedLinearAddDesc desc;
  desc.ATensor = call.Desc("ATensor");
  desc.AScaleTensor = call.Desc("AScaleTensor");
  desc.AZeroPointTensor = call.Desc("AZeroPointTensor");
  desc.BTensor = call.Desc("BTensor");
  desc.BScaleTensor = call.Desc("BScaleTensor");
  desc.BZeroPointTensor = call.Desc("BZeroPointTensor");
  desc.OutputScaleTensor = call.Desc("OutputScaleTensor");
  desc.OutputZeroPointTensor = call.Desc("OutputZeroPointTensor");
  desc.OutputTensor = call.Desc("OutputTensor");

  optimized::DmlElementWiseQuantizedLinearAddConstants given;
  given.AScaleTensor = static_cast<const float*>(call.Input("AScaleTensor"));
  given.AZeroPointTensor = call.Input("AZeroPointTensor");
  given.BScaleTensor = static_cast<const float*>(call.Input("BScaleTensor"));
  given.BZeroPointTensor = call.Input("BZeroPointTensor");
  given.OutputScaleTensor =
      static_cast<const float*>(call.Input("OutputScaleTensor"));
  given.OutputZeroPointTensor = call.Input("OutputZeroPointTensor");
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
