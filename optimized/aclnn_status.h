// The status codes of aclnn calls, and how an absl::Status carries one.

#ifndef QCONFORM_OPTIMIZED_ACLNN_STATUS_H_
#define QCONFORM_OPTIMIZED_ACLNN_STATUS_H_

#include <string>

#include "absl/status/status.h"

namespace qconform::optimized {

inline constexpr int kAclnnSuccess = 0;
// A pointer that must not be null is null, or one that must be null is not.
inline constexpr int kAclnnErrorNullPointer = 161001;
// Any other argument that the operator does not take.
inline constexpr int kAclnnErrorInvalidParameter = 161002;

// kInvalidArgument that carries `aclnn_status`.
absl::Status AclnnError(int aclnn_status, const std::string& message);

// The aclnn status of a result: 0 for OK, what AclnnError put in, and
// kAclnnErrorInvalidParameter for an error of another origin.
int AclnnStatus(const absl::Status& status);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_STATUS_H_
