// The kernels of requantize.h. Included once per target.
//
// kFilters: elements that float leaves open are decided exactly. Production
// knows nothing else; without it benchmarks measure what exactness costs.

#if defined(QCONFORM_OPTIMIZED_REQUANTIZE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_REQUANTIZE_INL_H_
#undef QCONFORM_OPTIMIZED_REQUANTIZE_INL_H_
#else
#define QCONFORM_OPTIMIZED_REQUANTIZE_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "optimized/pack_bytes-inl.h"
#include "optimized/requantize.h"
#include "optimized/requantize_fixed_point-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using DF32 = hn::ScalableTag<float>;
using DF64 = hn::ScalableTag<double>;
using V32 = hn::Vec<D32>;
using VF32 = hn::Vec<DF32>;
using VF64 = hn::Vec<DF64>;

// Past this everything is clamped, and conversions to int32 are safe.
constexpr float kLimit = 512;

// h + l == a * b exactly; returns l. Without a fused multiply-add, Dekker's
// product of halves of 26 bits.
HWY_INLINE VF64 ProductError(VF64 a, VF64 b, VF64 h) {
#if HWY_NATIVE_FMA
  return hn::MulSub(a, b, h);
#else
  const VF64 splitter = hn::Set(DF64(), 0x1p27 + 1);
  const VF64 a_scaled = hn::Mul(a, splitter);
  const VF64 b_scaled = hn::Mul(b, splitter);
  const VF64 a_high = hn::Sub(a_scaled, hn::Sub(a_scaled, a));
  const VF64 b_high = hn::Sub(b_scaled, hn::Sub(b_scaled, b));
  const VF64 a_low = hn::Sub(a, a_high);
  const VF64 b_low = hn::Sub(b, b_high);
  VF64 error = hn::Sub(hn::Mul(a_high, b_high), h);
  error = hn::Add(error, hn::Mul(a_high, b_low));
  error = hn::Add(error, hn::Mul(a_low, b_high));
  return hn::Add(error, hn::Mul(a_low, b_low));
#endif
}

// The decision of requantize.h: floor, or floor + 1 if h + l lies above
// output_scale * (floor + 1/2), or on it and floor is odd (AR-03).
HWY_INLINE VF64 DecideTie(VF64 h, VF64 l, VF64 floor, VF64 output_scale) {
  const DF64 d;
  const VF64 half = hn::Set(d, 0.5);
  const VF64 tie = hn::Add(floor, half);
  const VF64 above_tie = hn::Add(hn::Sub(h, hn::Mul(output_scale, tie)), l);
  const VF64 zero = hn::Zero(d);
  const VF64 half_floor = hn::Mul(floor, half);
  const auto odd = hn::Ne(hn::Floor(half_floor), half_floor);
  const auto up =
      hn::Or(hn::Gt(above_tie, zero), hn::And(hn::Eq(above_tie, zero), odd));
  return hn::Add(floor, hn::IfThenElseZero(up, hn::Set(d, 1.0)));
}

// Sums given in double, whatever their size.
HWY_INLINE VF64 RoundExactly(VF64 sums, VF64 b_scales,
                             const RequantizeRow& row) {
  const DF64 d;
  const VF64 scales = hn::Mul(b_scales, hn::Set(d, row.a_scale));
  const VF64 output_scale = hn::Set(d, row.output_scale);
  const VF64 h = hn::Mul(sums, scales);
  const VF64 limit = hn::Set(d, double{kLimit});
  const VF64 x =
      hn::Max(hn::Min(hn::Div(h, output_scale), limit), hn::Neg(limit));
  return DecideTie(h, ProductError(sums, scales, h), hn::Floor(x),
                   output_scale);
}

// The same for x beside a tie, of which floor(x) is known: no division.
HWY_INLINE VF64 RoundBesideTie(VF64 sums, VF64 b_scales, VF64 floor,
                               const RequantizeRow& row) {
  const DF64 d;
  const VF64 scales = hn::Mul(b_scales, hn::Set(d, row.a_scale));
  const VF64 h = hn::Mul(sums, scales);
  return DecideTie(h, ProductError(sums, scales, h), floor,
                   hn::Set(d, row.output_scale));
}

HWY_INLINE VF32 Distance(VF32 y, VF32 nearest) {
  return hn::Abs(hn::Sub(y, nearest));
}

// What the vectors of a row share.
struct RowVectors {
  RowVectors(const RequantizeRow& row, float first_b_scale)
      : factor(hn::Set(DF32(), row.factor)),
        threshold(hn::Set(DF32(), row.threshold)),
        zero_point(hn::Set(D32(), row.zero_point)),
        first_ratio(hn::Set(DF32(), row.factor * first_b_scale)) {}
  VF32 factor, threshold;
  V32 zero_point;
  VF32 first_ratio;  // that of all columns, if their scales are equal
};

// Limited so that everything past the limit is clamped alike.
HWY_INLINE VF32 Limit(VF32 y) {
  const VF32 limit = hn::Set(DF32(), kLimit);
  return hn::Max(hn::Min(y, limit), hn::Neg(limit));
}

HWY_INLINE VF32 Approximate(const RowVectors& row, const int32_t* sums,
                            const float* b_scales) {
  const D32 d32;
  const DF32 df32;
  const VF32 ratio = hn::Mul(row.factor, hn::LoadU(df32, b_scales));
  return Limit(hn::Mul(hn::ConvertTo(df32, hn::LoadU(d32, sums)), ratio));
}

// An integer within +-512; Highway's conversion also minds larger ones.
HWY_INLINE V32 ToInteger(VF32 integer) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return V32{_mm512_cvt_roundps_epi32(
      integer.raw, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  return V32{_mm256_cvtps_epi32(integer.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
  return V32{_mm_cvtps_epi32(integer.raw)};
#else
  return hn::ConvertTo(D32(), integer);
#endif
}

// A vector of a row whose ratios float cannot hold.
inline HWY_NOINLINE V32 RoundVectorInDouble(const RequantizeRow& row,
                                            const int32_t* sums,
                                            const float* b_scales) {
  const DF64 d64;
  const hn::Rebind<int32_t, DF64> d32;
  const hn::Rebind<float, DF64> df32;
  HWY_ALIGN int32_t rounded[HWY_MAX_BYTES / sizeof(int32_t)];
  for (size_t i = 0; i < hn::Lanes(D32()); i += hn::Lanes(d64)) {
    const VF64 sum = hn::PromoteTo(d64, hn::LoadU(d32, sums + i));
    const VF64 b_scale = hn::PromoteTo(d64, hn::LoadU(df32, b_scales + i));
    hn::StoreU(hn::DemoteTo(d32, RoundExactly(sum, b_scale, row)), d32,
               rounded + i);
  }
  return hn::Load(D32(), rounded);
}

// One vector of sums, rounded.
template <bool kFilters>
HWY_INLINE V32 RoundVector(const RequantizeRow& row, const RowVectors& vectors,
                           const int32_t* sums, const float* b_scales) {
  const D32 d32;
  const DF32 df32;
  const VF32 y = Approximate(vectors, sums, b_scales);
  const VF32 nearest = hn::Round(y);
  if (!kFilters) return ToInteger(nearest);
  const auto beside_tie = hn::Ge(Distance(y, nearest), vectors.threshold);
  if (HWY_LIKELY(hn::AllFalse(df32, beside_tie))) return ToInteger(nearest);
  if (row.threshold < 0) return RoundVectorInDouble(row, sums, b_scales);
  const DF64 d64;
  const hn::Rebind<int32_t, DF64> half32;
  const hn::Rebind<float, DF64> half_float;
  const size_t half = hn::Lanes(d64);
  const auto decide = [&](hn::Vec<decltype(half_float)> floor,
                          size_t i) HWY_ATTR {
    return hn::DemoteTo(
        half32,
        RoundBesideTie(hn::PromoteTo(d64, hn::LoadU(half32, sums + i)),
                       hn::PromoteTo(d64, hn::LoadU(half_float, b_scales + i)),
                       hn::PromoteTo(d64, floor), row));
  };
  const VF32 floor = hn::Floor(y);
  const V32 decided =
      hn::Combine(d32, decide(hn::UpperHalf(half_float, floor), half),
                  decide(hn::LowerHalf(half_float, floor), 0));
  return hn::IfThenElse(hn::RebindMask(d32, beside_tie), decided,
                        ToInteger(nearest));
}

#if QCONFORM_HAVE_PACK_FOUR && !QCONFORM_HAVE_FIXED_POINT
// AR-04: the zero point after rounding, the limits last.
template <typename T>
HWY_INLINE void StoreFour(V32 v0, V32 v1, V32 v2, V32 v3, V32 zero_point,
                          T* out) {
  const hn::Repartition<uint8_t, D32> d8;
  hn::StoreU(PackFour<T>(v0, v1, v2, v3, zero_point), d8,
             reinterpret_cast<uint8_t*>(out));
}

// Groups of four vectors of which some elements want the decision.
template <typename T>
HWY_NOINLINE void RequantizeFoursCarefully(const RequantizeRow& row,
                                           const int32_t* sums,
                                           const float* b_scales, size_t count,
                                           T* out) {
  const RowVectors vectors(row, b_scales[0]);
  const size_t lanes = hn::Lanes(D32());
  const auto round = [&](size_t i) HWY_ATTR {
    return RoundVector<true>(row, vectors, sums + i, b_scales + i);
  };
  for (size_t i = 0; i < count; i += 4 * lanes) {
    const V32 r0 = round(i);
    const V32 r1 = round(i + lanes);
    const V32 r2 = round(i + 2 * lanes);
    const V32 r3 = round(i + 3 * lanes);
    StoreFour(r0, r1, r2, r3, vectors.zero_point, out + i);
  }
}

// Whole groups of four vectors; returns how many elements that is.
template <bool kFilters, bool kEqualScales, typename T>
HWY_INLINE size_t RequantizeFours(const RequantizeRow& row,
                                  const RowVectors& vectors,
                                  const int32_t* sums, const float* b_scales,
                                  size_t count, T* out) {
  const D32 d32;
  const DF32 df32;
  const size_t lanes = hn::Lanes(df32);
  const auto limited = [&](size_t i) HWY_ATTR {
    const VF32 ratio =
        kEqualScales ? vectors.first_ratio
                     : hn::Mul(vectors.factor, hn::LoadU(df32, b_scales + i));
    return Limit(hn::Mul(hn::ConvertTo(df32, hn::LoadU(d32, sums + i)), ratio));
  };
  VF32 farthest = hn::Zero(df32);
  size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const VF32 y0 = limited(i);
    const VF32 y1 = limited(i + lanes);
    const VF32 y2 = limited(i + 2 * lanes);
    const VF32 y3 = limited(i + 3 * lanes);
    const VF32 n0 = hn::Round(y0);
    const VF32 n1 = hn::Round(y1);
    const VF32 n2 = hn::Round(y2);
    const VF32 n3 = hn::Round(y3);
    farthest =
        hn::Max(farthest, hn::Max(hn::Max(Distance(y0, n0), Distance(y1, n1)),
                                  hn::Max(Distance(y2, n2), Distance(y3, n3))));
    StoreFour(ToInteger(n0), ToInteger(n1), ToInteger(n2), ToInteger(n3),
              vectors.zero_point, out + i);
  }
  // Rare, so rather all of them again than a branch for each.
  if (HWY_UNLIKELY(!hn::AllTrue(df32, hn::Lt(farthest, vectors.threshold)))) {
    RequantizeFoursCarefully(row, sums, b_scales, i, out);
  }
  return i;
}
#endif

// What does not fill four vectors, and any stride. Apart, to leave the loop
// over the others its registers.
template <bool kFilters, typename T>
HWY_NOINLINE void RequantizeRest(const RequantizeRow& row, const int32_t* sums,
                                 const float* b_scales, size_t count, T* out,
                                 size_t stride) {
  const D32 d32;
  const hn::Rebind<T, D32> d8;
  const RowVectors vectors(row, b_scales[0]);
  const size_t lanes = hn::Lanes(d32);
  const V32 low = hn::Set(d32, int32_t{std::numeric_limits<T>::min()});
  const V32 high = hn::Set(d32, int32_t{std::numeric_limits<T>::max()});
  for (size_t i = 0; i < count; i += lanes) {
    const V32 rounded =
        RoundVector<kFilters>(row, vectors, sums + i, b_scales + i);
    // AR-04: the zero point after rounding, the limits last.
    const V32 clamped =
        hn::Max(hn::Min(hn::Add(rounded, vectors.zero_point), high), low);
    const auto bytes = hn::DemoteTo(d8, clamped);
    if (stride == 1 && i + lanes <= count) {
      hn::StoreU(bytes, d8, out + i);
    } else {
      HWY_ALIGN T buffer[HWY_MAX_BYTES];
      hn::StoreU(bytes, d8, buffer);
      const size_t left = std::min(lanes, count - i);
      for (size_t j = 0; j < left; ++j) out[(i + j) * stride] = buffer[j];
    }
  }
}

#if QCONFORM_HAVE_FIXED_POINT
// Rows of outputs next to each other.
template <bool kFilters, bool kEqualScales, typename T>
void RequantizeInFixedPoint(const RequantizeTile& tile) {
  const size_t columns = tile.columns;
  const float* b_scales = tile.b_scales;
  const int32_t* sums = tile.narrow;
  T* out = static_cast<T*>(tile.output.data);
  const RequantizeRow* row = tile.rows;
  fixed_point::Row vectors(*row, b_scales[0]);
  for (size_t r = 0; r < tile.row_count; ++r) {
    if (row->threshold < 0) {
      RequantizeRest<kFilters>(*row, sums, b_scales, columns, out, 1);
    } else if (row->threshold > 0.5f) {
      fixed_point::RequantizeInFloat<kEqualScales>(*row, sums, b_scales,
                                                   columns, out);
    } else {
      if (r != 0 && tile.row_step != 0) {
        vectors = fixed_point::Row(*row, b_scales[0]);
      }
      fixed_point::Requantize<kFilters, kEqualScales>(*row, vectors, sums,
                                                      b_scales, columns, out);
    }
    row += tile.row_step;
    sums += tile.sum_stride;
    out += tile.output.row_stride;
  }
}
#endif

template <bool kFilters, bool kEqualScales, typename T>
void RequantizeNarrow(const RequantizeTile& tile) {
  const size_t stride = tile.output.stride;
#if QCONFORM_HAVE_FIXED_POINT
  if (stride == 1) {
    RequantizeInFixedPoint<kFilters, kEqualScales, T>(tile);
    return;
  }
#endif
  const size_t output_row_stride = tile.output.row_stride;
  const size_t sum_stride = tile.sum_stride;
  const size_t columns = tile.columns;
  const float* b_scales = tile.b_scales;
  const int32_t* sums = tile.narrow;
  T* out = static_cast<T*>(tile.output.data);
  RowVectors vectors(*tile.rows, b_scales[0]);
  for (size_t r = 0; r < tile.row_count;
       ++r, sums += sum_stride, out += output_row_stride) {
    const RequantizeRow& row = tile.rows[r * tile.row_step];
    if (r != 0 && tile.row_step != 0) vectors = RowVectors(row, b_scales[0]);
    size_t done = 0;
#if QCONFORM_HAVE_PACK_FOUR && !QCONFORM_HAVE_FIXED_POINT
    if (stride == 1) {
      done = RequantizeFours<kFilters, kEqualScales>(row, vectors, sums,
                                                     b_scales, columns, out);
    }
#endif
    if (done < columns) {
      RequantizeRest<kFilters>(row, sums + done, b_scales + done,
                               columns - done, out + done * stride, stride);
    }
  }
}

template <typename T>
void RequantizeWideRow(const RequantizeRow& row, const int64_t* sums,
                       const float* b_scales, size_t count, T* out,
                       size_t stride) {
  const DF64 d64;
  const hn::Rebind<float, DF64> df32;
  const size_t lanes = hn::Lanes(d64);
  HWY_ALIGN double buffer[HWY_MAX_BYTES / sizeof(double)] = {};
  for (size_t i = 0; i < count; i += lanes) {
    const size_t left = std::min(lanes, count - i);
    // Below 2^48, so exact.
    for (size_t j = 0; j < left; ++j) {
      buffer[j] = static_cast<double>(sums[i + j]);
    }
    hn::Store(
        RoundExactly(hn::Load(d64, buffer),
                     hn::PromoteTo(d64, hn::LoadU(df32, b_scales + i)), row),
        d64, buffer);
    for (size_t j = 0; j < left; ++j) {
      const int32_t shifted = static_cast<int32_t>(buffer[j]) + row.zero_point;
      out[(i + j) * stride] = static_cast<T>(
          std::clamp<int32_t>(shifted, std::numeric_limits<T>::min(),
                              std::numeric_limits<T>::max()));
    }
  }
}

template <typename T>
void RequantizeWide(const RequantizeTile& tile) {
  T* out = static_cast<T*>(tile.output.data);
  for (size_t r = 0; r < tile.row_count; ++r) {
    RequantizeWideRow(tile.rows[r * tile.row_step],
                      tile.wide + r * tile.sum_stride, tile.b_scales,
                      tile.columns, out + r * tile.output.row_stride,
                      tile.output.stride);
  }
}

template <bool kFilters, typename T>
void RequantizeOf(const RequantizeTile& tile) {
  if (tile.wide != nullptr) {
    RequantizeWide<T>(tile);
  } else if (tile.b_scales_are_equal) {
    RequantizeNarrow<kFilters, true, T>(tile);
  } else {
    RequantizeNarrow<kFilters, false, T>(tile);
  }
}

template <bool kFilters>
void Requantize(const RequantizeTile& tile) {
  if (tile.output.is_signed) {
    RequantizeOf<kFilters, int8_t>(tile);
  } else {
    RequantizeOf<kFilters, uint8_t>(tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
