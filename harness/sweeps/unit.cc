#include "harness/sweeps/unit.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "harness/cases/value_text.h"
#include "reference/golden.h"

namespace qconform::harness {

bool UnitContext::Ran(const absl::Status& status, const std::string& setting,
                      const std::string& target, const std::string& variant,
                      uint64_t outputs) {
  if (!status.ok()) {
    AddMismatch({setting, "", "a result", status.ToString(), target, variant,
                 std::nullopt});
    return false;
  }
  report_.comparisons += outputs;
  report_.targets.insert(target);
  return true;
}

void UnitContext::SpotCheck(const spec::Arguments& call, double expected) {
  ++report_.spot_checks;
  reference::GoldenRequest request;
  request.enclosure = false;
  request.binary32 = false;
  request.decisions = false;
  const absl::StatusOr<reference::GoldenResult> golden =
      reference::Evaluate(call, request);
  if (!golden.ok()) {
    report_.disagreements.push_back(
        absl::StrCat("the golden model rejects a call of the sweep: ",
                     golden.status().ToString()));
    return;
  }
  const double exact = golden->elements.front().exact;
  if (exact == expected || (std::isnan(exact) && std::isnan(expected))) return;
  report_.disagreements.push_back(
      absl::StrCat(call.operator_name, ": the second oracle gives ",
                   HexFloat(expected), ", the golden model ", HexFloat(exact)));
}

std::vector<Interval> Merge(std::vector<Interval> intervals) {
  std::sort(
      intervals.begin(), intervals.end(),
      [](const Interval& a, const Interval& b) { return a.first < b.first; });
  std::vector<Interval> merged;
  for (const Interval& interval : intervals) {
    if (!merged.empty() && interval.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, interval.last);
    } else {
      merged.push_back(interval);
    }
  }
  return merged;
}

void ForEachChunk(
    const std::vector<Interval>& intervals, const UnitContext& context,
    const std::function<void(int64_t first, size_t count)>& body) {
  for (const Interval& interval : intervals) {
    for (int64_t first = interval.first; first <= interval.last;
         first += kSweepChunk) {
      if (context.Done()) return;
      body(first, static_cast<size_t>(std::min<int64_t>(
                      kSweepChunk, interval.last - first + 1)));
    }
  }
}

}  // namespace qconform::harness
