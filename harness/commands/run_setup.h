// What sub-commands that execute an implementation have in common: which one,
// on which targets, held to which level.

#ifndef QCONFORM_HARNESS_COMMANDS_RUN_SETUP_H_
#define QCONFORM_HARNESS_COMMANDS_RUN_SETUP_H_

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/results/run_cases.h"

namespace qconform::harness {

struct SetupFlags {
  SetupFlags();  // as many threads as the machine has
  std::string candidate = "builtin";
  std::vector<std::string> targets;
  std::string level;
  int threads;
  bool quiet = false;
};

void AddSetupOptions(CLI::App& command, SetupFlags& flags);

struct Setup {
  std::unique_ptr<Candidate> candidate;
  RunOptions options;
};

// Everything of the flags that can be wrong is found here: kInvalidArgument.
absl::StatusOr<Setup> MakeSetup(const SetupFlags& flags);

// The targets that a run must cover: those wanted, else all of the machine for
// the production kernels, all of its own for another candidate.
// kInvalidArgument for one that does not exist.
absl::StatusOr<std::vector<std::string>> ExpectedTargets(
    const std::string& candidate_name, const std::vector<std::string>& wanted,
    const Candidate& candidate);

// Of --level, or the candidate's if that is empty: exact for the production
// kernels and for mutants of them, else binary32.
absl::StatusOr<Level> ChooseLevel(const std::string& candidate_name,
                                  const std::string& level);

// Build, start, seed of nothing: what results hold before anything ran.
RunResults BeginResults();

// RunCases, with progress on standard error, an end on Ctrl-C and a crash
// report that names the call.
void RunWithProgress(const std::vector<const TestCase*>& cases,
                     const SetupFlags& flags, Setup& setup,
                     RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_RUN_SETUP_H_
