#include "optimized/checks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace qconform::optimized {
namespace {

constexpr int64_t kMaxElements = (int64_t{1} << 32) - 1;

// last = 1 + sum of (size - 1) * stride over the axes, or nothing if `bytes`
// times that passes what a pointer can span.
bool AddressableExtent(const TensorDesc& desc, const Dimensions& strides,
                       int64_t* extent) {
  const int64_t limit = std::numeric_limits<int64_t>::max() /
                        static_cast<int64_t>(ByteSize(desc.type));
  int64_t total = 1;
  for (size_t axis = 0; axis < desc.sizes.size(); ++axis) {
    const int64_t steps = desc.sizes[axis] - 1;
    if (steps == 0) continue;
    if (strides[axis] > (limit - total) / steps) return false;
    total += steps * strides[axis];
  }
  *extent = total;
  return true;
}

}  // namespace

std::string ElementTypeName(ElementType type) {
  static constexpr const char* kNames[] = {"uint8",   "int8",   "int16",
                                           "int32",   "int64",  "float16",
                                           "float32", "float64"};
  return kNames[static_cast<size_t>(type)];
}

size_t ByteSize(ElementType type) {
  static constexpr size_t kBytes[] = {1, 1, 2, 4, 8, 2, 4, 8};
  return kBytes[static_cast<size_t>(type)];
}

std::string DimensionsText(const Dimensions& dimensions) {
  return absl::StrCat("{", absl::StrJoin(dimensions, ", "), "}");
}

Dimensions EffectiveStrides(const TensorDesc& desc) {
  if (desc.strides.has_value()) return *desc.strides;
  Dimensions strides(desc.sizes.size(), 1);
  for (size_t axis = desc.sizes.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * desc.sizes[axis];
  }
  return strides;
}

size_t ExtentBytes(const TensorDesc& desc) {
  int64_t extent = 0;
  AddressableExtent(desc, EffectiveStrides(desc), &extent);
  return static_cast<size_t>(extent) * ByteSize(desc.type);
}

absl::Status CheckRank(absl::string_view name, const TensorDesc& desc,
                       size_t min_rank, size_t max_rank) {
  const size_t rank = desc.sizes.size();
  if (rank >= min_rank && rank <= max_rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": ", rank, " dimensions; allowed are ", min_rank,
                   max_rank == min_rank ? "" : absl::StrCat(" to ", max_rank)));
}

absl::Status CheckType(absl::string_view name, const TensorDesc& desc,
                       absl::Span<const ElementType> allowed) {
  if (std::find(allowed.begin(), allowed.end(), desc.type) != allowed.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": type ", ElementTypeName(desc.type), "; allowed are ",
      absl::StrJoin(allowed, ", ", [](std::string* out, ElementType type) {
        out->append(ElementTypeName(type));
      })));
}

absl::Status CheckDmlTensor(absl::string_view name, const TensorDesc& desc) {
  if (desc.layout != TensorLayout::kNd) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": layout FRACTAL_NZ; only ND is allowed"));
  }
  int64_t elements = 1;
  for (int64_t size : desc.sizes) {
    if (size < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": sizes ", DimensionsText(desc.sizes),
                       "; each must be at least 1"));
    }
    if (size > kMaxElements / elements) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": sizes ", DimensionsText(desc.sizes),
                       " give more than the allowed 2^32 - 1 elements"));
    }
    elements *= size;
  }
  if (!desc.strides.has_value()) return absl::OkStatus();
  if (desc.strides->size() != desc.sizes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": ", desc.strides->size(), " strides for ",
                     desc.sizes.size(), " dimensions; give one for each"));
  }
  for (int64_t stride : *desc.strides) {
    if (stride < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": strides ", DimensionsText(*desc.strides),
                       "; none may be negative"));
    }
  }
  int64_t extent = 0;
  if (!AddressableExtent(desc, *desc.strides, &extent)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": sizes ", DimensionsText(desc.sizes), " with strides ",
        DimensionsText(*desc.strides), " reach past 2^63 bytes"));
  }
  return absl::OkStatus();
}

absl::Status CheckOutputStrides(absl::string_view name,
                                const TensorDesc& desc) {
  if (!desc.strides.has_value()) return absl::OkStatus();
  std::vector<std::pair<int64_t, int64_t>> axes;  // stride, size
  for (size_t axis = 0; axis < desc.sizes.size(); ++axis) {
    if (desc.sizes[axis] > 1) {
      axes.emplace_back((*desc.strides)[axis], desc.sizes[axis]);
    }
  }
  std::sort(axes.begin(), axes.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : axes) {
    if (stride <= reach) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": strides ", DimensionsText(*desc.strides), " with sizes ",
          DimensionsText(desc.sizes), " put two elements at one address: ",
          "stride ", stride, " must exceed ", reach,
          ", the reach of the axes with smaller strides"));
    }
    reach += (size - 1) * stride;
  }
  return absl::OkStatus();
}

absl::Status MissingData(absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": no data; a pointer to it is required"));
}

absl::Status CheckScales(absl::string_view name, const float* data,
                         size_t count, size_t stride) {
  for (size_t i = 0; i < count; ++i) {
    const float scale = data[i * stride];
    if (scale == 0.0f || !std::isfinite(scale)) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": element ", i, " is ", scale,
                       "; a scale must be finite and not zero"));
    }
  }
  return absl::OkStatus();
}

absl::Status Overlap(absl::string_view output_name, size_t output_bytes,
                     absl::string_view input_name) {
  return absl::InvalidArgumentError(
      absl::StrCat(output_name, ": its ", output_bytes, " bytes overlap those ",
                   "of ", input_name, "; outputs may not alias inputs"));
}

absl::Status CheckWorkspace(const RunContext& context, size_t required) {
  if (context.workspace.size() >= required) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("workspace: ", context.workspace.size(), " bytes; at least ",
                   required, " are needed"));
}

}  // namespace qconform::optimized
