// The results as JSON (spec/schema/results.schema.json), and back.

#ifndef QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_

#include <string>

#include "absl/status/statusor.h"
#include "harness/results/model.h"

namespace qconform::harness {

// One line per case, group, clause, quota.
std::string ToJson(const RunResults& results);

// kInvalidArgument naming the place, what was found and what is allowed, for
// anything that is not what ToJson writes: another version of the schema, a
// missing or unknown key, a value out of range, counts that contradict one
// another. `path` is for the message.
absl::StatusOr<RunResults> FromJson(const std::string& path,
                                    const std::string& json);
absl::StatusOr<RunResults> ReadResults(const std::string& path);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_JSON_VIEW_H_
