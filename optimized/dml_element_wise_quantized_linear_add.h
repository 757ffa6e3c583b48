// Element-wise addition of two quantized tensors, after the DirectML structure
// DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC:
//
//   AValue = (A - AZeroPoint) * AScale
//   BValue = (B - BZeroPoint) * BScale
//   Output = clamp(round((AValue + BValue) / OutputScale) + OutputZeroPoint)
//
// Every element is the real value rounded once, half to even, on every SIMD
// target and for any number of threads (QA-01, AR-01, AR-03, AR-10).
//
// ATensor, BTensor, OutputTensor: uint8 or int8, independently; equal sizes;
// 1 to 8 dimensions; inputs of any strides, output strides without overlap
// (QM-08). Scales: float32, one element, finite and not 0 (AR-08). Zero points:
// the type of their tensor, one element, optional (QM-06). All have the same
// number of dimensions (QA-02).
//
// Every error is kInvalidArgument, names the tensor, and leaves the output
// untouched (AR-12).

#ifndef QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_
#define QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimized/dml_element_wise_quantized_linear_add_digits.h"
#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"
#include "optimized/run_context.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized {

// Names are the document's. Null: the tensor is absent.
struct DmlElementWiseQuantizedLinearAddDesc {
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

// Scales and zero points. Each present tensor's data is given either to Create
// (constant: copied, and the better the plan the more is constant) or to Run.
struct DmlElementWiseQuantizedLinearAddConstants {
  const float* AScaleTensor = nullptr;
  const void* AZeroPointTensor = nullptr;
  const float* BScaleTensor = nullptr;
  const void* BZeroPointTensor = nullptr;
  const float* OutputScaleTensor = nullptr;
  const void* OutputZeroPointTensor = nullptr;
};

// The data of one call.
struct DmlElementWiseQuantizedLinearAddData {
  const void* ATensor = nullptr;
  const void* BTensor = nullptr;
  void* OutputTensor = nullptr;
  DmlElementWiseQuantizedLinearAddConstants per_call;
};

class DmlElementWiseQuantizedLinearAddPlan {
 public:
  // Checks the descriptions and the values of the constants, and chooses the
  // kernel. The descriptions need not outlive the call.
  static absl::StatusOr<DmlElementWiseQuantizedLinearAddPlan> Create(
      const DmlElementWiseQuantizedLinearAddDesc& desc,
      const DmlElementWiseQuantizedLinearAddConstants& constants = {});

  // Scratch memory that Run needs: none.
  size_t WorkspaceBytes() const { return 0; }

  // Allocates nothing; may run on several threads at once. The output must not
  // overlap an input (AR-11).
  absl::Status Run(const DmlElementWiseQuantizedLinearAddData& data,
                   const RunContext& context = {}) const;

 private:
  // A dimension of all three tensors, after joining those that are contiguous.
  struct Axis {
    int64_t size;
    int64_t a_stride;
    int64_t b_stride;
    int64_t output_stride;
  };

  // What is known of a scale or a zero point.
  struct Parameter {
    bool present = false;
    bool constant = false;
  };

  struct Walk;

  DmlElementWiseQuantizedLinearAddPlan() = default;

  void JoinAxes(const DmlElementWiseQuantizedLinearAddDesc& desc);
  absl::Status TakeConstants(
      const DmlElementWiseQuantizedLinearAddConstants& constants);
  absl::Status ReadPerCall(
      const DmlElementWiseQuantizedLinearAddConstants& per_call,
      linear_add::Quantization& quantization) const;
  absl::Status CheckAliases(
      const DmlElementWiseQuantizedLinearAddData& data) const;
  bool Streams() const;
  linear_add::Row TruthOf(const linear_add::Parameters& parameters) const;
  void ComputeRange(const Walk& walk, int64_t begin, int64_t end) const;
  void ComputeRuns(const Walk& walk, int64_t begin, int64_t end) const;
  void ComputeGathered(const Walk& walk, int64_t begin, int64_t end) const;

  // Outermost first; never empty.
  absl::InlinedVector<Axis, 8> axes_;
  int64_t elements_ = 0;
  // All tensors contiguous.
  bool is_one_run_ = false;
  size_t a_bytes_ = 0;
  size_t b_bytes_ = 0;
  size_t output_bytes_ = 0;
  Parameter parameters_known_[6];  // in the order of Constants
  linear_add::Quantization quantization_;
  // Set if all scales and zero points are constant.
  std::optional<linear_add::Parameters> prepared_;
  // Set if integers of 16 bits were then proven to do, which is faster.
  std::optional<linear_add::Digits> digits_;
  const linear_add::KernelTable* kernels_ = nullptr;
  const linear_add::DigitTable* digit_kernels_ = nullptr;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_H_
