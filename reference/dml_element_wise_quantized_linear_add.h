// Golden text of DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC
// (directml.h). Document: the page of that structure, "directml-api" reference.

#ifndef QCONFORM_REFERENCE_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_
#define QCONFORM_REFERENCE_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_

#include <cstdint>

#include "reference/arithmetic/arithmetic.h"
#include "reference/operands.h"
#include "reference/trace.h"

namespace qconform::reference {

// What one element of OutputTensor depends on.
struct ElementWiseAddOperands {
  int64_t a = 0;
  double a_scale = 1;
  int64_t a_zero_point = 0;  // 0 if not given (QM-06)
  int64_t b = 0;
  double b_scale = 1;
  int64_t b_zero_point = 0;
  double output_scale = 1;
  int64_t output_zero_point = 0;
  IntegerLimits output;  // Min, Max
};

template <Arithmetic A>
ValueSet ElementWiseQuantizedLinearAdd(A& math,
                                       const ElementWiseAddOperands& in,
                                       Trace& trace) {
  using Real = typename A::Real;
  // QA-01  AValue = (A - AZeroPoint) * AScale
  const int64_t a_difference = in.a - in.a_zero_point;
  const Real a_value =
      math.FromInteger(a_difference) * math.FromFloat(in.a_scale);
  trace.Step("QA-01", "A - AZeroPoint", a_difference);
  trace.Step("QA-01", "AValue = (A - AZeroPoint) * AScale", a_value);

  // QA-01  BValue = (B - BZeroPoint) * BScale
  const int64_t b_difference = in.b - in.b_zero_point;
  const Real b_value =
      math.FromInteger(b_difference) * math.FromFloat(in.b_scale);
  trace.Step("QA-01", "B - BZeroPoint", b_difference);
  trace.Step("QA-01", "BValue = (B - BZeroPoint) * BScale", b_value);

  // QA-01  OutputValue = AValue + BValue
  const Real output_value = a_value + b_value;
  trace.Step("QA-01", "OutputValue = AValue + BValue", output_value);

  // OutputTensor =
  //     clamp(round(OutputValue / OutputScale) + OutputZeroPoint, Min, Max)
  const Real quotient = output_value / math.FromFloat(in.output_scale);
  trace.Step("QA-01", "OutputValue / OutputScale", quotient);
  // AR-03
  const auto rounded =
      math.Round(quotient, Rounding::kHalfEven, in.output_zero_point);
  trace.Step("AR-03", "round(OutputValue / OutputScale)", rounded);
  // AR-04
  const typename A::Rounded shifted = rounded + in.output_zero_point;
  trace.Step("AR-04", "round(...) + OutputZeroPoint", shifted);
  const auto clamped = math.Clamp(shifted, in.output.min, in.output.max);
  trace.Step("AR-04", "OutputTensor = clamp(..., Min, Max)", clamped);
  return math.ToOutput(clamped);
}

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_
