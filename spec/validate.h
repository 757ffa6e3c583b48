// Decides whether an operator must accept a call. Generic rules come from the
// operator's spec; what cannot be said there stands in one file per operator
// (validate_<operator>.cc).

#ifndef QCONFORM_SPEC_VALIDATE_H_
#define QCONFORM_SPEC_VALIDATE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "spec/arguments.h"

namespace qconform::spec {

// OK, or the status the operator must return; the message names the tensor or
// attribute, what was found and what is allowed. Values are checked too (AR-08,
// AG-04, AG-05, TQ-07). An unknown operator, tensor or attribute name is
// kNotFound: such input is no call at all.
absl::Status Validate(const Arguments& arguments);

// The aclnn status (161001 or 161002) of a rejection by an Ascend operator
// (AG-12), else nothing.
std::optional<int> AclnnStatus(const absl::Status& status);

// True if a valid call has nothing to compute and must write nothing: an empty
// tensor (AG-11, TQ-09).
bool IsEmptyCall(const Arguments& arguments);

// Value of an attribute, or its default from the spec. The attribute must be
// one of the operator's and valid.
bool BoolAttribute(const Arguments& arguments, const std::string& name);
int64_t IntAttribute(const Arguments& arguments, const std::string& name);
std::string StringAttribute(const Arguments& arguments,
                            const std::string& name);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_VALIDATE_H_
