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
  int64_t largest_difference = 0;  // of all elements that have a distance
  std::vector<Failure> failures;   // the first kMaxFailures of them
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
  // One of another histogram's buckets.
  void Add(const Bucket& bucket);
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

// What a person needs to understand one failure and to repeat it, kept for a
// few of them so that a report stands alone.
struct Evidence {
  std::string operator_name;
  std::string types;
  std::string target;
  std::string id;
  std::string file;
  int64_t element = -1;     // row-major; -1: the call as a whole
  std::string explanation;  // of the element, document line by document line
  std::string vector;  // a file of test vectors with this case alone; empty if
                       // it would be too large
  std::string repeat;  // one command line
  static constexpr size_t kMaxPerGroup = 3;
  static constexpr size_t kMaxInAll = 60;
  static constexpr size_t kMaxTextBytes = 16 * 1024;
};

struct ClauseResult {
  std::string operator_name;
  std::string id;
  std::string question;
  std::string decision;
  int64_t cases = 0;            // that name the clause
  int64_t passed = 0;           // on every target
  int64_t failed = 0;           // on any
  std::string Outcome() const;  // "passed", "failed", "incomplete" or "not
                                // covered"
};

// One of the parts that a run is split into; all parts make the whole.
struct Shard {
  int index = 1;  // 1..count
  int count = 1;
};

// A part of a gate whose work is not a list of cases: a sweep, a property.
struct StageResult {
  struct Target {
    std::string target;
    int64_t failed = 0;  // counterexamples found; further ones may exist
    CaseStatus status = CaseStatus::kPassed;  // like that of a case
    std::string reason;
  };
  std::string operator_name;
  std::string name;      // "sweep:add", "property:swap-operands"
  int64_t executed = 0;  // comparisons, on all targets
  std::vector<Target> targets;
  std::vector<std::string> failures;  // the first few, one line each
  double seconds = 0;
  std::vector<std::string> distrust;  // why it proves less than it should
  int64_t Failed() const;             // of all targets
  std::vector<std::string> TargetsThat(CaseStatus status) const;
};

// What a gate's baseline records about the largest distance from the expected
// value, against what this run saw in cases that passed.
struct RatchetRow {
  std::string operator_name;
  std::string types;
  std::string target;           // empty: all of them
  std::string difference_unit;  // "integer" or "ULP"
  std::string permitted;        // by the level: "0", or "enclosure (AR-02)"
  int64_t recorded = 0;
  int64_t observed = 0;
  std::string Outcome() const;  // "worse", "equal" or "better"
};

struct RunResults {
  BuildInfo build;
  std::string started;  // UTC, ISO 8601
  double wall_seconds = 0;
  std::string candidate;
  std::string profile = "run";  // the sub-command, or a set of checks by name
  Level level = Level::kExact;
  int threads = 1;
  std::string filter;
  std::vector<std::string> paths;
  std::string corpus_hash;
  int64_t corpus_cases = 0;  // read, before filtering
  std::optional<Shard> shard;
  int merged = 1;                // results that were put together to these
  std::optional<uint64_t> seed;  // of generated cases
  int64_t selected_cases = 0;    // that this run had to execute
  std::string stopped;  // why it ended before it had; empty: it did not
  std::vector<std::string> expected_targets;
  std::vector<std::string> run_targets;  // of them, those that executed a case
  // Cases that passed and name no clause may be left out, so that a run of
  // millions stays small; groups count all.
  std::vector<CaseResult> cases;
  std::vector<Group> groups;
  std::vector<Evidence> evidence;
  std::vector<ClauseResult> clauses;
  std::vector<Quota> quotas;
  bool quotas_enforced = false;
  std::vector<StageResult> stages;
  std::vector<RatchetRow> ratchet;
  std::vector<std::string> distrust;  // why the run proves less than it should
  std::vector<std::string> broken;    // harness or candidate broke
  ExitCode exit_code = kConforms;
};

// Of all targets together, by the groups' counts.
int64_t CountCases(const RunResults& results, CaseStatus status);

// Sets distrust and exit code from all the rest. Targets that did not run, a
// run without a case or that ended early, unsupported operators and unmet
// quotas are reasons for distrust, as are those of stages; quotas of a shard
// are not: only all shards together can meet them.
void Conclude(RunResults& results);

// Replaces the clauses by every clause of the operators that have a case, and
// counts them.
void FindClauses(RunResults& results);
// Counts the clauses anew from the cases.
void CountClauses(RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_MODEL_H_
