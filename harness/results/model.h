// The one result model: everything a run found out, and everything it depended
// on. Console, JSON and whatever other view are made from this alone.

#ifndef QCONFORM_HARNESS_RESULTS_MODEL_H_
#define QCONFORM_HARNESS_RESULTS_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/judge/quotas.h"
#include "harness/judge/verdict.h"
#include "harness/results/build_info.h"

namespace qconform::harness {

// Exit codes of the program, in falling precedence: usage, broken, fails,
// mistrusted.
enum ExitCode : int {
  kConforms = 0,
  kDoesNotConform = 1,
  kBadInput = 2,
  kBroken = 3,
  kUntrustworthy = 4
};

// One element that is not as it must be, in words.
struct Failure {
  std::string output;
  int64_t element = -1;  // row-major; -1: storage between elements
  std::string index;     // "[1,2]", or "storage 7"
  ElementVerdict verdict = ElementVerdict::kWrong;
  ElementFault fault = ElementFault::kNone;
  std::string expected;
  std::string found;
  std::optional<int64_t>
      difference;  // signed, in integers or ULP; absent: no such distance
  std::string difference_text;  // "difference +1", "-3 ULP"
  std::string reason;
};

struct TargetResult {
  std::string target;
  CaseStatus status = CaseStatus::kPassed;
  std::string reason;
  std::string variation;  // see CaseVerdict
  ElementCounts counts;
  int64_t failure_count = 0;
  std::vector<Failure> failures;  // the first kMaxFailures of them
  static constexpr int64_t kMaxFailures = 5;
};

struct CaseResult {
  std::string operator_name;
  std::string id;
  std::string title;
  std::string file;
  std::vector<std::string> clauses;
  std::string types;
  bool expects_error = false;
  std::string disagreement;  // between vector and golden model
  std::vector<TargetResult> targets;
};

// A difference beside where the value lay: shows whether an implementation is
// wrong near ties only.
struct Sample {
  double tie_distance = 0;
  int64_t difference = 0;
};

// The worst elements of a group.
struct WorstElement {
  std::string id;
  std::string file;
  Failure failure;
  std::optional<double> tie_distance;
};

// Counts of differences; exact up to +-255, beyond that one bucket per power
// of two.
class Histogram {
 public:
  struct Bucket {
    int64_t low = 0;
    int64_t high = 0;
    int64_t count = 0;
  };
  void Add(int64_t difference);
  std::vector<Bucket> Buckets() const;  // ascending, none empty

 private:
  std::map<int64_t, Bucket> buckets_;  // by their low end
};

// Everything about one operator x types x target.
struct Group {
  std::string operator_name;
  std::string types;
  std::string target;
  std::string difference_unit;  // "integer" or "ULP"
  std::map<CaseStatus, int64_t> cases;
  ElementCounts counts;
  Histogram histogram;  // of all elements that have a distance
  int64_t nan_mismatches = 0;
  std::map<ElementFault, int64_t> faults;  // beside values
  // Of the elements whose golden facts are known:
  int64_t with_facts = 0;
  int64_t ties = 0;
  int64_t output_ties = 0;
  int64_t clamped_low = 0;
  int64_t clamped_high = 0;
  std::vector<Sample> samples;        // of elements that differ
  std::vector<Sample> equal_samples;  // thinned evenly
  int64_t equal_seen = 0;
  int64_t equal_step = 1;  // every such-and-such equal element was kept
  std::vector<WorstElement> worst;  // largest distance first
  static constexpr size_t kMaxSamples = 2000;
  static constexpr size_t kMaxEqualSamples = 500;
  static constexpr size_t kMaxWorst = 5;
};

struct ClauseResult {
  std::string operator_name;
  std::string id;
  std::string question;
  int64_t cases = 0;            // that name the clause
  int64_t passed = 0;           // on every target
  int64_t failed = 0;           // on any
  std::string Outcome() const;  // "passed", "failed", "incomplete" or "not
                                // covered"
};

struct RunResults {
  BuildInfo build;
  std::string started;  // UTC, ISO 8601
  double wall_seconds = 0;
  std::string candidate;
  Level level = Level::kExact;
  int threads = 1;
  std::string filter;
  std::vector<std::string> paths;
  std::string corpus_hash;
  int64_t corpus_cases = 0;  // read, before filtering
  std::vector<std::string> expected_targets;
  std::vector<std::string> run_targets;  // of them, those that executed a case
  std::vector<CaseResult> cases;
  std::vector<Group> groups;
  std::vector<ClauseResult> clauses;
  std::vector<Quota> quotas;
  bool quotas_enforced = false;
  std::vector<std::string> distrust;  // why the run proves less than it should
  std::vector<std::string> broken;    // harness or candidate broke
  ExitCode exit_code = kConforms;
};

int64_t CountCases(const RunResults& results, CaseStatus status);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_MODEL_H_
