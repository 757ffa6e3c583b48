#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/validate_rules.h"

namespace qconform::spec {

absl::Status ValidateDmlElementWiseQuantizedLinearAdd(
    const OperatorSpec& spec, const Arguments& arguments) {
  absl::Status status = CheckRequiredTensors(spec, arguments);
  if (status.ok()) status = CheckTypes(spec, arguments);
  if (status.ok()) status = CheckRanks(spec, arguments);
  if (status.ok()) status = CheckLayouts(spec, arguments);
  if (status.ok()) status = CheckDmlTensors(spec, arguments);
  // QA-02
  if (status.ok()) {
    std::vector<std::string> names;
    for (const TensorSpec& tensor : spec.tensors) names.push_back(tensor.name);
    status = CheckEqualRanks(arguments, names);
  }
  for (const char* tensor : {"A", "B", "Output"}) {
    if (status.ok()) {
      status = CheckSameType(arguments, absl::StrCat(tensor, "Tensor"),
                             absl::StrCat(tensor, "ZeroPointTensor"));
    }
  }
  if (status.ok()) status = CheckShapes(spec, arguments, /*padded_rank=*/0);
  if (status.ok()) {
    status = CheckDmlScales(
        arguments, {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"});
  }
  return status;
}

}  // namespace qconform::spec
