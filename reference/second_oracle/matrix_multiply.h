// DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC: for each batch, channel,
// row m and column n the clamped, rounded, requantized sum over k of
// (A - AZeroPoint) * (B - BZeroPoint) (QM-01).

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_MATRIX_MULTIPLY_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_MATRIX_MULTIPLY_H_

#include "reference/second_oracle/second_oracle.h"
#include "spec/arguments.h"

namespace qconform::reference::second_oracle {

// The call must be valid.
Result EvaluateMatrixMultiply(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_MATRIX_MULTIPLY_H_
