#include "optimized/integer_gemm_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/integer_gemm_kernels.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/integer_gemm_multiply-inl.h"
#include "optimized/integer_gemm_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

const IntegerGemmKernels* Kernels() {
  static constexpr IntegerGemmKernels kKernels = {
    .rows_per_tile = kTileRows,
    .columns_per_panel = kPanel,
    .has_quads = kHasQuads,
    .quads_are_exact = kQuadsAreExact,
    .multiply = &MultiplyTile,
    .pack_b_pairs = &PackBPairs,
    .pack_a_pairs = &PackAPairs,
    .widen = &Widen,
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
    .pack_b_quads = &PackBQuads,
    .pack_a_quads = &PackAQuads,
#else
    .pack_b_quads = nullptr,
    .pack_a_quads = nullptr,
#endif
    .multiply_in_place = &MultiplyInPlace,
  };
  return &kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized {

HWY_EXPORT(Kernels);

const IntegerGemmKernels& ChooseIntegerGemmKernels() {
  return *HWY_DYNAMIC_DISPATCH(Kernels)();
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
