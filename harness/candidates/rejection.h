// How implementations in this process say that they reject a call: with the
// name of an absl status, and for an Ascend operator its aclnn status.

#ifndef QCONFORM_HARNESS_CANDIDATES_REJECTION_H_
#define QCONFORM_HARNESS_CANDIDATES_REJECTION_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "harness/candidates/candidate.h"

namespace qconform::harness {

// "invalid_argument", as test vectors spell it.
inline std::string StatusCodeName(absl::StatusCode code) {
  return absl::AsciiStrToLower(absl::StatusCodeToString(code));
}

inline Execution Rejected(const absl::Status& status,
                          std::optional<int> aclnn_status) {
  Execution execution;
  execution.outcome = ExecutionOutcome::kRejected;
  execution.message = std::string(status.message());
  execution.status = StatusCodeName(status.code());
  execution.aclnn_status = aclnn_status;
  return execution;
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_REJECTION_H_
