// Decides what an implementation's outputs are worth: each element exact,
// explained or wrong (AR-02), each case passed or failed at a level.
//
// What is expected: the vector's frozen data where it gives some, else the
// golden model's exact value. Every call is executed twice, on outputs poisoned
// with two patterns that differ in every bit, so that "was written" and "was
// left alone" are facts about single bytes, whatever value was written.

#ifndef QCONFORM_HARNESS_JUDGE_VERDICT_H_
#define QCONFORM_HARNESS_JUDGE_VERDICT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "harness/judge/compare.h"
#include "harness/judge/expectation.h"

namespace qconform::harness {

enum class Level { kExact, kBinary32 };
std::string LevelName(Level level);  // "exact", "binary32"

enum class ElementVerdict { kExact, kExplained, kWrong };
std::string ElementVerdictName(ElementVerdict verdict);

enum class CaseStatus {
  kPassed,
  kFailed,
  kExpectedFailure,
  kUnexpectedPass,
  kUnsupported,
  kMistrusted,
  kCrashed,
  kTimedOut
};
std::string CaseStatusName(CaseStatus status);  // "expected-failure"

// What is wrong with an element beside its value.
enum class ElementFault {
  kNone,         // its value alone is judged
  kUntouched,    // must be written, was not
  kOverwritten,  // must stay as it was, was written
  kUnstable      // what was written depends on what the output held before
};
std::string ElementFaultName(ElementFault fault);  // "untouched"

struct ElementOutcome {
  int64_t element = 0;  // row-major; -1: storage between the output's elements
  int64_t offset = 0;   // in storage, in elements
  ElementVerdict verdict = ElementVerdict::kExact;
  ElementFault fault = ElementFault::kNone;
  bool must_stay = false;
  double expected = 0;  // meaningless if must_stay
  double found = 0;
  Difference difference;  // where both values mean something
  std::string enclosure;  // "[75.9, 77.1]", of elements that are not exact
  bool golden_differs =
      false;          // the vector's frozen value is not the golden model's
  double golden = 0;  // then: what that gives
};

struct ElementCounts {
  int64_t exact = 0;
  int64_t explained = 0;
  int64_t wrong = 0;
  int64_t preserved = 0;  // had to stay as they were, and did
  void Add(const ElementOutcome& outcome);
  void Add(const ElementCounts& other);
  friend bool operator==(const ElementCounts&, const ElementCounts&) = default;
};

// The two poisons: position-dependent, so that a shifted copy of a buffer does
// not look untouched.
std::byte PoisonByte(size_t position, bool inverted);
OutputStorage PoisonedOutputs(const spec::Arguments& arguments, bool inverted);

// One call on both poisons.
struct PoisonedRuns {
  std::array<Execution, 2> executions;
  std::array<OutputStorage, 2> outputs;
};
PoisonedRuns ExecuteOnPoison(Candidate& candidate,
                             const spec::Arguments& arguments,
                             const ExecutionOptions& options);

struct CaseVerdict {
  CaseStatus status = CaseStatus::kPassed;
  std::string reason;  // why not passed; empty if the elements say it all
  ElementCounts counts;
  // The elements that are explained or wrong of a call that had to succeed and
  // did, in their order, and then every wrong place between elements. Millions
  // that are exact take no memory.
  std::vector<ElementOutcome> elements;
  std::string variation;  // the way of executing that failed, if it was not the
                          // plain one
};

absl::StatusOr<CaseVerdict> Judge(Expectation& expectation,
                                  const PoisonedRuns& runs, Level level);

// A way of executing that must not change the result (AR-10), chosen by the
// case's name alone so that a repeated run does the same.
ExecutionOptions VariedExecution(const TestCase& test_case,
                                 const std::string& target, int threads);
std::string DescribeExecution(const ExecutionOptions& options);

// Executes the case on a target, plainly and, if `vary`, also in a varied way,
// and judges both; the first that does not pass is the verdict.
absl::StatusOr<CaseVerdict> JudgeOnTarget(Expectation& expectation,
                                          Candidate& candidate,
                                          const std::string& target,
                                          Level level, bool vary, int threads);

// "3", "[1,2]" -> position in the output; the reverse for messages.
std::string FormatIndex(const spec::TensorDesc& desc, int64_t element);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_VERDICT_H_
