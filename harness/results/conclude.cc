#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/results/model.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

void DistrustTargets(RunResults& results) {
  std::set<std::string> present;
  for (const Group& group : results.groups) present.insert(group.target);
  for (const std::string& target : results.expected_targets) {
    if (!results.cases.empty() && !present.contains(target)) {
      results.distrust.push_back(
          absl::StrCat("target ", target, " did not run: the candidate ",
                       results.candidate, " does not have it here"));
    }
  }
  if (results.run_targets.empty()) {
    results.distrust.push_back("no case was executed");
  }
}

void DistrustEarlyEnd(RunResults& results) {
  if (results.stopped.empty()) return;
  results.distrust.push_back(absl::StrCat(
      "the run is partial (", results.stopped, "): ", results.cases.size(),
      " of ", results.selected_cases, " cases were run"));
}

// One line per operator and target that the candidate lacks, not one per case.
void DistrustUnsupported(RunResults& results) {
  std::map<std::pair<std::string, std::string>, int64_t> unsupported;
  for (const Group& group : results.groups) {
    const auto found = group.cases.find(CaseStatus::kUnsupported);
    if (found != group.cases.end()) {
      unsupported[{group.operator_name, group.target}] += found->second;
    }
  }
  for (const auto& [key, count] : unsupported) {
    results.distrust.push_back(absl::StrCat(
        key.first, " is unsupported on ", key.second, " in ", count, " cases"));
  }
}

void DistrustQuotas(RunResults& results) {
  for (const Quota& quota : results.quotas) {
    if (!quota.Met()) {
      results.distrust.push_back(absl::StrCat(
          "quota not met: ", quota.operator_name, " ", quota.counter, " is ",
          quota.count, ", must be at least ", quota.minimum));
    }
  }
}

bool Fails(const RunResults& results) {
  return CountCases(results, CaseStatus::kFailed) > 0 ||
         CountCases(results, CaseStatus::kUnexpectedPass) > 0 ||
         std::any_of(
             results.stages.begin(), results.stages.end(),
             [](const StageResult& stage) {
               return !stage.TargetsThat(CaseStatus::kFailed).empty() ||
                      !stage.TargetsThat(CaseStatus::kUnexpectedPass).empty();
             }) ||
         std::any_of(
             results.ratchet.begin(), results.ratchet.end(),
             [](const RatchetRow& row) { return row.Outcome() == "worse"; });
}

ExitCode DecideExitCode(const RunResults& results) {
  if (!results.broken.empty() ||
      CountCases(results, CaseStatus::kCrashed) > 0 ||
      CountCases(results, CaseStatus::kTimedOut) > 0) {
    return kBroken;
  }
  if (Fails(results)) return kDoesNotConform;
  return results.distrust.empty() ? kConforms : kUntrustworthy;
}

}  // namespace

int64_t StageResult::Failed() const {
  int64_t failed = 0;
  for (const Target& target : targets) failed += target.failed;
  return failed;
}

std::vector<std::string> StageResult::TargetsThat(CaseStatus status) const {
  std::vector<std::string> names;
  for (const Target& target : targets) {
    if (target.status == status) names.push_back(target.target);
  }
  return names;
}

std::string RatchetRow::Outcome() const {
  if (observed > recorded) return "worse";
  return observed < recorded ? "better" : "equal";
}

void FindClauses(RunResults& results) {
  std::set<std::string> operators;
  for (const CaseResult& result : results.cases) {
    operators.insert(result.operator_name);
  }
  results.clauses.clear();
  for (const std::string& name : operators) {
    for (const spec::Clause& clause : spec::FindOperator(name)->clauses) {
      ClauseResult row;
      row.operator_name = name;
      row.id = clause.id;
      row.question = clause.question;
      row.decision = clause.text;
      results.clauses.push_back(std::move(row));
    }
  }
  CountClauses(results);
}

void CountClauses(RunResults& results) {
  std::map<std::pair<std::string, std::string>, ClauseResult*> rows;
  for (ClauseResult& row : results.clauses) {
    row.cases = row.passed = row.failed = 0;
    rows[{row.operator_name, row.id}] = &row;
  }
  for (const CaseResult& result : results.cases) {
    bool passed = !result.targets.empty();
    bool failed = false;
    for (const TargetResult& target : result.targets) {
      passed &= target.status == CaseStatus::kPassed;
      failed |= target.status != CaseStatus::kPassed &&
                target.status != CaseStatus::kUnsupported;
    }
    for (const std::string& id : result.clauses) {
      const auto row = rows.find({result.operator_name, id});
      if (row == rows.end()) continue;
      ++row->second->cases;
      row->second->passed += passed;
      row->second->failed += failed;
    }
  }
}

void Conclude(RunResults& results) {
  results.distrust.clear();
  DistrustTargets(results);
  DistrustEarlyEnd(results);
  DistrustUnsupported(results);
  const int64_t mistrusted = CountCases(results, CaseStatus::kMistrusted);
  if (mistrusted > 0) {
    results.distrust.push_back(
        absl::StrCat(mistrusted, " cases are mistrusted"));
  }
  for (const StageResult& stage : results.stages) {
    for (const std::string& reason : stage.distrust) {
      results.distrust.push_back(
          absl::StrCat(stage.operator_name, " ", stage.name, ": ", reason));
    }
  }
  if (!results.shard) DistrustQuotas(results);
  results.exit_code = DecideExitCode(results);
}

}  // namespace qconform::harness
