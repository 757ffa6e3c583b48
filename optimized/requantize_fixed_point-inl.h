// Requantization of int32 sums on AVX-512, for rows of requantize.h whose
// ratios float can hold and outputs next to each other. Included once per
// target; empty for the others.
//
// The filter of requantize.h in fixed point, 1 being 2^16. For
//
//   w = 2^16 * (x + zero_point + 1/2)
//
// the upper half of an int32 is the rounded value, which saturating packs clamp
// (AR-04), and the lower half tells how far below x lies a tie. One float
// multiply-add computes w + 4. Its error and that of the conversion to int32
// are below 4, so the integer i is above w and below w + 8:
//
//   the ratio and the sum are off by three roundings: for |x| < 257 (a larger
//   |x| is clamped whatever its error) that is 257 * 2^16 * 3.0000003 * 2^-24 <
//   3.02; the sum of the multiply-add is rounded by at most 1/4 below 2^23,
//   where the conversion rounds by 1/2 more, or by 1/2 up to 2^24. Beyond that
//   everything is clamped.
//
// If the lower half of i is 8 or more, no tie lies in (i - 8, i], hence none at
// w or between w and i, and both have the same upper half. Other elements are
// decided in double as requantize.h describes, for a whole row: what costs most
// would be to choose among them.

#if defined(QCONFORM_OPTIMIZED_REQUANTIZE_FIXED_POINT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_REQUANTIZE_FIXED_POINT_INL_H_
#undef QCONFORM_OPTIMIZED_REQUANTIZE_FIXED_POINT_INL_H_
#else
#define QCONFORM_OPTIMIZED_REQUANTIZE_FIXED_POINT_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "optimized/pack_bytes-inl.h"
#include "optimized/requantize.h"

#undef QCONFORM_HAVE_FIXED_POINT
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define QCONFORM_HAVE_FIXED_POINT 1
#else
#define QCONFORM_HAVE_FIXED_POINT 0
#endif

#if QCONFORM_HAVE_FIXED_POINT
HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {
namespace fixed_point {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using DF32 = hn::ScalableTag<float>;
using DF64 = hn::ScalableTag<double>;
using V32 = hn::Vec<D32>;
using VF32 = hn::Vec<DF32>;
using VF64 = hn::Vec<DF64>;

constexpr size_t kLanes = 16;
constexpr float kOne = 0x1p16f;
constexpr float kHalf = 0x1p15f;
constexpr float kErrorBound = 4;
// Bits of a lower half of which one is set from 2 * kErrorBound on.
constexpr int32_t kDecidedBits = 0xFFF8;
// Conversions to int32 are safe up to here, and the lower half looks decided.
// What lies below int32 converts to its lowest value: the rounded value stays
// right, and only the decision is wasted.
constexpr float kHighest = 0x7C008000;

struct Row {
  Row(const RequantizeRow& row, float first_b_scale)
      : factor(hn::Set(DF32(), row.factor * kOne)),
        first_ratio(hn::Set(DF32(), row.factor * kOne * first_b_scale)),
        addend(hn::Set(DF32(), static_cast<float>(row.zero_point) * kOne +
                                   (kHalf + kErrorBound))) {}
  VF32 factor;
  VF32 first_ratio;  // that of all columns, if their scales are equal
  VF32 addend;
};

HWY_INLINE VF32 LoadAsFloat(const int32_t* sums) {
  return hn::ConvertTo(DF32(), hn::LoadU(D32(), sums));
}

template <bool kEqualScales>
HWY_INLINE VF32 Ratio(VF32 factor, VF32 first_ratio, const float* b_scales) {
  return kEqualScales ? first_ratio
                      : hn::Mul(factor, hn::LoadU(DF32(), b_scales));
}

// Rounded half to even, at most kHighest.
HWY_INLINE V32 ToInteger32(VF32 value) {
  const D32 d32;
  // Positive floats keep their order as integers, which more ports compare.
  const V32 limited = hn::Min(hn::BitCast(d32, value),
                              hn::BitCast(d32, hn::Set(DF32(), kHighest)));
  return V32{
      _mm512_cvt_roundps_epi32(_mm512_castsi512_ps(limited.raw),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}

// i of the head comment.
template <bool kEqualScales>
HWY_INLINE V32 ToFixedPoint(const Row& row, const int32_t* sums,
                            const float* b_scales) {
  const VF32 ratio = Ratio<kEqualScales>(row.factor, row.first_ratio, b_scales);
  return ToInteger32(hn::MulAdd(LoadAsFloat(sums), ratio, row.addend));
}

// The smallest lower halves; upper ones do not matter.
HWY_INLINE V32 MinOfHalves(V32 a, V32 b) {
  return V32{_mm512_min_epu16(a.raw, b.raw)};
}

// The upper halves of four vectors, clamped, in order.
template <typename T>
HWY_INLINE void StoreUpperHalves(V32 v0, V32 v1, V32 v2, V32 v3, T* out) {
  alignas(64) static constexpr uint16_t kOddWords[32] = {
      1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
      33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
  const __m512i odd_words = _mm512_load_si512(kOddWords);
  const __m512i low = _mm512_permutex2var_epi16(v0.raw, odd_words, v1.raw);
  const __m512i high = _mm512_permutex2var_epi16(v2.raw, odd_words, v3.raw);
  const __m512i packed = std::is_signed_v<T> ? _mm512_packs_epi16(low, high)
                                             : _mm512_packus_epi16(low, high);
  // Packing works within blocks of 128 bits.
  const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi64(order, packed));
}

HWY_INLINE __mmask16 FirstLanes(size_t count) {
  return static_cast<__mmask16>((1u << count) - 1);
}

// Some of the lanes, clamped.
template <typename T>
HWY_INLINE void StoreLanes(V32 v, __mmask16 lanes, T* out) {
  const __m128i bytes =
      std::is_signed_v<T>
          ? _mm512_cvtsepi32_epi8(v.raw)
          : _mm512_cvtusepi32_epi8(hn::Max(v, hn::Zero(D32())).raw);
  _mm_mask_storeu_epi8(out, lanes, bytes);
}

// A row whose vector i rounds to round(i).
template <typename T, class Round>
HWY_INLINE void StoreRounded(V32 zero_point, size_t count, T* out,
                             const Round& round) {
  const hn::Repartition<uint8_t, D32> d8;
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    // AR-04: the zero point after rounding, the limits last.
    const auto bytes =
        PackFour<T>(round(i), round(i + kLanes), round(i + 2 * kLanes),
                    round(i + 3 * kLanes), zero_point);
    hn::StoreU(bytes, d8, reinterpret_cast<uint8_t*>(out + i));
  }
  const V32 low = hn::Set(D32(), -512);  // so that the sum stays in int32
  for (; i < count; i += kLanes) {
    StoreLanes(hn::Add(hn::Max(round(i), low), zero_point),
               FirstLanes(std::min(kLanes, count - i)), out + i);
  }
}

// A row that float represents without an error, ties and all.
template <bool kEqualScales, typename T>
HWY_NOINLINE void RequantizeInFloat(const RequantizeRow& row,
                                    const int32_t* sums, const float* b_scales,
                                    size_t count, T* out) {
  const D32 d32;
  const DF32 df32;
  const VF32 factor = hn::Set(df32, row.factor);
  const VF32 first_ratio = hn::Set(df32, row.factor * b_scales[0]);
  StoreRounded<T>(hn::Set(d32, row.zero_point), count, out,
                  [&](size_t i) HWY_ATTR {
                    const VF32 ratio =
                        Ratio<kEqualScales>(factor, first_ratio, b_scales + i);
                    // Packs saturate long before the limit.
                    return ToInteger32(hn::Mul(LoadAsFloat(sums + i), ratio));
                  });
}

// The decision of requantize.h for every element of a row. Of an x beside an
// integer, y may be on the other side; the decision between floor(y) and
// floor(y) + 1 comes to the same.
template <bool kEqualScales, typename T>
HWY_NOINLINE void RequantizeInDouble(const RequantizeRow& row,
                                     const int32_t* sums, const float* b_scales,
                                     size_t count, T* out) {
  const D32 d32;
  const DF32 df32;
  const DF64 df64;
  const hn::Rebind<int32_t, DF64> d_half;
  const hn::Rebind<float, DF64> df_half;
  const VF32 factor = hn::Set(df32, row.factor);
  const VF32 first_ratio = hn::Set(df32, row.factor * b_scales[0]);
  const VF32 limit = hn::Set(df32, 512.0f);
  const VF64 a_scale = hn::Set(df64, row.a_scale);
  const VF64 first_scales = hn::Set(df64, row.a_scale * double{b_scales[0]});
  const VF64 half_output_scale = hn::Set(df64, row.output_scale / 2);
  const V32 one = hn::Set(d32, 1);
  alignas(64) static constexpr uint32_t kOddWords[16] = {
      1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
  // Signed: how far S * C lies above output_scale * odd / 2.
  const auto above_tie = [&](size_t i,
                             hn::Vec<hn::Rebind<int32_t, DF64>> odd) HWY_ATTR {
    const VF64 sum = hn::PromoteTo(df64, hn::LoadU(d_half, sums + i));
    const VF64 scales =
        kEqualScales
            ? first_scales
            : hn::Mul(hn::PromoteTo(df64, hn::LoadU(df_half, b_scales + i)),
                      a_scale);
    const VF64 h = hn::Mul(sum, scales);
    const VF64 l = hn::MulSub(sum, scales, h);
    const VF64 difference =
        hn::NegMulAdd(half_output_scale, hn::PromoteTo(df64, odd), h);
    return _mm512_castpd_si512(hn::Add(difference, l).raw);
  };
  StoreRounded<T>(
      hn::Set(d32, row.zero_point), count, out, [&](size_t i) HWY_ATTR {
        const VF32 ratio =
            Ratio<kEqualScales>(factor, first_ratio, b_scales + i);
        const VF32 y =
            hn::Max(hn::Min(hn::Mul(LoadAsFloat(sums + i), ratio), limit),
                    hn::Neg(limit));
        const V32 floor{_mm512_cvt_roundps_epi32(
            y.raw, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)};
        const V32 odd = hn::Add(hn::Add(floor, floor), one);
        const __m512i low = above_tie(i, hn::LowerHalf(odd));
        const __m512i high =
            above_tie(i + kLanes / 2, hn::UpperHalf(d_half, odd));
        // No difference but 0 is below the normal range of double, so sign and
        // zero show in its upper half; it is never -0.
        const V32 above{
            _mm512_permutex2var_epi32(low, _mm512_load_si512(kOddWords), high)};
        // Above the tie, or on it and floor is odd (AR-03).
        const V32 positive_if_up = hn::Add(above, hn::And(floor, one));
        return hn::Add(floor,
                       hn::Max(hn::Min(positive_if_up, one), hn::Zero(d32)));
      });
}

// A row that is filtered.
template <bool kFilters, bool kEqualScales, typename T>
HWY_INLINE void Requantize(const RequantizeRow& row, const Row& vectors,
                           const int32_t* sums, const float* b_scales,
                           size_t count, T* out) {
  const D32 d32;
  const auto convert = [&](size_t i) HWY_ATTR {
    return ToFixedPoint<kEqualScales>(vectors, sums + i, b_scales + i);
  };
  const V32 all_ones = hn::Set(d32, -1);
  V32 least = all_ones;
  size_t i = 0;
  for (; i + 4 * kLanes <= count; i += 4 * kLanes) {
    const V32 v0 = convert(i);
    const V32 v1 = convert(i + kLanes);
    const V32 v2 = convert(i + 2 * kLanes);
    const V32 v3 = convert(i + 3 * kLanes);
    least = MinOfHalves(least,
                        MinOfHalves(MinOfHalves(v0, v1), MinOfHalves(v2, v3)));
    StoreUpperHalves(v0, v1, v2, v3, out + i);
  }
  for (; i < count; i += kLanes) {
    const V32 v = convert(i);
    const __mmask16 lanes = FirstLanes(std::min(kLanes, count - i));
    least = MinOfHalves(least,
                        V32{_mm512_mask_mov_epi32(all_ones.raw, lanes, v.raw)});
    StoreLanes(hn::ShiftRight<16>(v), lanes, out + i);
  }
  if (!kFilters) return;
  // Rare, so rather all of them again than a branch for each.
  if (HWY_UNLIKELY(_mm512_testn_epi32_mask(
                       least.raw, hn::Set(d32, kDecidedBits).raw) != 0)) {
    RequantizeInDouble<kEqualScales>(row, sums, b_scales, count, out);
  }
}

}  // namespace fixed_point
}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();
#endif  // QCONFORM_HAVE_FIXED_POINT

#endif  // per-target include guard
