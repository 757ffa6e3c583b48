#include "harness/results/run_cases.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "harness/results/collect.h"
#include "harness/results/evidence.h"

namespace qconform::harness {
namespace {

bool Interrupted(const RunOptions& options) {
  return options.interrupted && options.interrupted();
}

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
    for (size_t i = next++; i < expectations.size() && !Interrupted(options);
         i = next++) {
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

std::vector<std::string> TargetsToRun(const Candidate& candidate,
                                      const RunOptions& options) {
  const std::vector<std::string> available = candidate.Targets();
  std::vector<std::string> targets;
  for (const std::string& target : options.targets) {
    if (std::find(available.begin(), available.end(), target) !=
        available.end()) {
      targets.push_back(target);
    }
  }
  return targets;
}

void RunCase(Expectation& expectation, Candidate& candidate,
             const std::vector<std::string>& targets, const RunOptions& options,
             Collector& collector, RunResults& results) {
  collector.BeginCase(expectation);
  for (const std::string& target : targets) {
    absl::StatusOr<CaseVerdict> verdict =
        JudgeOnTarget(expectation, candidate, target, options.level,
                      options.vary, options.threads);
    if (!verdict.ok()) {
      results.broken.push_back(
          absl::StrCat(expectation.test_case().id, ": ",
                       std::string(verdict.status().message())));
      continue;
    }
    if (options.adjust) {
      options.adjust(expectation.test_case(), target, *verdict);
    }
    collector.Add(expectation, target, *verdict);
  }
}

// Whether the case run last is one that a run must not have.
bool HasFailed(const RunResults& results) {
  if (!results.broken.empty()) return true;
  for (const TargetResult& target : results.cases.back().targets) {
    if (target.status != CaseStatus::kPassed &&
        target.status != CaseStatus::kExpectedFailure &&
        target.status != CaseStatus::kUnsupported) {
      return true;
    }
  }
  return false;
}

}  // namespace

void RunCases(const std::vector<const TestCase*>& cases, Candidate& candidate,
              const RunOptions& options, RunResults& results) {
  const auto start = std::chrono::steady_clock::now();
  results.expected_targets = options.targets;
  results.level = options.level;
  results.candidate = candidate.Name();
  results.threads = options.threads;
  const std::vector<std::string> targets = TargetsToRun(candidate, options);
  results.selected_cases = static_cast<int64_t>(cases.size());
  Collector collector(results);
  CounterTable counters;
  // Batches bound the memory that expectations take.
  constexpr size_t kBatch = 128;
  for (size_t begin = 0; begin < cases.size() && results.stopped.empty();
       begin += kBatch) {
    const size_t end = std::min(cases.size(), begin + kBatch);
    std::vector<MaybeExpectation> expectations =
        MakeExpectations(cases, begin, end, options);
    for (size_t i = begin; i < end && results.stopped.empty(); ++i) {
      MaybeExpectation& expectation = expectations[i - begin];
      // Interrupted() first: it stays true, and an expectation that is missing
      // was left out because of it.
      if (Interrupted(options)) {
        results.stopped = "interrupted";
        break;
      }
      if (expectation->ok()) {
        CountInputQuality(**expectation, counters);
        RunCase(**expectation, candidate, targets, options, collector, results);
      } else {
        results.broken.push_back(std::string(expectation->status().message()));
      }
      expectation.reset();
      if (options.progress) options.progress(i + 1, cases.size());
      if (options.fail_fast && i + 1 < cases.size() && HasFailed(results)) {
        results.stopped = "stopped at the first failure";
      }
    }
  }
  collector.Finish();
  CollectEvidence(cases, candidate, results);
  FindClauses(results);
  results.quotas = CompareWithQuotas(counters, options.minimums);
  results.quotas_enforced = options.enforce_quotas;
  Conclude(results);
  results.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

}  // namespace qconform::harness
