#include "optimized/dml_quantized_linear_matrix_multiply.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "hwy/aligned_allocator.h"
#include "optimized/checks.h"
#include "optimized/dml_matrix_multiply_shape.h"
#include "optimized/dml_quantized_linear_matrix_multiply_parameters.h"
#include "optimized/integer_gemm.h"
#include "optimized/requantize.h"
#include "optimized/workspace.h"

namespace qconform::optimized {
namespace {

using Data = DmlQuantizedLinearMatrixMultiplyData;

// Rows that an item of work takes at least, if there are threads to feed.
constexpr size_t kMinItemRows = 24;
// More than one, because a processor may be slower than another for a while.
constexpr size_t kItemsPerThread = 4;

// Writes finished tiles of one batch to the output.
class OutputWriter : public SumEpilogue {
 public:
  OutputWriter(RequantizeFunction* requantize,
               const PreparedParameters& prepared,
               const DmlMatrixMultiplyShape& shape, size_t row_step,
               std::byte* data, size_t first_row)
      : requantize_(requantize),
        prepared_(prepared),
        row_step_(row_step),
        b_scales_are_equal_(shape.b_scale.count == 1),
        output_(shape.output),
        data_(data),
        first_row_(first_row) {}

  void Consume(const SumTile& tile) override {
    const size_t m = first_row_ + tile.first_row;
    RequantizeTile to;
    to.rows = prepared_.rows + m * row_step_;
    to.row_step = row_step_;
    to.row_count = tile.rows;
    to.narrow = tile.narrow;
    to.wide = tile.wide;
    to.sum_stride = tile.row_stride;
    to.b_scales = prepared_.b_scales + tile.first_column;
    to.b_scales_are_equal = b_scales_are_equal_;
    to.columns = tile.columns;
    to.output.data =
        data_ + m * output_.strides[2] + tile.first_column * output_.strides[3];
    to.output.is_signed = output_.is_signed;
    to.output.row_stride = output_.strides[2];
    to.output.stride = output_.strides[3];
    requantize_(to);
  }

 private:
  RequantizeFunction* requantize_;
  const PreparedParameters& prepared_;
  size_t row_step_;
  bool b_scales_are_equal_;
  const DmlMatrix& output_;
  std::byte* data_;
  size_t first_row_;
};

// Where part `index` of `parts` nearly equal ones of `size` begins.
size_t PartBegin(size_t size, size_t index, size_t parts) {
  return parts == 1 ? size * index : size * index / parts;
}

// Calls task(0) .. task(count - 1), on the caller's threads if there are any.
void ForEachTask(const RunContext& context, size_t count,
                 absl::FunctionRef<void(size_t)> task) {
  if (count == 1) return task(0);
  context.parallel_for->Run(count, task);
}

// A parameter, and where the caller's data for it stands; one of the two
// members is set.
struct Slot {
  const DmlParameter* parameter;
  const float* Data::*scale;
  const void* Data::*zero_point;

  const void* Pointer(const Data& data) const {
    return scale != nullptr ? data.*scale : data.*zero_point;
  }
  void Set(Data& data, const void* pointer) const {
    if (scale != nullptr) {
      data.*scale = static_cast<const float*>(pointer);
    } else {
      data.*zero_point = pointer;
    }
  }
};

std::array<Slot, 6> Slots(const DmlMatrixMultiplyShape& shape) {
  return {{{&shape.a_scale, &Data::AScaleTensor, nullptr},
           {&shape.a_zero_point, nullptr, &Data::AZeroPointTensor},
           {&shape.b_scale, &Data::BScaleTensor, nullptr},
           {&shape.b_zero_point, nullptr, &Data::BZeroPointTensor},
           {&shape.output_scale, &Data::OutputScaleTensor, nullptr},
           {&shape.output_zero_point, nullptr, &Data::OutputZeroPointTensor}}};
}

absl::Status CheckSlotScales(const Slot& slot, const void* data) {
  if (slot.scale == nullptr) return absl::OkStatus();
  return CheckScales(slot.parameter->name, static_cast<const float*>(data),
                     slot.parameter->count, slot.parameter->stride);
}

absl::Status Unwanted(const std::string& name, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": data given; it must be null, ", why));
}

}  // namespace

struct DmlQuantizedLinearMatrixMultiplyPlan::State {
  explicit State(const DmlMatrixMultiplyShape& checked)
      : shape(checked), gemm(shape.k, shape.n), requantize(ChooseRequantize()) {
    for (const DmlParameter* parameter :
         {&shape.a_scale, &shape.a_zero_point, &shape.output_scale,
          &shape.output_zero_point}) {
      row_count = std::max(row_count, parameter->count);
    }
    task_bytes = RoundUp(gemm.WorkspaceBytes(shape.m), kWorkspaceAlignment);
  }

  absl::Status ReadConstants(const Data& given);
  absl::Status PackConstantB(const void* b);
  // Checks a Run's data and completes it with the constants.
  absl::StatusOr<Data> MergeRunData(const Data& given) const;

  PreparedParameters TakePrepared(WorkspaceCutter& cutter) const {
    PreparedParameters taken;
    taken.rows = cutter.Take<RequantizeRow>(row_count);
    taken.a_zero_points = cutter.Take<int32_t>(row_count);
    taken.b_scales = cutter.Take<float>(gemm.PaddedColumns());
    taken.b_zero_points = cutter.Take<int32_t>(gemm.PaddedColumns());
    return taken;
  }

  // A Run's workspace: what all its tasks share, then a share for each.
  struct RunMemory {
    PreparedParameters prepared;
    std::byte* packed_b = nullptr;
    std::byte* tasks = nullptr;
    size_t required = 0;
  };
  RunMemory TakeRunMemory(std::byte* workspace, size_t threads) const {
    WorkspaceCutter cutter(workspace);
    RunMemory memory;
    memory.prepared = parameters_constant ? prepared : TakePrepared(cutter);
    if (packed_constant_b == nullptr) {
      memory.packed_b = cutter.Take<std::byte>(gemm.PackedBytes());
    }
    memory.tasks = cutter.Take<std::byte>(task_bytes * threads);
    memory.required = cutter.RequiredBytes();
    return memory;
  }

  size_t BatchCount() const { return shape.batches * shape.channels; }
  size_t Offset(const DmlMatrix& matrix, size_t batch) const {
    if (batch == 0) return 0;  // saves the divisions
    return batch / shape.channels * matrix.strides[0] +
           batch % shape.channels * matrix.strides[1];
  }
  ByteMatrix MatrixB(const void* data, size_t offset) const {
    return {static_cast<const std::byte*>(data) + offset,
            shape.b.is_signed,
            {shape.k, shape.b.strides[2]},
            {shape.n, shape.b.strides[3]}};
  }

  // Batches [first, last); packed_b(batch) is the packed B of a batch, null
  // if B is to be multiplied in place.
  void MultiplyBatches(
      size_t first, size_t last, const Data& data, const RunMemory& memory,
      const RunContext& context, size_t threads,
      absl::FunctionRef<const std::byte*(size_t)> packed_b) const;

  DmlMatrixMultiplyShape shape;
  IntegerGemm gemm;
  RequantizeFunction* requantize;
  size_t row_count = 1;  // of the row parameters: 1 or M
  size_t task_bytes = 0;

  Data constants;  // points into `copies`
  std::vector<std::vector<std::byte>> copies;
  bool parameters_constant = false;
  std::vector<std::byte> prepared_memory;
  PreparedParameters prepared;
  // Bs at different addresses, each packed once, in order of first use.
  hwy::AlignedFreeUniquePtr<std::byte[]> packed_constant_b;
  std::vector<size_t> packed_index;  // of each batch
};

absl::Status DmlQuantizedLinearMatrixMultiplyPlan::State::ReadConstants(
    const Data& given) {
  if (given.ATensor != nullptr) {
    return Unwanted("ATensor", "it is no constant of a plan");
  }
  if (given.OutputTensor != nullptr) {
    return Unwanted("OutputTensor", "it is no constant of a plan");
  }
  parameters_constant = true;
  for (const Slot& slot : Slots(shape)) {
    const DmlParameter& parameter = *slot.parameter;
    const void* data = slot.Pointer(given);
    if (data == nullptr) {
      if (parameter.present) parameters_constant = false;
      continue;
    }
    if (!parameter.present) {
      return Unwanted(parameter.name, "its description is null");
    }
    if (absl::Status s = CheckSlotScales(slot, data); !s.ok()) return s;
    const auto* bytes = static_cast<const std::byte*>(data);
    copies.emplace_back(bytes, bytes + parameter.extent_bytes);
    slot.Set(constants, copies.back().data());
  }
  if (parameters_constant) {
    WorkspaceCutter counter(nullptr);
    TakePrepared(counter);
    prepared_memory.resize(counter.RequiredBytes());
    WorkspaceCutter cutter(prepared_memory.data());
    prepared = TakePrepared(cutter);
    PrepareParameters(shape, constants, row_count, gemm.PaddedColumns(),
                      prepared);
  }
  return given.BTensor == nullptr ? absl::OkStatus()
                                  : PackConstantB(given.BTensor);
}

absl::Status DmlQuantizedLinearMatrixMultiplyPlan::State::PackConstantB(
    const void* b) {
  std::vector<size_t> offsets;
  for (size_t batch = 0; batch < BatchCount(); ++batch) {
    const size_t offset = Offset(shape.b, batch);
    // Equal strides of 0 repeat B at once or after a round of the channels.
    const size_t before = batch >= shape.channels ? batch - shape.channels : 0;
    if (batch > 0 && offset == Offset(shape.b, batch - 1)) {
      packed_index.push_back(packed_index.back());
    } else if (batch > 0 && offset == Offset(shape.b, before)) {
      packed_index.push_back(packed_index[before]);
    } else {
      packed_index.push_back(offsets.size());
      offsets.push_back(offset);
    }
  }
  const size_t bytes = gemm.PackedBytes();
  packed_constant_b = hwy::AllocateAligned<std::byte>(bytes * offsets.size());
  if (packed_constant_b == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("BTensor: no memory to pack it, ", bytes * offsets.size(),
                     " bytes are needed"));
  }
  for (size_t i = 0; i < offsets.size(); ++i) {
    gemm.PackB(MatrixB(b, offsets[i]), 0, gemm.PanelCount(),
               IntegerGemm::Packing::kOnce,
               packed_constant_b.get() + i * bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<Data> DmlQuantizedLinearMatrixMultiplyPlan::State::MergeRunData(
    const Data& given) const {
  Data data = given;
  if (absl::Status s = CheckData("ATensor", data.ATensor); !s.ok()) return s;
  if (absl::Status s = CheckData("OutputTensor", data.OutputTensor); !s.ok()) {
    return s;
  }
  const auto check_overlap = [&](const std::string& name, const void* input,
                                 size_t bytes) {
    return CheckNoOverlap("OutputTensor", data.OutputTensor,
                          shape.output.extent_bytes, name, input, bytes);
  };
  if (absl::Status s =
          check_overlap("ATensor", data.ATensor, shape.a.extent_bytes);
      !s.ok()) {
    return s;
  }
  if (packed_constant_b != nullptr) {
    if (data.BTensor != nullptr) {
      return Unwanted("BTensor", "it is a constant of the plan");
    }
  } else {
    if (absl::Status s = CheckData("BTensor", data.BTensor); !s.ok()) return s;
    if (absl::Status s =
            check_overlap("BTensor", data.BTensor, shape.b.extent_bytes);
        !s.ok()) {
      return s;
    }
  }
  for (const Slot& slot : Slots(shape)) {
    const DmlParameter& parameter = *slot.parameter;
    const void* pointer = slot.Pointer(data);
    const void* constant = slot.Pointer(constants);
    if (pointer != nullptr && !parameter.present) {
      return Unwanted(parameter.name, "its description is null");
    }
    if (pointer != nullptr && constant != nullptr) {
      return Unwanted(parameter.name, "it is a constant of the plan");
    }
    if (constant != nullptr) {
      slot.Set(data, constant);
      continue;
    }
    if (!parameter.present) continue;
    if (absl::Status s = CheckData(parameter.name, pointer); !s.ok()) return s;
    if (absl::Status s =
            check_overlap(parameter.name, pointer, parameter.extent_bytes);
        !s.ok()) {
      return s;
    }
    if (absl::Status s = CheckSlotScales(slot, pointer); !s.ok()) return s;
  }
  return data;
}

void DmlQuantizedLinearMatrixMultiplyPlan::State::MultiplyBatches(
    size_t first, size_t last, const Data& data, const RunMemory& memory,
    const RunContext& context, size_t threads,
    absl::FunctionRef<const std::byte*(size_t)> packed_b) const {
  // Batches, then rows, then columns are divided until every thread has work.
  const size_t batches = last - first;
  const size_t wanted = threads == 1 ? 1 : threads * kItemsPerThread;
  const size_t parts = DivideUp(wanted, batches);
  const size_t row_parts = std::min(parts, DivideUp(shape.m, kMinItemRows));
  const size_t column_parts =
      std::min(DivideUp(parts, row_parts), gemm.PanelCount());
  const size_t items = batches * row_parts * column_parts;
  const size_t tasks = std::min(threads, items);
  std::atomic<size_t> next_item = 0;
  ForEachTask(context, tasks, [&](size_t task) {
    for (size_t item; (item = next_item.fetch_add(1)) < items;) {
      const size_t batch = first + item / (row_parts * column_parts);
      const size_t row_part = item / column_parts % row_parts;
      const size_t column_part = item % column_parts;
      const size_t first_row = PartBegin(shape.m, row_part, row_parts);
      const size_t last_row = PartBegin(shape.m, row_part + 1, row_parts);
      IntegerGemm::Operands operands;
      operands.a = {static_cast<const std::byte*>(data.ATensor) +
                        Offset(shape.a, batch) + first_row * shape.a.strides[2],
                    shape.a.is_signed,
                    {last_row - first_row, shape.a.strides[2]},
                    {shape.k, shape.a.strides[3]}};
      if (shape.a_zero_point.present) {
        operands.a_zero_point_stride = row_count == 1 ? 0 : 1;
        operands.a_zero_points = memory.prepared.a_zero_points +
                                 first_row * operands.a_zero_point_stride;
      }
      operands.packed_b = packed_b(batch);
      operands.b_is_signed = shape.b.is_signed;
      if (shape.b_zero_point.present) {
        operands.b_zero_points = memory.prepared.b_zero_points;
      }
      OutputWriter writer(requantize, memory.prepared, shape,
                          row_count == 1 ? 0 : 1,
                          static_cast<std::byte*>(data.OutputTensor) +
                              Offset(shape.output, batch),
                          first_row);
      const size_t first_panel =
          PartBegin(gemm.PanelCount(), column_part, column_parts);
      const size_t last_panel =
          PartBegin(gemm.PanelCount(), column_part + 1, column_parts);
      std::byte* const workspace = memory.tasks + task * task_bytes;
      if (operands.packed_b != nullptr) {
        gemm.Multiply(operands, first_panel, last_panel, writer, workspace);
      } else {
        gemm.MultiplyInPlace(operands,
                             MatrixB(data.BTensor, Offset(shape.b, batch)),
                             first_panel, last_panel, writer, workspace);
      }
    }
  });
}

DmlQuantizedLinearMatrixMultiplyPlan::DmlQuantizedLinearMatrixMultiplyPlan(
    std::unique_ptr<State> state)
    : state_(std::move(state)) {}
DmlQuantizedLinearMatrixMultiplyPlan::DmlQuantizedLinearMatrixMultiplyPlan(
    DmlQuantizedLinearMatrixMultiplyPlan&&) = default;
DmlQuantizedLinearMatrixMultiplyPlan&
DmlQuantizedLinearMatrixMultiplyPlan::operator=(
    DmlQuantizedLinearMatrixMultiplyPlan&&) = default;
DmlQuantizedLinearMatrixMultiplyPlan::~DmlQuantizedLinearMatrixMultiplyPlan() =
    default;

absl::StatusOr<DmlQuantizedLinearMatrixMultiplyPlan>
DmlQuantizedLinearMatrixMultiplyPlan::Create(
    const DmlQuantizedLinearMatrixMultiplyDesc& desc, const Data& constants,
    DmlFeatureLevel feature_level) {
  const absl::StatusOr<DmlMatrixMultiplyShape> shape =
      CheckDmlMatrixMultiply(desc, feature_level);
  if (!shape.ok()) return shape.status();
  auto state = std::make_unique<State>(*shape);
  if (absl::Status s = state->ReadConstants(constants); !s.ok()) return s;
  return DmlQuantizedLinearMatrixMultiplyPlan(std::move(state));
}

size_t DmlQuantizedLinearMatrixMultiplyPlan::WorkspaceBytes(
    size_t threads) const {
  return state_->TakeRunMemory(nullptr, std::max<size_t>(1, threads)).required;
}

absl::Status DmlQuantizedLinearMatrixMultiplyPlan::Run(
    const Data& given, const RunContext& context) const {
  const State& state = *state_;
  const size_t least_bytes = WorkspaceBytes();
  if (absl::Status s = CheckWorkspace(context, least_bytes); !s.ok()) return s;
  const absl::StatusOr<Data> data = state.MergeRunData(given);
  if (!data.ok()) return data.status();

  size_t threads = 1;
  if (context.parallel_for != nullptr) {
    const size_t spare = context.workspace.size() - least_bytes;
    threads = std::clamp<size_t>(context.parallel_for->MaxThreads(), 1,
                                 1 + spare / state.task_bytes);
  }
  const State::RunMemory memory =
      state.TakeRunMemory(context.workspace.data(), threads);
  if (!state.parameters_constant) {
    PrepareParameters(state.shape, *data, state.row_count,
                      state.gemm.PaddedColumns(), memory.prepared);
  }
  if (state.packed_constant_b != nullptr) {
    state.MultiplyBatches(0, state.BatchCount(), *data, memory, context,
                          threads, [&](size_t batch) {
                            return state.packed_constant_b.get() +
                                   state.packed_index[batch] *
                                       state.gemm.PackedBytes();
                          });
    return absl::OkStatus();
  }
  // Packing B for a single row would cost more than multiplying.
  if (state.gemm.CanMultiplyInPlace(state.MatrixB(data->BTensor, 0),
                                    state.shape.m)) {
    state.MultiplyBatches(0, state.BatchCount(), *data, memory, context,
                          threads, [](size_t) { return nullptr; });
    return absl::OkStatus();
  }
  // Consecutive batches that share B share its packing.
  for (size_t first = 0; first < state.BatchCount();) {
    const size_t offset = state.Offset(state.shape.b, first);
    size_t last = first + 1;
    while (last < state.BatchCount() &&
           state.Offset(state.shape.b, last) == offset) {
      ++last;
    }
    const ByteMatrix b = state.MatrixB(data->BTensor, offset);
    const size_t panels = state.gemm.PanelCount();
    const size_t tasks = std::min(threads, panels);
    ForEachTask(context, tasks, [&](size_t task) {
      state.gemm.PackB(b, panels * task / tasks, panels * (task + 1) / tasks,
                       IntegerGemm::Packing::kForOneCall, memory.packed_b);
    });
    state.MultiplyBatches(first, last, *data, memory, context, threads,
                          [&](size_t) { return memory.packed_b; });
    first = last;
  }
  return absl::OkStatus();
}

}  // namespace qconform::optimized
