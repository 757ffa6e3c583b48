// Shards of one run, put together again.

#ifndef QCONFORM_HARNESS_RESULTS_MERGE_H_
#define QCONFORM_HARNESS_RESULTS_MERGE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/results/model.h"

namespace qconform::harness {

// Shards may split a run by cases or by targets. kInvalidArgument, naming what
// differs, unless all bind the same commit, build, corpus, candidate, profile
// and level, or if two hold the same case on the same target. Machines may
// differ. Shards that carry a number are the whole run only if all are there;
// without one the merged results are partial. `shards` is not empty.
absl::StatusOr<RunResults> MergeResults(const std::vector<RunResults>& shards);

// The same for files of results; at least one.
absl::StatusOr<RunResults> ReadAndMergeResults(
    const std::vector<std::string>& paths);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_MERGE_H_
