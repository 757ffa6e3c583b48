// DirectML's quantized linear matrix multiply
// (DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC, directml.h).
//
// For every batch, channel, m and n:
//
//   S = sum over k of (A - AZeroPoint) * AScale * (B - BZeroPoint) * BScale
//   Output = clamp(round(S / OutputScale) + OutputZeroPoint)
//
// A is {Batch, Channel, M, K}, B {Batch, Channel, K, N}, Output {Batch,
// Channel, M, N}; each uint8 or int8, on its own. Scales are float32; zero
// points have their tensor's type and may be absent (0). A's and Output's are
// per tensor {1,1,1,1} or per row {1,1,M,1}, B's per tensor or per column
// {1,1,1,N}. Ranks below 4 lack leading dimensions of 1. Inputs may have any
// strides, 0 included; Output any that give each element its own address, and
// memory between its elements is left alone.
//
// Every element is the real value rounded once, half to even, on every SIMD
// target and with any number of threads.

#ifndef QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_
#define QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimized/run_context.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized {

// Decides which ranks are taken (QM-03).
enum class DmlFeatureLevel : uint8_t { k2_1, k4_0 };

// Null where the document allows a tensor to be absent, and it is.
struct DmlQuantizedLinearMatrixMultiplyDesc {
  const TensorDesc* ATensor = nullptr;
  const TensorDesc* AScaleTensor = nullptr;
  const TensorDesc* AZeroPointTensor = nullptr;
  const TensorDesc* BTensor = nullptr;
  const TensorDesc* BScaleTensor = nullptr;
  const TensorDesc* BZeroPointTensor = nullptr;
  const TensorDesc* OutputScaleTensor = nullptr;
  const TensorDesc* OutputZeroPointTensor = nullptr;
  const TensorDesc* OutputTensor = nullptr;
};

struct DmlQuantizedLinearMatrixMultiplyData {
  const void* ATensor = nullptr;
  const float* AScaleTensor = nullptr;
  const void* AZeroPointTensor = nullptr;
  const void* BTensor = nullptr;
  const float* BScaleTensor = nullptr;
  const void* BZeroPointTensor = nullptr;
  const float* OutputScaleTensor = nullptr;
  const void* OutputZeroPointTensor = nullptr;
  void* OutputTensor = nullptr;
};

class DmlQuantizedLinearMatrixMultiplyPlan {
 public:
  // Checks the descriptions, takes the best SIMD target of this moment, and
  // reads the constants: whatever `constants` gives (anything but ATensor and
  // OutputTensor) is copied or packed, so its memory may go afterwards.
  //
  // kInvalidArgument names the tensor, what was found and what is allowed;
  // kResourceExhausted if there is no memory to pack a constant B.
  static absl::StatusOr<DmlQuantizedLinearMatrixMultiplyPlan> Create(
      const DmlQuantizedLinearMatrixMultiplyDesc& desc,
      const DmlQuantizedLinearMatrixMultiplyData& constants = {},
      DmlFeatureLevel feature_level = DmlFeatureLevel::k4_0);

  DmlQuantizedLinearMatrixMultiplyPlan(DmlQuantizedLinearMatrixMultiplyPlan&&);
  DmlQuantizedLinearMatrixMultiplyPlan& operator=(
      DmlQuantizedLinearMatrixMultiplyPlan&&);
  ~DmlQuantizedLinearMatrixMultiplyPlan();

  // Workspace that lets `threads` threads work at once.
  size_t WorkspaceBytes(size_t threads = 1) const;

  // Multiplies. `data` gives what was no constant of the plan, and null for
  // what was. Uses as many threads as both context.parallel_for and the
  // workspace allow. Allocates nothing; may run on many threads at once, each
  // call with a workspace of its own.
  //
  // kInvalidArgument, with nothing written (AR-12), for: too small a workspace;
  // missing data or data of a constant; an Output that overlaps an input
  // (AR-11); a scale that is zero, NaN or infinite (AR-08).
  absl::Status Run(const DmlQuantizedLinearMatrixMultiplyData& data,
                   const RunContext& context) const;

 private:
  struct State;
  explicit DmlQuantizedLinearMatrixMultiplyPlan(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_H_
