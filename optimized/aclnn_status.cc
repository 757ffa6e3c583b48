#include "optimized/aclnn_status.h"

#include "absl/strings/cord.h"
#include "absl/types/optional.h"

namespace qconform::optimized {
namespace {

constexpr char kPayloadUrl[] = "qconform.optimized/aclnn_status";

}  // namespace

absl::Status AclnnError(int aclnn_status, const std::string& message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kPayloadUrl, absl::Cord(std::to_string(aclnn_status)));
  return status;
}

int AclnnStatus(const absl::Status& status) {
  if (status.ok()) return kAclnnSuccess;
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (payload.has_value() && *payload == "161001") {
    return kAclnnErrorNullPointer;
  }
  return kAclnnErrorInvalidParameter;
}

}  // namespace qconform::optimized
