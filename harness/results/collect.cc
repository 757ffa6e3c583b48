#include "harness/results/collect.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

std::string ValueReason(const ElementOutcome& outcome) {
  if (outcome.enclosure.empty()) return "wrong";
  return absl::StrCat(outcome.verdict == ElementVerdict::kExplained
                          ? "explained: inside"
                          : "wrong: outside",
                      " the binary32 enclosure ", outcome.enclosure);
}

std::string Reason(const ElementOutcome& outcome, spec::DataType type) {
  std::string reason;
  switch (outcome.fault) {
    case ElementFault::kUntouched:
      reason = "must be written, was left untouched";
      break;
    case ElementFault::kOverwritten:
      reason = outcome.element < 0
                   ? "storage between the elements must stay as it was, was "
                     "written"
                   : "must stay as it was, was written";
      break;
    case ElementFault::kUnstable:
      reason = "the value depends on what the output held before the call";
      break;
    default:
      reason = ValueReason(outcome);
  }
  if (outcome.golden_differs) {
    absl::StrAppend(&reason, "; the golden model gives ",
                    FormatValue(type, outcome.golden),
                    ", not what the vector expects");
  }
  return reason;
}

void SetDifference(const ElementOutcome& outcome, Failure& failure) {
  failure.verdict = outcome.verdict;
  failure.fault = outcome.fault;
  if (outcome.fault == ElementFault::kNone &&
      !outcome.difference.nan_mismatch) {
    failure.difference = outcome.difference.steps;
  }
}

void Describe(const Expectation& expectation, const ElementOutcome& outcome,
              Failure& failure) {
  const spec::TensorDesc& desc =
      expectation.test_case().arguments.outputs.at(expectation.output_name());
  failure.output = expectation.output_name();
  failure.element = outcome.element;
  failure.index = outcome.element < 0 ? absl::StrCat("storage ", outcome.offset)
                                      : FormatIndex(desc, outcome.element);
  failure.expected = outcome.must_stay
                         ? "unchanged"
                         : FormatValue(desc.type, outcome.expected);
  failure.found = outcome.fault == ElementFault::kUntouched
                      ? "unchanged"
                      : FormatValue(desc.type, outcome.found);
  if (outcome.fault == ElementFault::kNone) {
    failure.difference_text = FormatDifference(desc.type, outcome.difference);
  }
  failure.reason = Reason(outcome, desc.type);
}

// Keeps every equal_step-th of an endless stream within a fixed number, without
// chance: when full, every other one goes and the step doubles.
void KeepEqualSample(double tie_distance, Group& group) {
  if (group.equal_seen++ % group.equal_step != 0) return;
  group.equal_samples.push_back({tie_distance, 0});
  if (group.equal_samples.size() < Group::kMaxEqualSamples) return;
  for (size_t i = 0; 2 * i < group.equal_samples.size(); ++i) {
    group.equal_samples[i] = group.equal_samples[2 * i];
  }
  group.equal_samples.resize((group.equal_samples.size() + 1) / 2);
  group.equal_step *= 2;
}

// Elements without a distance are worse than any distance.
double Badness(const std::optional<int64_t>& difference) {
  return difference ? std::abs(static_cast<double>(*difference)) : HUGE_VAL;
}

bool IsAmongWorst(const Failure& failure, const Group& group) {
  return group.worst.size() < Group::kMaxWorst ||
         Badness(failure.difference) >
             Badness(group.worst.back().failure.difference);
}

void KeepWorst(WorstElement worst, Group& group) {
  // Equal ones stay in the order they came in: results do not depend on chance.
  const auto place = std::upper_bound(
      group.worst.begin(), group.worst.end(), worst,
      [](const WorstElement& a, const WorstElement& b) {
        return Badness(a.failure.difference) > Badness(b.failure.difference);
      });
  group.worst.insert(place, std::move(worst));
  if (group.worst.size() > Group::kMaxWorst) group.worst.pop_back();
}

void CountFacts(const reference::GoldenElement& golden,
                const ElementOutcome& outcome, Group& group) {
  ++group.with_facts;
  group.ties += golden.tie;
  group.output_ties += golden.output_tie;
  group.clamped_low += golden.clamped_low;
  group.clamped_high += golden.clamped_high;
  if (std::isnan(golden.tie_distance) || outcome.difference.nan_mismatch ||
      outcome.fault != ElementFault::kNone) {
    return;
  }
  if (outcome.difference.steps == 0) {
    KeepEqualSample(golden.tie_distance, group);
  } else if (group.samples.size() < Group::kMaxSamples) {
    group.samples.push_back({golden.tie_distance, outcome.difference.steps});
  }
}

void AddElement(const Expectation& expectation, const ElementOutcome& outcome,
                Group& group, TargetResult& target) {
  std::optional<double> tie_distance;
  if (outcome.element >= 0 && !outcome.must_stay &&
      !expectation.golden().empty()) {
    const reference::GoldenElement& golden =
        expectation.golden()[static_cast<size_t>(outcome.element)];
    CountFacts(golden, outcome, group);
    if (!std::isnan(golden.tie_distance)) tie_distance = golden.tie_distance;
  }
  if (outcome.fault != ElementFault::kNone) {
    ++group.faults[outcome.fault];
  } else if (outcome.difference.nan_mismatch) {
    ++group.nan_mismatches;
  } else if (!outcome.must_stay) {
    group.histogram.Add(outcome.difference.steps);
  }
  const bool list = ++target.failure_count <= TargetResult::kMaxFailures;
  Failure failure;
  SetDifference(outcome, failure);
  const bool worst = IsAmongWorst(failure, group);
  // Words are made for the few that are shown: a broken kernel fails millions.
  if (!list && !worst) return;
  Describe(expectation, outcome, failure);
  if (worst) {
    KeepWorst({expectation.test_case().id, expectation.test_case().file,
               failure, tie_distance},
              group);
  }
  if (list) target.failures.push_back(std::move(failure));
}

// What the golden model tells of the elements that `verdict` does not list.
void CountFactsOfExact(const Expectation& expectation,
                       const CaseVerdict& verdict, Group& group) {
  if (verdict.counts.exact != 0) {
    group.histogram.Add(Histogram::Bucket{0, 0, verdict.counts.exact});
  }
  auto listed = verdict.elements.begin();
  const int64_t count = static_cast<int64_t>(expectation.golden().size());
  for (int64_t i = 0; i < count; ++i) {
    if (listed != verdict.elements.end() && listed->element == i) {
      ++listed;
    } else if (!expectation.elements()[static_cast<size_t>(i)].must_stay) {
      CountFacts(expectation.golden()[static_cast<size_t>(i)], ElementOutcome(),
                 group);
    }
  }
}

}  // namespace

void AddGroup(const Group& from, Group& to) {
  for (const auto& [status, count] : from.cases) to.cases[status] += count;
  to.counts.Add(from.counts);
  for (const Histogram::Bucket& bucket : from.histogram.Buckets()) {
    to.histogram.Add(bucket);
  }
  to.nan_mismatches += from.nan_mismatches;
  for (const auto& [fault, count] : from.faults) to.faults[fault] += count;
  to.with_facts += from.with_facts;
  to.ties += from.ties;
  to.output_ties += from.output_ties;
  to.clamped_low += from.clamped_low;
  to.clamped_high += from.clamped_high;
  for (const Sample& sample : from.samples) {
    if (to.samples.size() < Group::kMaxSamples) to.samples.push_back(sample);
  }
  for (const Sample& sample : from.equal_samples) {
    KeepEqualSample(sample.tie_distance, to);
  }
  for (const WorstElement& worst : from.worst) {
    if (IsAmongWorst(worst.failure, to)) KeepWorst(worst, to);
  }
}

void Collector::BeginCase(const Expectation& expectation) {
  const TestCase& test_case = expectation.test_case();
  CaseResult result;
  result.operator_name = test_case.arguments.operator_name;
  result.id = test_case.id;
  result.title = test_case.title;
  result.file = test_case.file;
  result.clauses = test_case.clauses;
  result.types = TypesLabel(test_case.arguments);
  result.expects_error = test_case.error.has_value();
  result.disagreement = expectation.disagreement();
  results_.cases.push_back(std::move(result));
}

void Collector::Add(const Expectation& expectation, const std::string& target,
                    const CaseVerdict& verdict) {
  CaseResult& result = results_.cases.back();
  Group& group = groups_[{result.operator_name, result.types, target}];
  group.operator_name = result.operator_name;
  group.types = result.types;
  group.target = target;
  const auto& outputs = expectation.test_case().arguments.outputs;
  group.difference_unit =
      !outputs.empty() && spec::IsFloat(outputs.begin()->second.type)
          ? "ULP"
          : "integer";
  ++group.cases[verdict.status];
  group.counts.Add(verdict.counts);
  TargetResult row;
  row.target = target;
  row.status = verdict.status;
  row.reason = verdict.reason;
  row.variation = verdict.variation;
  row.counts = verdict.counts;
  // Of a rejection the golden model may know elements; none is judged.
  if (verdict.counts != ElementCounts()) {
    CountFactsOfExact(expectation, verdict, group);
  }
  for (const ElementOutcome& outcome : verdict.elements) {
    if (outcome.fault == ElementFault::kNone && !outcome.must_stay &&
        !outcome.difference.nan_mismatch) {
      row.largest_difference =
          std::max(row.largest_difference, std::abs(outcome.difference.steps));
    }
    AddElement(expectation, outcome, group, row);
  }
  if (verdict.status != CaseStatus::kUnsupported) {
    executed_targets_.insert(target);
  }
  result.targets.push_back(std::move(row));
}

void Collector::Finish() {
  for (auto& [key, group] : groups_) {
    results_.groups.push_back(std::move(group));
  }
  for (const std::string& target : results_.expected_targets) {
    if (executed_targets_.contains(target)) {
      results_.run_targets.push_back(target);
    }
  }
}

}  // namespace qconform::harness
