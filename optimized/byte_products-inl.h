// Products of bytes, added in pairs, for the targets of x86: Highway 1.0.3 has
// no such operation. Included once per target.

#if defined(QCONFORM_OPTIMIZED_BYTE_PRODUCTS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_BYTE_PRODUCTS_INL_H_
#undef QCONFORM_OPTIMIZED_BYTE_PRODUCTS_INL_H_
#else
#define QCONFORM_OPTIMIZED_BYTE_PRODUCTS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

#undef QCONFORM_HAVE_BYTE_PRODUCTS
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define QCONFORM_HAVE_BYTE_PRODUCTS 1
#else
#define QCONFORM_HAVE_BYTE_PRODUCTS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

#if QCONFORM_HAVE_BYTE_PRODUCTS
// For each int16 lane the sum of the two products of its bytes, the first
// vector's unsigned and the second's signed; saturates.
template <class VU, class VS>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<hwy::HWY_NAMESPACE::ScalableTag<int16_t>>
AddByteProducts(VU unsigned_bytes, VS signed_bytes) {
#if HWY_TARGET <= HWY_AVX3
  return {_mm512_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#elif HWY_TARGET == HWY_AVX2
  return {_mm256_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#else
  return {_mm_maddubs_epi16(unsigned_bytes.raw, signed_bytes.raw)};
#endif
}
#endif  // QCONFORM_HAVE_BYTE_PRODUCTS

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
