#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

// QM-08: sorted by stride, each axis must step over all that the smaller ones
// reach. The extent is known to fit in 64 bits, so the sums do.
absl::Status CheckOutputStrides(const std::string& name,
                                const TensorDesc& desc) {
  const std::vector<int64_t> strides = EffectiveStrides(desc);
  std::vector<std::pair<int64_t, int64_t>> axes;  // stride, size
  for (size_t i = 0; i < strides.size(); ++i) {
    if (desc.sizes[i] > 1) axes.emplace_back(strides[i], desc.sizes[i]);
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : axes) {
    if (stride <= reach) {
      return Reject(
          name,
          absl::StrCat("has strides ", SizesText(strides), " for sizes ",
                       SizesText(desc.sizes)),
          absl::StrCat("strides by which no two elements share an address; "
                       "stride ",
                       stride, " must exceed ", reach, " (QM-08)"));
    }
    reach += (size - 1) * stride;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDmlTensors(const OperatorSpec& spec,
                             const Arguments& arguments) {
  constexpr int64_t kMaxElements = 0xffffffff;
  for (const TensorSpec& tensor : spec.tensors) {
    const TensorDesc* desc = FindDesc(arguments, tensor.name);
    if (desc == nullptr) continue;
    const int64_t count = *ElementCount(*desc);
    if (count < 1 || count > kMaxElements) {
      return Reject(tensor.name,
                    absl::StrCat("has sizes ", SizesText(desc->sizes), ", ",
                                 count, " elements"),
                    "no size of 0, at most 2^32 - 1 elements (QM-07)");
    }
    if (tensor.is_output) {
      absl::Status status = CheckOutputStrides(tensor.name, *desc);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDmlScales(const Arguments& arguments,
                            const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Tensor& tensor = arguments.inputs.at(name);
    absl::Status status = ForEachElement(tensor.desc, [&](int64_t offset) {
      const double scale = ReadReal(tensor, offset);
      if (scale != 0 && std::isfinite(scale)) return absl::OkStatus();
      return Reject(
          name, absl::StrCat("holds ", scale, " at storage offset ", offset),
          "finite scales other than 0 (AR-08)");
    });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace qconform::spec
