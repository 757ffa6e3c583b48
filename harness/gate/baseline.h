// The baseline of a gate: what a team knows to be wrong and has agreed to bear
// for a while, and how far results may lie from the expected ones at most. It
// stands in the team's repository, so that a change of it is reviewed
// (spec/schema/baseline.schema.json):
//
//   {"schema": "baseline/1",
//    "known_failures": [
//     {"operator": "dml_...", "case": "tie-odd", "targets": ["AVX2"],
//      "reason": "...", "link": "https://...", "expires": "2026-12-31"}],
//    "differences": [
//     {"operator": "tf_...", "types": "float32->float32", "unit": "ULP",
//      "permitted": "enclosure (AR-02)", "observed": 2}]}

#ifndef QCONFORM_HARNESS_GATE_BASELINE_H_
#define QCONFORM_HARNESS_GATE_BASELINE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "harness/cases/test_case.h"
#include "harness/judge/verdict.h"

namespace qconform::harness {

struct KnownFailure {
  std::string operator_name;
  std::string case_id;               // or a stage, "sweep:add" (stages.h)
  std::vector<std::string> targets;  // empty: all
  std::string reason;
  std::string link;
  absl::CivilDay expires;  // the last day on which it may fail
  int64_t line = 0;        // in the file, from 1; 0 if unknown
};

// The largest distance seen in cases that pass. One that is not recorded is 0.
struct KnownDifference {
  std::string operator_name;
  std::string types;
  std::string target;     // empty: all that have no record of their own
  std::string unit;       // "integer" or "ULP"
  std::string permitted;  // by the level, see PermittedDifference
  int64_t observed = 0;
};

struct Baseline {
  std::string path;
  std::vector<KnownFailure> known_failures;
  std::vector<KnownDifference> differences;
};

// "0" at level exact, "enclosure (AR-02)" at level binary32.
std::string PermittedDifference(Level level);

// kInvalidArgument naming file, entry, what was found and what is allowed, for
// anything that is no baseline: unknown, missing or repeated keys, unknown
// operators, days that no calendar has, two entries about the same thing.
absl::StatusOr<Baseline> ParseBaseline(const std::string& path,
                                       const std::string& json);
absl::StatusOr<Baseline> ReadBaseline(const std::string& path);

// The one canonical spelling: sorted, differences of 0 left out.
std::string FormatBaseline(const Baseline& baseline);

// kInvalidArgument naming all entries that no case of this run can meet: of a
// case, stage or types that are gone, a target that does not exist, or a
// difference that the level does not permit. `known_targets` are targets that
// exist besides those of Highway.
absl::Status CheckBaseline(const Baseline& baseline,
                           const std::vector<const TestCase*>& cases,
                           const std::vector<std::string>& known_targets,
                           Level level);

// The line, from 1, on which a JSON text gives `key` the string `value`; 0 if
// none does. `value` must need no escapes.
int64_t FindLine(const std::string& json, const std::string& key,
                 const std::string& value);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_BASELINE_H_
