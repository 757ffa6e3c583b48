#include "optimized/aclnn_quant_grouped_matmul_dequant.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "optimized/aclnn_status.h"
#include "optimized/checks.h"

namespace qconform::optimized {
namespace {

constexpr size_t kAlignment = 64;

size_t RoundUp(size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Bytes of the parts of a workspace, rounded up to keep each part aligned.
// Saturates, so that an impossible size is an allocation that fails and not a
// small number.
class Layout {
 public:
  size_t Add(size_t count, size_t element_size) {
    const size_t offset = bytes_;
    const unsigned __int128 total =
        static_cast<unsigned __int128>(count) * element_size + bytes_ +
        kAlignment;
    constexpr size_t kMax = std::numeric_limits<size_t>::max() / 4;
    bytes_ = total > kMax ? kMax : RoundUp(bytes_ + count * element_size);
    return offset;
  }
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

// Dequantizes the sums of one group.
class DequantizeEpilogue : public SumEpilogue {
 public:
  DequantizeEpilogue(const GroupedMatmulKernels& kernels, bool is_dynamic,
                     const float* weight_scale, const float* row_factors,
                     uint16_t* out, size_t out_stride)
      : kernels_(kernels),
        is_dynamic_(is_dynamic),
        weight_scale_(weight_scale),
        row_factors_(row_factors),
        out_(out),
        out_stride_(out_stride) {}

  void Consume(const SumTile& tile) override {
    for (size_t r = 0; r < tile.rows; ++r) {
      const size_t row = tile.first_row + r;
      const Dequantization dequantization = {
          .weight_scale = weight_scale_ + tile.first_column,
          .row_factor = row_factors_[row],
          .is_dynamic = is_dynamic_};
      uint16_t* out = out_ + row * out_stride_ + tile.first_column;
      if (tile.narrow != nullptr) {
        kernels_.dequantize(dequantization, tile.narrow + r * tile.row_stride,
                            tile.columns, out);
      } else {
        DequantizeWide(dequantization, tile.wide + r * tile.row_stride,
                       tile.columns, out);
      }
    }
  }

 private:
  const GroupedMatmulKernels& kernels_;
  const bool is_dynamic_;
  const float* const weight_scale_;
  const float* const row_factors_;
  uint16_t* const out_;
  const size_t out_stride_;
};

void ForEachTask(ParallelFor* parallel_for, size_t tasks,
                 absl::FunctionRef<void(size_t)> task) {
  if (tasks > 1) {
    parallel_for->Run(tasks, task);
  } else {
    task(0);
  }
}

}  // namespace

void QuantGroupedMatmulDequant::FreeDeleter::operator()(
    std::byte* memory) const {
  std::free(memory);
}

// Byte offsets from an aligned address.
struct QuantGroupedMatmulDequant::WorkspaceLayout {
  size_t weight_scale = 0;
  size_t group_ends = 0;
  size_t x_scale = 0;
  size_t smooth_scale = 0;
  size_t row_factors = 0;
  size_t quantized = 0;
  size_t packed_weight = 0;  // of one group at a time
  size_t first_task = 0;
  size_t bytes_per_task = 0;
};

struct QuantGroupedMatmulDequant::Call {
  const uint16_t* x = nullptr;
  const void* weight = nullptr;  // null: packed in the plan
  uint16_t* out = nullptr;
  const float* weight_scale = nullptr;
  const int64_t* group_ends = nullptr;
  const float* x_scale = nullptr;  // null: dynamic
  const float* smooth_scale = nullptr;
  float* row_factors = nullptr;
  int8_t* quantized = nullptr;
  std::byte* packed_weight = nullptr;
  std::byte* first_task = nullptr;
  size_t bytes_per_task = 0;
  ParallelFor* parallel_for = nullptr;
  // Tasks divide the panels, and if there are too few of those also the rows.
  size_t column_tasks = 1;
  size_t row_tasks = 1;

  size_t tasks() const { return column_tasks * row_tasks; }
};

QuantGroupedMatmulDequant::QuantGroupedMatmulDequant(
    const QuantGroupedMatmulDequantGeometry& geometry, const IntegerGemm& gemm)
    : geometry_(geometry),
      gemm_(gemm),
      kernels_(&ChooseGroupedMatmulKernels()) {}

absl::StatusOr<QuantGroupedMatmulDequant> QuantGroupedMatmulDequant::Plan(
    const QuantGroupedMatmulDequantDesc& desc,
    const QuantGroupedMatmulDequantParameters& constants,
    const QuantGroupedMatmulDequantOptions& options) {
  const absl::StatusOr<QuantGroupedMatmulDequantGeometry> geometry =
      CheckQuantGroupedMatmulDequant(desc,
                                     options.allow_transpose_weight_false);
  if (!geometry.ok()) return geometry.status();
  // The GEMM of an empty call is never used.
  const IntegerGemm gemm(std::max<size_t>(geometry->k, 1),
                         std::max<size_t>(geometry->n, 1));
  QuantGroupedMatmulDequant plan(*geometry, gemm);
  if (!geometry->is_empty) {
    absl::Status status = plan.TakeConstants(constants);
    if (!status.ok()) return status;
  }
  return plan;
}

absl::Status QuantGroupedMatmulDequant::TakeConstants(
    const QuantGroupedMatmulDequantParameters& constants) {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  if (absl::Status s = CheckConstantPointers(constants); !s.ok()) return s;
  if (constants.weight_scale != nullptr) weight_scale_.resize(g.groups * g.n);
  if (constants.group_list != nullptr) group_ends_.resize(g.groups);
  if (constants.x_scale != nullptr) x_scale_.resize(XScaleCount());
  if (constants.smooth_scale != nullptr) smooth_scale_.resize(g.k);
  absl::Status status =
      ReadParameters(constants, weight_scale_.data(), group_ends_.data(),
                     x_scale_.data(), smooth_scale_.data());
  if (!status.ok() || constants.weight == nullptr) return status;
  const size_t group_bytes = RoundUp(gemm_.PackedBytes());
  packed_weight_.reset(static_cast<std::byte*>(
      std::aligned_alloc(kAlignment, group_bytes * g.groups)));
  if (packed_weight_ == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("weight: no memory for its packed form, ",
                     group_bytes * g.groups, " bytes"));
  }
  for (size_t group = 0; group < g.groups; ++group) {
    gemm_.PackB(WeightOfGroup(constants.weight, group), 0, gemm_.PanelCount(),
                IntegerGemm::Packing::kOnce,
                packed_weight_.get() + group * group_bytes);
  }
  return absl::OkStatus();
}

QuantGroupedMatmulDequant::WorkspaceLayout
QuantGroupedMatmulDequant::DivideWorkspace() const {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  Layout layout;
  WorkspaceLayout offsets;
  offsets.weight_scale =
      layout.Add(weight_scale_.empty() ? g.groups * g.n : 0, sizeof(float));
  offsets.group_ends =
      layout.Add(group_ends_.empty() ? g.groups : 0, sizeof(int64_t));
  offsets.x_scale = layout.Add(
      x_scale_.empty() && !g.is_dynamic ? XScaleCount() : 0, sizeof(float));
  offsets.smooth_scale = layout.Add(
      smooth_scale_.empty() && g.has_smooth_scale ? g.k : 0, sizeof(float));
  offsets.row_factors = layout.Add(g.m, sizeof(float));
  offsets.quantized = layout.Add(g.m, g.k);
  offsets.packed_weight =
      layout.Add(packed_weight_ == nullptr ? gemm_.PackedBytes() : 0, 1);
  offsets.first_task = layout.bytes();
  offsets.bytes_per_task = RoundUp(gemm_.WorkspaceBytes(g.m));
  return offsets;
}

size_t QuantGroupedMatmulDequant::WorkspaceBytes(size_t threads) const {
  if (geometry_.is_empty) return 0;
  const WorkspaceLayout offsets = DivideWorkspace();
  // Up to kAlignment - 1 bytes are lost to align the caller's memory.
  return offsets.first_task +
         std::max<size_t>(threads, 1) * offsets.bytes_per_task + kAlignment - 1;
}

absl::Status QuantGroupedMatmulDequant::Run(
    const void* x, const QuantGroupedMatmulDequantParameters& per_call,
    void* out, const RunContext& context) const {
  if (geometry_.is_empty) return absl::OkStatus();  // AG-11
  absl::Status status = CheckPointers(x, per_call, out);
  if (!status.ok()) return status;
  if (context.workspace.size() < WorkspaceBytes(1)) {
    return AclnnError(
        kAclnnErrorInvalidParameter,
        std::string(CheckWorkspace(context, WorkspaceBytes(1)).message()));
  }
  status = CheckOverlap(x, per_call, out);
  if (!status.ok()) return status;

  const WorkspaceLayout offsets = DivideWorkspace();
  const size_t misalignment =
      reinterpret_cast<uintptr_t>(context.workspace.data()) % kAlignment;
  std::byte* const begin = context.workspace.data() +
                           (misalignment == 0 ? 0 : kAlignment - misalignment);
  auto* weight_scale = reinterpret_cast<float*>(begin + offsets.weight_scale);
  auto* group_ends = reinterpret_cast<int64_t*>(begin + offsets.group_ends);
  auto* x_scale = reinterpret_cast<float*>(begin + offsets.x_scale);
  auto* smooth_scale = reinterpret_cast<float*>(begin + offsets.smooth_scale);
  status =
      ReadParameters(per_call, weight_scale, group_ends, x_scale, smooth_scale);
  if (!status.ok()) return status;

  Call call;
  call.x = static_cast<const uint16_t*>(x);
  call.weight = per_call.weight;
  call.out = static_cast<uint16_t*>(out);
  call.weight_scale =
      weight_scale_.empty() ? weight_scale : weight_scale_.data();
  call.group_ends = group_ends_.empty() ? group_ends : group_ends_.data();
  if (!geometry_.is_dynamic) {
    call.x_scale = x_scale_.empty() ? x_scale : x_scale_.data();
  }
  if (geometry_.has_smooth_scale) {
    call.smooth_scale =
        smooth_scale_.empty() ? smooth_scale : smooth_scale_.data();
  }
  call.row_factors = reinterpret_cast<float*>(begin + offsets.row_factors);
  call.quantized = reinterpret_cast<int8_t*>(begin + offsets.quantized);
  call.packed_weight = begin + offsets.packed_weight;
  call.first_task = begin + offsets.first_task;
  call.bytes_per_task = offsets.bytes_per_task;
  call.parallel_for = context.parallel_for;
  if (context.parallel_for != nullptr) {
    const size_t workspaces =
        (context.workspace.size() - offsets.first_task - (kAlignment - 1)) /
        std::max<size_t>(offsets.bytes_per_task, 1);
    const size_t threads =
        std::clamp<size_t>(context.parallel_for->MaxThreads(), 1, workspaces);
    call.column_tasks = std::min(threads, gemm_.PanelCount());
    call.row_tasks = std::min(threads / call.column_tasks, geometry_.m);
  }
  QuantizeAll(call);
  MultiplyAll(call);
  return absl::OkStatus();
}

// Rows past the last group are not read (AG-03).
void QuantGroupedMatmulDequant::QuantizeAll(const Call& call) const {
  const RowQuantization quantization = {
      .x = call.x,
      .row_stride = geometry_.x_row_stride,
      .column_stride = geometry_.x_column_stride,
      .k = geometry_.k,
      .smooth = call.smooth_scale,
      .x_scale = call.x_scale,
      // AG-06: the absolute row.
      .x_scale_stride = geometry_.is_per_token ? size_t{1} : size_t{0},
      .quantized = call.quantized,
      .row_factors = call.row_factors};
  const auto rows = static_cast<size_t>(call.group_ends[geometry_.groups - 1]);
  const size_t tasks = call.tasks();
  ForEachTask(call.parallel_for, tasks, [&](size_t task) {
    kernels_->quantize_rows(quantization, rows * task / tasks,
                            rows * (task + 1) / tasks);
  });
}

void QuantGroupedMatmulDequant::MultiplyAll(const Call& call) const {
  const size_t tasks = call.tasks();
  if (call.weight == nullptr) {
    const size_t group_bytes = RoundUp(gemm_.PackedBytes());
    ForEachTask(call.parallel_for, tasks, [&](size_t task) {
      for (size_t group = 0; group < geometry_.groups; ++group) {
        MultiplyGroup(call, group, packed_weight_.get() + group * group_bytes,
                      task);
      }
    });
    return;
  }
  const size_t panels = gemm_.PanelCount();
  size_t first_row = 0;
  for (size_t group = 0; group < geometry_.groups; ++group) {
    const auto end = static_cast<size_t>(call.group_ends[group]);
    if (end == first_row) continue;  // nothing would use the packed weight
    first_row = end;
    const ByteMatrix weight = WeightOfGroup(call.weight, group);
    ForEachTask(call.parallel_for, tasks, [&](size_t task) {
      gemm_.PackB(weight, panels * task / tasks, panels * (task + 1) / tasks,
                  IntegerGemm::Packing::kForOneCall, call.packed_weight);
    });
    ForEachTask(call.parallel_for, tasks, [&](size_t task) {
      MultiplyGroup(call, group, call.packed_weight, task);
    });
  }
}

// One task's part of a group: some of the panels and some of the rows.
void QuantGroupedMatmulDequant::MultiplyGroup(const Call& call, size_t group,
                                              const std::byte* packed,
                                              size_t task) const {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  const size_t column_task = task % call.column_tasks;
  const size_t row_task = task / call.column_tasks;
  const size_t panels = gemm_.PanelCount();
  const auto group_begin =
      group == 0 ? size_t{0} : static_cast<size_t>(call.group_ends[group - 1]);
  const size_t rows = static_cast<size_t>(call.group_ends[group]) - group_begin;
  const size_t begin = group_begin + rows * row_task / call.row_tasks;
  const size_t end = group_begin + rows * (row_task + 1) / call.row_tasks;
  if (begin == end) return;
  DequantizeEpilogue epilogue(
      *kernels_, g.is_dynamic, call.weight_scale + group * g.n,
      call.row_factors + begin, call.out + begin * g.n, g.n);
  const IntegerGemm::Operands operands = {
      .a = {.data = call.quantized + begin * g.k,
            .is_signed = true,
            .rows = {.size = end - begin, .stride = g.k},
            .columns = {.size = g.k, .stride = 1}},
      .packed_b = packed,
      .b_is_signed = true};
  gemm_.Multiply(operands, panels * column_task / call.column_tasks,
                 panels * (column_task + 1) / call.column_tasks, epilogue,
                 call.first_task + task * call.bytes_per_task);
}

// The layouts of AG-08 and AG-09. Padding lanes of FRACTAL_NZ lie past the
// sizes and are never read.
ByteMatrix QuantGroupedMatmulDequant::WeightOfGroup(const void* weight,
                                                    size_t group) const {
  const QuantGroupedMatmulDequantGeometry& g = geometry_;
  ByteMatrix matrix;
  matrix.data =
      static_cast<const int8_t*>(weight) + group * g.WeightGroupStride();
  matrix.is_signed = true;
  // With transposeWeight true n is the outer of the stored dimensions.
  MatrixAxis outer;
  MatrixAxis inner;
  outer.size = g.transpose_weight ? g.n : g.k;
  inner.size = g.transpose_weight ? g.k : g.n;
  if (g.is_fractal_nz) {
    outer.block = 16;
    outer.stride = 32;
    outer.block_stride = 16 * 32;
    inner.block = 32;
    inner.stride = 1;
    inner.block_stride = outer.size / 16 * outer.block_stride;
  } else {
    outer.stride = inner.size;
    inner.stride = 1;
  }
  matrix.rows = g.transpose_weight ? inner : outer;
  matrix.columns = g.transpose_weight ? outer : inner;
  return matrix;
}

}  // namespace qconform::optimized
