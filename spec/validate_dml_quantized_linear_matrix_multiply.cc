#include <string>

#include "absl/strings/str_cat.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

// QM-03
absl::Status CheckMatrixRanks(const OperatorSpec& spec,
                              const Arguments& arguments) {
  const std::string& level = arguments.options.feature_level;
  if (level != "2_1" && level != "4_0") {
    return Reject("feature_level", absl::StrCat("is \"", level, "\""),
                  "\"2_1\", \"4_0\"");
  }
  if (level == "2_1") {
    for (const TensorSpec& tensor : spec.tensors) {
      const TensorDesc* desc = FindDesc(arguments, tensor.name);
      if (desc != nullptr && desc->sizes.size() != 4) {
        return Reject(tensor.name,
                      absl::StrCat("has rank ", desc->sizes.size()),
                      "4 at feature level 2_1 (QM-03)");
      }
    }
  }
  absl::Status status =
      CheckEqualRanks(arguments, {"ATensor", "BTensor", "OutputTensor"});
  if (!status.ok()) return status;
  return CheckEqualRanks(
      arguments,
      {"AScaleTensor", "AZeroPointTensor", "BScaleTensor", "BZeroPointTensor",
       "OutputScaleTensor", "OutputZeroPointTensor"});
}

}  // namespace

absl::Status ValidateDmlQuantizedLinearMatrixMultiply(
    const OperatorSpec& spec, const Arguments& arguments) {
  absl::Status status = CheckRequiredTensors(spec, arguments);
  if (status.ok()) status = CheckTypes(spec, arguments);
  if (status.ok()) status = CheckRanks(spec, arguments);
  if (status.ok()) status = CheckMatrixRanks(spec, arguments);
  if (status.ok()) status = CheckLayouts(spec, arguments);
  if (status.ok()) status = CheckDmlTensors(spec, arguments);
  // QM-04
  for (const char* tensor : {"A", "B", "Output"}) {
    if (status.ok()) {
      status = CheckSameType(arguments, absl::StrCat(tensor, "Tensor"),
                             absl::StrCat(tensor, "ZeroPointTensor"));
    }
  }
  // QM-02, QM-08: the symbols make batch and channel sizes equal.
  if (status.ok()) status = CheckShapes(spec, arguments, /*padded_rank=*/4);
  if (status.ok()) {
    status = CheckDmlScales(
        arguments, {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"});
  }
  return status;
}

}  // namespace qconform::spec
