// An implementation under test.

#ifndef QCONFORM_HARNESS_CANDIDATES_CANDIDATE_H_
#define QCONFORM_HARNESS_CANDIDATES_CANDIDATE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/arguments.h"

namespace qconform::harness {

// How to execute a call; none of it may change a result (AR-10).
struct ExecutionOptions {
  std::string target;  // one of Candidate::Targets()
  int threads = 1;     // 1: no threads beside the caller's
  size_t misalignment =
      0;  // bytes by which every buffer is shifted from a 64-byte boundary
          // (rounded down to the element size)
  bool constants_in_plan =
      true;  // scales, zero points and B or weight given to Plan; false: to Run
};

enum class ExecutionOutcome {
  kCompleted,
  kRejected,
  kUnsupported,
  kCrashed,
  kTimedOut
};

struct Execution {
  ExecutionOutcome outcome = ExecutionOutcome::kCompleted;
  std::string message;
  std::string
      status;  // of a rejection: absl code in lower case, "invalid_argument"
  std::optional<int> aclnn_status;  // of a rejection by an Ascend operator
};

// Storage of each output by name, in the layout of its TensorDesc. Poisoned by
// the caller before, read by the caller after.
using OutputStorage = std::map<std::string, std::vector<std::byte>>;

class Candidate {
 public:
  virtual ~Candidate() = default;
  virtual std::string Name() const = 0;
  // Names of the SIMD targets it can run on here ("AVX2", "EMU128", ...), or
  // one name of its own.
  virtual std::vector<std::string> Targets() const = 0;
  virtual Execution Execute(const spec::Arguments& arguments,
                            const ExecutionOptions& options,
                            OutputStorage& outputs) = 0;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_CANDIDATE_H_
