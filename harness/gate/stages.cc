#include "harness/gate/stages.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/random_source.h"
#include "harness/judge/properties.h"
#include "harness/sweeps/run_sweeps.h"

namespace qconform::harness {
namespace {

// Counterexamples listed per stage.
constexpr size_t kMaxFailures = 10;
constexpr int64_t kMaxFailuresPerTarget = 3;

constexpr char kPropertyPrefix[] = "property:";
constexpr char kSweepPrefix[] = "sweep:";

// Sweep by operator, in the order of SweepNames.
std::vector<std::pair<std::string, std::string>> SelectSweeps(
    const StageOptions& options) {
  std::vector<std::pair<std::string, std::string>> sweeps;
  for (const std::string& name : SweepNames()) {
    const bool elementwise = name == "add" || name == "quantize_and_dequantize";
    if (!options.builtin && !elementwise) continue;
    for (const std::string& operator_name : options.operators) {
      const std::vector<std::string> own = SweepsOf(operator_name);
      if (std::find(own.begin(), own.end(), name) != own.end()) {
        sweeps.push_back({name, operator_name});
        break;
      }
    }
  }
  return sweeps;
}

absl::StatusOr<SweepResults> Sweep(const StageOptions& options,
                                   const std::vector<std::string>& sweeps,
                                   const std::vector<std::string>& targets,
                                   Candidate& candidate) {
  SweepOptions sweep_options;
  sweep_options.sweeps = sweeps;
  sweep_options.targets = targets;
  sweep_options.seed = options.seed;
  sweep_options.threads = options.threads;
  sweep_options.sample = options.sweep_sample;
  sweep_options.progress = options.progress;
  sweep_options.interrupted = options.interrupted;
  return RunSweeps(sweep_options,
                   MakeSubjects(options.builtin, targets, candidate),
                   MakeUnits(sweep_options));
}

// Units stop after a few mismatches, whatever their targets: which targets fail
// is known for sure only of each by itself.
absl::StatusOr<std::vector<Mismatch>> FindMismatches(
    const StageOptions& options, const SweepSummary& summary,
    Candidate& candidate) {
  if (summary.mismatches.empty() || options.targets.size() == 1) {
    return summary.mismatches;
  }
  std::vector<Mismatch> mismatches;
  for (const std::string& target : options.targets) {
    absl::StatusOr<SweepResults> alone =
        Sweep(options, {summary.sweep}, {target}, candidate);
    if (!alone.ok()) return alone.status();
    const std::vector<Mismatch>& own = alone->sweeps.front().mismatches;
    mismatches.insert(mismatches.end(), own.begin(), own.end());
  }
  return mismatches;
}

// A passed one, so far.
StageResult MakeStage(const std::string& operator_name, const std::string& name,
                      const std::vector<std::string>& targets) {
  StageResult stage;
  stage.operator_name = operator_name;
  stage.name = name;
  for (const std::string& target : targets) {
    stage.targets.push_back({target, 0, CaseStatus::kPassed, ""});
  }
  return stage;
}

void AddFailure(const std::string& target_name, const std::string& text,
                StageResult& stage) {
  int64_t listed = 0;
  for (StageResult::Target& target : stage.targets) {
    if (target.target != target_name) continue;
    listed = ++target.failed;
    target.status = CaseStatus::kFailed;
  }
  // Of each target, and not too many in all.
  if (listed <= kMaxFailuresPerTarget && stage.failures.size() < kMaxFailures) {
    stage.failures.push_back(text);
  }
}

StageResult ToStage(const SweepSummary& summary,
                    const std::string& operator_name,
                    const std::vector<Mismatch>& mismatches,
                    const StageOptions& options) {
  StageResult stage =
      MakeStage(operator_name, absl::StrCat(kSweepPrefix, summary.sweep),
                options.targets);
  stage.executed = static_cast<int64_t>(summary.comparisons);
  stage.seconds = summary.seconds;
  for (const Mismatch& mismatch : mismatches) {
    AddFailure(
        mismatch.target,
        absl::StrCat(mismatch.setting, ", ", mismatch.input, " on ",
                     mismatch.target, " (", mismatch.variant, "): expected ",
                     mismatch.expected, ", got ", mismatch.got),
        stage);
  }
  for (const std::string& target : options.targets) {
    if (!summary.targets.contains(target)) {
      stage.distrust.push_back(absl::StrCat("target ", target, " did not run"));
    }
  }
  return stage;
}

// Whether any property applied. `stages` are those of the operator, by
// property.
bool CheckProperties(const StageOptions& options, const TestCase& test_case,
                     const std::string& target, Candidate& candidate,
                     std::map<std::string, StageResult>& stages) {
  ExecutionOptions execution;
  execution.target = target;
  bool applied = false;
  for (auto& [property, stage] : stages) {
    const auto start = std::chrono::steady_clock::now();
    // The same for every case: each must be repeatable by itself.
    RandomSource random(options.seed);
    const PropertyOutcome outcome = CheckProperty(property, test_case.arguments,
                                                  candidate, execution, random);
    stage.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    if (!outcome.applies) continue;
    applied = true;
    ++stage.executed;
    if (!outcome.violation.empty()) {
      AddFailure(
          target,
          absl::StrCat(test_case.id, " on ", target, ": ", outcome.violation),
          stage);
    }
  }
  return applied;
}

}  // namespace

std::vector<std::string> StageNames(const std::string& operator_name) {
  std::vector<std::string> names;
  for (const std::string& property : PropertyNames(operator_name)) {
    names.push_back(kPropertyPrefix + property);
  }
  for (const std::string& sweep : SweepsOf(operator_name)) {
    names.push_back(kSweepPrefix + sweep);
  }
  return names;
}

void RunSweepStages(const StageOptions& options, Candidate& candidate,
                    RunResults& results) {
  std::vector<std::string> names;
  std::map<std::string, std::string> operators;
  for (const auto& [sweep, operator_name] : SelectSweeps(options)) {
    names.push_back(sweep);
    operators[sweep] = operator_name;
  }
  if (names.empty()) return;
  const absl::StatusOr<SweepResults> sweeps =
      Sweep(options, names, options.targets, candidate);
  if (!sweeps.ok()) {
    results.broken.push_back(std::string(sweeps.status().message()));
    return;
  }
  for (const SweepSummary& summary : sweeps->sweeps) {
    results.broken.insert(results.broken.end(), summary.disagreements.begin(),
                          summary.disagreements.end());
    const absl::StatusOr<std::vector<Mismatch>> mismatches =
        FindMismatches(options, summary, candidate);
    if (!mismatches.ok()) {
      results.broken.push_back(std::string(mismatches.status().message()));
      continue;
    }
    results.stages.push_back(
        ToStage(summary, operators[summary.sweep], *mismatches, options));
  }
  if (options.interrupted && options.interrupted()) {
    results.stopped = "interrupted";
  }
}

void RunPropertyStages(const StageOptions& options,
                       const std::vector<const TestCase*>& cases,
                       Candidate& candidate, RunResults& results) {
  std::map<std::string, std::map<std::string, StageResult>> stages;
  std::set<std::pair<std::string, std::string>> covered;
  uint64_t done = 0;
  for (const TestCase* test_case : cases) {
    if (options.interrupted && options.interrupted()) {
      results.stopped = "interrupted";
      break;
    }
    if (options.progress) options.progress(done++, cases.size());
    if (test_case->error) continue;
    const std::string& name = test_case->arguments.operator_name;
    std::map<std::string, StageResult>& own = stages[name];
    for (const std::string& property : PropertyNames(name)) {
      own.try_emplace(property, MakeStage(name, kPropertyPrefix + property,
                                          options.targets));
    }
    for (const std::string& target : options.targets) {
      if (CheckProperties(options, *test_case, target, candidate, own)) {
        covered.insert({name, target});
      }
    }
  }
  for (auto& [name, own] : stages) {
    for (const std::string& target : options.targets) {
      if (!covered.contains({name, target})) {
        own.begin()->second.distrust.push_back(absl::StrCat(
            "neither this nor another property was checked on ", target));
      }
    }
    for (auto& [property, stage] : own) {
      // What says nothing about any of the cases is no stage.
      if (stage.executed > 0 || !stage.distrust.empty()) {
        results.stages.push_back(std::move(stage));
      }
    }
  }
}

}  // namespace qconform::harness
