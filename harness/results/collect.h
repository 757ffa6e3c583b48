// Turns verdicts into the result model, one case after the other.

#ifndef QCONFORM_HARNESS_RESULTS_COLLECT_H_
#define QCONFORM_HARNESS_RESULTS_COLLECT_H_

#include <map>
#include <set>
#include <string>
#include <tuple>

#include "harness/judge/verdict.h"
#include "harness/results/model.h"

namespace qconform::harness {

// Adds to a group another of the same operator, types and target, of other
// cases.
void AddGroup(const Group& from, Group& to);

class Collector {
 public:
  explicit Collector(RunResults& results) : results_(results) {}

  void BeginCase(const Expectation& expectation);
  // Of the case begun last.
  void Add(const Expectation& expectation, const std::string& target,
           const CaseVerdict& verdict);
  // Moves what was gathered into the results.
  void Finish();

 private:
  RunResults& results_;
  std::map<std::tuple<std::string, std::string, std::string>, Group> groups_;
  std::set<std::string> executed_targets_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_COLLECT_H_
