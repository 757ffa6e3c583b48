// Runs generated cases against a candidate: expected is what the second oracle
// says, on a sample also what the golden model says, so that the two are held
// together; and properties that need no oracle. Failures are shrunk and saved
// as vectors.

#ifndef QCONFORM_HARNESS_COMMANDS_FUZZ_ENGINE_H_
#define QCONFORM_HARNESS_COMMANDS_FUZZ_ENGINE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/judge/quotas.h"
#include "harness/judge/verdict.h"

namespace qconform::harness {

struct FuzzOptions {
  std::vector<std::string> operators;
  int64_t cases = 0;   // per operator; 0: until the time is over
  double seconds = 0;  // for all operators together; 0: no limit
  uint64_t seed = 1;
  int64_t first = 0;  // index of the first case
  std::vector<std::string> targets;
  Level level = Level::kExact;
  bool shrink = true;
  bool fail_fast = false;  // stop at the first failure
  // Of one operator; further ones are seldom another fault.
  int64_t max_failures = 3;
  std::string save;  // folder for vectors; empty: none are saved
  // Called before a case is executed, so that a crash can be told by its case.
  std::function<void(const std::string& operator_name, int64_t index,
                     const std::string& target)>
      announce;
  // Called after each case of an operator; false: stop.
  std::function<bool(int64_t done, int64_t total)> progress;
};

struct FuzzFailure {
  std::string operator_name;
  int64_t index = 0;
  std::string kind;
  std::string property;  // the one violated; empty: a result is wrong
  std::string target;
  std::string execution;        // in words
  std::string message;          // of the call as it is below
  bool crashed = false;         // or timed out, or wrote where it may not
  spec::Arguments arguments;    // shrunk, if asked for
  int64_t elements_before = 0;  // of all tensors, before and after shrinking
  int64_t elements_after = 0;
  std::string file;  // where it was saved; empty: nowhere
};

// What one operator's cases came to and where the time went, in seconds.
struct FuzzStatistics {
  std::string operator_name;
  int64_t cases = 0;
  int64_t rejections = 0;
  int64_t executions = 0;  // cases by targets
  int64_t golden = 0;      // cases that the golden model judged too
  int64_t properties = 0;  // property checks that said something
  int64_t elements = 0;    // compared, on all targets
  uint64_t hash = 0;       // of all cases: the same for the same seed
  double generate = 0;
  double oracle = 0;
  double golden_model = 0;
  double candidate = 0;
  double compare = 0;
  double other_properties = 0;
};

struct FuzzReport {
  std::vector<FuzzStatistics> statistics;
  std::vector<FuzzFailure> failures;
  CounterTable counters;
  std::vector<std::string> run_targets;
  std::vector<std::string> broken;    // harness or candidate broke
  std::vector<std::string> distrust;  // unsupported
  double seconds = 0;
};

FuzzReport RunFuzz(Candidate& candidate, const FuzzOptions& options);

// The failure as a test vector with the expectation of the second oracle.
TestCase ToTestCase(const FuzzFailure& failure, uint64_t seed);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_FUZZ_ENGINE_H_
