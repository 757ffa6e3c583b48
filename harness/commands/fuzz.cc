// qconform fuzz: generated cases against the second oracle and properties.

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/cases/random_source.h"
#include "harness/commands/arguments.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/crash_report.h"
#include "harness/commands/fuzz_engine.h"
#include "harness/commands/fuzz_quotas.h"
#include "harness/commands/mutant_candidate.h"
#include "harness/commands/run_setup.h"
#include "harness/progress/interruption.h"
#include "harness/progress/progress.h"
#include "harness/results/build_info.h"
#include "harness/results/console_view.h"
#include "harness/results/evidence.h"
#include "harness/results/json_view.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

// The minimums of harness/quotas/fuzz.json are for this many cases of each
// operator.
constexpr int64_t kDefaultCases = 1000;

struct FuzzFlags {
  std::string operator_name;
  std::string candidate = "builtin";
  std::vector<std::string> targets;
  std::string level;
  int64_t cases = 0;
  double seconds = 0;
  uint64_t seed = 0;
  bool has_seed = false;
  int64_t first = 0;
  std::string save = "testdata/regressions";
  bool no_save = false;
  bool shrink = true;
  bool fail_fast = false;
  std::string json;
};

// A seed short enough to be typed.
uint64_t AnySeed() {
  return RandomSource(static_cast<uint64_t>(absl::ToUnixNanos(absl::Now())))
             .Next() >>
         40;
}

// A mutant narrows the run to its operator.
absl::Status NarrowToMutant(FuzzFlags& flags) {
  const std::string operator_name = OperatorOfMutant(flags.candidate);
  if (operator_name.empty()) return absl::OkStatus();
  if (!flags.operator_name.empty() && flags.operator_name != operator_name) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--candidate=", flags.candidate,
        " is of another operator than --operator=", flags.operator_name));
  }
  flags.operator_name = operator_name;
  return absl::OkStatus();
}

absl::Status FindTargets(const FuzzFlags& flags, const Candidate& candidate,
                         FuzzOptions& options, FuzzReport& distrusted) {
  const absl::StatusOr<std::vector<std::string>> wanted =
      ExpectedTargets(flags.candidate, flags.targets, candidate);
  if (!wanted.ok()) return wanted.status();
  const std::vector<std::string> own = candidate.Targets();
  for (const std::string& target : *wanted) {
    if (std::find(own.begin(), own.end(), target) != own.end()) {
      options.targets.push_back(target);
    } else {
      distrusted.distrust.push_back(
          absl::StrCat("target ", target, " did not run: the candidate ",
                       candidate.Name(), " does not have it here"));
    }
  }
  return absl::OkStatus();
}

absl::Status FindOperators(const FuzzFlags& flags, FuzzOptions& options) {
  std::vector<std::string> names;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    names.push_back(spec.name);
    if (flags.operator_name.empty() || flags.operator_name == spec.name) {
      options.operators.push_back(spec.name);
    }
  }
  if (!options.operators.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--operator=", flags.operator_name,
                   " is unknown; known: ", absl::StrJoin(names, ", ")));
}

absl::Status FindLevel(const FuzzFlags& flags, FuzzOptions& options) {
  const absl::StatusOr<Level> level = ChooseLevel(flags.candidate, flags.level);
  if (!level.ok()) return level.status();
  options.level = *level;
  return absl::OkStatus();
}

// Minimums in proportion to the cases that ran. Of fewer than they are made for
// they say nothing: one case in eight shows its ties and clamps, and some give
// many at once, so that chance alone would decide.
CounterTable ScaledMinimums(const FuzzReport& report) {
  const absl::StatusOr<CounterTable> all =
      ParseQuotas("harness/quotas/fuzz.json", kFuzzQuotas);
  CounterTable minimums;
  for (const FuzzStatistics& statistics : report.statistics) {
    const auto quotas = all->find(statistics.operator_name);
    if (quotas == all->end() || statistics.cases < kDefaultCases) continue;
    for (const auto& [counter, minimum] : quotas->second) {
      const int64_t scaled = minimum * statistics.cases / kDefaultCases;
      if (scaled > 0) minimums[statistics.operator_name][counter] = scaled;
    }
  }
  return minimums;
}

ExitCode DecideExitCode(const FuzzReport& report) {
  if (!report.broken.empty()) return kBroken;
  for (const FuzzFailure& failure : report.failures) {
    if (failure.crashed) return kBroken;
  }
  if (!report.failures.empty()) return kDoesNotConform;
  return report.distrust.empty() ? kConforms : kUntrustworthy;
}

std::string RepeatCommand(const FuzzFlags& flags, const FuzzFailure& failure,
                          uint64_t seed) {
  std::string command = absl::StrCat(
      "qconform fuzz --operator=", failure.operator_name, " --seed=", seed,
      " --first=", failure.index, " --cases=1 --targets=", failure.target);
  if (flags.candidate != "builtin") {
    absl::StrAppend(&command, " --candidate=", ShellQuote(flags.candidate));
  }
  return command;
}

std::string FormatFailure(const FuzzFlags& flags, const FuzzFailure& failure,
                          const FuzzOptions& options) {
  std::string text = absl::StrCat(
      "FAILED ", failure.operator_name, " case ", failure.index, " (",
      failure.kind, ") on ", failure.target, ", ", failure.execution, "\n  ",
      failure.property.empty()
          ? ""
          : absl::StrCat("property ", failure.property, " violated: "),
      failure.message, "\n");
  if (options.shrink) {
    absl::StrAppend(&text, "  shrunk from ", failure.elements_before, " to ",
                    failure.elements_after, " elements\n");
  }
  absl::StrAppend(
      &text, "  repeat: ", RepeatCommand(flags, failure, options.seed), "\n");
  if (!failure.file.empty()) {
    absl::StrAppend(&text, "  saved:  qconform run ", ShellQuote(failure.file),
                    " --targets=", failure.target, "\n");
  }
  return text;
}

std::string FormatStatistics(const FuzzReport& report) {
  std::string text = absl::StrFormat(
      "%-38s %7s %9s %9s %9s  %s\n", "operator", "cases", "rejected", "cases/s",
      "calls/s", "time: generate oracle golden candidate compare properties");
  for (const FuzzStatistics& s : report.statistics) {
    const double all = s.generate + s.oracle + s.golden_model + s.candidate +
                       s.compare + s.other_properties;
    const auto share = [all](double part) {
      return absl::StrFormat("%.0f %%", 100 * part / std::max(all, 1e-9));
    };
    absl::StrAppend(
        &text,
        absl::StrFormat(
            "%-38s %7d %9d %9.0f %9.0f  ", s.operator_name, s.cases,
            s.rejections, static_cast<double>(s.cases) / std::max(all, 1e-9),
            static_cast<double>(s.executions) / std::max(all, 1e-9)),
        absl::StrJoin(
            {share(s.generate), share(s.oracle), share(s.golden_model),
             share(s.candidate), share(s.compare), share(s.other_properties)},
            " "),
        absl::StrFormat("\n%38s %d elements, %d by the golden model too, %d "
                        "properties, hash %016x\n",
                        "", s.elements, s.golden, s.properties, s.hash));
  }
  return text;
}

Group& FindGroup(const std::string& operator_name, const std::string& types,
                 const std::string& target, RunResults& results) {
  for (Group& group : results.groups) {
    if (group.operator_name == operator_name && group.types == types &&
        group.target == target) {
      return group;
    }
  }
  Group group;
  group.operator_name = operator_name;
  group.types = types;
  group.target = target;
  group.difference_unit = "integer";
  results.groups.push_back(group);
  return results.groups.back();
}

// Failed cases by their types; what passed is not listed and only counted.
void AddGroups(const FuzzReport& report, RunResults& results) {
  std::map<std::string, int64_t> failed;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      ++FindGroup(result.operator_name, result.types, target.target, results)
            .cases[target.status];
      ++failed[result.operator_name];
    }
  }
  for (const FuzzStatistics& statistics : report.statistics) {
    const int64_t passed =
        statistics.executions - failed[statistics.operator_name];
    const auto targets = static_cast<int64_t>(report.run_targets.size());
    // A case runs on one target after the other: if the run ended within a
    // case, the first targets have one more.
    for (int64_t i = 0; i < targets; ++i) {
      const int64_t count = passed / targets + (i < passed % targets ? 1 : 0);
      if (count <= 0) continue;
      FindGroup(statistics.operator_name, "generated calls",
                report.run_targets[static_cast<size_t>(i)], results)
          .cases[CaseStatus::kPassed] = count;
    }
  }
}

// The cases of the results are the failures.
void AddFailures(const FuzzFlags& flags, const FuzzOptions& options,
                 const FuzzReport& report, Candidate& candidate,
                 RunResults& results) {
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const FuzzFailure& failure : report.failures) {
    TestCase test_case = ToTestCase(failure, options.seed);
    // The id is of what a case was simplified to, which several can share.
    if (!known.insert({failure.operator_name, test_case.id, failure.target})
             .second) {
      absl::StrAppend(&test_case.id, "-case-", failure.index);
    }
    CaseResult result;
    result.operator_name = failure.operator_name;
    result.id = test_case.id;
    result.title = test_case.title;
    result.file = failure.file;
    result.clauses = test_case.clauses;
    result.types = TypesLabel(failure.arguments);
    result.expects_error = test_case.error.has_value();
    TargetResult target;
    target.target = failure.target;
    target.status =
        failure.crashed ? CaseStatus::kCrashed : CaseStatus::kFailed;
    target.reason = failure.message;
    target.variation = failure.execution;
    result.targets.push_back(target);
    results.cases.push_back(result);
    if (results.evidence.size() < Evidence::kMaxInAll) {
      results.evidence.push_back(
          MakeEvidence(test_case, failure.target, /*element=*/-1,
                       /*explain=*/!failure.crashed,
                       RepeatCommand(flags, failure, options.seed), candidate));
    }
  }
}

// Results in the one model.
RunResults ToResults(const FuzzFlags& flags, const FuzzOptions& options,
                     const FuzzReport& report, Candidate& candidate,
                     const CounterTable& minimums) {
  RunResults results;
  results.build = GetBuildInfo();
  results.started =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  results.wall_seconds = report.seconds;
  results.candidate = candidate.Name();
  results.level = options.level;
  results.profile = "fuzz";
  results.seed = options.seed;
  results.filter =
      absl::StrCat("fuzz --seed=", options.seed, " --first=", options.first);
  uint64_t hash = 0;
  for (const FuzzStatistics& statistics : report.statistics) {
    results.corpus_cases += statistics.cases;
    hash ^= statistics.hash;
  }
  results.selected_cases = results.corpus_cases;
  results.corpus_hash = absl::StrFormat("fnv1a64:%016x", hash);
  results.expected_targets =
      flags.targets.empty() ? options.targets : flags.targets;
  results.run_targets = report.run_targets;
  AddFailures(flags, options, report, candidate, results);
  AddGroups(report, results);
  results.quotas = CompareWithQuotas(report.counters, minimums);
  results.quotas_enforced = true;
  results.distrust = report.distrust;
  results.broken = report.broken;
  results.exit_code = DecideExitCode(report);
  return results;
}

// Everything that can be wrong with the command line is found here.
absl::StatusOr<std::unique_ptr<Candidate>> Prepare(FuzzFlags& flags,
                                                   FuzzOptions& options,
                                                   FuzzReport& distrusted) {
  absl::Status status = NarrowToMutant(flags);
  if (!status.ok()) return status;
  auto candidate = FindCandidate(flags.candidate);
  if (!candidate.ok()) return candidate;
  status = FindOperators(flags, options);
  if (status.ok()) status = FindLevel(flags, options);
  if (status.ok())
    status = FindTargets(flags, **candidate, options, distrusted);
  if (status.ok()) status = CheckWritable("json", flags.json);
  if (!status.ok()) return status;
  // A pipeline wants the first failure soon; shrinking is done where a person
  // waits for it.
  const char* ci = std::getenv("CI");
  const bool in_pipeline = ci != nullptr && *ci != '\0';
  options.shrink = flags.shrink && !in_pipeline;
  options.fail_fast = flags.fail_fast || in_pipeline;
  options.cases =
      flags.cases == 0 && flags.seconds == 0 ? kDefaultCases : flags.cases;
  options.seconds = flags.seconds;
  options.first = flags.first;
  if (!flags.no_save) options.save = flags.save;
  return candidate;
}

ExitCode Fuzz(FuzzFlags flags) {
  FuzzOptions options;
  options.seed = flags.has_seed ? flags.seed : AnySeed();
  // Before anything else, so that nothing can hide it.
  std::cout << "seed " << options.seed << std::endl;
  FuzzReport distrusted;
  absl::StatusOr<std::unique_ptr<Candidate>> candidate =
      Prepare(flags, options, distrusted);
  if (!candidate.ok()) return ReportBadInput(candidate.status());
  InstallCrashReport();
  CatchInterruption();
  const std::string name = (*candidate)->Name();
  options.announce = [&](const std::string& operator_name, int64_t index,
                         const std::string& target) {
    AnnounceCall(absl::StrCat(operator_name, " (fuzz --seed=", options.seed,
                              " --first=", index, ")"),
                 name, target);
  };
  Progress progress("cases", ChooseProgressStyle(/*quiet=*/false));
  options.progress = [&](int64_t done, int64_t total) {
    progress.Update(static_cast<uint64_t>(done), static_cast<uint64_t>(total));
    return !Interrupted();
  };
  FuzzReport report = RunFuzz(**candidate, options);
  progress.Finish();
  report.distrust.insert(report.distrust.begin(), distrusted.distrust.begin(),
                         distrusted.distrust.end());
  if (Interrupted()) report.distrust.push_back("the run was interrupted");
  if (report.run_targets.empty()) {
    report.distrust.push_back("no case was executed");
  }
  const CounterTable minimums = ScaledMinimums(report);
  for (const Quota& quota : CompareWithQuotas(report.counters, minimums)) {
    if (quota.Met() || !report.failures.empty()) continue;
    report.distrust.push_back(absl::StrCat(
        "quota not met: ", quota.operator_name, " ", quota.counter, " is ",
        quota.count, ", must be at least ", quota.minimum));
  }
  for (const FuzzFailure& failure : report.failures) {
    std::cout << FormatFailure(flags, failure, options);
  }
  std::cout << "candidate " << name << ", targets "
            << absl::StrJoin(report.run_targets, " ") << "\n"
            << FormatStatistics(report);
  for (const std::string& reason : report.broken) {
    std::cout << "broken: " << reason << "\n";
  }
  for (const std::string& reason : report.distrust) {
    std::cout << "mistrusted: " << reason << "\n";
  }
  const RunResults results =
      ToResults(flags, options, report, **candidate, minimums);
  std::cout << report.failures.size() << " failures (exit code "
            << static_cast<int>(results.exit_code) << "), "
            << absl::StrFormat("%.1f s\n", report.seconds) << std::flush;
  if (!WriteOutput("json", flags.json, [&] { return ToJson(results); }))
    return kBroken;
  return results.exit_code;
}

}  // namespace

void AddFuzzCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "fuzz",
      "Run generated cases, easy and hard, valid and faulty, against the "
      "oracles and the properties of the operators.\nExit code: 0 conforms, 1 "
      "does not, 2 bad usage, 3 something broke, 4 the run proves too little.");
  const auto flags = std::make_shared<FuzzFlags>();
  command->add_option("--operator", flags->operator_name,
                      "Only this operator (default: all)");
  command
      ->add_option("--cases", flags->cases,
                   "Cases of each operator (default: 1000)")
      ->check(CLI::Range(int64_t{1}, kMaxCases));
  command
      ->add_option("--seconds", flags->seconds,
                   "Time for all operators together, instead of or beside "
                   "--cases")
      ->check(NumberWithin(0.001, 1e9));
  CLI::Option* seed =
      command
          ->add_option(
              "--seed", flags->seed,
              "The same seed gives the same cases everywhere (default: any)")
          ->check(SeedNumber());
  command->add_option("--first", flags->first, "Index of the first case")
      ->check(CLI::Range(int64_t{0}, kMaxCases));
  command->add_option("--save", flags->save,
                      "Folder for vectors made of failures (default: "
                      "testdata/regressions)");
  command->add_flag("--no-save", flags->no_save, "Save no vectors");
  command->add_option("--candidate", flags->candidate,
                      "Implementation under test: builtin (default), "
                      "golden-binary32 or mutant:OPERATOR/FAULT");
  command
      ->add_option("--targets", flags->targets,
                   "Targets that must run, separated by commas (default: all "
                   "of this machine)")
      ->delimiter(',');
  command->add_option("--level", flags->level,
                      "exact or binary32 (default: exact; of golden-binary32: "
                      "binary32)");
  command->add_flag("!--no-shrink", flags->shrink,
                    "Leave failures as they are (default where CI is set)");
  command->add_flag("--fail-fast", flags->fail_fast,
                    "Stop at the first failure (default where CI is set)");
  command->add_option("--json", flags->json,
                      "Write the results to this file "
                      "(spec/schema/results.schema.json)");
  command->callback([flags, seed, &exit_code] {
    flags->has_seed = seed->count() > 0;
    exit_code = Fuzz(*flags);
  });
}

}  // namespace qconform::harness
