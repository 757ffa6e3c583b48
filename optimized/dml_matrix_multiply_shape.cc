#include "optimized/dml_matrix_multiply_shape.h"

#include <array>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "optimized/checks.h"

namespace qconform::optimized {
namespace {

constexpr ElementType kByteTypes[] = {ElementType::kUint8, ElementType::kInt8};
constexpr ElementType kScaleTypes[] = {ElementType::kFloat32};

struct Named {
  const char* name;
  const TensorDesc* desc;
};

// Padded with leading ones to four dimensions (QM-03).
std::array<int64_t, 4> FourSizes(const TensorDesc& desc) {
  std::array<int64_t, 4> sizes = {1, 1, 1, 1};
  const size_t rank = desc.sizes.size();
  for (size_t i = 0; i < rank; ++i) sizes[4 - rank + i] = desc.sizes[i];
  return sizes;
}

std::array<size_t, 4> FourStrides(const TensorDesc& desc) {
  std::array<size_t, 4> strides = {};
  const Dimensions given = EffectiveStrides(desc);
  for (size_t i = 0; i < given.size(); ++i) {
    strides[4 - given.size() + i] = static_cast<size_t>(given[i]);
  }
  return strides;
}

absl::Status CheckRequired(const Named& tensor) {
  if (tensor.desc != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(tensor.name, ": null; the tensor is required"));
}

absl::Status CheckTensor(const Named& tensor, size_t min_rank,
                         absl::Span<const ElementType> types) {
  if (absl::Status status = CheckRank(tensor.name, *tensor.desc, min_rank, 4);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckType(tensor.name, *tensor.desc, types);
      !status.ok()) {
    return status;
  }
  return CheckDmlTensor(tensor.name, *tensor.desc);
}

absl::Status CheckSameRank(const Named& tensor, const Named& first) {
  const size_t rank = tensor.desc->sizes.size();
  const size_t first_rank = first.desc->sizes.size();
  if (rank == first_rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(tensor.name, ": ", rank, " dimensions; ", first.name,
                   " has ", first_rank, ", and they must be equal"));
}

absl::Status CheckSameType(const Named& zero_point, const Named& tensor) {
  if (zero_point.desc->type == tensor.desc->type) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      zero_point.name, ": type ", ElementTypeName(zero_point.desc->type),
      "; it must be that of ", tensor.name, ", ",
      ElementTypeName(tensor.desc->type)));
}

// The four-dimensional sizes are `expected`.
absl::Status CheckSizes(const Named& tensor,
                        const std::array<int64_t, 4>& expected,
                        const std::string& reason) {
  if (FourSizes(*tensor.desc) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(tensor.name, ": sizes ", DimensionsText(tensor.desc->sizes),
                   "; expected ",
                   DimensionsText(Dimensions(expected.begin(), expected.end())),
                   " (or without leading ones), ", reason));
}

// Per tensor, or one value for each of `count` indices of `axis` (QM-02).
absl::Status CheckGranularity(const Named& tensor, size_t axis, int64_t count) {
  const std::array<int64_t, 4> per_tensor = {1, 1, 1, 1};
  std::array<int64_t, 4> per_index = per_tensor;
  per_index[axis] = count;
  const std::array<int64_t, 4> sizes = FourSizes(*tensor.desc);
  if (sizes == per_tensor || sizes == per_index) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      tensor.name, ": sizes ", DimensionsText(tensor.desc->sizes),
      "; allowed are {1, 1, 1, 1} and ",
      DimensionsText(Dimensions(per_index.begin(), per_index.end())),
      " (or without leading ones)"));
}

DmlMatrix MakeMatrix(const TensorDesc& desc) {
  return {desc.type == ElementType::kInt8, FourStrides(desc),
          ExtentBytes(desc)};
}

DmlParameter MakeParameter(const Named& tensor, size_t axis) {
  DmlParameter parameter;
  parameter.name = tensor.name;
  if (tensor.desc == nullptr) return parameter;
  parameter.present = true;
  parameter.is_signed = tensor.desc->type == ElementType::kInt8;
  parameter.count = static_cast<size_t>(FourSizes(*tensor.desc)[axis]);
  parameter.stride = parameter.count == 1 ? 0 : FourStrides(*tensor.desc)[axis];
  parameter.extent_bytes = ExtentBytes(*tensor.desc);
  return parameter;
}

}  // namespace

absl::StatusOr<DmlMatrixMultiplyShape> CheckDmlMatrixMultiply(
    const DmlQuantizedLinearMatrixMultiplyDesc& desc,
    DmlFeatureLevel feature_level) {
  const Named a = {"ATensor", desc.ATensor};
  const Named b = {"BTensor", desc.BTensor};
  const Named output = {"OutputTensor", desc.OutputTensor};
  struct Parameter {
    Named tensor;
    const Named* of;  // what it quantizes
    size_t axis;
    bool is_scale;
  };
  const Parameter parameters[] = {
      {{"AScaleTensor", desc.AScaleTensor}, &a, 2, true},
      {{"AZeroPointTensor", desc.AZeroPointTensor}, &a, 2, false},
      {{"BScaleTensor", desc.BScaleTensor}, &b, 3, true},
      {{"BZeroPointTensor", desc.BZeroPointTensor}, &b, 3, false},
      {{"OutputScaleTensor", desc.OutputScaleTensor}, &output, 2, true},
      {{"OutputZeroPointTensor", desc.OutputZeroPointTensor},
       &output,
       2,
       false},
  };

  const bool four_only = feature_level == DmlFeatureLevel::k2_1;
  for (const Named* tensor : {&a, &b, &output}) {
    if (absl::Status s = CheckRequired(*tensor); !s.ok()) return s;
    if (absl::Status s = CheckTensor(*tensor, four_only ? 4 : 2, kByteTypes);
        !s.ok()) {
      return s;
    }
    if (absl::Status s = CheckSameRank(*tensor, a); !s.ok()) return s;
  }
  for (const Parameter& parameter : parameters) {
    const Named& tensor = parameter.tensor;
    if (parameter.is_scale) {
      if (absl::Status s = CheckRequired(tensor); !s.ok()) return s;
    } else if (tensor.desc == nullptr) {
      continue;
    }
    if (absl::Status s = CheckTensor(
            tensor, four_only ? 4 : 1,
            parameter.is_scale ? absl::Span<const ElementType>(kScaleTypes)
                               : absl::Span<const ElementType>(kByteTypes));
        !s.ok()) {
      return s;
    }
    // AScaleTensor comes first and is always there.
    if (absl::Status s = CheckSameRank(tensor, parameters[0].tensor); !s.ok()) {
      return s;
    }
    if (parameter.is_scale) continue;
    if (absl::Status s = CheckSameType(tensor, *parameter.of); !s.ok()) {
      return s;  // QM-04
    }
  }

  const std::array<int64_t, 4> a_sizes = FourSizes(*a.desc);
  const std::array<int64_t, 4> b_sizes = FourSizes(*b.desc);
  if (absl::Status s =
          CheckSizes(b, {a_sizes[0], a_sizes[1], a_sizes[3], b_sizes[3]},
                     "by the batch, channel and K of ATensor");
      !s.ok()) {
    return s;
  }
  if (absl::Status s =
          CheckSizes(output, {a_sizes[0], a_sizes[1], a_sizes[2], b_sizes[3]},
                     "by the sizes of ATensor and BTensor");
      !s.ok()) {
    return s;
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.tensor.desc == nullptr) continue;
    if (absl::Status s =
            CheckGranularity(parameter.tensor, parameter.axis,
                             parameter.axis == 2 ? a_sizes[2] : b_sizes[3]);
        !s.ok()) {
      return s;
    }
  }
  if (absl::Status s = CheckOutputStrides(output.name, *output.desc); !s.ok()) {
    return s;
  }

  DmlMatrixMultiplyShape shape;
  shape.batches = static_cast<size_t>(a_sizes[0]);
  shape.channels = static_cast<size_t>(a_sizes[1]);
  shape.m = static_cast<size_t>(a_sizes[2]);
  shape.k = static_cast<size_t>(a_sizes[3]);
  shape.n = static_cast<size_t>(b_sizes[3]);
  shape.a = MakeMatrix(*a.desc);
  shape.b = MakeMatrix(*b.desc);
  shape.output = MakeMatrix(*output.desc);
  DmlParameter* const targets[] = {
      &shape.a_scale,      &shape.a_zero_point, &shape.b_scale,
      &shape.b_zero_point, &shape.output_scale, &shape.output_zero_point};
  for (size_t i = 0; i < std::size(targets); ++i) {
    *targets[i] = MakeParameter(parameters[i].tensor, parameters[i].axis);
  }
  return shape;
}

}  // namespace qconform::optimized
