#include "harness/results/summary.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "spec/operator_spec.h"

namespace qconform::harness {

std::string VerdictName(ExitCode exit_code) {
  switch (exit_code) {
    case kConforms:
      return "conforms";
    case kDoesNotConform:
      return "does not conform";
    case kBadInput:
      return "bad input";
    case kBroken:
      return "broken";
    default:
      return "mistrusted";
  }
}

int64_t Tally::Of(CaseStatus status) const {
  const auto found = cases.find(status);
  return found == cases.end() ? 0 : found->second;
}

int64_t Tally::All() const {
  int64_t all = 0;
  for (const auto& [status, count] : cases) all += count;
  return all;
}

int64_t Tally::Failed() const {
  return All() - Of(CaseStatus::kPassed) - Of(CaseStatus::kUnsupported) -
         Of(CaseStatus::kExpectedFailure);
}

void Tally::Add(const Group& group) {
  for (const auto& [status, count] : group.cases) cases[status] += count;
  elements.Add(group.counts);
}

Tally TallyAll(const RunResults& results) {
  Tally tally;
  for (const Group& group : results.groups) tally.Add(group);
  return tally;
}

std::map<std::pair<std::string, std::string>, Tally> TallyByOperatorAndTarget(
    const RunResults& results) {
  std::map<std::pair<std::string, std::string>, Tally> tallies;
  for (const Group& group : results.groups) {
    tallies[{group.operator_name, group.target}].Add(group);
  }
  return tallies;
}

std::vector<std::string> NotRun(const RunResults& results) {
  std::vector<std::string> lines;
  if (!results.stopped.empty()) {
    lines.push_back(absl::StrCat("The run is partial (", results.stopped,
                                 "): ", results.cases.size(), " of ",
                                 results.selected_cases, " cases were run."));
  }
  for (const std::string& target : results.expected_targets) {
    if (std::find(results.run_targets.begin(), results.run_targets.end(),
                  target) == results.run_targets.end()) {
      lines.push_back(
          absl::StrCat("Target ", target, " was expected and did not run."));
    }
  }
  std::set<std::string> operators;
  for (const Group& group : results.groups) {
    operators.insert(group.operator_name);
  }
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    if (!operators.contains(spec.name)) {
      lines.push_back(absl::StrCat("No case of ", spec.name, " was run."));
    }
  }
  for (const auto& [key, tally] : TallyByOperatorAndTarget(results)) {
    if (tally.Of(CaseStatus::kUnsupported) > 0) {
      lines.push_back(absl::StrCat(key.first, " on ", key.second, ": ",
                                   tally.Of(CaseStatus::kUnsupported),
                                   " cases are unsupported."));
    }
  }
  if (!results.filter.empty()) {
    lines.push_back(absl::StrCat("Only cases that match \"", results.filter,
                                 "\" were selected."));
  }
  std::map<std::string, std::vector<std::string>> uncovered;
  for (const ClauseResult& clause : results.clauses) {
    if (clause.cases == 0) uncovered[clause.operator_name].push_back(clause.id);
  }
  for (const auto& [name, ids] : uncovered) {
    lines.push_back(absl::StrCat("No case of ", name, " names ",
                                 absl::StrJoin(ids, ", "), "."));
  }
  for (const Quota& quota : results.quotas) {
    if (!quota.Met()) {
      lines.push_back(absl::StrCat(
          "Too few inputs of one kind for ", quota.operator_name, ": ",
          quota.counter, " ", quota.count, " of ", quota.minimum, "."));
    }
  }
  return lines;
}

std::vector<std::pair<std::string, std::string>> SetupRows(
    const RunResults& results) {
  const BuildInfo& build = results.build;
  return {
      {"commit", build.commit},
      {"dirty", build.dirty},
      {"version", build.version},
      {"candidate", results.candidate},
      {"profile", results.profile},
      {"level", LevelName(results.level)},
      {"targets expected", absl::StrJoin(results.expected_targets, " ")},
      {"targets run", absl::StrJoin(results.run_targets, " ")},
      {"corpus", results.corpus_hash},
      {"corpus cases", absl::StrCat(results.corpus_cases, " read, ",
                                    results.selected_cases, " selected")},
      {"filter", results.filter.empty() ? "none" : results.filter},
      {"seed", results.seed ? absl::StrCat(*results.seed) : "none"},
      {"threads", absl::StrCat(results.threads)},
      {"compiler", absl::StrCat(build.compiler, ", ", build.build_type)},
      {"flags", build.flags},
      {"dependencies",
       absl::StrJoin(build.dependencies, ", ", absl::PairFormatter(" "))},
      {"CPU", absl::StrCat(build.cpu, ", ", build.processors, " processors")},
      {"started", results.started},
      {"took", absl::StrFormat("%.1f s", results.wall_seconds)},
      {"results", results.merged == 1
                      ? "of one run"
                      : absl::StrCat("merged from ", results.merged)}};
}

std::string Describe(const StageResult& stage) {
  std::string text = absl::StrCat(stage.operator_name, " ", stage.name, ": ",
                                  stage.executed, " compared");
  if (stage.TargetsThat(CaseStatus::kPassed).size() == stage.targets.size()) {
    // Nothing was compared where it broke or proved too little.
    return stage.executed == 0 ? text : text + ", passed";
  }
  for (const CaseStatus status :
       {CaseStatus::kFailed, CaseStatus::kUnexpectedPass,
        CaseStatus::kExpectedFailure}) {
    const std::vector<std::string> targets = stage.TargetsThat(status);
    if (targets.empty()) continue;
    absl::StrAppend(&text, ", ", CaseStatusName(status), " on ",
                    absl::StrJoin(targets, " "));
  }
  return text;
}

std::string Describe(const RatchetRow& row) {
  return absl::StrCat(row.operator_name, " ", row.types,
                      row.target.empty() ? "" : " on ", row.target, " is ",
                      row.Outcome(), ": largest difference ", row.observed, " ",
                      row.difference_unit, ", recorded ", row.recorded,
                      ", permitted: ", row.permitted);
}

std::string PlaceOf(const Failure& failure) {
  return absl::StrCat(failure.output, failure.index.starts_with("[") ? "" : " ",
                      failure.index);
}

int64_t LargestDifference(const Group& group) {
  int64_t largest = 0;
  for (const Histogram::Bucket& bucket : group.histogram.Buckets()) {
    largest = std::max({largest, std::abs(bucket.low), std::abs(bucket.high)});
  }
  return largest;
}

}  // namespace qconform::harness
