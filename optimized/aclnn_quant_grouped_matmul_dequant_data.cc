// The data of a call: pointers, overlaps, and the values of its parameters.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"
#include "optimized/aclnn_status.h"
#include "optimized/checks.h"
#include "optimized/float16.h"

namespace qconform::optimized {
namespace {

// An element at any address.
template <class T>
T ReadElement(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

absl::Status Invalid(const std::string& message) {
  return AclnnError(kAclnnErrorInvalidParameter, message);
}

absl::Status CheckFinite(const char* name, size_t index, float value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return Invalid(absl::StrCat(name, ": element ", index, " is ", value,
                              "; it must be finite"));
}

absl::Status CheckPointer(const char* name, const void* data, bool wanted) {
  if ((data != nullptr) == wanted) return absl::OkStatus();
  return AclnnError(
      kAclnnErrorNullPointer,
      absl::StrCat(name, wanted ? ": null; its data is required"
                                : ": data; the plan has it already or the "
                                  "call has no such tensor: give null"));
}

}  // namespace

size_t QuantGroupedMatmulDequant::XScaleCount() const {
  return geometry_.is_per_token ? geometry_.m : 1;
}

absl::Status QuantGroupedMatmulDequant::CheckConstantPointers(
    const QuantGroupedMatmulDequantParameters& constants) const {
  if (constants.x_scale != nullptr && geometry_.is_dynamic) {
    return CheckPointer("xScaleOptional", constants.x_scale, false);
  }
  if (constants.smooth_scale != nullptr && !geometry_.has_smooth_scale) {
    return CheckPointer("smoothScaleOptional", constants.smooth_scale, false);
  }
  return absl::OkStatus();
}

absl::Status QuantGroupedMatmulDequant::ReadParameters(
    const QuantGroupedMatmulDequantParameters& from, float* weight_scale,
    int64_t* group_ends, float* x_scale, float* smooth_scale) const {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  // AG-04, over whole tensors: also rows and groups that nothing uses.
  if (from.weight_scale != nullptr) {
    for (size_t i = 0; i < g.groups * g.n; ++i) {
      weight_scale[i] = ReadElement<float>(
          from.weight_scale, i / g.n * g.weight_scale_group_stride +
                                 i % g.n * g.weight_scale_column_stride);
      absl::Status status = CheckFinite("weightScale", i, weight_scale[i]);
      if (!status.ok()) return status;
    }
  }
  if (from.x_scale != nullptr) {
    for (size_t i = 0; i < XScaleCount(); ++i) {
      x_scale[i] = ReadElement<float>(from.x_scale, i * g.x_scale_stride);
      absl::Status status = CheckFinite("xScaleOptional", i, x_scale[i]);
      if (!status.ok()) return status;
    }
  }
  if (from.smooth_scale != nullptr) {
    for (size_t i = 0; i < g.k; ++i) {
      smooth_scale[i] = Float16ToFloat32(
          ReadElement<uint16_t>(from.smooth_scale, i * g.smooth_scale_stride));
      absl::Status status =
          CheckFinite("smoothScaleOptional", i, smooth_scale[i]);
      if (!status.ok()) return status;
    }
  }
  if (from.group_list != nullptr) {
    int64_t previous = 0;
    for (size_t i = 0; i < g.groups; ++i) {
      const auto end =
          ReadElement<int64_t>(from.group_list, i * g.group_list_stride);
      // AG-05.
      if (end < previous || end > static_cast<int64_t>(g.m)) {
        return Invalid(absl::StrCat("groupList: element ", i, " is ", end,
                                    "; allowed here are ", previous, " to ",
                                    g.m, ", the rows of x"));
      }
      group_ends[i] = previous = end;
    }
  }
  return absl::OkStatus();
}

absl::Status QuantGroupedMatmulDequant::CheckPointers(
    const void* x, const QuantGroupedMatmulDequantParameters& per_call,
    const void* out) const {
  const struct {
    const char* name;
    const void* data;
    bool wanted;
  } pointers[] = {
      {"x", x, true},
      {"weight", per_call.weight, packed_weight_ == nullptr},
      {"weightScale", per_call.weight_scale, weight_scale_.empty()},
      {"groupList", per_call.group_list, group_ends_.empty()},
      {"xScaleOptional", per_call.x_scale,
       !geometry_.is_dynamic && x_scale_.empty()},
      {"smoothScaleOptional", per_call.smooth_scale,
       geometry_.has_smooth_scale && smooth_scale_.empty()},
      {"out", out, true},
  };
  for (const auto& [name, data, wanted] : pointers) {
    absl::Status status = CheckPointer(name, data, wanted);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status QuantGroupedMatmulDequant::CheckOverlap(
    const void* x, const QuantGroupedMatmulDequantParameters& per_call,
    const void* out) const {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  const struct {
    const char* name;
    const void* data;
    size_t bytes;
  } inputs[] = {
      {"x", x, g.x_bytes},
      {"weight", per_call.weight, g.weight_bytes},
      {"weightScale", per_call.weight_scale, g.weight_scale_bytes},
      {"groupList", per_call.group_list, g.group_list_bytes},
      {"xScaleOptional", per_call.x_scale, g.x_scale_bytes},
      {"smoothScaleOptional", per_call.smooth_scale, g.smooth_scale_bytes},
  };
  for (const auto& [name, data, bytes] : inputs) {
    if (data == nullptr) continue;
    const absl::Status status =
        CheckNoOverlap("out", out, g.out_bytes, name, data, bytes);
    if (!status.ok()) return Invalid(std::string(status.message()));
  }
  return absl::OkStatus();
}

}  // namespace qconform::optimized
