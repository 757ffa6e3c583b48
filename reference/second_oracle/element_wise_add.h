// DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC over whole tensors; the
// arithmetic stands in adder.h.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_ELEMENT_WISE_ADD_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_ELEMENT_WISE_ADD_H_

#include "reference/second_oracle/second_oracle.h"
#include "spec/arguments.h"

namespace qconform::reference::second_oracle {

// The call must be valid.
Result EvaluateElementWiseAdd(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_ELEMENT_WISE_ADD_H_
