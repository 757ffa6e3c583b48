#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "optimized/aclnn_quant_grouped_matmul_dequant_kernels.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_dequantize-inl.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_quantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {
namespace {

const GroupedMatmulKernels* Kernels() {
  static constexpr GroupedMatmulKernels kKernels = {&QuantizeRows, &Dequantize};
  return &kKernels;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized {
namespace {
HWY_EXPORT(Kernels);
}  // namespace

const GroupedMatmulKernels& ChooseGroupedMatmulKernels() {
  return *HWY_DYNAMIC_DISPATCH(Kernels)();
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
