#include "harness/results/comparison.h"

#include <set>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/results/summary.h"

namespace qconform::harness {
namespace {

constexpr char kAbsent[] = "absent";

void AddSetup(const std::string& name, const std::string& before,
              const std::string& after, Comparison& comparison) {
  if (before != after) comparison.setup.push_back({name, before, after});
}

std::string Dependencies(const BuildInfo& build) {
  return absl::StrJoin(build.dependencies, ", ", absl::PairFormatter(" "));
}

void CompareSetup(const RunResults& before, const RunResults& after,
                  Comparison& comparison) {
  const auto add = [&](const std::string& name, const std::string& old_text,
                       const std::string& new_text) {
    AddSetup(name, old_text, new_text, comparison);
  };
  add("commit", before.build.commit, after.build.commit);
  add("dirty", before.build.dirty, after.build.dirty);
  add("compiler", before.build.compiler, after.build.compiler);
  add("build type", before.build.build_type, after.build.build_type);
  add("flags", before.build.flags, after.build.flags);
  add("dependencies", Dependencies(before.build), Dependencies(after.build));
  add("CPU", before.build.cpu, after.build.cpu);
  add("candidate", before.candidate, after.candidate);
  add("profile", before.profile, after.profile);
  add("level", LevelName(before.level), LevelName(after.level));
  add("corpus", before.corpus_hash, after.corpus_hash);
  add("filter", before.filter, after.filter);
  add("targets run", absl::StrJoin(before.run_targets, " "),
      absl::StrJoin(after.run_targets, " "));
  add("stopped", before.stopped, after.stopped);
}

using Key = std::tuple<std::string, std::string, std::string>;

std::map<Key, CaseStatus> Statuses(const RunResults& results) {
  std::map<Key, CaseStatus> statuses;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      statuses[{result.operator_name, result.id, target.target}] =
          target.status;
    }
  }
  return statuses;
}

bool IsGood(const std::string& status) {
  return status == CaseStatusName(CaseStatus::kPassed);
}

void CompareCases(const RunResults& before, const RunResults& after,
                  Comparison& comparison) {
  const std::map<Key, CaseStatus> old_statuses = Statuses(before);
  const std::map<Key, CaseStatus> new_statuses = Statuses(after);
  std::set<Key> keys;
  for (const auto* statuses : {&old_statuses, &new_statuses}) {
    for (const auto& [key, status] : *statuses) keys.insert(key);
  }
  const auto name = [](const std::map<Key, CaseStatus>& statuses,
                       const Key& key) {
    const auto found = statuses.find(key);
    return found == statuses.end() ? kAbsent : CaseStatusName(found->second);
  };
  std::vector<CaseChange> better;
  for (const Key& key : keys) {
    CaseChange change;
    std::tie(change.operator_name, change.id, change.target) = key;
    change.before = name(old_statuses, key);
    change.after = name(new_statuses, key);
    if (change.before == change.after) continue;
    ++comparison.transitions[{change.before, change.after}];
    std::vector<CaseChange>& list =
        IsGood(change.after) ? better : comparison.cases;
    if (list.size() < Comparison::kMaxCases) list.push_back(change);
  }
  for (const CaseChange& change : better) {
    if (comparison.cases.size() >= Comparison::kMaxCases) break;
    comparison.cases.push_back(change);
  }
}

void CompareGroups(const RunResults& before, const RunResults& after,
                   Comparison& comparison) {
  std::map<Key, GroupChange> changes;
  const auto change = [&changes](const Group& group) -> GroupChange& {
    GroupChange& row =
        changes[{group.operator_name, group.types, group.target}];
    row.operator_name = group.operator_name;
    row.types = group.types;
    row.target = group.target;
    return row;
  };
  for (const Group& group : before.groups) {
    GroupChange& row = change(group);
    row.before = group.counts;
    row.largest_before = LargestDifference(group);
  }
  for (const Group& group : after.groups) {
    GroupChange& row = change(group);
    row.after = group.counts;
    row.largest_after = LargestDifference(group);
  }
  for (const auto& [key, row] : changes) {
    if (!(row.before == row.after) || row.largest_before != row.largest_after) {
      comparison.groups.push_back(row);
    }
  }
}

void CompareClauses(const RunResults& before, const RunResults& after,
                    Comparison& comparison) {
  std::map<std::string, Change> changes;
  for (const ClauseResult& clause : before.clauses) {
    const std::string name = absl::StrCat(clause.operator_name, "/", clause.id);
    changes[name] = {name, clause.Outcome(), kAbsent};
  }
  for (const ClauseResult& clause : after.clauses) {
    const std::string name = absl::StrCat(clause.operator_name, "/", clause.id);
    Change& row = changes.insert({name, {name, kAbsent, ""}}).first->second;
    row.after = clause.Outcome();
  }
  for (const auto& [name, row] : changes) {
    if (row.before != row.after) comparison.clauses.push_back(row);
  }
}

}  // namespace

bool Comparison::Empty() const {
  return before == after && transitions.empty() && groups.empty() &&
         clauses.empty();
}

Comparison CompareResults(const RunResults& before, const RunResults& after) {
  Comparison comparison;
  comparison.before = before.exit_code;
  comparison.after = after.exit_code;
  CompareSetup(before, after, comparison);
  CompareCases(before, after, comparison);
  CompareGroups(before, after, comparison);
  CompareClauses(before, after, comparison);
  return comparison;
}

}  // namespace qconform::harness
