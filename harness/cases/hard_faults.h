// Calls that must be rejected for a single value, everything else about them
// being right: what an operator must look at its tensors to find.

#ifndef QCONFORM_HARNESS_CASES_HARD_FAULTS_H_
#define QCONFORM_HARNESS_CASES_HARD_FAULTS_H_

#include <string>

#include "harness/cases/random_source.h"
#include "spec/arguments.h"

namespace qconform::harness {

// A hard case with one value that is not allowed: a scale that is 0, NaN or
// infinite (AR-08, AG-04), a group that ends before it begins or beyond the
// rows (AG-05), a given range that is none (TQ-07). Never valid.
spec::Arguments HardFault(const std::string& operator_name,
                          RandomSource& random);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_HARD_FAULTS_H_
