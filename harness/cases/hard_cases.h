// Calls made to be hard, by kind: exact ties and their neighbours, both clamps
// and one step inside, zero points at both ends, accumulators around 2^24 and
// 2^31, vector tails, subnormal and huge scales, float16 at its ends, empty
// groups, padding that holds garbage. Where random_arguments.h hopes for a tie,
// these solve for the scales and integers that land on one.
//
// Every call is valid. A seed gives the same call on every machine: no
// distribution of the standard library is used, and no floating-point operation
// that is not exactly rounded.

#ifndef QCONFORM_HARNESS_CASES_HARD_CASES_H_
#define QCONFORM_HARNESS_CASES_HARD_CASES_H_

#include <string>
#include <vector>

#include "harness/cases/random_source.h"
#include "spec/arguments.h"

namespace qconform::harness {

// Names of an operator's kinds. The operator must be one of spec::AllOperators.
std::vector<std::string> HardCaseKinds(const std::string& operator_name);

// A call of one of the operator's kinds.
spec::Arguments HardCase(const std::string& operator_name,
                         const std::string& kind, RandomSource& random);

// A call of any kind, which is told if asked for; kinds that take long, such as
// sums beyond 2^31, are rare.
spec::Arguments RandomHardArguments(const std::string& operator_name,
                                    RandomSource& random,
                                    std::string* kind = nullptr);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_HARD_CASES_H_
