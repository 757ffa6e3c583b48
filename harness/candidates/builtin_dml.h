// What the calls of the two DirectML operators have in common: tensors of the
// same names. Only for builtin_dml*.cc.

#ifndef QCONFORM_HARNESS_CANDIDATES_BUILTIN_DML_H_
#define QCONFORM_HARNESS_CANDIDATES_BUILTIN_DML_H_

#include "harness/candidates/builtin.h"

namespace qconform::harness {

template <typename Desc>
Desc DescribeDmlTensors(const BuiltinCall& call) {
  Desc desc;
  desc.ATensor = call.Desc("ATensor");
  desc.AScaleTensor = call.Desc("AScaleTensor");
  desc.AZeroPointTensor = call.Desc("AZeroPointTensor");
  desc.BTensor = call.Desc("BTensor");
  desc.BScaleTensor = call.Desc("BScaleTensor");
  desc.BZeroPointTensor = call.Desc("BZeroPointTensor");
  desc.OutputScaleTensor = call.Desc("OutputScaleTensor");
  desc.OutputZeroPointTensor = call.Desc("OutputZeroPointTensor");
  desc.OutputTensor = call.Desc("OutputTensor");
  return desc;
}

// Parameters point to the scales and zero points of the call.
template <typename Parameters>
void GiveScalesAndZeroPoints(const BuiltinCall& call, Parameters& parameters) {
  const auto scale = [&call](const char* name) {
    return static_cast<const float*>(call.Input(name));
  };
  parameters.AScaleTensor = scale("AScaleTensor");
  parameters.AZeroPointTensor = call.Input("AZeroPointTensor");
  parameters.BScaleTensor = scale("BScaleTensor");
  parameters.BZeroPointTensor = call.Input("BZeroPointTensor");
  parameters.OutputScaleTensor = scale("OutputScaleTensor");
  parameters.OutputZeroPointTensor = call.Input("OutputZeroPointTensor");
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_BUILTIN_DML_H_
