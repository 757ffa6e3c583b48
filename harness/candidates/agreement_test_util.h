// For tests: the built-in candidate must accept and reject exactly what
// spec::Validate does, and where it accepts compute what the second oracle
// computes.

#ifndef QCONFORM_HARNESS_CANDIDATES_AGREEMENT_TEST_UTIL_H_
#define QCONFORM_HARNESS_CANDIDATES_AGREEMENT_TEST_UTIL_H_

#include <cstdint>
#include <string>

#include "spec/arguments.h"

namespace qconform::harness {

// One call on every SIMD target. Threads, misalignment and where constants are
// given come from `variation`. Returns whether the call was accepted.
bool ExpectAgreement(const spec::Arguments& arguments, uint64_t variation);

// `calls` random calls, seeds counted from 0, of which both the accepted and
// the rejected must be at least a quarter.
void ExpectAgreementOnRandomCalls(const std::string& operator_name, int calls);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_AGREEMENT_TEST_UTIL_H_
