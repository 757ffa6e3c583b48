// Counts and sentences that several views share, so that they cannot disagree.

#ifndef QCONFORM_HARNESS_RESULTS_SUMMARY_H_
#define QCONFORM_HARNESS_RESULTS_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/model.h"

namespace qconform::harness {

// "conforms", "does not conform", "bad input", "broken", "mistrusted".
std::string VerdictName(ExitCode exit_code);

// Cases by status, each counted once per target, and elements.
struct Tally {
  std::map<CaseStatus, int64_t> cases;
  ElementCounts elements;
  int64_t Of(CaseStatus status) const;
  int64_t All() const;
  int64_t Failed() const;  // not passed, unsupported or a known failure
  void Add(const Group& group);
};

Tally TallyAll(const RunResults& results);
std::map<std::pair<std::string, std::string>, Tally> TallyByOperatorAndTarget(
    const RunResults& results);

// What a reader might take for tested and was not: a sentence each.
std::vector<std::string> NotRun(const RunResults& results);

// What the results are bound to, from commit to CPU, as name and value.
std::vector<std::pair<std::string, std::string>> SetupRows(
    const RunResults& results);

// "<operator> sweep:add: 65536 compared, failed on AVX2"
std::string Describe(const StageResult& stage);
// "<operator> <types> on AVX2 is worse: largest difference 2 ULP, recorded 1,
// permitted: enclosure (AR-02)"
std::string Describe(const RatchetRow& row);

// "OutputTensor[1,2]", or "OutputTensor storage 7".
std::string PlaceOf(const Failure& failure);

// Largest distance of any element's difference from 0, by the histogram: beyond
// 255 the far end of its bucket. 0 if all are equal.
int64_t LargestDifference(const Group& group);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_SUMMARY_H_
