#include "optimized/tf_quantize_and_dequantize_v2.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "optimized/checks.h"
#include "optimized/last_level_cache.h"

namespace qconform::optimized {
namespace {

using Attributes = TfQuantizeAndDequantizeV2Attributes;
using Constants = TfQuantizeAndDequantizeV2Constants;
using Data = TfQuantizeAndDequantizeV2Data;
using Desc = TfQuantizeAndDequantizeV2Desc;
using quantize_and_dequantize::Range;

// A smaller piece costs more to hand out than to do.
constexpr size_t kMinPieceElements = size_t{1} << 15;
// More pieces than this even out no thread's speed, but cost workspace.
constexpr size_t kMaxPieces = 1024;

bool HasElements(const TensorDesc& desc) {
  return std::find(desc.sizes.begin(), desc.sizes.end(), 0) == desc.sizes.end();
}

// Sizes that can be counted, and strides, if given, of the packed layout; the
// number of elements.
absl::StatusOr<size_t> CheckPacked(const std::string& name,
                                   const TensorDesc& desc) {
  if (desc.layout != TensorLayout::kNd) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": layout FRACTAL_NZ; only ND is allowed"));
  }
  for (const int64_t size : desc.sizes) {
    if (size < 0) {
      return absl::InvalidArgumentError(absl::StrCat(name, ": sizes ",
                                                     DimensionsText(desc.sizes),
                                                     "; none may be negative"));
    }
  }
  const bool has_elements = HasElements(desc);
  // Bytes must be countable too.
  constexpr int64_t kMaxElements = std::numeric_limits<int64_t>::max() / 4;
  int64_t elements = 1;
  for (const int64_t size : desc.sizes) {
    if (!has_elements) break;
    if (size > kMaxElements / elements) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": sizes ", DimensionsText(desc.sizes),
                       " take more than the allowed 2^63 - 1 bytes"));
    }
    elements *= size;
  }
  if (!desc.strides.has_value()) {
    return has_elements ? static_cast<size_t>(elements) : 0;
  }
  const Dimensions& strides = *desc.strides;
  if (strides.size() != desc.sizes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": ", strides.size(), " strides for ",
                     desc.sizes.size(), " dimensions; give one for each"));
  }
  int64_t packed = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    if (strides[i] < 0 ||
        (has_elements && desc.sizes[i] > 1 && strides[i] != packed)) {
      return absl::InvalidArgumentError(absl::StrCat(
          name, ": strides ", DimensionsText(strides), " with sizes ",
          DimensionsText(desc.sizes), "; only packed tensors are allowed"));
    }
    if (has_elements) packed *= desc.sizes[i];
  }
  return has_elements ? static_cast<size_t>(elements) : 0;
}

absl::StatusOr<size_t> CheckTensor(const std::string& name,
                                   const TensorDesc* desc) {
  if (desc == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": absent; the operator requires it"));
  }
  if (absl::Status status = CheckType(name, *desc, {ElementType::kFloat32});
      !status.ok()) {
    return status;
  }
  return CheckPacked(name, *desc);
}

// TQ-13; the number of elements of the input.
absl::StatusOr<size_t> CheckTensors(const Desc& desc) {
  const absl::StatusOr<size_t> elements = CheckTensor("input", desc.input);
  if (!elements.ok()) return elements;
  const absl::StatusOr<size_t> output = CheckTensor("output", desc.output);
  if (!output.ok()) return output;
  if (desc.output->sizes != desc.input->sizes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output: sizes ", DimensionsText(desc.output->sizes),
        "; they must equal input's, ", DimensionsText(desc.input->sizes)));
  }
  const struct {
    const char* name;
    const TensorDesc* desc;
  } bounds[] = {{"input_min", desc.input_min}, {"input_max", desc.input_max}};
  for (const auto& bound : bounds) {
    const absl::StatusOr<size_t> one = CheckTensor(bound.name, bound.desc);
    if (!one.ok()) return one;
    if (absl::Status status = CheckRank(bound.name, *bound.desc, 0, 0);
        !status.ok()) {
      return status;
    }
  }
  return elements;
}

// TQ-01, TQ-06, TQ-10, TQ-12
absl::StatusOr<quantize_and_dequantize::Format> CheckAttributes(
    const Attributes& attributes, TfArithmetic arithmetic) {
  const bool is_tensorflow = arithmetic == TfArithmetic::kTensorFlow;
  const int64_t bits = attributes.num_bits;
  const int64_t most = attributes.signed_input ? 61 : 62;
  const bool needs_two =
      attributes.signed_input && (attributes.narrow_range || is_tensorflow);
  const int64_t least = needs_two ? 2 : 1;
  if (bits < least || bits > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_bits: ", bits, "; allowed are ", least, " to ", most,
                     " for ", attributes.signed_input ? "signed" : "unsigned",
                     attributes.narrow_range ? " narrow" : "", " values",
                     is_tensorflow ? " in the arithmetic tensorflow" : ""));
  }
  quantize_and_dequantize::Format format;
  format.tensorflow = is_tensorflow;
  if (attributes.round_mode == "HALF_UP") {
    format.half_up = true;
  } else if (attributes.round_mode != "HALF_TO_EVEN") {
    return absl::InvalidArgumentError(
        absl::StrCat("round_mode: \"", attributes.round_mode,
                     "\"; allowed are \"HALF_TO_EVEN\" and \"HALF_UP\""));
  }
  if (attributes.signed_input) {
    const int64_t half = int64_t{1} << (bits - 1);
    format.quantized_min = attributes.narrow_range ? -half + 1 : -half;
    format.quantized_max = half - 1;
  } else {
    format.quantized_min = 0;
    format.quantized_max = (int64_t{1} << bits) - 1;
  }
  return format;
}

// TQ-07
absl::Status CheckBound(const std::string& name, float value) {
  if (std::isfinite(value)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": ", value, "; a given range must be finite"));
}

// TQ-05, TQ-07
absl::Status CheckOrder(float input_min, float input_max) {
  if (input_min <= input_max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("input_min: ", input_min,
                   "; it must not exceed input_max, which is ", input_max));
}

void ForEachPiece(size_t pieces, const RunContext& context,
                  absl::FunctionRef<void(size_t)> piece) {
  if (context.parallel_for != nullptr && pieces > 1) {
    context.parallel_for->Run(pieces, piece);
    return;
  }
  for (size_t i = 0; i < pieces; ++i) piece(i);
}

}  // namespace

absl::StatusOr<TfQuantizeAndDequantizeV2Plan>
TfQuantizeAndDequantizeV2Plan::Create(const Desc& desc,
                                      const Constants& constants) {
  const absl::StatusOr<size_t> elements = CheckTensors(desc);
  if (!elements.ok()) return elements.status();
  const auto format = CheckAttributes(desc.attributes, desc.arithmetic);
  if (!format.ok()) return format.status();

  TfQuantizeAndDequantizeV2Plan plan;
  plan.format_ = *format;
  plan.range_given_ = desc.attributes.range_given;
  plan.elements_ = *elements;
  constexpr size_t kRounding = 64;  // whole cache lines
  plan.piece_elements_ =
      std::max(kMinPieceElements,
               (*elements / kMaxPieces + kRounding) / kRounding * kRounding);
  plan.pieces_ = *elements / plan.piece_elements_ +
                 static_cast<size_t>(*elements % plan.piece_elements_ != 0);
  plan.kernels_ = &quantize_and_dequantize::DispatchKernels();
  if (!plan.range_given_) return plan;  // TQ-07: whatever the bounds hold

  for (const absl::Status& status :
       {plan.TakeBound("input_min", constants.input_min, plan.input_min_),
        plan.TakeBound("input_max", constants.input_max, plan.input_max_)}) {
    if (!status.ok()) return status;
  }
  if (plan.input_min_.has_value() && plan.input_max_.has_value()) {
    if (absl::Status status = CheckOrder(*plan.input_min_, *plan.input_max_);
        !status.ok()) {
      return status;
    }
    plan.prepared_ = quantize_and_dequantize::ChooseParameters(
        plan.format_, {*plan.input_min_, *plan.input_max_, true},
        /*range_is_given=*/true);
  }
  return plan;
}

absl::Status TfQuantizeAndDequantizeV2Plan::TakeBound(const std::string& name,
                                                      const float* constant,
                                                      Bound& bound) const {
  if (constant == nullptr) return absl::OkStatus();
  bound = *constant;
  return CheckBound(name, *constant);
}

absl::Status TfQuantizeAndDequantizeV2Plan::ReadBound(const std::string& name,
                                                      const Bound& bound,
                                                      const float* per_call,
                                                      float& value) const {
  if (bound.has_value()) {
    value = *bound;
    if (per_call == nullptr) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name,
                     ": given to Run, but the plan holds it as a constant; "
                     "give it to one of them"));
  }
  if (absl::Status status = CheckData(name, per_call); !status.ok()) {
    return status;
  }
  value = *per_call;
  return CheckBound(name, value);
}

absl::Status TfQuantizeAndDequantizeV2Plan::CheckAliases(
    const Data& data) const {
  const size_t bytes = elements_ * sizeof(float);
  const struct {
    const char* name;
    const float* input;
    size_t bytes;
  } inputs[] = {{"input", data.input, bytes},
                {"input_min", data.per_call.input_min, sizeof(float)},
                {"input_max", data.per_call.input_max, sizeof(float)}};
  for (const auto& input : inputs) {
    if (input.input == nullptr) continue;
    if (absl::Status status = CheckNoOverlap(
            "output", data.output, bytes, input.name, input.input, input.bytes);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

size_t TfQuantizeAndDequantizeV2Plan::WorkspaceBytes() const {
  return !range_given_ && pieces_ > 1 ? pieces_ * sizeof(Range) : 0;
}

// One pass over the data. Pieces leave their ranges in the workspace, which may
// have any alignment.
Range TfQuantizeAndDequantizeV2Plan::Measure(const float* input,
                                             const RunContext& context) const {
  if (pieces_ == 1) return kernels_->measure(input, elements_);
  std::byte* ranges = context.workspace.data();
  ForEachPiece(pieces_, context, [&](size_t piece) {
    const size_t begin = piece * piece_elements_;
    const Range range = kernels_->measure(
        input + begin, std::min(piece_elements_, elements_ - begin));
    memcpy(ranges + piece * sizeof(Range), &range, sizeof(Range));
  });
  Range whole = {input[0], input[0], true};
  for (size_t piece = 0; piece < pieces_; ++piece) {
    Range range;
    memcpy(&range, ranges + piece * sizeof(Range), sizeof(Range));
    whole.min = std::min(whole.min, range.min);
    whole.max = std::max(whole.max, range.max);
    whole.is_finite &= range.is_finite;
  }
  return whole;
}

absl::Status TfQuantizeAndDequantizeV2Plan::Run(
    const Data& data, const RunContext& context) const {
  if (elements_ != 0) {
    if (absl::Status status = CheckData("input", data.input); !status.ok()) {
      return status;
    }
    if (absl::Status status = CheckData("output", data.output); !status.ok()) {
      return status;
    }
  }
  Range range;
  if (range_given_) {
    for (const absl::Status& status :
         {ReadBound("input_min", input_min_, data.per_call.input_min,
                    range.min),
          ReadBound("input_max", input_max_, data.per_call.input_max,
                    range.max)}) {
      if (!status.ok()) return status;
    }
    if (absl::Status status = CheckOrder(range.min, range.max); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = CheckAliases(data); !status.ok()) return status;
  if (absl::Status status = CheckWorkspace(context, WorkspaceBytes());
      !status.ok()) {
    return status;
  }
  if (elements_ == 0) return absl::OkStatus();  // TQ-09

  if (!range_given_) range = Measure(data.input, context);
  quantize_and_dequantize::Parameters parameters =
      prepared_.has_value() ? *prepared_
                            : quantize_and_dequantize::ChooseParameters(
                                  format_, range, range_given_);
  parameters.streams = elements_ > StreamedBytes() / (2 * sizeof(float));
  const auto run = kernels_->run[static_cast<size_t>(parameters.kernel)];
  ForEachPiece(pieces_, context, [&](size_t piece) {
    const size_t begin = piece * piece_elements_;
    run(parameters, data.input + begin,
        std::min(piece_elements_, elements_ - begin), data.output + begin);
  });
  return absl::OkStatus();
}

}  // namespace qconform::optimized
