// Two results side by side: what changed from the older to the newer.

#ifndef QCONFORM_HARNESS_RESULTS_COMPARISON_H_
#define QCONFORM_HARNESS_RESULTS_COMPARISON_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/model.h"

namespace qconform::harness {

// A value of the older and of the newer results.
struct Change {
  std::string name;
  std::string before;
  std::string after;
};

struct CaseChange {
  std::string operator_name;
  std::string id;
  std::string target;
  std::string before;  // a case status, or "absent"
  std::string after;
};

struct GroupChange {
  std::string operator_name;
  std::string types;
  std::string target;
  ElementCounts before;
  ElementCounts after;
  int64_t largest_before = 0;  // difference
  int64_t largest_after = 0;
};

struct Comparison {
  ExitCode before = kConforms;
  ExitCode after = kConforms;
  std::vector<Change> setup;  // commit, compiler, ...: only what differs
  // From one status to another: how many cases, counted once per target.
  std::map<std::pair<std::string, std::string>, int64_t> transitions;
  std::vector<CaseChange> cases;  // those that no longer pass first; at most
                                  // kMaxCases, the transitions count all
  std::vector<GroupChange> groups;
  std::vector<Change> clauses;  // "operator/id": outcomes
  static constexpr size_t kMaxCases = 200;

  bool Empty() const;  // nothing but perhaps the setup differs
};

Comparison CompareResults(const RunResults& before, const RunResults& after);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_COMPARISON_H_
