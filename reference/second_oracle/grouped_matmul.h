// aclnnQuantGroupedMatmulDequant over whole tensors; the arithmetic of a row
// stands in row_quantizer.h.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_GROUPED_MATMUL_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_GROUPED_MATMUL_H_

#include "reference/second_oracle/second_oracle.h"
#include "spec/arguments.h"

namespace qconform::reference::second_oracle {

// The call must be valid and not empty (AG-11). Rows of no group are not
// written (AG-05).
Result EvaluateGroupedMatmul(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_GROUPED_MATMUL_H_
