#include "optimized/aclnn_quant_grouped_matmul_dequant_arguments.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "optimized/aclnn_status.h"
#include "optimized/checks.h"

namespace qconform::optimized {
namespace {

// Of FRACTAL_NZ weights, from the outer to the inner of the two.
constexpr int64_t kOuterBlock = 16;
constexpr int64_t kInnerBlock = 32;

absl::Status Invalid(const std::string& message) {
  return AclnnError(kAclnnErrorInvalidParameter, message);
}

int64_t CeilDivide(int64_t a, int64_t b) { return a / b + (a % b != 0); }

bool IsEmpty(const TensorDesc& desc) {
  const auto negative = [](int64_t size) { return size < 0; };
  return std::none_of(desc.sizes.begin(), desc.sizes.end(), negative) &&
         std::find(desc.sizes.begin(), desc.sizes.end(), 0) != desc.sizes.end();
}

// A required or optional tensor, its document name, its type, and whether it
// may be strided (AG-13).
struct Parameter {
  const char* name;
  const std::optional<TensorDesc>* desc;
  ElementType type;
  bool required;
  bool strides_allowed;
};

std::vector<Parameter> Parameters(const QuantGroupedMatmulDequantDesc& desc) {
  return {
      {"x", &desc.x, ElementType::kFloat16, true, true},
      {"weight", &desc.weight, ElementType::kInt8, true, false},
      {"weightScale", &desc.weight_scale, ElementType::kFloat32, true, true},
      {"groupList", &desc.group_list, ElementType::kInt64, true, true},
      {"xScaleOptional", &desc.x_scale_optional, ElementType::kFloat32, false,
       true},
      {"smoothScaleOptional", &desc.smooth_scale_optional,
       ElementType::kFloat16, false, true},
      {"out", &desc.out, ElementType::kFloat16, true, false},
  };
}

// Sizes not negative, strides fit the sizes, and the last byte has an address.
absl::Status CheckSizesAndStrides(const Parameter& parameter) {
  const TensorDesc& desc = **parameter.desc;
  const int64_t limit = std::numeric_limits<int64_t>::max() /
                        static_cast<int64_t>(ByteSize(desc.type));
  int64_t elements = 1;
  for (const int64_t size : desc.sizes) {
    if (size < 1 || size > limit / elements) {
      return Invalid(absl::StrCat(
          parameter.name, ": sizes ", DimensionsText(desc.sizes),
          "; each must be at least 1 and all bytes must fit into 2^63"));
    }
    elements *= size;
  }
  if (!desc.strides.has_value()) return absl::OkStatus();
  if (desc.strides->size() != desc.sizes.size()) {
    return Invalid(absl::StrCat(parameter.name, ": ", desc.strides->size(),
                                " strides for ", desc.sizes.size(),
                                " dimensions; give one for each"));
  }
  int64_t packed = 1;
  int64_t extent = 1;
  for (size_t axis = desc.sizes.size(); axis-- > 0;) {
    const int64_t stride = (*desc.strides)[axis];
    const int64_t steps = desc.sizes[axis] - 1;
    if (stride < 0 || (steps > 0 && stride > (limit - extent) / steps)) {
      return Invalid(absl::StrCat(
          parameter.name, ": strides ", DimensionsText(*desc.strides),
          "; none may be negative or reach past 2^63 bytes"));
    }
    if (!parameter.strides_allowed && steps > 0 && stride != packed) {
      return Invalid(absl::StrCat(parameter.name, ": strides ",
                                  DimensionsText(*desc.strides), " for sizes ",
                                  DimensionsText(desc.sizes),
                                  "; the tensor must be contiguous"));
    }
    extent += steps * stride;
    packed *= desc.sizes[axis];
  }
  return absl::OkStatus();
}

absl::Status CheckSizes(const char* name, const TensorDesc& desc,
                        const Dimensions& allowed) {
  if (desc.sizes == allowed) return absl::OkStatus();
  return Invalid(absl::StrCat(name, ": sizes ", DimensionsText(desc.sizes),
                              "; allowed here are ", DimensionsText(allowed)));
}

absl::Status CheckMultipleOf16(const char* name, int64_t size) {
  if (size % 16 == 0) return absl::OkStatus();
  return Invalid(
      absl::StrCat(name, " is ", size, "; it must be a multiple of 16"));
}

// The weight fits n and k (AG-08 to AG-10).
absl::Status CheckWeight(const TensorDesc& weight, bool transpose_weight,
                         int64_t n, int64_t k) {
  const int64_t g = weight.sizes[0];
  if (weight.layout == TensorLayout::kNd) {
    return CheckSizes(
        "weight", weight,
        transpose_weight ? Dimensions{g, n, k} : Dimensions{g, k, n});
  }
  return CheckSizes(
      "weight", weight,
      transpose_weight ? Dimensions{g, CeilDivide(k, kInnerBlock),
                                    n / kOuterBlock, kOuterBlock, kInnerBlock}
                       : Dimensions{g, CeilDivide(n, kInnerBlock),
                                    k / kOuterBlock, kOuterBlock, kInnerBlock});
}

// Everything up to the question whether the call is empty (AG-12).
absl::Status CheckPresenceAndTypes(const QuantGroupedMatmulDequantDesc& desc,
                                   bool allow_transpose_weight_false) {
  if (!desc.transpose_weight && !allow_transpose_weight_false) {
    return Invalid("transposeWeight: false; only true is allowed");
  }
  const std::vector<Parameter> parameters = Parameters(desc);
  for (const Parameter& parameter : parameters) {
    if (parameter.required && !parameter.desc->has_value()) {
      return AclnnError(
          kAclnnErrorNullPointer,
          absl::StrCat(parameter.name, ": null; the tensor is required"));
    }
  }
  if (!desc.x_quant_mode.has_value()) {
    return AclnnError(kAclnnErrorNullPointer,
                      "xQuantMode: null; allowed are pertoken, pertensor");
  }
  if (desc.bias_optional.has_value()) {
    return AclnnError(kAclnnErrorNullPointer,
                      "biasOptional: a tensor; only null is allowed");
  }
  if (desc.x_offset_optional.has_value()) {
    return AclnnError(kAclnnErrorNullPointer,
                      "xOffsetOptional: a tensor; only null is allowed");
  }
  for (const Parameter& parameter : parameters) {
    if (!parameter.desc->has_value()) continue;
    const ElementType found = (*parameter.desc)->type;
    if (found != parameter.type) {
      return Invalid(absl::StrCat(parameter.name, ": type ",
                                  ElementTypeName(found), "; allowed is ",
                                  ElementTypeName(parameter.type)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckFormats(const std::vector<Parameter>& parameters) {
  for (const Parameter& parameter : parameters) {
    if (!parameter.desc->has_value()) continue;
    const bool is_weight = parameter.type == ElementType::kInt8;
    if (!is_weight && (*parameter.desc)->layout != TensorLayout::kNd) {
      return Invalid(
          absl::StrCat(parameter.name, ": format FRACTAL_NZ; allowed is ND"));
    }
    if (absl::Status status = CheckSizesAndStrides(parameter); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRanks(const QuantGroupedMatmulDequantDesc& desc) {
  const bool is_nd = desc.weight->layout == TensorLayout::kNd;
  const struct {
    const char* name;
    const TensorDesc* desc;
    size_t rank;
  } ranks[] = {{"x", &*desc.x, 2},
               {"weight", &*desc.weight, is_nd ? size_t{3} : size_t{5}},
               {"weightScale", &*desc.weight_scale, 2},
               {"out", &*desc.out, 2}};
  for (const auto& [name, tensor, rank] : ranks) {
    if (tensor->sizes.size() != rank) {
      return Invalid(absl::StrCat(name, ": sizes ",
                                  DimensionsText(tensor->sizes),
                                  "; allowed are ", rank, " dimensions"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckShapes(const QuantGroupedMatmulDequantDesc& desc) {
  if (absl::Status status = CheckRanks(desc); !status.ok()) return status;
  const int64_t m = desc.x->sizes[0];
  const int64_t k = desc.x->sizes[1];
  const int64_t g = desc.weight->sizes[0];
  const int64_t n = desc.weight_scale->sizes[1];
  if (absl::Status s = CheckMultipleOf16("k, the columns of x,", k); !s.ok()) {
    return s;
  }
  if (absl::Status s = CheckMultipleOf16("n, the columns of weightScale,", n);
      !s.ok()) {
    return s;
  }
  absl::Status status = CheckWeight(*desc.weight, desc.transpose_weight, n, k);
  if (!status.ok()) return status;
  status = CheckSizes("weightScale", *desc.weight_scale, {g, n});
  if (!status.ok()) return status;
  status = CheckSizes("groupList", *desc.group_list, {g});
  if (!status.ok()) return status;
  if (desc.smooth_scale_optional.has_value()) {
    status =
        CheckSizes("smoothScaleOptional", *desc.smooth_scale_optional, {k});
    if (!status.ok()) return status;
  }
  return CheckSizes("out", *desc.out, {m, n});
}

absl::Status CheckQuantMode(const QuantGroupedMatmulDequantDesc& desc) {
  const std::string& mode = *desc.x_quant_mode;
  if (mode != "pertoken" && mode != "pertensor") {
    return Invalid(absl::StrCat("xQuantMode: \"", mode,
                                "\"; allowed are pertoken, pertensor"));
  }
  if (!desc.x_scale_optional.has_value()) {
    if (mode == "pertoken") return absl::OkStatus();
    return Invalid(
        "xQuantMode: pertensor without xScaleOptional; dynamic quantization "
        "allows only pertoken");
  }
  return CheckSizes("xScaleOptional", *desc.x_scale_optional,
                    {mode == "pertoken" ? desc.x->sizes[0] : 1});
}

// Of a tensor that has passed the checks.
size_t Stride(const TensorDesc& desc, size_t axis) {
  return static_cast<size_t>(EffectiveStrides(desc)[axis]);
}

QuantGroupedMatmulDequantGeometry Geometry(
    const QuantGroupedMatmulDequantDesc& desc) {
  QuantGroupedMatmulDequantGeometry geometry;
  geometry.m = static_cast<size_t>(desc.x->sizes[0]);
  geometry.k = static_cast<size_t>(desc.x->sizes[1]);
  geometry.n = static_cast<size_t>(desc.out->sizes[1]);
  geometry.groups = static_cast<size_t>(desc.weight->sizes[0]);
  geometry.is_dynamic = !desc.x_scale_optional.has_value();
  geometry.is_per_token = *desc.x_quant_mode == "pertoken";
  geometry.has_smooth_scale = desc.smooth_scale_optional.has_value();
  geometry.is_fractal_nz = desc.weight->layout == TensorLayout::kFractalNz;
  geometry.transpose_weight = desc.transpose_weight;
  geometry.x_row_stride = Stride(*desc.x, 0);
  geometry.x_column_stride = Stride(*desc.x, 1);
  geometry.weight_scale_group_stride = Stride(*desc.weight_scale, 0);
  geometry.weight_scale_column_stride = Stride(*desc.weight_scale, 1);
  geometry.group_list_stride = Stride(*desc.group_list, 0);
  geometry.x_bytes = ExtentBytes(*desc.x);
  geometry.weight_bytes = ExtentBytes(*desc.weight);
  geometry.weight_scale_bytes = ExtentBytes(*desc.weight_scale);
  geometry.group_list_bytes = ExtentBytes(*desc.group_list);
  geometry.out_bytes = ExtentBytes(*desc.out);
  if (!geometry.is_dynamic) {
    geometry.x_scale_stride = Stride(*desc.x_scale_optional, 0);
    geometry.x_scale_bytes = ExtentBytes(*desc.x_scale_optional);
  }
  if (geometry.has_smooth_scale) {
    geometry.smooth_scale_stride = Stride(*desc.smooth_scale_optional, 0);
    geometry.smooth_scale_bytes = ExtentBytes(*desc.smooth_scale_optional);
  }
  return geometry;
}

}  // namespace

size_t QuantGroupedMatmulDequantGeometry::WeightGroupStride() const {
  return weight_bytes / groups;
}

absl::StatusOr<QuantGroupedMatmulDequantGeometry>
CheckQuantGroupedMatmulDequant(const QuantGroupedMatmulDequantDesc& desc,
                               bool allow_transpose_weight_false) {
  absl::Status status =
      CheckPresenceAndTypes(desc, allow_transpose_weight_false);
  if (!status.ok()) return status;
  if (IsEmpty(*desc.x) || IsEmpty(*desc.weight) ||
      IsEmpty(*desc.weight_scale) || IsEmpty(*desc.group_list)) {
    QuantGroupedMatmulDequantGeometry geometry;
    geometry.is_empty = true;
    return geometry;
  }
  status = CheckFormats(Parameters(desc));
  if (!status.ok()) return status;
  status = CheckShapes(desc);
  if (!status.ok()) return status;
  status = CheckQuantMode(desc);
  if (!status.ok()) return status;
  return Geometry(desc);
}

}  // namespace qconform::optimized
