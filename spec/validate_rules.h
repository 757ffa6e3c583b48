// The rules that the files validate_<operator>.cc are made of. Each checks one
// kind of thing over the whole call and returns kInvalidArgument, or kNotFound
// where it says so. Not for use outside of validation.

#ifndef QCONFORM_SPEC_VALIDATE_RULES_H_
#define QCONFORM_SPEC_VALIDATE_RULES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "spec/arguments.h"
#include "spec/operator_spec.h"
#include "spec/tensor.h"

namespace qconform::spec {

// Where a Status carries the aclnn status, in decimal digits.
inline constexpr char kAclnnStatusPayload[] = "qconform/aclnn_status";

// "{1, 2, 3}"
std::string SizesText(const std::vector<int64_t>& sizes);

// "ATensor has sizes {1}; allowed: ...": the form of every message.
absl::Status Reject(const std::string& name, const std::string& found,
                    const std::string& allowed);

// Null if the call does not have the tensor.
const TensorDesc* FindDesc(const Arguments& arguments, const std::string& name);

// kNotFound: a tensor, attribute or option that the operator does not know.
absl::Status CheckNames(const OperatorSpec& spec, const Arguments& arguments);

// The bytes of every input are those that its description asks for. Inputs
// whose description is itself faulty are left to CheckLayouts.
absl::Status CheckStorage(const Arguments& arguments);

absl::Status CheckRequiredTensors(const OperatorSpec& spec,
                                  const Arguments& arguments);
absl::Status CheckAbsentTensors(const OperatorSpec& spec,
                                const Arguments& arguments);
absl::Status CheckTypes(const OperatorSpec& spec, const Arguments& arguments);
absl::Status CheckRanks(const OperatorSpec& spec, const Arguments& arguments);

// Sizes that can be counted, one stride of 0 or more for each of them, an
// allowed format, packed strides where no others are allowed. A tensor in a
// special format is packed too.
absl::Status CheckLayouts(const OperatorSpec& spec, const Arguments& arguments);

// Types, allowed values and limits of the attributes given.
absl::Status CheckAttributes(const OperatorSpec& spec,
                             const Arguments& arguments);
absl::Status CheckRequiredAttributes(const OperatorSpec& spec,
                                     const Arguments& arguments);

// Holds every tensor against the shapes of the spec, in their order, giving
// each symbol one size for the whole call. Shapes shorter than `padded_rank`
// get leading 1s first.
absl::Status CheckShapes(const OperatorSpec& spec, const Arguments& arguments,
                         size_t padded_rank);

// The second tensor, if given, has the type of the first.
absl::Status CheckSameType(const Arguments& arguments, const std::string& name,
                           const std::string& zero_point_name);

// All tensors named that are given have one rank.
absl::Status CheckEqualRanks(const Arguments& arguments,
                             const std::vector<std::string>& names);

// QM-07: no size is 0, at most 2^32 - 1 elements. QM-08: no two elements of an
// output share an address.
absl::Status CheckDmlTensors(const OperatorSpec& spec,
                             const Arguments& arguments);

// AR-08 for the scales of a DML operator: finite and not 0.
absl::Status CheckDmlScales(const Arguments& arguments,
                            const std::vector<std::string>& names);

// Calls `visit` with the storage offset of every element until it fails; of
// elements that an axis of stride 0 repeats, with the first only.
absl::Status ForEachElement(
    const TensorDesc& desc,
    const std::function<absl::Status(int64_t offset)>& visit);

// The rules of one operator. Names, options and storage have been checked.
absl::Status ValidateDmlQuantizedLinearMatrixMultiply(
    const OperatorSpec& spec, const Arguments& arguments);
absl::Status ValidateDmlElementWiseQuantizedLinearAdd(
    const OperatorSpec& spec, const Arguments& arguments);
absl::Status ValidateAclnnQuantGroupedMatmulDequant(const OperatorSpec& spec,
                                                    const Arguments& arguments);
absl::Status ValidateTfQuantizeAndDequantizeV2(const OperatorSpec& spec,
                                               const Arguments& arguments);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_VALIDATE_RULES_H_
