#include "optimized/dml_element_wise_quantized_linear_add_descriptions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "optimized/checks.h"

namespace qconform::optimized::linear_add {
namespace {

absl::Status CheckTensor(absl::string_view name, const TensorDesc* desc,
                         absl::Span<const ElementType> types) {
  if (desc == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": absent; the operator requires it"));
  }
  if (absl::Status status = CheckType(name, *desc, types); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckRank(name, *desc, 1, 8); !status.ok()) {
    return status;
  }
  return CheckDmlTensor(name, *desc);
}

// QA-02: `desc` has as many dimensions as ATensor.
absl::Status CheckSameRank(absl::string_view name, const TensorDesc& desc,
                           const TensorDesc& a) {
  if (desc.sizes.size() == a.sizes.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": ", desc.sizes.size(), " dimensions; ATensor has ",
      a.sizes.size(), " and all tensors must have the same number"));
}

absl::Status CheckElements(absl::string_view name, const TensorDesc* desc,
                           const TensorDesc& a) {
  constexpr ElementType kBytes[] = {ElementType::kUint8, ElementType::kInt8};
  if (absl::Status status = CheckTensor(name, desc, kBytes); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckSameRank(name, *desc, a); !status.ok()) {
    return status;
  }
  if (desc->sizes == a.sizes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": sizes ", DimensionsText(desc->sizes),
                   "; they must equal ATensor's, ", DimensionsText(a.sizes)));
}

// A scale or a zero point: one element, of the type `type`.
absl::Status CheckParameter(absl::string_view name, const TensorDesc* desc,
                            ElementType type, const TensorDesc& a) {
  if (absl::Status status = CheckTensor(name, desc, {type}); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckSameRank(name, *desc, a); !status.ok()) {
    return status;
  }
  if (std::all_of(desc->sizes.begin(), desc->sizes.end(),
                  [](int64_t size) { return size == 1; })) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(name, ": sizes ",
                                                 DimensionsText(desc->sizes),
                                                 "; it must have one element"));
}

}  // namespace

absl::Status CheckDescriptions(
    const DmlElementWiseQuantizedLinearAddDesc& desc) {
  constexpr ElementType kBytes[] = {ElementType::kUint8, ElementType::kInt8};
  if (absl::Status status = CheckTensor("ATensor", desc.ATensor, kBytes);
      !status.ok()) {
    return status;
  }
  const TensorDesc& a = *desc.ATensor;
  for (const absl::Status& status :
       {CheckElements("BTensor", desc.BTensor, a),
        CheckElements("OutputTensor", desc.OutputTensor, a)}) {
    if (!status.ok()) return status;
  }
  const struct {
    size_t scale;
    const TensorDesc* scale_desc;
    const TensorDesc* zero_point_desc;
    const TensorDesc* tensor_desc;
  } groups[] = {
      {kAScale, desc.AScaleTensor, desc.AZeroPointTensor, desc.ATensor},
      {kBScale, desc.BScaleTensor, desc.BZeroPointTensor, desc.BTensor},
      {kOutputScale, desc.OutputScaleTensor, desc.OutputZeroPointTensor,
       desc.OutputTensor}};
  for (const auto& group : groups) {
    if (absl::Status status =
            CheckParameter(kParameterNames[group.scale], group.scale_desc,
                           ElementType::kFloat32, a);
        !status.ok()) {
      return status;
    }
    if (group.zero_point_desc == nullptr) continue;
    if (absl::Status status =
            CheckParameter(kParameterNames[group.scale + 1],
                           group.zero_point_desc, group.tensor_desc->type, a);
        !status.ok()) {
      return status;
    }
  }
  return CheckOutputStrides("OutputTensor", *desc.OutputTensor);
}

}  // namespace qconform::optimized::linear_add
