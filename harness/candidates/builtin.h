// The production kernels of this project as implementations under test: each
// operator on each SIMD target of the machine.
//
// Every buffer that a kernel sees is a copy at the wanted misalignment between
// guard bytes; after the call the guards and the inputs must be as they were.
// A kernel that wrote where it may not counts as crashed.

#ifndef QCONFORM_HARNESS_CANDIDATES_BUILTIN_H_
#define QCONFORM_HARNESS_CANDIDATES_BUILTIN_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "harness/candidates/candidate.h"
#include "optimized/parallel_for.h"
#include "optimized/run_context.h"
#include "optimized/tensor_view.h"
#include "spec/arguments.h"

namespace qconform::harness {

// Memory between guards; freed with the set.
class GuardedBuffers {
 public:
  explicit GuardedBuffers(size_t misalignment);
  ~GuardedBuffers();
  GuardedBuffers(const GuardedBuffers&) = delete;
  GuardedBuffers& operator=(const GuardedBuffers&) = delete;

  // `bytes` bytes whose address is a multiple of 64 plus the misalignment
  // rounded down to `element_size`. `name` is for messages.
  std::byte* Allocate(const std::string& name, size_t bytes,
                      size_t element_size);

  // Names the first buffer whose guards were written over.
  std::optional<std::string> FindDamage() const;

 private:
  struct Buffer;
  size_t misalignment_;
  std::vector<std::unique_ptr<Buffer>> buffers_;
};

// One call as an operator's adapter sees it.
class BuiltinCall {
 public:
  BuiltinCall(const spec::Arguments& arguments, const ExecutionOptions& options,
              const OutputStorage& outputs);

  const spec::Arguments& arguments() const { return arguments_; }
  const ExecutionOptions& options() const { return options_; }

  // Null if the call does not give the tensor. Inputs and outputs.
  const optimized::TensorDesc* Desc(const std::string& name) const;
  const void* Input(const std::string& name) const;
  void* Output(const std::string& name) const;

  // Guarded workspace of exactly `bytes` bytes and, if more than one thread is
  // wanted, threads.
  optimized::RunContext Context(size_t bytes);

  // Names a buffer that was written where it must not be.
  std::optional<std::string> FindDamage() const;
  // Copies the outputs back.
  void CopyOutputs(OutputStorage& outputs) const;

 private:
  const spec::Arguments& arguments_;
  const ExecutionOptions& options_;
  GuardedBuffers buffers_;
  std::map<std::string, optimized::TensorDesc> descs_;
  std::map<std::string, std::byte*> inputs_;
  std::map<std::string, std::byte*> outputs_;
  std::unique_ptr<optimized::ParallelFor> parallel_for_;
};

// What a call came to. The aclnn status is set if an Ascend operator rejected.
struct BuiltinOutcome {
  absl::Status status;
  std::optional<int> aclnn_status;
};

// One function per operator, each in builtin_<operator>.cc: builds the plan,
// with scales, zero points and B or weight given to it or to Run as
// options().constants_in_plan says, and runs it.
BuiltinOutcome RunDmlQuantizedLinearMatrixMultiply(BuiltinCall& call);
BuiltinOutcome RunDmlElementWiseQuantizedLinearAdd(BuiltinCall& call);
BuiltinOutcome RunAclnnQuantGroupedMatmulDequant(BuiltinCall& call);
BuiltinOutcome RunTfQuantizeAndDequantizeV2(BuiltinCall& call);

// One call at a time: choosing a SIMD target is a global act.
class BuiltinCandidate : public Candidate {
 public:
  std::string Name() const override { return "builtin"; }
  std::vector<std::string> Targets() const override;
  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_BUILTIN_H_
