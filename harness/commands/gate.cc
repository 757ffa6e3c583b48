// qconform gate: everything that continuous integration needs, against a
// baseline in the repository of the team that owns the kernels.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/commands/arguments.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/crash_report.h"
#include "harness/commands/gate_speed.h"
#include "harness/commands/run_setup.h"
#include "harness/gate/annotations.h"
#include "harness/gate/baseline.h"
#include "harness/gate/default_quotas.h"
#include "harness/gate/generated_cases.h"
#include "harness/gate/ratchet.h"
#include "harness/gate/stages.h"
#include "harness/progress/interruption.h"
#include "harness/progress/progress.h"
#include "harness/results/console_view.h"
#include "harness/results/html_view.h"
#include "harness/results/json_view.h"
#include "harness/results/junit_view.h"
#include "harness/results/markdown_view.h"

namespace qconform::harness {
namespace {

struct GateFlags {
  SetupFlags setup;
  std::vector<std::string> paths = {"testdata"};
  std::string baseline;
  uint64_t seed = 1;
  int64_t cases = 200;
  std::string quotas;
  bool fail_fast = false;
  bool update_observed = false;
  std::string failures = "qconform-failures";
  std::string date;
  std::string json;
  std::string junit;
  std::string sarif;
  std::string codequality;
  std::string markdown;
  std::string html;
  bool no_sweeps = false;
  SpeedFlags speed;

  // Files to write, by option.
  std::vector<std::pair<std::string, std::string>> Outputs() const {
    return {{"json", json},
            {"junit", junit},
            {"sarif", sarif},
            {"codequality", codequality},
            {"markdown", markdown},
            {"html", html},
            {"speed-json", speed.json}};
  }
};

struct Prepared {
  Setup setup;
  GateCases cases;
  Baseline baseline;
  bool begins = false;  // there is no baseline yet
  absl::CivilDay today;
};

absl::StatusOr<absl::CivilDay> Today(const std::string& date) {
  if (date.empty()) return absl::ToCivilDay(absl::Now(), absl::UTCTimeZone());
  absl::CivilDay day;
  if (!absl::ParseCivilTime(date, &day)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--date=", date, " must be a day like 2026-12-31"));
  }
  return day;
}

absl::StatusOr<CounterTable> Minimums(const GateFlags& flags,
                                      const std::set<std::string>& operators) {
  if (!flags.quotas.empty()) return ReadQuotas(flags.quotas);
  absl::StatusOr<CounterTable> minimums =
      ParseQuotas("the built-in quotas", DefaultQuotas());
  if (minimums.ok()) {
    std::erase_if(*minimums, [&operators](const auto& entry) {
      return !operators.contains(entry.first);
    });
  }
  return minimums;
}

absl::Status PrepareBaseline(const GateFlags& flags, Prepared& prepared) {
  prepared.baseline.path = flags.baseline;
  std::error_code error;
  if (flags.baseline.empty()) return absl::OkStatus();
  prepared.begins = !std::filesystem::exists(flags.baseline, error);
  if (prepared.begins && !flags.update_observed) {
    return absl::InvalidArgumentError(
        absl::StrCat("--baseline=", flags.baseline,
                     ": no such file; --update-observed makes one"));
  }
  if (!prepared.begins) {
    absl::StatusOr<Baseline> baseline = ReadBaseline(flags.baseline);
    if (!baseline.ok()) return baseline.status();
    prepared.baseline = *std::move(baseline);
  }
  return CheckBaseline(prepared.baseline, prepared.cases.all,
                       prepared.setup.candidate->Targets(),
                       prepared.setup.options.level);
}

// Everything that can be wrong with the command line or the input is found
// here, before the first case runs.
absl::StatusOr<Prepared> Prepare(GateFlags& flags) {
  Prepared prepared;
  absl::StatusOr<Setup> setup = MakeSetup(flags.setup);
  if (!setup.ok()) return setup.status();
  prepared.setup = *std::move(setup);
  absl::StatusOr<absl::CivilDay> today = Today(flags.date);
  if (!today.ok()) return today.status();
  prepared.today = *today;
  absl::StatusOr<std::vector<VectorFile>> files = ReadInput(flags.paths);
  if (!files.ok()) return files.status();
  std::vector<std::string> inputs = {flags.quotas, flags.baseline};
  for (const VectorFile& file : *files) inputs.push_back(file.path);
  prepared.cases = CollectCases(*std::move(files), flags.seed, flags.cases,
                                flags.failures, Interrupted);
  absl::StatusOr<CounterTable> minimums =
      Minimums(flags, prepared.cases.operators);
  if (!minimums.ok()) return minimums.status();
  prepared.setup.options.minimums = *std::move(minimums);
  prepared.setup.options.enforce_quotas = true;
  absl::Status status = PrepareBaseline(flags, prepared);
  if (status.ok()) status = PrepareSpeed(flags.speed);
  if (status.ok()) status = CheckOutputs(flags.Outputs(), inputs);
  if (!status.ok()) return status;
  return prepared;
}

// The generated cases that failed, as vectors that repeat them.
bool SaveFailures(const std::vector<VectorFile>& files,
                  const std::string& folder) {
  for (const VectorFile& file : files) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!WriteOutput("failures", file.path,
                     [&file] { return FormatVectorFile(file); })) {
      return false;
    }
    std::cout << "saved " << file.cases.size()
              << " generated cases that failed: " << file.path << "\n";
  }
  return true;
}

bool UpdateBaseline(const Prepared& prepared, const Ratchet& ratchet) {
  const std::string path = prepared.baseline.path;
  const std::string text =
      FormatBaseline(prepared.begins ? ratchet.Begun() : ratchet.Shrunk());
  if (!prepared.begins && ReadTextFile(path).value_or("") == text) return true;
  std::cout << "updated: " << path << "\n";
  return WriteOutput("baseline", path, [&text] { return text; });
}

// Appends to the summary that GitHub shows for a job.
bool AppendJobSummary(const RunResults& results) {
  const char* path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0' ||
      std::ofstream(path, std::ios::app) << ToMarkdown(results) << "\n"
                                         << std::flush) {
    return true;
  }
  std::cerr << "qconform: GITHUB_STEP_SUMMARY=" << path << ": writing failed\n";
  return false;
}

bool WriteViews(const GateFlags& flags, const std::vector<Finding>& findings,
                const RunResults& results) {
  const char* github = std::getenv("GITHUB_ACTIONS");
  if (github != nullptr && std::string(github) == "true") {
    std::cout << ToGitHubAnnotations(findings) << std::flush;
  }
  // One that cannot be written must not cost the others.
  bool written = AppendJobSummary(results);
  const auto write = [&written](const std::string& option,
                                const std::string& path, const auto& make) {
    written &= WriteOutput(option, path, make);
  };
  write("json", flags.json, [&] { return ToJson(results); });
  write("junit", flags.junit, [&] { return ToJunit(results); });
  write("sarif", flags.sarif, [&] { return ToSarif(findings, results.build); });
  write("codequality", flags.codequality,
        [&] { return ToCodeQuality(findings); });
  write("markdown", flags.markdown, [&] { return ToMarkdown(results); });
  write("html", flags.html, [&] { return ToHtml(results); });
  return written;
}

// Whether the run ends here: it was stopped, or has failed and must not go on.
bool EndsHere(const GateFlags& flags, RunResults& results) {
  Conclude(results);
  const bool fails =
      results.exit_code == kDoesNotConform || results.exit_code == kBroken;
  if (results.stopped.empty() && flags.fail_fast && fails) {
    results.stopped = "stopped at the first failure";
  }
  return !results.stopped.empty();
}

StageOptions MakeStageOptions(const GateFlags& flags,
                              const Prepared& prepared) {
  StageOptions options;
  options.seed = flags.seed;
  options.threads = flags.setup.threads;
  options.builtin = flags.setup.candidate == "builtin";
  options.interrupted = Interrupted;
  options.operators = prepared.cases.operators;
  // A target that is not there is told already.
  const std::vector<std::string> own = prepared.setup.candidate->Targets();
  for (const std::string& target : prepared.setup.options.targets) {
    if (std::find(own.begin(), own.end(), target) != own.end()) {
      options.targets.push_back(target);
    }
  }
  return options;
}

// Properties of the generated cases, then sweeps. Both hold for results that
// are exact; float arithmetic need not have them.
void RunStages(const GateFlags& flags, const Ratchet& ratchet,
               Prepared& prepared, RunResults& results) {
  if (prepared.setup.options.level != Level::kExact ||
      EndsHere(flags, results)) {
    return;
  }
  StageOptions options = MakeStageOptions(flags, prepared);
  const auto run = [&](const std::string& unit, const auto& stage) {
    Progress progress(unit, ChooseProgressStyle(flags.setup.quiet));
    options.progress = [&progress](uint64_t done, uint64_t total) {
      progress.Update(done, total);
    };
    const size_t begin = results.stages.size();
    stage();
    for (size_t i = begin; i < results.stages.size(); ++i) {
      ratchet.Apply(results.stages[i]);
    }
  };
  std::vector<const TestCase*> cases;
  for (const VectorFile& file : prepared.cases.generated) {
    for (const TestCase& test_case : file.cases) cases.push_back(&test_case);
  }
  run("cases changed", [&] {
    RunPropertyStages(options, cases, *prepared.setup.candidate, results);
  });
  if (EndsHere(flags, results) || flags.no_sweeps) return;
  AnnounceCall("a kernel in a sweep", results.candidate,
               absl::StrJoin(options.targets, ", "));
  run("microseconds of work",
      [&] { RunSweepStages(options, *prepared.setup.candidate, results); });
}

RunResults Begin(const GateFlags& flags, const Prepared& prepared) {
  RunResults results = BeginResults();
  results.profile = "gate";
  results.paths = flags.paths;
  results.seed = flags.seed;
  results.corpus_hash = CorpusHash(prepared.cases.files);
  for (const VectorFile& file : prepared.cases.files) {
    results.corpus_cases += static_cast<int64_t>(file.cases.size());
  }
  return results;
}

ExitCode RunGate(GateFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  CatchInterruption();
  absl::StatusOr<Prepared> prepared = Prepare(flags);
  if (!prepared.ok()) return ReportBadInput(prepared.status());
  RunResults results = Begin(flags, *prepared);
  Ratchet ratchet(prepared->baseline, prepared->setup.options.level,
                  prepared->today);
  RunOptions& options = prepared->setup.options;
  options.fail_fast = flags.fail_fast;
  options.adjust = [&ratchet](const TestCase& test_case,
                              const std::string& target, CaseVerdict& verdict) {
    ratchet.Apply(test_case, target, verdict);
  };
  RunWithProgress(prepared->cases.all, flags.setup, prepared->setup, results);
  results.ratchet = ratchet.Rows();
  if (prepared->begins) {
    for (RatchetRow& row : results.ratchet) row.recorded = row.observed;
  }
  RunStages(flags, ratchet, *prepared, results);
  bool written = true;
  if (flags.speed.on && !EndsHere(flags, results)) {
    written = MeasureSpeedForGate(flags.speed, flags.setup.quiet, results);
  }
  Conclude(results);
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  std::cout << FormatFailures(results);
  written &=
      SaveFailures(FailedGenerated(prepared->cases, results), flags.failures);
  std::cout << FormatSummary(results);
  for (const std::string& warning : ratchet.Warnings()) {
    std::cout << "warning: " << warning << "\n";
  }
  std::cout << std::flush;
  written &= WriteViews(
      flags, CollectFindings(results, prepared->baseline, ratchet.Warnings()),
      results);
  if (flags.update_observed && results.exit_code == kConforms) {
    written &= UpdateBaseline(*prepared, ratchet);
  }
  return written ? results.exit_code : kBroken;
}

void AddOutputOptions(CLI::App& command, GateFlags& flags) {
  command.add_option("--json", flags.json, "Write the results to this file");
  command.add_option("--junit", flags.junit, "Write JUnit XML to this file");
  command.add_option("--sarif", flags.sarif, "Write SARIF 2.1.0 to this file");
  command.add_option("--codequality", flags.codequality,
                     "Write GitLab's code quality report to this file");
  command.add_option("--markdown", flags.markdown,
                     "Write the summary as Markdown to this file");
  command.add_option("--html", flags.html, "Write a page to this file");
  command.add_option("--failures", flags.failures,
                     "Folder for generated cases that fail (default: "
                     "qconform-failures)");
}

}  // namespace

void AddGateCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "gate",
      "Decide whether a change may land: test vectors, generated cases, "
      "properties and short sweeps against a baseline of known failures and "
      "differences. On GitHub it also "
      "writes annotations and the summary of the job.\nExit code: 0 conforms, "
      "1 does not, 2 bad usage or input, 3 something broke, 4 the run proves "
      "too little.");
  const auto flags = std::make_shared<GateFlags>();
  command->add_option("paths", flags->paths,
                      "Files of test vectors, or folders that hold some "
                      "(default: testdata)");
  AddSetupOptions(*command, flags->setup);
  CLI::Option* baseline = command->add_option(
      "--baseline", flags->baseline,
      "Known failures and differences (spec/schema/baseline.schema.json); "
      "none: nothing may differ");
  command
      ->add_flag("--update-observed", flags->update_observed,
                 "If the gate passes, lower the differences that the baseline "
                 "records to those seen; makes the file if there is none")
      ->needs(baseline);
  command
      ->add_option("--seed", flags->seed, "Of the generated cases (default 1)")
      ->check(SeedNumber());
  command
      ->add_option("--cases", flags->cases,
                   "Generated cases for each operator (default 200)")
      ->check(CLI::Range(0, 10'000'000));
  command->add_option("--quotas", flags->quotas,
                      "Minimum counts to enforce instead of the built-in ones");
  command->add_flag("--fail-fast", flags->fail_fast,
                    "End at the first case or stage that fails");
  command->add_option("--date", flags->date,
                      "The day by which known failures expire (default: "
                      "today, UTC)");
  command->add_flag("--no-sweeps", flags->no_sweeps,
                    "Leave out the sweeps of elementwise steps");
  AddOutputOptions(*command, *flags);
  AddSpeedOptions(*command, flags->speed);
  command->callback([flags, &exit_code] { exit_code = RunGate(*flags); });
}

}  // namespace qconform::harness
