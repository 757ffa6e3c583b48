#include "optimized/dml_element_wise_quantized_linear_add.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "optimized/checks.h"
#include "optimized/dml_element_wise_quantized_linear_add_descriptions.h"
#include "optimized/last_level_cache.h"

namespace qconform::optimized {
namespace {

using linear_add::kAScale;
using linear_add::kAZeroPoint;
using linear_add::kBScale;
using linear_add::kBZeroPoint;
using linear_add::kOutputScale;
using linear_add::kOutputZeroPoint;
using linear_add::kParameterCount;
using linear_add::kParameterNames;
using Desc = DmlElementWiseQuantizedLinearAddDesc;
using Constants = DmlElementWiseQuantizedLinearAddConstants;

bool IsScale(size_t parameter) { return parameter % 2 == 0; }

std::array<const void*, kParameterCount> Pointers(const Constants& constants) {
  return {constants.AScaleTensor,      constants.AZeroPointTensor,
          constants.BScaleTensor,      constants.BZeroPointTensor,
          constants.OutputScaleTensor, constants.OutputZeroPointTensor};
}

// A plan for constant scales looks for digits, which takes ten to twenty
// microseconds; from this many elements on up to a few hundred, where only
// trying pairs can tell.
constexpr int64_t kElementsWorthTrials = int64_t{1} << 6;
// A call that brings scales has to earn the time back alone.
constexpr int64_t kElementsWorthLookPerCall = int64_t{1} << 15;

// A task of fewer elements costs more to hand out than to do.
constexpr int64_t kMinElementsPerTask = int64_t{1} << 15;

// Elements that are gathered at a time where strides keep vectors from being
// loaded; three buffers of it fit any first-level cache.
constexpr int64_t kGatheredElements = 1024;

// Runs of fewer elements are gathered too: a call of the kernel for each would
// cost more than copying them together.
constexpr int64_t kMinRun = 64;

// Checks and stores the value of one scale or zero point.
absl::Status TakeValue(size_t parameter, const void* data,
                       linear_add::Quantization& q) {
  if (IsScale(parameter)) {
    const float* scale = static_cast<const float*>(data);
    if (absl::Status status =
            CheckScales(kParameterNames[parameter], scale, 1, 1);
        !status.ok()) {
      return status;
    }
    (parameter == kAScale   ? q.a_scale
     : parameter == kBScale ? q.b_scale
                            : q.output_scale) = *scale;
    return absl::OkStatus();
  }
  const bool is_signed = parameter == kAZeroPoint   ? q.a_is_signed
                         : parameter == kBZeroPoint ? q.b_is_signed
                                                    : q.output_is_signed;
  (parameter == kAZeroPoint   ? q.a_zero_point
   : parameter == kBZeroPoint ? q.b_zero_point
                              : q.output_zero_point) =
      is_signed ? *static_cast<const int8_t*>(data)
                : *static_cast<const uint8_t*>(data);
  return absl::OkStatus();
}

bool IsAnyGiven(const Constants& constants) {
  const auto pointers = Pointers(constants);
  return std::any_of(pointers.begin(), pointers.end(),
                     [](const void* data) { return data != nullptr; });
}

absl::Status NotAPresentTensor(size_t parameter) {
  return absl::InvalidArgumentError(
      absl::StrCat(kParameterNames[parameter],
                   ": data of a tensor that the plan's description says is "
                   "absent; give null"));
}

}  // namespace

// Where the data of one call is, and what to do with it.
struct DmlElementWiseQuantizedLinearAddPlan::Walk {
  const uint8_t* a;
  const uint8_t* b;
  uint8_t* output;
  const linear_add::Parameters* parameters;
  linear_add::Row row;
  // Null: the row above computes.
  const linear_add::Digits* digits;
  linear_add::DigitRow digit_row;

  void Compute(const uint8_t* from_a, const uint8_t* from_b, size_t count,
               uint8_t* to) const {
    if (digits != nullptr) {
      digit_row(*digits, from_a, from_b, count, to);
    } else {
      row(*parameters, from_a, from_b, count, to);
    }
  }

  // Calls run(a_offset, b_offset, output_offset, count) for the elements
  // [begin, end), counted row by row over `axes`; each run lies along the last
  // axis.
  template <class Run>
  static void ForEachRun(const absl::InlinedVector<Axis, 8>& axes,
                         int64_t begin, int64_t end, const Run& run) {
    const Axis& inner = axes.back();
    std::array<int64_t, 8> index = {};
    int64_t rest = begin;
    for (size_t i = axes.size(); i-- > 0;) {
      index[i] = rest % axes[i].size;
      rest /= axes[i].size;
    }
    while (begin < end) {
      int64_t a_offset = 0;
      int64_t b_offset = 0;
      int64_t output_offset = 0;
      for (size_t i = 0; i < axes.size(); ++i) {
        a_offset += index[i] * axes[i].a_stride;
        b_offset += index[i] * axes[i].b_stride;
        output_offset += index[i] * axes[i].output_stride;
      }
      const int64_t count =
          std::min(inner.size - index[axes.size() - 1], end - begin);
      run(a_offset, b_offset, output_offset, count);
      begin += count;
      index[axes.size() - 1] = 0;
      for (size_t i = axes.size() - 1; i-- > 0;) {
        if (++index[i] < axes[i].size) break;
        index[i] = 0;
      }
    }
  }
};

// The operation goes element by element, so the order of the dimensions does
// not matter: they are sorted by the output's strides, and neighbours that are
// contiguous in all three tensors become one.
void DmlElementWiseQuantizedLinearAddPlan::JoinAxes(const Desc& desc) {
  const Dimensions a = EffectiveStrides(*desc.ATensor);
  const Dimensions b = EffectiveStrides(*desc.BTensor);
  const Dimensions output = EffectiveStrides(*desc.OutputTensor);
  const Dimensions& sizes = desc.OutputTensor->sizes;
  absl::InlinedVector<Axis, 8> sorted;
  elements_ = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    elements_ *= sizes[i];
    if (sizes[i] > 1) sorted.push_back({sizes[i], a[i], b[i], output[i]});
  }
  std::sort(sorted.begin(), sorted.end(), [](const Axis& x, const Axis& y) {
    return x.output_stride > y.output_stride;
  });
  // Divides, because a product of a legal stride and size may pass int64.
  const auto continues = [](int64_t outer, int64_t inner, int64_t size) {
    return outer % size == 0 && outer / size == inner;
  };
  for (const Axis& inner : sorted) {
    if (!axes_.empty()) {
      Axis& outer = axes_.back();
      if (continues(outer.a_stride, inner.a_stride, inner.size) &&
          continues(outer.b_stride, inner.b_stride, inner.size) &&
          continues(outer.output_stride, inner.output_stride, inner.size)) {
        outer = {outer.size * inner.size, inner.a_stride, inner.b_stride,
                 inner.output_stride};
        continue;
      }
    }
    axes_.push_back(inner);
  }
  if (axes_.empty()) axes_.push_back({1, 1, 1, 1});
  const Axis& inner = axes_.back();
  is_one_run_ = axes_.size() == 1 && inner.a_stride == 1 &&
                inner.b_stride == 1 && inner.output_stride == 1;
}

absl::StatusOr<DmlElementWiseQuantizedLinearAddPlan>
DmlElementWiseQuantizedLinearAddPlan::Create(const Desc& desc,
                                             const Constants& constants) {
  if (absl::Status status = linear_add::CheckDescriptions(desc); !status.ok()) {
    return status;
  }
  DmlElementWiseQuantizedLinearAddPlan plan;
  plan.JoinAxes(desc);
  plan.a_bytes_ = ExtentBytes(*desc.ATensor);
  plan.b_bytes_ = ExtentBytes(*desc.BTensor);
  plan.output_bytes_ = ExtentBytes(*desc.OutputTensor);
  plan.quantization_.a_is_signed = desc.ATensor->type == ElementType::kInt8;
  plan.quantization_.b_is_signed = desc.BTensor->type == ElementType::kInt8;
  plan.quantization_.output_is_signed =
      desc.OutputTensor->type == ElementType::kInt8;
  for (const size_t scale : {kAScale, kBScale, kOutputScale}) {
    plan.parameters_known_[scale].present = true;
  }
  plan.parameters_known_[kAZeroPoint].present =
      desc.AZeroPointTensor != nullptr;
  plan.parameters_known_[kBZeroPoint].present =
      desc.BZeroPointTensor != nullptr;
  plan.parameters_known_[kOutputZeroPoint].present =
      desc.OutputZeroPointTensor != nullptr;
  plan.kernels_ = &linear_add::DispatchKernels();
  plan.digit_kernels_ = &linear_add::DispatchDigits();
  if (absl::Status status = plan.TakeConstants(constants); !status.ok()) {
    return status;
  }
  return plan;
}

absl::Status DmlElementWiseQuantizedLinearAddPlan::TakeConstants(
    const Constants& constants) {
  const auto pointers = Pointers(constants);
  bool all_constant = true;
  for (size_t i = 0; i < kParameterCount; ++i) {
    Parameter& known = parameters_known_[i];
    if (pointers[i] == nullptr) {
      all_constant &= !known.present;
      continue;
    }
    if (!known.present) return NotAPresentTensor(i);
    known.constant = true;
    if (absl::Status status = TakeValue(i, pointers[i], quantization_);
        !status.ok()) {
      return status;
    }
  }
  if (!all_constant) return absl::OkStatus();
  prepared_ = linear_add::ChooseParameters(quantization_);
  const bool tries_pairs = elements_ >= kElementsWorthTrials;
  digits_ = linear_add::SearchDigits(*prepared_, *digit_kernels_,
                                     TruthOf(*prepared_), tries_pairs);
  if (tries_pairs && !digits_.has_value() &&
      prepared_->kernel == linear_add::Kernel::kFiltered &&
      linear_add::ProductIsExact(*kernels_, *prepared_)) {
    prepared_->kernel = linear_add::Kernel::kProduct;
  }
  if (digits_.has_value()) digits_->streams = Streams();
  return absl::OkStatus();
}

linear_add::Row DmlElementWiseQuantizedLinearAddPlan::TruthOf(
    const linear_add::Parameters& parameters) const {
  return kernels_->rows[static_cast<size_t>(parameters.kernel)];
}

// Whether the output should go past the caches.
bool DmlElementWiseQuantizedLinearAddPlan::Streams() const {
  return is_one_run_ && 3 * static_cast<size_t>(elements_) > StreamedBytes();
}

absl::Status DmlElementWiseQuantizedLinearAddPlan::ReadPerCall(
    const Constants& per_call, linear_add::Quantization& quantization) const {
  const auto pointers = Pointers(per_call);
  for (size_t i = 0; i < kParameterCount; ++i) {
    const Parameter& known = parameters_known_[i];
    if (pointers[i] == nullptr) {
      if (!known.present || known.constant) continue;
      return CheckData(kParameterNames[i], nullptr);
    }
    if (!known.present) return NotAPresentTensor(i);
    if (known.constant) {
      return absl::InvalidArgumentError(
          absl::StrCat(kParameterNames[i],
                       ": given to Run, but the plan holds it as a constant; "
                       "give it to one of them"));
    }
    if (absl::Status status = TakeValue(i, pointers[i], quantization);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status DmlElementWiseQuantizedLinearAddPlan::CheckAliases(
    const DmlElementWiseQuantizedLinearAddData& data) const {
  const auto check = [&](const char* name, const void* input, size_t bytes) {
    return CheckNoOverlap("OutputTensor", data.OutputTensor, output_bytes_,
                          name, input, bytes);
  };
  if (absl::Status status = check("ATensor", data.ATensor, a_bytes_);
      !status.ok()) {
    return status;
  }
  if (absl::Status status = check("BTensor", data.BTensor, b_bytes_);
      !status.ok()) {
    return status;
  }
  const auto pointers = Pointers(data.per_call);
  for (size_t i = 0; i < kParameterCount; ++i) {
    if (pointers[i] == nullptr) continue;
    const size_t bytes = IsScale(i) ? sizeof(float) : sizeof(uint8_t);
    if (absl::Status status = check(kParameterNames[i], pointers[i], bytes);
        !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

absl::Status DmlElementWiseQuantizedLinearAddPlan::Run(
    const DmlElementWiseQuantizedLinearAddData& data,
    const RunContext& context) const {
  if (absl::Status status = CheckData("ATensor", data.ATensor); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckData("BTensor", data.BTensor); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckData("OutputTensor", data.OutputTensor);
      !status.ok()) {
    return status;
  }
  // Values that come with the call, and what follows from them.
  std::optional<linear_add::Quantization> quantization;
  std::optional<linear_add::Parameters> own_parameters;
  std::optional<linear_add::Digits> own_digits;
  if (!prepared_.has_value() || IsAnyGiven(data.per_call)) {
    quantization = quantization_;
    if (absl::Status status = ReadPerCall(data.per_call, *quantization);
        !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = CheckAliases(data); !status.ok()) return status;

  const linear_add::Parameters* parameters = nullptr;
  const linear_add::Digits* digits = nullptr;
  if (prepared_.has_value()) {
    parameters = &*prepared_;
    if (digits_.has_value()) digits = &*digits_;
  } else {
    parameters =
        &own_parameters.emplace(linear_add::ChooseParameters(*quantization));
    if (elements_ >= kElementsWorthLookPerCall) {
      own_digits = linear_add::QuickDigits(*parameters, *digit_kernels_);
    }
    if (own_digits.has_value()) {
      own_digits->streams = Streams();
      digits = &*own_digits;
    }
  }
  const Walk walk = {
      static_cast<const uint8_t*>(data.ATensor),
      static_cast<const uint8_t*>(data.BTensor),
      static_cast<uint8_t*>(data.OutputTensor),
      parameters,
      TruthOf(*parameters),
      digits,
      digits == nullptr
          ? nullptr
          : digit_kernels_->rows[static_cast<size_t>(digits->kernel)]};
  const int64_t most_tasks =
      std::max<int64_t>(elements_ / kMinElementsPerTask, 1);
  if (context.parallel_for == nullptr || most_tasks == 1) {
    ComputeRange(walk, 0, elements_);
    return absl::OkStatus();
  }
  // A few tasks for each thread even out their speeds.
  const int64_t tasks = std::clamp<int64_t>(
      4 * static_cast<int64_t>(context.parallel_for->MaxThreads()), 1,
      most_tasks);
  const int64_t per_task = (elements_ + tasks - 1) / tasks;
  context.parallel_for->Run(static_cast<size_t>(tasks), [&](size_t task) {
    const int64_t begin =
        std::min(elements_, static_cast<int64_t>(task) * per_task);
    ComputeRange(walk, begin, std::min(elements_, begin + per_task));
  });
  return absl::OkStatus();
}

void DmlElementWiseQuantizedLinearAddPlan::ComputeRange(const Walk& walk,
                                                        int64_t begin,
                                                        int64_t end) const {
  if (is_one_run_) {
    walk.Compute(walk.a + begin, walk.b + begin,
                 static_cast<size_t>(end - begin), walk.output + begin);
    return;
  }
  const Axis& inner = axes_.back();
  if (inner.output_stride == 1 && inner.a_stride <= 1 && inner.b_stride <= 1 &&
      (inner.size >= kMinRun || axes_.size() == 1)) {
    ComputeRuns(walk, begin, end);
  } else {
    ComputeGathered(walk, begin, end);
  }
}

void DmlElementWiseQuantizedLinearAddPlan::ComputeRuns(const Walk& walk,
                                                       int64_t begin,
                                                       int64_t end) const {
  const Axis& inner = axes_.back();
  uint8_t a_repeated[kGatheredElements];
  uint8_t b_repeated[kGatheredElements];
  Walk::ForEachRun(
      axes_, begin, end,
      [&](int64_t a_offset, int64_t b_offset, int64_t output_offset,
          int64_t count) {
        const uint8_t* a = walk.a + a_offset;
        const uint8_t* b = walk.b + b_offset;
        uint8_t* output = walk.output + output_offset;
        if (inner.a_stride == 1 && inner.b_stride == 1) {
          walk.Compute(a, b, static_cast<size_t>(count), output);
          return;
        }
        // A broadcast value is repeated once and read again for each piece.
        const size_t piece =
            static_cast<size_t>(std::min(count, kGatheredElements));
        if (inner.a_stride == 0) memset(a_repeated, *a, piece);
        if (inner.b_stride == 0) memset(b_repeated, *b, piece);
        for (int64_t i = 0; i < count; i += kGatheredElements) {
          walk.Compute(
              inner.a_stride == 0 ? a_repeated : a + i,
              inner.b_stride == 0 ? b_repeated : b + i,
              static_cast<size_t>(std::min(count - i, kGatheredElements)),
              output + i);
        }
      });
}

void DmlElementWiseQuantizedLinearAddPlan::ComputeGathered(const Walk& walk,
                                                           int64_t begin,
                                                           int64_t end) const {
  const Axis& inner = axes_.back();
  uint8_t a_gathered[kGatheredElements];
  uint8_t b_gathered[kGatheredElements];
  uint8_t results[kGatheredElements];
  for (; begin < end; begin += kGatheredElements) {
    const int64_t piece_end = std::min(end, begin + kGatheredElements);
    size_t filled = 0;
    Walk::ForEachRun(
        axes_, begin, piece_end,
        [&](int64_t a_offset, int64_t b_offset, int64_t /*output*/,
            int64_t count) {
          for (int64_t i = 0; i < count; ++i, ++filled) {
            a_gathered[filled] = walk.a[a_offset + i * inner.a_stride];
            b_gathered[filled] = walk.b[b_offset + i * inner.b_stride];
          }
        });
    walk.Compute(a_gathered, b_gathered, filled, results);
    size_t taken = 0;
    Walk::ForEachRun(axes_, begin, piece_end,
                     [&](int64_t /*a*/, int64_t /*b*/, int64_t output_offset,
                         int64_t count) {
                       for (int64_t i = 0; i < count; ++i, ++taken) {
                         walk.output[output_offset + i * inner.output_stride] =
                             results[taken];
                       }
                     });
  }
}

}  // namespace qconform::optimized
