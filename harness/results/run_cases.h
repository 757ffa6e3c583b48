// Runs cases on targets and gathers the results.

#ifndef QCONFORM_HARNESS_RESULTS_RUN_CASES_H_
#define QCONFORM_HARNESS_RESULTS_RUN_CASES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "harness/results/model.h"

namespace qconform::harness {

struct RunOptions {
  std::vector<std::string> targets;  // expected: each case runs on each
  Level level = Level::kExact;
  bool vary = false;  // also execute in varied ways (AR-10)
  int threads = 1;    // for the golden model, and lent to the kernels
  CounterTable minimums;
  bool enforce_quotas = false;
  int64_t golden_limit = Expectation::kDefaultGoldenLimit;
  // Called as cases finish; may be empty.
  std::function<void(size_t done, size_t total)> progress;
  // Asked between cases, from several threads, and true for good once it is: a
  // run that is told so ends early. May be empty.
  std::function<bool()> interrupted;
  bool fail_fast = false;  // end after the first case that fails
  // May change a verdict before it is counted; may be empty.
  std::function<void(const TestCase& test_case, const std::string& target,
                     CaseVerdict& verdict)>
      adjust;
};

// Fills cases, groups, clauses, quotas, targets, distrust, broken, exit code
// and time of `results`; what else it holds (build, paths, corpus, shard) is
// left. Targets that the candidate does not have are not run; see Conclude for
// what a run is worth.
void RunCases(const std::vector<const TestCase*>& cases, Candidate& candidate,
              const RunOptions& options, RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_RUN_CASES_H_
