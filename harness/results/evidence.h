// Evidence for the few failures that a report shows in full: explanation, test
// vector, command that repeats it.

#ifndef QCONFORM_HARNESS_RESULTS_EVIDENCE_H_
#define QCONFORM_HARNESS_RESULTS_EVIDENCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "harness/results/model.h"

namespace qconform::harness {

// The command line that repeats one case on one target.
std::string RepeatCommand(const RunResults& results, const CaseResult& result,
                          const TargetResult& target);

// One case with one element (row-major; below 0: the call as a whole), as a
// vector of its own. Executes the candidate on all its targets unless
// `explain` is false: one that crashed would crash again.
Evidence MakeEvidence(const TestCase& test_case, const std::string& target,
                      int64_t element, bool explain,
                      const std::string& repeat_command, Candidate& candidate);

// Appends to the results' evidence: of each group the worst elements and the
// first failed cases, groups that failed first, within the limits of Evidence.
void CollectEvidence(const std::vector<const TestCase*>& cases,
                     Candidate& candidate, RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_EVIDENCE_H_
