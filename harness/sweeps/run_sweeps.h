// Runs units of sweeps on threads, remembers finished ones, and sums up.

#ifndef QCONFORM_HARNESS_SWEEPS_RUN_SWEEPS_H_
#define QCONFORM_HARNESS_SWEEPS_RUN_SWEEPS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/results/model.h"
#include "harness/sweeps/state_file.h"
#include "harness/sweeps/unit.h"

namespace qconform::harness {

// "add", "requantize", "quantize_and_dequantize", "float16", "row_quantize".
const std::vector<std::string>& SweepNames();
// The sweeps that concern an operator; none if there is no such operator.
std::vector<std::string> SweepsOf(const std::string& operator_name);

struct SweepOptions {
  std::vector<std::string> sweeps;   // in the order of SweepNames()
  std::vector<std::string> targets;  // that must run
  bool full = false;
  uint64_t seed = 1;
  int threads = 1;
  uint64_t sample = 1;     // run about one unit in so many
  std::string state_path;  // empty: nothing is remembered
  std::string program;     // identifies what is tested, see SweepState
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<bool()> interrupted;
};

struct SweepSummary {
  std::string sweep;
  size_t units = 0;     // of the form
  size_t finished = 0;  // of them, those without a mismatch
  size_t resumed = 0;   // of them, those of an earlier run
  size_t failed = 0;
  uint64_t domain = 0;  // of the units that ran
  uint64_t covered = 0;
  uint64_t beside = 0;  // inputs tried by units that claim no share
  uint64_t comparisons = 0;
  uint64_t spot_checks = 0;
  double seconds = 0;  // from its first unit's start to its last's end
  std::set<std::string> targets;
  std::vector<Mismatch> mismatches;
  std::vector<std::string> disagreements;
};

struct SweepResults {
  SweepOptions options;
  std::vector<SweepSummary> sweeps;
  std::vector<std::string> distrust;  // reasons why it proves too little
  double seconds = 0;
  ExitCode exit_code = kConforms;
};

// The units of a form, sampled.
std::vector<Unit> MakeUnits(const SweepOptions& options);

// Errors are about the state file: kInvalidArgument if it does not fit,
// kUnknown if it cannot be written.
absl::StatusOr<SweepResults> RunSweeps(const SweepOptions& options,
                                       const Subjects& subjects,
                                       const std::vector<Unit>& units);

// Text for a person, ending with one line for each mismatch.
std::string FormatSweepResults(const SweepResults& results);
std::string SweepResultsToJson(const SweepResults& results);

// Writes each mismatch that fits a call as a canonical vector file into the
// folder; returns the paths.
absl::StatusOr<std::vector<std::string>> SaveMismatches(
    const SweepResults& results, const std::string& folder);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_RUN_SWEEPS_H_
