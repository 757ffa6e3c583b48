// Ascend aclnnQuantGroupedMatmulDequant (CANN operator document of that name):
// quantizes the rows of x, multiplies each group of rows with its own int8
// weight, and dequantizes.
//
//   p[m][k]   = x[m][k] * smoothScale[k]                   (if given)
//   scale[m]  = max over k of abs(p[m][k]) / 127           (no xScale: dynamic)
//             | xScale[m] (pertoken) | xScale[0] (pertensor)
//   x_q[m][k] = clamp(round(p[m][k] / scale[m]), -128, 127)
//   out[m][n] = (sum over k of x_q[m][k] * weight[g][k][n])
//               * weightScale[g][n] * scale[m]
//
// for the rows m in [groupList[g-1], groupList[g]) of group g. Every out is the
// exact value of these formulas rounded once to float16, on every SIMD target
// and for any number of threads (AR-01, AR-10). Rows of no group are neither
// read nor written (AG-05). Shapes, types and layouts:
// aclnn_quant_grouped_matmul_dequant_arguments.h.
//
// Errors are kInvalidArgument and carry the aclnn status 161001 or 161002
// (aclnn_status.h); a call that fails writes nothing to out (AR-12).

#ifndef QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_
#define QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_arguments.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"
#include "optimized/integer_gemm.h"
#include "optimized/run_context.h"

namespace qconform::optimized {

// Data of the tensors that may be constant. Laid out as their descriptions say,
// at any address.
struct QuantGroupedMatmulDequantParameters {
  const void* weight = nullptr;
  const void* weight_scale = nullptr;
  const void* group_list = nullptr;
  const void* x_scale = nullptr;
  const void* smooth_scale = nullptr;
};

struct QuantGroupedMatmulDequantOptions {
  bool allow_transpose_weight_false = false;  // AG-09
};

class QuantGroupedMatmulDequant {
 public:
  // Checks the description (AG-12), then takes what `constants` gives: checks
  // its values (AG-04, AG-05), copies it and packs the weight. Constants may be
  // freed or overwritten afterwards. Stays on the SIMD target that is the best
  // now.
  static absl::StatusOr<QuantGroupedMatmulDequant> Plan(
      const QuantGroupedMatmulDequantDesc& desc,
      const QuantGroupedMatmulDequantParameters& constants = {},
      const QuantGroupedMatmulDequantOptions& options = {});

  // Of a Run that uses up to `threads` threads. A Run with a smaller workspace
  // uses fewer threads; below WorkspaceBytes(1) it fails.
  size_t WorkspaceBytes(size_t threads = 1) const;

  // `per_call` gives the tensors that were not constant; of those that were it
  // must give null. Checks pointers (161001), then workspace, overlap of out
  // with x or a tensor of `per_call` (AR-11), and values over whole tensors,
  // before anything is written to out. Does not allocate. Safe to call from
  // many threads at once.
  absl::Status Run(const void* x,
                   const QuantGroupedMatmulDequantParameters& per_call,
                   void* out, const RunContext& context) const;

 private:
  struct FreeDeleter {
    void operator()(std::byte* memory) const;
  };
  // How Run divides its workspace.
  struct WorkspaceLayout;
  // One call after its checks.
  struct Call;

  QuantGroupedMatmulDequant(const QuantGroupedMatmulDequantGeometry& geometry,
                            const IntegerGemm& gemm);

  absl::Status TakeConstants(
      const QuantGroupedMatmulDequantParameters& constants);
  absl::Status CheckConstantPointers(
      const QuantGroupedMatmulDequantParameters& constants) const;
  absl::Status CheckPointers(
      const void* x, const QuantGroupedMatmulDequantParameters& per_call,
      const void* out) const;
  absl::Status CheckOverlap(const void* x,
                            const QuantGroupedMatmulDequantParameters& per_call,
                            const void* out) const;
  // Checks and packs the tensors of `from` whose destination is given.
  absl::Status ReadParameters(const QuantGroupedMatmulDequantParameters& from,
                              float* weight_scale, int64_t* group_ends,
                              float* x_scale, float* smooth_scale) const;
  WorkspaceLayout DivideWorkspace() const;
  size_t XScaleCount() const;
  ByteMatrix WeightOfGroup(const void* weight, size_t group) const;
  void QuantizeAll(const Call& call) const;
  void MultiplyAll(const Call& call) const;
  void MultiplyGroup(const Call& call, size_t group, const std::byte* packed,
                     size_t task) const;

  QuantGroupedMatmulDequantGeometry geometry_;
  IntegerGemm gemm_;
  const GroupedMatmulKernels* kernels_;
  // Constants; empty for tensors given to Run.
  std::unique_ptr<std::byte, FreeDeleter> packed_weight_;
  std::vector<float> weight_scale_;
  std::vector<int64_t> group_ends_;
  std::vector<float> x_scale_;
  std::vector<float> smooth_scale_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_
