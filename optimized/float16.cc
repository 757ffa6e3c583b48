#include "optimized/float16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/float16.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/float16-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void ToFloat32(const uint16_t* HWY_RESTRICT from, size_t count,
               float* HWY_RESTRICT to) {
  const hn::ScalableTag<float> df;
  const hn::CappedTag<float, 1> df1;
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(LoadFloat16(df, from + i), df, to + i);
  }
  for (; i < count; ++i) {
    hn::StoreU(LoadFloat16(df1, from + i), df1, to + i);
  }
}

void ToFloat16(const float* HWY_RESTRICT from, size_t count,
               uint16_t* HWY_RESTRICT to) {
  const hn::ScalableTag<float> df;
  const hn::CappedTag<float, 1> df1;
  const size_t lanes = hn::Lanes(df);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    StoreFloat16(df, hn::LoadU(df, from + i), to + i);
  }
  for (; i < count; ++i) {
    StoreFloat16(df1, hn::LoadU(df1, from + i), to + i);
  }
}

const Float16Kernels* Kernels() {
  static constexpr Float16Kernels kKernels = {&ToFloat32, &ToFloat16};
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

const Float16Kernels& ChooseFloat16Kernels() {
  return *HWY_DYNAMIC_DISPATCH(Kernels)();
}

void ConvertFloat16ToFloat32(const uint16_t* from, size_t count, float* to) {
  ChooseFloat16Kernels().to_float32(from, count, to);
}

void ConvertFloat32ToFloat16(const float* from, size_t count, uint16_t* to) {
  ChooseFloat16Kernels().to_float16(from, count, to);
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
