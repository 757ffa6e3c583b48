#include "harness/commands/run_setup.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/commands/common.h"
#include "harness/commands/crash_report.h"
#include "harness/commands/mutant_candidate.h"
#include "harness/judge/targets.h"
#include "harness/progress/interruption.h"
#include "harness/progress/progress.h"

namespace qconform::harness {
namespace {

// Asks for the crash report to name the case at hand.
class Announcing : public Candidate {
 public:
  explicit Announcing(Candidate& candidate) : candidate_(candidate) {}
  std::string Name() const override { return candidate_.Name(); }
  std::vector<std::string> Targets() const override {
    return candidate_.Targets();
  }
  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override {
    AnnounceCall(arguments.operator_name, Name(), options.target);
    return candidate_.Execute(arguments, options, outputs);
  }

 private:
  Candidate& candidate_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpectedTargets(
    const std::string& candidate_name, const std::vector<std::string>& wanted,
    const Candidate& candidate) {
  const std::vector<std::string> own = candidate.Targets();
  if (wanted.empty()) {
    // The machine's, not those that the kernels happen to be built for.
    return candidate_name == "builtin" ? MachineTargets() : own;
  }
  for (const std::string& target : wanted) {
    if (!IsHighwayTarget(target) &&
        std::find(own.begin(), own.end(), target) == own.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--targets: there is no target ", target, "; ", candidate.Name(),
          " has here: ", absl::StrJoin(own, ", ")));
    }
  }
  return wanted;
}

absl::StatusOr<Level> ChooseLevel(const std::string& candidate_name,
                                  const std::string& level) {
  if (level == "exact") return Level::kExact;
  if (level == "binary32") return Level::kBinary32;
  if (level.empty()) {
    // A mutant stands for a production kernel.
    return candidate_name == "builtin" || IsMutantName(candidate_name)
               ? Level::kExact
               : Level::kBinary32;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--level=", level, " must be exact or binary32"));
}

SetupFlags::SetupFlags()
    : threads(static_cast<int>(
          std::clamp(std::thread::hardware_concurrency(), 1u, 256u))) {}

void AddSetupOptions(CLI::App& command, SetupFlags& flags) {
  command.add_option("--candidate", flags.candidate,
                     "Implementation under test: builtin (default) or "
                     "golden-binary32");
  command
      .add_option("--targets", flags.targets,
                  "Targets that must run, separated by commas (default: all "
                  "of this machine)")
      ->delimiter(',')
      ->allow_extra_args(false);  // what follows is a path again
  command.add_option("--level", flags.level,
                     "exact: every element equals the exact value; binary32: "
                     "it lies within what float arithmetic may give (default: "
                     "exact for builtin, else binary32)");
  command
      .add_option("--threads", flags.threads,
                  "Threads for the golden model and for the kernels "
                  "(default: the machine's)")
      ->check(CLI::Range(1, 256));
  command.add_flag("--quiet", flags.quiet, "Show no progress");
}

absl::StatusOr<Setup> MakeSetup(const SetupFlags& flags) {
  Setup setup;
  absl::StatusOr<std::unique_ptr<Candidate>> candidate =
      FindCandidate(flags.candidate);
  if (!candidate.ok()) return candidate.status();
  setup.candidate = *std::move(candidate);
  absl::StatusOr<std::vector<std::string>> targets =
      ExpectedTargets(flags.candidate, flags.targets, *setup.candidate);
  if (!targets.ok()) return targets.status();
  setup.options.targets = *std::move(targets);
  absl::StatusOr<Level> level = ChooseLevel(flags.candidate, flags.level);
  if (!level.ok()) return level.status();
  setup.options.level = *level;
  setup.options.threads = flags.threads;
  setup.options.vary = flags.candidate == "builtin";
  return setup;
}

RunResults BeginResults() {
  RunResults results;
  results.build = GetBuildInfo();
  results.started =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  return results;
}

void RunWithProgress(const std::vector<const TestCase*>& cases,
                     const SetupFlags& flags, Setup& setup,
                     RunResults& results) {
  CatchInterruption();
  InstallCrashReport();
  Progress progress("cases", ChooseProgressStyle(flags.quiet));
  setup.options.progress = [&progress](size_t done, size_t total) {
    progress.Update(done, total);
  };
  setup.options.interrupted = Interrupted;
  Announcing candidate(*setup.candidate);
  RunCases(cases, candidate, setup.options, results);
}

}  // namespace qconform::harness
