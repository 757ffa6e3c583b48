#include "harness/candidates/golden_binary32.h"

#include <cmath>
#include <utility>

#include "absl/status/statusor.h"
#include "harness/candidates/rejection.h"
#include "reference/golden.h"
#include "spec/tensor.h"
#include "spec/validate.h"

namespace qconform::harness {
Execution GoldenBinary32Candidate::Execute(const spec::Arguments& arguments,
                                           const ExecutionOptions&,
                                           OutputStorage& outputs) {
  const absl::StatusOr<reference::GoldenResult> result = reference::Evaluate(
      arguments, {.enclosure = false, .binary32 = true, .decisions = false});
  if (!result.ok()) {
    return Rejected(result.status(), spec::AclnnStatus(result.status()));
  }
  spec::Tensor tensor = {arguments.outputs.at(result->output_name),
                         std::move(outputs[result->output_name])};
  for (size_t i = 0; i < result->elements.size(); ++i) {
    const reference::GoldenElement& element = result->elements[i];
    if (!element.written) continue;
    const int64_t offset =
        spec::StorageOffset(tensor.desc, static_cast<int64_t>(i));
    const bool no_integer =
        !spec::IsFloat(tensor.desc.type) && std::isnan(element.binary32);
    spec::WriteReal(tensor, offset, no_integer ? 0 : element.binary32);
  }
  outputs[result->output_name] = std::move(tensor.storage);
  return Execution();
}

}  // namespace qconform::harness
