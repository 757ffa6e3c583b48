#include "harness/candidates/builtin.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "harness/candidates/rejection.h"
#include "harness/candidates/scoped_target.h"
#include "hwy/targets.h"
#include "spec/tensor.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size)
#define ASAN_UNPOISON_MEMORY_REGION(address, size)
#endif

namespace qconform::harness {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kGuardBytes = 128;
constexpr std::byte kGuard{0xA5};

using OperatorFunction = BuiltinOutcome (*)(BuiltinCall&);

const std::map<std::string, OperatorFunction>& Operators() {
  static const auto& operators = *new std::map<std::string, OperatorFunction>{
      // One line per operator.
      {"aclnn_quant_grouped_matmul_dequant",
       &RunAclnnQuantGroupedMatmulDequant},
      {"dml_element_wise_quantized_linear_add",
       RunDmlElementWiseQuantizedLinearAdd},
      {"dml_quantized_linear_matrix_multiply",
       RunDmlQuantizedLinearMatrixMultiply},
      {"tf_quantize_and_dequantize_v2", RunTfQuantizeAndDequantizeV2},
  };
  return operators;
}

optimized::ElementType ToElementType(spec::DataType type) {
  switch (type) {
    case spec::DataType::kUint8:
      return optimized::ElementType::kUint8;
    case spec::DataType::kInt8:
      return optimized::ElementType::kInt8;
    case spec::DataType::kInt16:
      return optimized::ElementType::kInt16;
    case spec::DataType::kInt32:
      return optimized::ElementType::kInt32;
    case spec::DataType::kInt64:
      return optimized::ElementType::kInt64;
    case spec::DataType::kFloat16:
      return optimized::ElementType::kFloat16;
    case spec::DataType::kFloat32:
      return optimized::ElementType::kFloat32;
    case spec::DataType::kFloat64:
      break;
  }
  return optimized::ElementType::kFloat64;
}

optimized::TensorDesc ToTensorDesc(const spec::TensorDesc& desc) {
  optimized::TensorDesc result;
  result.type = ToElementType(desc.type);
  result.layout = desc.format == spec::TensorFormat::kFractalNz
                      ? optimized::TensorLayout::kFractalNz
                      : optimized::TensorLayout::kNd;
  result.sizes.assign(desc.sizes.begin(), desc.sizes.end());
  if (desc.strides.has_value()) {
    result.strides.emplace(desc.strides->begin(), desc.strides->end());
  }
  return result;
}

// Fresh threads for every call: slow, but nothing outlives the call.
class ThreadParallelFor : public optimized::ParallelFor {
 public:
  explicit ThreadParallelFor(size_t threads) : threads_(threads) {}

  size_t MaxThreads() const override { return threads_; }

  void Run(size_t count, absl::FunctionRef<void(size_t)> task) override {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < count; i = next++) task(i);
    };
    std::vector<std::thread> helpers;
    for (size_t i = 1; i < std::min(threads_, count); ++i) {
      helpers.emplace_back(work);
    }
    work();
    for (std::thread& helper : helpers) helper.join();
  }

 private:
  size_t threads_;
};

}  // namespace

struct GuardedBuffers::Buffer {
  std::string name;
  std::vector<std::byte> memory;
  size_t begin = 0;
  size_t bytes = 0;

  ~Buffer() { ASAN_UNPOISON_MEMORY_REGION(memory.data(), memory.size()); }
};

GuardedBuffers::GuardedBuffers(size_t misalignment)
    : misalignment_(misalignment % kAlignment) {}

GuardedBuffers::~GuardedBuffers() = default;

std::byte* GuardedBuffers::Allocate(const std::string& name, size_t bytes,
                                    size_t element_size) {
  auto buffer = std::make_unique<Buffer>();
  buffer->name = name;
  buffer->bytes = bytes;
  buffer->memory.assign(bytes + 2 * kGuardBytes + 2 * kAlignment, kGuard);
  const auto address = reinterpret_cast<uintptr_t>(buffer->memory.data());
  const uintptr_t aligned =
      (address + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
  buffer->begin =
      aligned - address + misalignment_ - misalignment_ % element_size;
  std::byte* data = buffer->memory.data();
  // An out-of-bounds read leaves no trace in the guards; AddressSanitizer sees
  // it.
  ASAN_POISON_MEMORY_REGION(data, buffer->memory.size());
  ASAN_UNPOISON_MEMORY_REGION(data + buffer->begin, bytes);
  buffers_.push_back(std::move(buffer));
  return data + buffers_.back()->begin;
}

std::optional<std::string> GuardedBuffers::FindDamage() const {
  for (const auto& buffer : buffers_) {
    std::vector<std::byte>& memory = buffer->memory;
    ASAN_UNPOISON_MEMORY_REGION(memory.data(), memory.size());
    const auto intact = [](std::byte byte) { return byte == kGuard; };
    if (!std::all_of(memory.begin(), memory.begin() + buffer->begin, intact) ||
        !std::all_of(memory.begin() + buffer->begin + buffer->bytes,
                     memory.end(), intact)) {
      return buffer->name;
    }
  }
  return std::nullopt;
}

BuiltinCall::BuiltinCall(const spec::Arguments& arguments,
                         const ExecutionOptions& options,
                         const OutputStorage& outputs)
    : arguments_(arguments), options_(options), buffers_(options.misalignment) {
  for (const auto& [name, tensor] : arguments.inputs) {
    descs_[name] = ToTensorDesc(tensor.desc);
    inputs_[name] = buffers_.Allocate(name, tensor.storage.size(),
                                      spec::ByteSize(tensor.desc.type));
    std::copy(tensor.storage.begin(), tensor.storage.end(), inputs_[name]);
  }
  for (const auto& [name, desc] : arguments.outputs) {
    descs_[name] = ToTensorDesc(desc);
    const auto found = outputs.find(name);
    if (found == outputs.end()) continue;
    outputs_[name] = buffers_.Allocate(name, found->second.size(),
                                       spec::ByteSize(desc.type));
    std::copy(found->second.begin(), found->second.end(), outputs_[name]);
  }
  if (options.threads > 1) {
    parallel_for_ = std::make_unique<ThreadParallelFor>(
        static_cast<size_t>(options.threads));
  }
}

const optimized::TensorDesc* BuiltinCall::Desc(const std::string& name) const {
  const auto found = descs_.find(name);
  return found == descs_.end() ? nullptr : &found->second;
}

const void* BuiltinCall::Input(const std::string& name) const {
  const auto found = inputs_.find(name);
  return found == inputs_.end() ? nullptr : found->second;
}

void* BuiltinCall::Output(const std::string& name) const {
  const auto found = outputs_.find(name);
  return found == outputs_.end() ? nullptr : found->second;
}

optimized::RunContext BuiltinCall::Context(size_t bytes) {
  optimized::RunContext context;
  context.workspace =
      absl::MakeSpan(buffers_.Allocate("workspace", bytes, 1), bytes);
  context.parallel_for = parallel_for_.get();
  return context;
}

std::optional<std::string> BuiltinCall::FindDamage() const {
  if (const auto name = buffers_.FindDamage()) {
    return absl::StrCat("wrote outside of ", *name);
  }
  for (const auto& [name, tensor] : arguments_.inputs) {
    if (!std::equal(tensor.storage.begin(), tensor.storage.end(),
                    inputs_.at(name))) {
      return absl::StrCat("wrote into the input ", name);
    }
  }
  return std::nullopt;
}

void BuiltinCall::CopyOutputs(OutputStorage& outputs) const {
  for (auto& [name, storage] : outputs) {
    const auto found = outputs_.find(name);
    if (found == outputs_.end()) continue;
    std::copy(found->second, found->second + storage.size(), storage.begin());
  }
}

std::vector<std::string> BuiltinCandidate::Targets() const {
  std::vector<std::string> names;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    names.push_back(hwy::TargetName(target));
  }
  return names;
}

Execution BuiltinCandidate::Execute(const spec::Arguments& arguments,
                                    const ExecutionOptions& options,
                                    OutputStorage& outputs) {
  Execution execution;
  const auto found = Operators().find(arguments.operator_name);
  if (found == Operators().end()) {
    execution.outcome = ExecutionOutcome::kUnsupported;
    execution.message =
        absl::StrCat("no built-in kernel for ", arguments.operator_name);
    return execution;
  }
  const ScopedTarget scope(options.target);
  if (!scope.status().ok() || options.target.empty()) {
    execution.outcome = ExecutionOutcome::kUnsupported;
    execution.message =
        absl::StrCat("no SIMD target ", options.target, " on this machine");
    return execution;
  }
  BuiltinCall call(arguments, options, outputs);
  const BuiltinOutcome outcome = found->second(call);
  if (const auto damage = call.FindDamage()) {
    execution.outcome = ExecutionOutcome::kCrashed;
    execution.message = *damage;
    return execution;
  }
  call.CopyOutputs(outputs);
  if (!outcome.status.ok() || outcome.aclnn_status.has_value()) {
    return Rejected(outcome.status, outcome.aclnn_status);
  }
  return execution;
}

}  // namespace qconform::harness
