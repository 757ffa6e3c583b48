// The smallest call that still shows what is wrong.

#ifndef QCONFORM_HARNESS_RESULTS_COUNTEREXAMPLE_H_
#define QCONFORM_HARNESS_RESULTS_COUNTEREXAMPLE_H_

#include <string>

#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "harness/judge/verdict.h"

namespace qconform::harness {

struct CounterexampleOptions {
  std::string target;
  Level level = Level::kExact;
  bool vary = false;  // it failed in a varied way of executing
  int threads = 1;
};

// The failing case simplified as far as it still fails on the target, with the
// expected output, as "<id>-simplified". The case itself if that cannot be: it
// must be rejected, is too large for the golden model, does not fail any more
// (what failed was the frozen expectation alone, or its name chose how it was
// executed), or is as simple as can be.
TestCase SimplifiedCase(const TestCase& test_case, Candidate& candidate,
                        const CounterexampleOptions& options);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_COUNTEREXAMPLE_H_
