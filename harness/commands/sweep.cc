// qconform sweep: whole domains of elementwise steps, on every target.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/commands/arguments.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/crash_report.h"
#include "harness/commands/mutant_candidate.h"
#include "harness/commands/run_setup.h"
#include "harness/progress/interruption.h"
#include "harness/progress/progress.h"
#include "harness/sweeps/run_sweeps.h"

namespace qconform::harness {
namespace {

struct SweepFlags {
  std::string candidate = "builtin";
  std::vector<std::string> only;
  std::string operator_name;
  std::vector<std::string> targets;
  bool full = false;
  bool short_form = false;
  bool quiet = false;
  uint64_t seed = 1;
  uint64_t sample = 1;
  int threads = static_cast<int>(
      std::clamp(std::thread::hardware_concurrency(), 1u, 256u));
  std::string resume;
  std::string json;
  std::string save;
};

// The hash of the running program: finished units prove something about it
// alone.
std::string ProgramHash() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  uint64_t hash = 0xcbf29ce484222325;
  std::vector<char> buffer(1 << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())),
         file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(buffer[i])) * 0x100000001b3;
    }
  }
  return absl::StrFormat("fnv1a64:%016x", hash);
}

absl::StatusOr<SweepOptions> MakeOptions(const SweepFlags& flags,
                                         const Candidate& candidate) {
  SweepOptions options;
  const std::vector<std::string>& names = SweepNames();
  for (const std::string& name : flags.only) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--only: there is no sweep ", name,
                       "; there are: ", absl::StrJoin(names, ", ")));
    }
  }
  const std::vector<std::string> of_operator = SweepsOf(flags.operator_name);
  if (!flags.operator_name.empty() && of_operator.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--operator=", flags.operator_name, ": there is no such operator"));
  }
  const std::vector<std::string> of_mutant =
      SweepsOf(OperatorOfMutant(flags.candidate));
  const auto selects = [](const std::vector<std::string>& list,
                          const std::string& name) {
    return list.empty() ||
           std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : names) {
    if (selects(flags.only, name) && selects(of_operator, name) &&
        selects(of_mutant, name)) {
      options.sweeps.push_back(name);
    }
  }
  absl::StatusOr<std::vector<std::string>> targets =
      ExpectedTargets(flags.candidate, flags.targets, candidate);
  if (!targets.ok()) return targets.status();
  options.targets = *std::move(targets);
  options.full = flags.full;
  options.seed = flags.seed;
  options.sample = flags.sample;
  options.threads = flags.threads;
  options.state_path = flags.resume;
  if (!flags.resume.empty()) {
    options.program = absl::StrCat(flags.candidate, " of ", ProgramHash());
  }
  if (absl::Status status =
          CheckOutputs({{"json", flags.json}}, {flags.resume});
      !status.ok()) {
    return status;
  }
  return options;
}

ExitCode Sweep(const SweepFlags& flags) {
  const absl::StatusOr<std::unique_ptr<Candidate>> candidate =
      FindCandidate(flags.candidate);
  if (!candidate.ok()) return ReportBadInput(candidate.status());
  absl::StatusOr<SweepOptions> options = MakeOptions(flags, **candidate);
  if (!options.ok()) return ReportBadInput(options.status());
  InstallCrashReport();
  AnnounceCall("a kernel in a sweep", flags.candidate,
               absl::StrJoin(options->targets, ", "));
  CatchInterruption();
  options->interrupted = Interrupted;
  // Units differ so much that only a guessed time measures how far it is.
  Progress progress("microseconds of work", ChooseProgressStyle(flags.quiet));
  options->progress = [&progress](uint64_t done, uint64_t total) {
    progress.Update(done, total);
  };
  const Subjects subjects =
      MakeSubjects(flags.candidate == "builtin", options->targets, **candidate);
  absl::StatusOr<SweepResults> results =
      RunSweeps(*options, subjects, MakeUnits(*options));
  progress.Finish();
  if (!results.ok()) {
    const ExitCode code = ReportBadInput(results.status());
    return absl::IsInvalidArgument(results.status()) ? code : kBroken;
  }
  std::cout << FormatSweepResults(*results) << std::flush;
  if (!WriteOutput("json", flags.json,
                   [&] { return SweepResultsToJson(*results); })) {
    return kBroken;
  }
  if (!flags.save.empty()) {
    const auto paths = SaveMismatches(*results, flags.save);
    if (!paths.ok()) {
      ReportBadInput(paths.status());
      return kBroken;
    }
    for (const std::string& path : *paths) {
      std::cout << "saved " << path << "\n";
    }
  }
  return results->exit_code;
}

}  // namespace

void AddSweepCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "sweep",
      "Try all bit patterns of the elementwise steps on every SIMD target.\n"
      "Exit code: 0 conforms, 1 does not, 2 bad usage or input, 3 something "
      "broke, 4 the sweep proves too little.");
  const auto flags = std::make_shared<SweepFlags>();
  command
      ->add_option("--only", flags->only,
                   "Sweeps, separated by commas: add, requantize, "
                   "quantize_and_dequantize, float16, row_quantize (default: "
                   "all)")
      ->delimiter(',');
  command->add_option("--operator", flags->operator_name,
                      "Only the sweeps of this operator");
  command->add_option("--candidate", flags->candidate,
                      "builtin, golden-binary32, or mutant:<operator>/<fault>; "
                      "others than builtin have the sweeps add and "
                      "quantize_and_dequantize only");
  CLI::Option* full = command->add_flag("--full", flags->full,
                                        "Whole domains; takes many minutes");
  command
      ->add_flag("--short", flags->short_form,
                 "Breakpoints, ends and random pieces (default)")
      ->excludes(full);
  command
      ->add_option("--targets", flags->targets,
                   "Targets that must run, separated by commas (default: all "
                   "of this machine)")
      ->delimiter(',');
  command
      ->add_option("--seed", flags->seed,
                   "Of the random settings and pieces (default: 1)")
      ->check(SeedNumber());
  command
      ->add_option("--sample", flags->sample,
                   "Run about one unit in so many (default: 1, all)")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1000000}));
  command
      ->add_option("--threads", flags->threads,
                   "Threads (default: the machine's)")
      ->check(CLI::Range(1, 256));
  command->add_option("--resume", flags->resume,
                      "Remember finished units in this file, and continue from "
                      "it if it is there");
  command->add_option("--json", flags->json, "Write the results to this file");
  command->add_option("--save", flags->save,
                      "Save each mismatch as a test vector into this folder");
  command->add_flag("--quiet", flags->quiet, "Show no progress");
  command->callback([flags, &exit_code] { exit_code = Sweep(*flags); });
}

}  // namespace qconform::harness
