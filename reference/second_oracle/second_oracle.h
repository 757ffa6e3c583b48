// A second golden model that shares nothing with the first: scalar code in wide
// integers, fast enough for large shapes and sweeps. Where both run they must
// agree in every element.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_SECOND_ORACLE_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_SECOND_ORACLE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "spec/arguments.h"

namespace qconform::reference::second_oracle {

struct Result {
  std::vector<double> values;  // row-major over the output's sizes; every
                               // output type is exact in double
  std::vector<bool> written;   // false: the element must stay as it was
};

// Evaluates a call. Returns exactly the status of spec::Validate if that is not
// OK, and kResourceExhausted for more than 2^28 output elements.
absl::StatusOr<Result> Evaluate(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_SECOND_ORACLE_H_
