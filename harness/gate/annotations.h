// What a gate found, in the formats that code hosts show beside a change.

#ifndef QCONFORM_HARNESS_GATE_ANNOTATIONS_H_
#define QCONFORM_HARNESS_GATE_ANNOTATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/gate/baseline.h"
#include "harness/results/model.h"

namespace qconform::harness {

enum class Severity { kError, kWarning, kNote };

// One remark about one place.
struct Finding {
  Severity severity = Severity::kError;
  std::string rule;  // "failed", "unexpected-pass", "ratchet", ...
  std::string file;  // empty: about the run as a whole
  int64_t line = 0;  // from 1; 0: unknown
  std::string title;
  std::string message;
  // The same for the same finding of another run, whatever its line.
  std::string fingerprint;
  bool suppressed = false;  // known and borne: an expected failure
};

// One finding per case that is not as it must be, its targets together, then
// those about the ratchet, stages, the run itself and `warnings`. Lines are
// looked up in the files.
std::vector<Finding> CollectFindings(const RunResults& results,
                                     const Baseline& baseline,
                                     const std::vector<std::string>& warnings);

// Workflow commands of GitHub, one a line: "::error file=..,line=..,title=..::"
// GitHub shows ten of each kind per step; the last that is written then says
// how many are left out.
std::string ToGitHubAnnotations(const std::vector<Finding>& findings);

// SARIF 2.1.0. Expected failures are results with a suppression.
std::string ToSarif(const std::vector<Finding>& findings,
                    const BuildInfo& build);

// The code quality report of GitLab.
std::string ToCodeQuality(const std::vector<Finding>& findings);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_ANNOTATIONS_H_
