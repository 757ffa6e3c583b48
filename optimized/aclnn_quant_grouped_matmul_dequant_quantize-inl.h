// Quantization of the rows of x; see the kernels header. Included once per
// target.

#if defined(QCONFORM_OPTIMIZED_GROUPED_MATMUL_QUANTIZE_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_GROUPED_MATMUL_QUANTIZE_INL_H_
#undef QCONFORM_OPTIMIZED_GROUPED_MATMUL_QUANTIZE_INL_H_
#else
#define QCONFORM_OPTIMIZED_GROUPED_MATMUL_QUANTIZE_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hwy/highway.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"
#include "optimized/float16-inl.h"
#include "optimized/float16.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// k is a multiple of 16, so whole vectors of at most 16 lanes have no tail.
using QuantizeTag = hn::CappedTag<float, 16>;

constexpr size_t kGatherColumns = 256;

// Calls body(first_column, columns, x) for the row in pieces, x being `columns`
// consecutive float16. Strided rows are gathered in a buffer (AG-13).
template <class Body>
HWY_INLINE void ForEachPiece(const RowQuantization& q, size_t row,
                             const Body& body) {
  const uint16_t* HWY_RESTRICT x = q.x + row * q.row_stride;
  if (q.column_stride == 1) {
    body(size_t{0}, q.k, x);
    return;
  }
  uint16_t gathered[kGatherColumns];
  for (size_t first = 0; first < q.k; first += kGatherColumns) {
    const size_t columns = std::min(kGatherColumns, q.k - first);
    for (size_t i = 0; i < columns; ++i) {
      // The address of x need not be a multiple of 2.
      std::memcpy(&gathered[i], x + (first + i) * q.column_stride,
                  sizeof(uint16_t));
    }
    body(first, columns, gathered);
  }
}

// Sixteen bits at a time where the machine has the conversion.
template <class D>
HWY_INLINE hn::Vec<D> LoadRow(D df, const uint16_t* from) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  (void)df;
  return hn::Vec<D>{_mm512_cvtph_ps(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)))};
#elif HWY_ARCH_X86 && HWY_TARGET == HWY_AVX2
  (void)df;
  return hn::Vec<D>{
      _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))};
#else
  return LoadFloat16(df, from);
#endif
}

// x * smooth. Exact: both have at most 11 significant bits, the product 22, and
// it lies in 2^-48 .. 2^32, where a float is normal.
template <class D>
HWY_INLINE hn::Vec<D> SmoothedVector(D df, const uint16_t* x,
                                     const float* smooth) {
  const auto value = LoadRow(df, x);
  return smooth == nullptr ? value : hn::Mul(value, hn::LoadU(df, smooth));
}

// The same as below for x alone: float16 is ordered like float.
HWY_INLINE int32_t PlainMaxMagnitudeBits(const RowQuantization& q, size_t row) {
  const hn::CappedTag<int16_t, 16> d;
  const size_t lanes = hn::Lanes(d);
  auto max = hn::Zero(d);
  ForEachPiece(q, row, [&](size_t, size_t columns, const uint16_t* x) HWY_ATTR {
    for (size_t i = 0; i < columns; i += lanes) {
      const auto bits = hn::LoadU(d, reinterpret_cast<const int16_t*>(x + i));
      max = hn::Max(max, hn::And(bits, hn::Set(d, int16_t{0x7FFF})));
    }
  });
  HWY_ALIGN int16_t each[16];
  hn::Store(max, d, each);
  const int16_t largest = *std::max_element(each, each + lanes);
  return std::bit_cast<int32_t>(
      Float16ToFloat32(static_cast<uint16_t>(largest)));
}

// The largest abs(p) of the row as float bits: above those of infinity if there
// is a NaN, because magnitudes of floats are ordered as integers.
HWY_INLINE int32_t MaxMagnitudeBits(const RowQuantization& q, size_t row) {
  if (q.smooth == nullptr) return PlainMaxMagnitudeBits(q, row);
  const QuantizeTag df;
  const hn::RebindToSigned<QuantizeTag> di;
  const size_t lanes = hn::Lanes(df);
  auto max = hn::Zero(di);
  ForEachPiece(q, row, [&](size_t first, size_t columns, const uint16_t* x) {
    for (size_t i = 0; i < columns; i += lanes) {
      const float* smooth =
          q.smooth == nullptr ? nullptr : q.smooth + first + i;
      const auto bits = hn::BitCast(di, SmoothedVector(df, x + i, smooth));
      max = hn::Max(max, hn::And(bits, hn::Set(di, 0x7FFFFFFF)));
    }
  });
  return hn::GetLane(hn::MaxOfLanes(di, max));
}

// round(numerator / denominator) clamped to int8, as int32.
//
// The double quotient decides every rounding exactly. Let t = j + 1/2 be a tie
// within -128..127: 9 significant bits. The denominator has at most 24, so t *
// denominator has at most 33; the numerator has at most 22 + 7. Two different
// numbers of at most 33 significant bits differ by more than 2^-34 of their
// size, so the exact quotient is either t, and then the division returns it, or
// differs from t by more than 2^-34 of its size, and then the division, which
// errs by 2^-53, stays on its side. Exponents are harmless: numerators lie in
// 2^-48 .. 2^39, denominators in 2^-149 .. 2^128. Clamping first changes
// nothing because the limits are integers; it also takes an infinite quotient
// to its limit (AG-03).
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<int32_t, D>> RoundedQuotient(
    D dd, hn::Vec<D> numerator, hn::Vec<D> denominator) {
  const hn::Rebind<int32_t, D> di;
  const auto quotient = hn::Div(numerator, denominator);
  const auto clamped =
      hn::Min(hn::Max(quotient, hn::Set(dd, -128.0)), hn::Set(dd, 127.0));
  // The sum has unit 1, so the addition rounds half to even (AR-03).
  const auto grid = hn::Set(dd, 0x1.8p52);
  return hn::DemoteTo(di, hn::Sub(hn::Add(clamped, grid), grid));
}

// Float is tried first: y = p * float(multiplier / denominator) errs by two
// roundings of 2^-24 (and 2^-53) of its size, below 2^-15 wherever the result
// is not a limit. A y that lies farther from all ties rounds as the exact
// value.
HWY_INLINE void QuantizeRow(const RowQuantization& q, size_t row,
                            double multiplier, double denominator) {
  const QuantizeTag df;
  const hn::Half<QuantizeTag> df_half;
  const hn::RebindToSigned<QuantizeTag> di;
  const hn::Rebind<int8_t, QuantizeTag> di8;
  const hn::Rebind<double, hn::Half<QuantizeTag>> dd;
  const size_t lanes = hn::Lanes(df);
  const auto factor = hn::Set(dd, multiplier);
  const auto divisor = hn::Set(dd, denominator);
  int8_t* HWY_RESTRICT to = q.quantized + row * q.k;
  const double ratio = multiplier / denominator;
  // Past float's normal range nothing is certain.
  const bool in_range =
      std::abs(ratio) >= 0x1p-126 && std::abs(ratio) <= 0x1p127;
  const auto ratios = hn::Set(df, in_range ? static_cast<float>(ratio) : 0.0f);
  const auto certain = hn::Set(df, in_range ? 0.5f - 0x1p-15f : -1.0f);
  const auto limit = hn::Set(df, 200.0f);
  ForEachPiece(q, row, [&](size_t first, size_t columns, const uint16_t* x) {
    for (size_t i = 0; i < columns; i += lanes) {
      const float* smooth =
          q.smooth == nullptr ? nullptr : q.smooth + first + i;
      const auto p = SmoothedVector(df, x + i, smooth);
      const auto y =
          hn::Max(hn::Min(hn::Mul(p, ratios), limit), hn::Neg(limit));
      const auto nearest = hn::Round(y);
      if (HWY_LIKELY(
              hn::AllTrue(df, hn::Lt(hn::Abs(hn::Sub(y, nearest)), certain)))) {
        hn::StoreU(hn::DemoteTo(di8, hn::ConvertTo(di, nearest)), di8,
                   to + first + i);
        continue;
      }
      const auto low = hn::PromoteTo(dd, hn::LowerHalf(df_half, p));
      const auto high = hn::PromoteTo(dd, hn::UpperHalf(df_half, p));
      const auto rounded =
          hn::Combine(di, RoundedQuotient(dd, hn::Mul(high, factor), divisor),
                      RoundedQuotient(dd, hn::Mul(low, factor), divisor));
      hn::StoreU(hn::DemoteTo(di8, rounded), di8, to + first + i);
    }
  });
}

void QuantizeRows(const RowQuantization& q, size_t first_row, size_t last_row) {
  constexpr int32_t kInfinityBits = 0x7F800000;
  for (size_t row = first_row; row < last_row; ++row) {
    const bool is_dynamic = q.x_scale == nullptr;
    const int32_t max_bits = MaxMagnitudeBits(q, row);
    const float factor = is_dynamic ? std::bit_cast<float>(max_bits)
                                    : q.x_scale[row * q.x_scale_stride];
    const bool is_nan =
        is_dynamic ? max_bits >= kInfinityBits : max_bits > kInfinityBits;
    q.row_factors[row] =
        is_nan ? std::numeric_limits<float>::quiet_NaN() : factor;
    if (is_nan || factor == 0.0f) {
      std::memset(q.quantized + row * q.k, 0, q.k);
    } else {
      QuantizeRow(q, row, is_dynamic ? kDynamicDivisor : 1, factor);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
