#include "harness/results/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/results/collect.h"
#include "harness/results/json_view.h"

namespace qconform::harness {
namespace {

using Setup = std::vector<std::pair<std::string, std::string>>;

// What must be the same for results to be of one run.
Setup SetupOf(const RunResults& results) {
  const BuildInfo& build = results.build;
  Setup setup = {{"version", build.version},
                 {"commit", build.commit},
                 {"dirty", build.dirty},
                 {"compiler", build.compiler},
                 {"build type", build.build_type},
                 {"flags", build.flags},
                 {"corpus hash", results.corpus_hash},
                 {"candidate", results.candidate},
                 {"profile", results.profile},
                 {"seed", results.seed ? absl::StrCat(*results.seed) : "none"},
                 {"level", LevelName(results.level)}};
  for (const auto& [name, version] : build.dependencies) {
    setup.push_back({name, version});
  }
  return setup;
}

absl::Status CheckSetup(const RunResults& first, const RunResults& other) {
  const Setup expected = SetupOf(first);
  const Setup found = SetupOf(other);
  for (size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
    if (expected[i] != found[i]) {
      return absl::InvalidArgumentError(
          absl::StrCat("these are not shards of one run: ", expected[i].first,
                       " ", expected[i].second, " in one, ", found[i].first,
                       " ", found[i].second, " in another"));
    }
  }
  if (expected.size() != found.size()) {
    return absl::InvalidArgumentError(
        "these are not shards of one run: they list other dependencies");
  }
  return absl::OkStatus();
}

void AppendNew(const std::vector<std::string>& from,
               std::vector<std::string>& to) {
  for (const std::string& text : from) {
    if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
  }
}

using CaseKey = std::pair<std::string, std::string>;

// Appends the cases of a shard. Quotas count a case once whatever its targets,
// so how many cases were there already matters to them.
absl::StatusOr<int64_t> MergeCases(const RunResults& shard,
                                   std::map<CaseKey, size_t>& places,
                                   RunResults& merged) {
  int64_t known = 0;
  for (const CaseResult& result : shard.cases) {
    const auto [place, is_new] =
        places.insert({{result.operator_name, result.id}, merged.cases.size()});
    if (is_new) {
      merged.cases.push_back(result);
      continue;
    }
    ++known;
    std::vector<TargetResult>& targets = merged.cases[place->second].targets;
    for (const TargetResult& target : result.targets) {
      for (const TargetResult& other : targets) {
        if (other.target == target.target) {
          return absl::InvalidArgumentError(
              absl::StrCat("case ", result.operator_name, "/", result.id,
                           " on ", target.target, " is in two results"));
        }
      }
      targets.push_back(target);
    }
  }
  return known;
}

absl::Status MergeQuotas(const RunResults& shard, bool same_cases,
                         RunResults& merged) {
  std::map<CaseKey, Quota> quotas;
  for (const Quota& quota : merged.quotas) {
    quotas[{quota.operator_name, quota.counter}] = quota;
  }
  for (const Quota& quota : shard.quotas) {
    const auto [place, is_new] =
        quotas.insert({{quota.operator_name, quota.counter}, quota});
    if (is_new) continue;
    Quota& own = place->second;
    if (own.minimum != quota.minimum) {
      return absl::InvalidArgumentError(
          absl::StrCat("these are not shards of one run: the quota ",
                       quota.counter, " of ", quota.operator_name, " is ",
                       own.minimum, " in one, ", quota.minimum, " in another"));
    }
    own.count =
        same_cases ? std::max(own.count, quota.count) : own.count + quota.count;
  }
  merged.quotas.clear();
  for (auto& [key, quota] : quotas) merged.quotas.push_back(std::move(quota));
  return absl::OkStatus();
}

void MergeGroups(const RunResults& shard, RunResults& merged) {
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups;
  for (Group& group : merged.groups) {
    groups[{group.operator_name, group.types, group.target}] = group;
  }
  for (const Group& group : shard.groups) {
    const auto [place, is_new] = groups.insert(
        {{group.operator_name, group.types, group.target}, group});
    if (!is_new) AddGroup(group, place->second);
  }
  merged.groups.clear();
  for (auto& [key, group] : groups) merged.groups.push_back(std::move(group));
}

// Operators by name, within each the clauses in the order of the spec.
void MergeClauses(const RunResults& shard, RunResults& merged) {
  std::map<std::string, std::vector<ClauseResult>> clauses;
  std::set<CaseKey> known;
  merged.clauses.insert(merged.clauses.end(), shard.clauses.begin(),
                        shard.clauses.end());
  for (ClauseResult& clause : merged.clauses) {
    if (known.insert({clause.operator_name, clause.id}).second) {
      clauses[clause.operator_name].push_back(std::move(clause));
    }
  }
  merged.clauses.clear();
  for (auto& [name, rows] : clauses) {
    for (ClauseResult& row : rows) merged.clauses.push_back(std::move(row));
  }
}

// All numbered shards together are the whole run; without one of them they are
// not.
absl::Status MergeShardNumbers(const std::vector<RunResults>& shards,
                               RunResults& merged) {
  merged.shard.reset();
  std::set<int> indices;
  for (const RunResults& shard : shards) {
    if (shard.shard.has_value() != shards[0].shard.has_value() ||
        (shard.shard && shard.shard->count != shards[0].shard->count)) {
      return absl::InvalidArgumentError(
          "these are not shards of one run: they are numbered differently");
    }
    if (shard.shard) indices.insert(shard.shard->index);
  }
  for (int i = 1; shards[0].shard && i <= shards[0].shard->count; ++i) {
    if (!indices.contains(i)) {
      // What is there is worth showing, but it is not the whole.
      merged.stopped = absl::StrCat("shard ", i, " of ", shards[0].shard->count,
                                    " is missing");
      break;
    }
  }
  return absl::OkStatus();
}

// A line of machines that merged results come from.
void MergeMachine(const BuildInfo& shard, BuildInfo& merged) {
  if (merged.cpu.find(shard.cpu) == std::string::npos) {
    absl::StrAppend(&merged.cpu, "; ", shard.cpu);
  }
  merged.processors = std::max(merged.processors, shard.processors);
}

absl::Status MergeShard(const RunResults& shard,
                        std::map<CaseKey, size_t>& places, RunResults& merged) {
  const auto cases_before = static_cast<int64_t>(merged.cases.size());
  absl::StatusOr<int64_t> known = MergeCases(shard, places, merged);
  if (!known.ok()) return known.status();
  const bool same_cases = *known > 0 && *known == cases_before &&
                          *known == static_cast<int64_t>(shard.cases.size());
  if (*known > 0 && !same_cases) {
    return absl::InvalidArgumentError(
        absl::StrCat("results must hold the same cases on other targets, or "
                     "other cases; of ",
                     cases_before, " and ", shard.cases.size(),
                     " cases they have ", *known, " in common"));
  }
  if (absl::Status status = MergeQuotas(shard, same_cases, merged);
      !status.ok()) {
    return status;
  }
  MergeGroups(shard, merged);
  MergeClauses(shard, merged);
  MergeMachine(shard.build, merged.build);
  AppendNew(shard.expected_targets, merged.expected_targets);
  AppendNew(shard.run_targets, merged.run_targets);
  AppendNew(shard.broken, merged.broken);
  AppendNew(shard.paths, merged.paths);
  merged.stages.insert(merged.stages.end(), shard.stages.begin(),
                       shard.stages.end());
  merged.ratchet.insert(merged.ratchet.end(), shard.ratchet.begin(),
                        shard.ratchet.end());
  if (!same_cases) merged.selected_cases += shard.selected_cases;
  for (const Evidence& evidence : shard.evidence) {
    if (merged.evidence.size() >= Evidence::kMaxInAll) break;
    merged.evidence.push_back(evidence);
  }
  if (merged.stopped.empty()) merged.stopped = shard.stopped;
  merged.quotas_enforced |= shard.quotas_enforced;
  merged.merged += shard.merged;
  merged.started = std::min(merged.started, shard.started);
  merged.wall_seconds += shard.wall_seconds;
  if (merged.filter != shard.filter) {
    absl::StrAppend(&merged.filter, " | ", shard.filter);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RunResults> MergeResults(const std::vector<RunResults>& shards) {
  RunResults merged = shards.front();
  if (shards.size() == 1 && !merged.shard) return merged;
  std::map<CaseKey, size_t> places;
  for (size_t i = 0; i < merged.cases.size(); ++i) {
    places[{merged.cases[i].operator_name, merged.cases[i].id}] = i;
  }
  for (size_t i = 1; i < shards.size(); ++i) {
    if (absl::Status status = CheckSetup(shards[0], shards[i]); !status.ok()) {
      return status;
    }
    if (absl::Status status = MergeShard(shards[i], places, merged);
        !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = MergeShardNumbers(shards, merged); !status.ok()) {
    return status;
  }
  CountClauses(merged);
  Conclude(merged);
  return merged;
}

absl::StatusOr<RunResults> ReadAndMergeResults(
    const std::vector<std::string>& paths) {
  std::vector<RunResults> shards;
  for (const std::string& path : paths) {
    absl::StatusOr<RunResults> shard = ReadResults(path);
    if (!shard.ok()) return shard.status();
    shards.push_back(*std::move(shard));
  }
  return MergeResults(shards);
}

}  // namespace qconform::harness
