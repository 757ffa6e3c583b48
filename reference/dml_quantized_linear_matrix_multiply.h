// Golden text of DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC
// (directml.h). Document: the page of that structure, "directml-api" reference.

#ifndef QCONFORM_REFERENCE_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_
#define QCONFORM_REFERENCE_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_

#include <cstdint>

#include "reference/arithmetic/arithmetic.h"
#include "reference/operands.h"
#include "reference/trace.h"

namespace qconform::reference {

// What the element (m, n) of one of the BatchCount * ChannelCount products
// depends on. Which value of a scale or zero point applies is the caller's
// business (QM-02).
struct MatrixMultiplyOperands {
  int64_t k_size = 0;
  const int32_t* a_row = nullptr;     // A[m][k] at a_row[k]
  const int32_t* b_column = nullptr;  // B[k][n] at b_column[k * b_stride]
  int64_t b_stride = 0;
  double a_scale = 1;
  int64_t a_zero_point = 0;  // 0 if not given (QM-06)
  double b_scale = 1;
  int64_t b_zero_point = 0;
  double output_scale = 1;
  int64_t output_zero_point = 0;
  IntegerLimits output;  // Min, Max
};

template <Arithmetic A>
ValueSet QuantizedLinearMatrixMultiply(A& math,
                                       const MatrixMultiplyOperands& in,
                                       Trace& trace) {
  using Real = typename A::Real;
  // The dequantize function, (Input - ZeroPoint) * Scale, then the matrix
  // multiplication. AR-09: the sum is of integers and exact; the scales, which
  // do not depend on k, follow it.
  int64_t sum = 0;
  for (int64_t k = 0; k < in.k_size; ++k) {
    sum += (in.a_row[k] - in.a_zero_point) *
           (in.b_column[k * in.b_stride] - in.b_zero_point);
  }
  trace.Step("AR-09", "Sum over k of (A - AZeroPoint) * (B - BZeroPoint)", sum);
  const Real a_scaled = math.FromInteger(sum) * math.FromFloat(in.a_scale);
  trace.Step("QM-01", "Sum * AScale", a_scaled);
  const Real input = a_scaled * math.FromFloat(in.b_scale);
  trace.Step("QM-01", "Input = Sum * AScale * BScale", input);

  // The quantize function (QM-05),
  // clamp(round(Input / Scale) + ZeroPoint, Min, Max).
  const Real quotient = input / math.FromFloat(in.output_scale);
  trace.Step("QM-01", "Input / OutputScale", quotient);
  // AR-03
  const auto rounded =
      math.Round(quotient, Rounding::kHalfEven, in.output_zero_point);
  trace.Step("AR-03", "round(Input / OutputScale)", rounded);
  // AR-04
  const typename A::Rounded shifted = rounded + in.output_zero_point;
  trace.Step("AR-04", "round(...) + OutputZeroPoint", shifted);
  const auto clamped = math.Clamp(shifted, in.output.min, in.output.max);
  trace.Step("AR-04", "OutputTensor = clamp(..., Min, Max)", clamped);
  return math.ToOutput(clamped);
}

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_
