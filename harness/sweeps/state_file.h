// The finished units of a sweep, so that a long one can be resumed.

#ifndef QCONFORM_HARNESS_SWEEPS_STATE_FILE_H_
#define QCONFORM_HARNESS_SWEEPS_STATE_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/sweeps/unit.h"

namespace qconform::harness {

struct SweepState {
  // Units prove something about one program only.
  std::string program;
  std::string form;  // "full" or "short"
  uint64_t seed = 0;
  std::vector<std::string> targets;
  // By "sweep/name"; reports without mismatches.
  std::map<std::string, UnitReport> finished;
};

// kInvalidArgument, naming the place, for anything that is no state file.
absl::StatusOr<SweepState> ParseSweepState(const std::string& json);
std::string FormatSweepState(const SweepState& state);

// Whether `found` continues `wanted`, everything but the units being equal;
// kInvalidArgument says what differs.
absl::Status CheckContinues(const SweepState& found, const SweepState& wanted);

// Replaces the file as a whole, so that an interruption leaves the old one or
// the new one.
absl::Status WriteSweepState(const std::string& path, const SweepState& state);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_STATE_FILE_H_
