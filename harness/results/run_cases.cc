#include "harness/results/run_cases.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/results/collect.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using MaybeExpectation = std::optional<absl::StatusOr<Expectation>>;

// The golden model is most of a run's work, and cases are independent of one
// another; the candidate is not asked from several threads, because choosing a
// SIMD target is a global act.
std::vector<MaybeExpectation> MakeExpectations(
    const std::vector<const TestCase*>& cases, size_t begin, size_t end,
    const RunOptions& options) {
  std::vector<MaybeExpectation> expectations(end - begin);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < expectations.size(); i = next++) {
      expectations[i] =
          Expectation::Make(*cases[begin + i], options.golden_limit);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < options.threads; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return expectations;
}

std::vector<std::string> TargetsToRun(Candidate& candidate,
                                      const RunOptions& options,
                                      RunResults& results) {
  const std::vector<std::string> available = candidate.Targets();
  std::vector<std::string> targets;
  for (const std::string& target : options.targets) {
    if (std::find(available.begin(), available.end(), target) !=
        available.end()) {
      targets.push_back(target);
    } else {
      results.distrust.push_back(
          absl::StrCat("target ", target, " did not run: the candidate ",
                       candidate.Name(), " does not have it here"));
    }
  }
  return targets;
}

void FindClauses(RunResults& results) {
  std::set<std::string> operators;
  for (const CaseResult& result : results.cases) {
    operators.insert(result.operator_name);
  }
  for (const std::string& name : operators) {
    for (const spec::Clause& clause : spec::FindOperator(name)->clauses) {
      ClauseResult row;
      row.operator_name = name;
      row.id = clause.id;
      row.question = clause.question;
      for (const CaseResult& result : results.cases) {
        if (result.operator_name != name ||
            std::find(result.clauses.begin(), result.clauses.end(),
                      clause.id) == result.clauses.end()) {
          continue;
        }
        ++row.cases;
        bool passed = !result.targets.empty();
        bool failed = false;
        for (const TargetResult& target : result.targets) {
          passed &= target.status == CaseStatus::kPassed;
          failed |= target.status != CaseStatus::kPassed &&
                    target.status != CaseStatus::kUnsupported;
        }
        row.passed += passed;
        row.failed += failed;
      }
      results.clauses.push_back(std::move(row));
    }
  }
}

// One line per operator and target that the candidate lacks, not one per case.
void DistrustUnsupported(RunResults& results) {
  std::map<std::pair<std::string, std::string>, int64_t> unsupported;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      if (target.status == CaseStatus::kUnsupported) {
        ++unsupported[{result.operator_name, target.target}];
      }
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

ExitCode DecideExitCode(const RunResults& results) {
  if (!results.broken.empty() ||
      CountCases(results, CaseStatus::kCrashed) > 0 ||
      CountCases(results, CaseStatus::kTimedOut) > 0) {
    return kBroken;
  }
  if (CountCases(results, CaseStatus::kFailed) > 0 ||
      CountCases(results, CaseStatus::kUnexpectedPass) > 0) {
    return kDoesNotConform;
  }
  return results.distrust.empty() ? kConforms : kUntrustworthy;
}

}  // namespace

void RunCases(const std::vector<const TestCase*>& cases, Candidate& candidate,
              const RunOptions& options, RunResults& results) {
  const auto start = std::chrono::steady_clock::now();
  results.expected_targets = options.targets;
  results.level = options.level;
  results.candidate = candidate.Name();
  results.threads = options.threads;
  const std::vector<std::string> targets =
      TargetsToRun(candidate, options, results);
  Collector collector(results);
  CounterTable counters;
  // Batches bound the memory that expectations take.
  constexpr size_t kBatch = 128;
  for (size_t begin = 0; begin < cases.size(); begin += kBatch) {
    const size_t end = std::min(cases.size(), begin + kBatch);
    std::vector<MaybeExpectation> expectations =
        MakeExpectations(cases, begin, end, options);
    for (size_t i = begin; i < end; ++i) {
      absl::StatusOr<Expectation>& expectation = *expectations[i - begin];
      if (!expectation.ok()) {
        results.broken.push_back(std::string(expectation.status().message()));
        continue;
      }
      CountInputQuality(*expectation, counters);
      collector.BeginCase(*expectation);
      for (const std::string& target : targets) {
        absl::StatusOr<CaseVerdict> verdict =
            JudgeOnTarget(*expectation, candidate, target, options.level,
                          options.vary, options.threads);
        if (verdict.ok()) {
          collector.Add(*expectation, target, *verdict);
        } else {
          results.broken.push_back(absl::StrCat(
              cases[i]->id, ": ", std::string(verdict.status().message())));
        }
      }
      expectations[i - begin].reset();
      if (options.progress) options.progress(i + 1, cases.size());
    }
  }
  collector.Finish();
  if (results.run_targets.empty()) {
    results.distrust.push_back("no case was executed");
  }
  FindClauses(results);
  results.quotas = CompareWithQuotas(counters, options.minimums);
  results.quotas_enforced = options.enforce_quotas;
  DistrustUnsupported(results);
  DistrustQuotas(results);
  results.exit_code = DecideExitCode(results);
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

}  // namespace qconform::harness
