// Narrowing of four vectors at once, for the targets of x86: saturating packs
// are faster there than Highway's conversions. Included once per target.

#if defined(QCONFORM_OPTIMIZED_PACK_BYTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_PACK_BYTES_INL_H_
#undef QCONFORM_OPTIMIZED_PACK_BYTES_INL_H_
#else
#define QCONFORM_OPTIMIZED_PACK_BYTES_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"

#undef QCONFORM_HAVE_PACK_FOUR
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define QCONFORM_HAVE_PACK_FOUR 1
#else
#define QCONFORM_HAVE_PACK_FOUR 0
#endif

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

#if QCONFORM_HAVE_PACK_FOUR
// The elements plus `addend` (within +-512), clamped to T, in order. Any int32
// will do: what int16 cannot hold is past T's limits with any addend. Packing
// works within blocks of 128 bits.
template <typename T, class V32>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<
    hwy::HWY_NAMESPACE::Repartition<uint8_t, hwy::HWY_NAMESPACE::DFromV<V32>>>
PackFour(V32 v0, V32 v1, V32 v2, V32 v3, V32 addend) {
#if HWY_TARGET <= HWY_AVX3
  const __m512i add = _mm512_packs_epi32(addend.raw, addend.raw);
  const __m512i low =
      _mm512_adds_epi16(_mm512_packs_epi32(v0.raw, v1.raw), add);
  const __m512i high =
      _mm512_adds_epi16(_mm512_packs_epi32(v2.raw, v3.raw), add);
  const __m512i packed = std::is_signed_v<T> ? _mm512_packs_epi16(low, high)
                                             : _mm512_packus_epi16(low, high);
  const __m512i order =
      _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
  return {_mm512_permutexvar_epi32(order, packed)};
#elif HWY_TARGET == HWY_AVX2
  const __m256i add = _mm256_packs_epi32(addend.raw, addend.raw);
  const __m256i low =
      _mm256_adds_epi16(_mm256_packs_epi32(v0.raw, v1.raw), add);
  const __m256i high =
      _mm256_adds_epi16(_mm256_packs_epi32(v2.raw, v3.raw), add);
  const __m256i packed = std::is_signed_v<T> ? _mm256_packs_epi16(low, high)
                                             : _mm256_packus_epi16(low, high);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  return {_mm256_permutevar8x32_epi32(packed, order)};
#else
  const __m128i add = _mm_packs_epi32(addend.raw, addend.raw);
  const __m128i low = _mm_adds_epi16(_mm_packs_epi32(v0.raw, v1.raw), add);
  const __m128i high = _mm_adds_epi16(_mm_packs_epi32(v2.raw, v3.raw), add);
  return {std::is_signed_v<T> ? _mm_packs_epi16(low, high)
                              : _mm_packus_epi16(low, high)};
#endif
}
#endif  // QCONFORM_HAVE_PACK_FOUR

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
