// qconform run: test vectors through the golden model and a candidate.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/crash_report.h"
#include "harness/judge/targets.h"
#include "harness/results/console_view.h"
#include "harness/results/json_view.h"
#include "harness/results/run_cases.h"

namespace qconform::harness {
namespace {

struct RunFlags {
  std::vector<std::string> paths;
  std::string candidate = "builtin";
  std::vector<std::string> targets;
  std::string level;
  std::string json;
  std::string quotas;
  std::string filter;
  int threads = static_cast<int>(
      std::clamp(std::thread::hardware_concurrency(), 1u, 256u));
};

// Tells a person who watches how far the run is, ten times a second.
void ShowProgress(size_t done, size_t total) {
  static absl::Time next = absl::InfinitePast();
  if (done == total) {
    std::cerr << "\r\033[K" << std::flush;
  } else if (absl::Now() >= next) {
    next = absl::Now() + absl::Milliseconds(100);
    std::cerr << "\r" << done << " of " << total << " cases" << std::flush;
  }
}

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

// The targets that the run must cover.
absl::StatusOr<std::vector<std::string>> ExpectedTargets(
    const RunFlags& flags, const Candidate& candidate) {
  const std::vector<std::string> own = candidate.Targets();
  if (flags.targets.empty()) {
    // The machine's, not those that the kernels happen to be built for.
    return flags.candidate == "builtin" ? MachineTargets() : own;
  }
  for (const std::string& target : flags.targets) {
    if (!IsHighwayTarget(target) &&
        std::find(own.begin(), own.end(), target) == own.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--targets: there is no target ", target, "; ", candidate.Name(),
          " has here: ", absl::StrJoin(own, ", ")));
    }
  }
  return flags.targets;
}

absl::StatusOr<Level> ParseLevel(const RunFlags& flags) {
  if (flags.level == "exact") return Level::kExact;
  if (flags.level == "binary32") return Level::kBinary32;
  if (flags.level.empty()) {
    return flags.candidate == "builtin" ? Level::kExact : Level::kBinary32;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--level=", flags.level, " must be exact or binary32"));
}

struct Prepared {
  std::unique_ptr<Candidate> candidate;
  std::vector<VectorFile> files;
  RunOptions options;
};

// Everything that can be wrong with the command line or the input is found
// here, before the first case runs.
absl::StatusOr<Prepared> Prepare(const RunFlags& flags) {
  Prepared prepared;
  prepared.candidate = MakeCandidate(flags.candidate);
  if (prepared.candidate == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--candidate=", flags.candidate,
        " is unknown; known: ", absl::StrJoin(CandidateNames(), ", ")));
  }
  absl::StatusOr<std::vector<std::string>> targets =
      ExpectedTargets(flags, *prepared.candidate);
  if (!targets.ok()) return targets.status();
  prepared.options.targets = *std::move(targets);
  absl::StatusOr<Level> level = ParseLevel(flags);
  if (!level.ok()) return level.status();
  prepared.options.level = *level;
  prepared.options.threads = flags.threads;
  prepared.options.vary = flags.candidate == "builtin";
  if (!flags.quotas.empty()) {
    absl::StatusOr<CounterTable> minimums = ReadQuotas(flags.quotas);
    if (!minimums.ok()) return minimums.status();
    prepared.options.minimums = *std::move(minimums);
    prepared.options.enforce_quotas = true;
  }
  absl::StatusOr<std::vector<VectorFile>> files = ReadInput(flags.paths);
  if (!files.ok()) return files.status();
  prepared.files = *std::move(files);
  if (absl::Status status = CheckJsonWritable(flags.json); !status.ok()) {
    return status;
  }
  return prepared;
}

ExitCode Run(const RunFlags& flags) {
  absl::StatusOr<Prepared> prepared = Prepare(flags);
  if (!prepared.ok()) return ReportBadInput(prepared.status());
  RunResults results;
  results.build = GetBuildInfo();
  results.started =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  results.filter = flags.filter;
  results.paths = flags.paths;
  results.corpus_hash = CorpusHash(prepared->files);
  std::vector<const TestCase*> cases;
  for (const VectorFile& file : prepared->files) {
    for (const TestCase& test_case : file.cases) {
      ++results.corpus_cases;
      if (MatchesFilter(flags.filter, test_case)) cases.push_back(&test_case);
    }
  }
  if (isatty(STDERR_FILENO) != 0) prepared->options.progress = ShowProgress;
  InstallCrashReport();
  Announcing candidate(*prepared->candidate);
  RunCases(cases, candidate, prepared->options, results);
  std::cout << FormatFailures(results) << FormatSummary(results) << std::flush;
  if (!WriteJson(flags.json, [&] { return ToJson(results); })) return kBroken;
  return results.exit_code;
}

}  // namespace

void AddRunCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run",
      "Run test vectors through the golden model and an implementation, and "
      "judge every element.\nExit code: 0 conforms, 1 does not, 2 bad usage or "
      "input, 3 something broke, 4 the run proves too little.");
  const auto flags = std::make_shared<RunFlags>();
  command
      ->add_option("paths", flags->paths,
                   "Files of test vectors, or folders that hold some")
      ->required();
  command->add_option("--candidate", flags->candidate,
                      "Implementation under test: builtin (default) or "
                      "golden-binary32");
  command
      ->add_option("--targets", flags->targets,
                   "Targets that must run, separated by commas (default: all "
                   "of this machine)")
      ->delimiter(',')
      ->allow_extra_args(false);  // what follows is a path again
  command->add_option("--level", flags->level,
                      "exact: every element equals the exact value; binary32: "
                      "it lies within what float arithmetic may give (default: "
                      "exact for builtin, else binary32)");
  command->add_option("--json", flags->json,
                      "Write the results to this file "
                      "(spec/schema/results.schema.json)");
  command->add_option("--quotas", flags->quotas,
                      "Enforce the minimum counts of this file; fewer: exit "
                      "code 4");
  command
      ->add_option("--threads", flags->threads,
                   "Threads for the golden model and for the kernels "
                   "(default: the machine's)")
      ->check(CLI::Range(1, 256));
  command->add_option("--filter", flags->filter,
                      "Run only cases whose operator/id contains this text; "
                      "with * ? or / it is a pattern for all of operator/id");
  command->callback([flags, &exit_code] { exit_code = Run(*flags); });
}

}  // namespace qconform::harness
