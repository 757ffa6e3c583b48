#include "optimized/requantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/requantize.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {
namespace {

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

// The decision of requantize.h for sums given in double.
HWY_INLINE VF64 RoundExactly(VF64 sums, VF64 b_scales,
                             const RequantizeRow& row) {
  const DF64 d;
  const VF64 scales = hn::Mul(b_scales, hn::Set(d, row.a_scale));
  const VF64 output_scale = hn::Set(d, row.output_scale);
  const VF64 h = hn::Mul(sums, scales);
  const VF64 l = ProductError(sums, scales, h);
  const VF64 limit = hn::Set(d, double{kLimit});
  const VF64 x =
      hn::Max(hn::Min(hn::Div(h, output_scale), limit), hn::Neg(limit));
  const VF64 floor = hn::Floor(x);
  const VF64 half = hn::Set(d, 0.5);
  const VF64 tie = hn::Add(floor, half);
  const VF64 above_tie = hn::Add(hn::Sub(h, hn::Mul(output_scale, tie)), l);
  const VF64 zero = hn::Zero(d);
  const VF64 one = hn::Set(d, 1.0);
  // An exact tie goes up from an odd floor (AR-03).
  const VF64 half_floor = hn::Mul(floor, half);
  const auto odd = hn::Ne(hn::Floor(half_floor), half_floor);
  const auto up =
      hn::Or(hn::Gt(above_tie, zero), hn::And(hn::Eq(above_tie, zero), odd));
  return hn::Add(floor, hn::IfThenElseZero(up, one));
}

// A whole int32 vector of sums by decision; rare unless ties are frequent.
HWY_NOINLINE void RoundExactly(const RequantizeRow& row, const int32_t* sums,
                               const float* b_scales, int32_t* rounded) {
  const DF64 d64;
  const hn::Rebind<int32_t, DF64> d32;
  const hn::Rebind<float, DF64> df32;
  for (size_t i = 0; i < hn::Lanes(D32()); i += hn::Lanes(d64)) {
    const VF64 result =
        RoundExactly(hn::PromoteTo(d64, hn::LoadU(d32, sums + i)),
                     hn::PromoteTo(d64, hn::LoadU(df32, b_scales + i)), row);
    hn::StoreU(hn::DemoteTo(d32, result), d32, rounded + i);
  }
}

template <typename T>
void RequantizeNarrow(const RequantizeRow& row, const int32_t* sums,
                      const float* b_scales, size_t count, void* data,
                      size_t stride) {
  const D32 d32;
  const DF32 df32;
  const hn::Rebind<T, D32> d8;
  const size_t lanes = hn::Lanes(d32);
  const VF32 factor = hn::Set(df32, row.factor);
  const VF32 threshold = hn::Set(df32, row.threshold);
  const VF32 limit = hn::Set(df32, kLimit);
  const VF32 negative_limit = hn::Set(df32, -kLimit);
  const V32 zero_point = hn::Set(d32, row.zero_point);
  const V32 low = hn::Set(d32, int32_t{std::numeric_limits<T>::min()});
  const V32 high = hn::Set(d32, int32_t{std::numeric_limits<T>::max()});
  T* out = static_cast<T*>(data);
  for (size_t i = 0; i < count; i += lanes) {
    const VF32 ratio = hn::Mul(factor, hn::LoadU(df32, b_scales + i));
    const VF32 product =
        hn::Mul(hn::ConvertTo(df32, hn::LoadU(d32, sums + i)), ratio);
    const VF32 y = hn::Max(hn::Min(product, limit), negative_limit);
    const VF32 nearest = hn::Round(y);
    V32 rounded = hn::ConvertTo(d32, nearest);
    if (HWY_UNLIKELY(!hn::AllFalse(
            df32, hn::Ge(hn::Abs(hn::Sub(y, nearest)), threshold)))) {
      HWY_ALIGN int32_t exact[HWY_MAX_BYTES / sizeof(int32_t)];
      RoundExactly(row, sums + i, b_scales + i, exact);
      rounded = hn::Load(d32, exact);
    }
    // AR-04: the zero point after rounding, the limits last.
    const V32 clamped =
        hn::Max(hn::Min(hn::Add(rounded, zero_point), high), low);
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

template <typename T>
void RequantizeWide(const RequantizeRow& row, const int64_t* sums,
                    const float* b_scales, size_t count, void* data,
                    size_t stride) {
  const DF64 d64;
  const hn::Rebind<float, DF64> df32;
  const size_t lanes = hn::Lanes(d64);
  T* out = static_cast<T*>(data);
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

void Narrow(const RequantizeRow& row, const int32_t* sums,
            const float* b_scales, size_t count,
            const RequantizeOutput& output) {
  if (output.is_signed) {
    RequantizeNarrow<int8_t>(row, sums, b_scales, count, output.data,
                             output.stride);
  } else {
    RequantizeNarrow<uint8_t>(row, sums, b_scales, count, output.data,
                              output.stride);
  }
}

void Wide(const RequantizeRow& row, const int64_t* sums, const float* b_scales,
          size_t count, const RequantizeOutput& output) {
  if (output.is_signed) {
    RequantizeWide<int8_t>(row, sums, b_scales, count, output.data,
                           output.stride);
  } else {
    RequantizeWide<uint8_t>(row, sums, b_scales, count, output.data,
                            output.stride);
  }
}

}  // namespace

const RequantizeKernels* RequantizeTable() {
  static constexpr RequantizeKernels kKernels = {&Narrow, &Wide};
  return &kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized {
namespace {

// 1/2 less the filter's bound, and the two settings that switch it.
constexpr float kFilter = 0.5f - 0x1.05p-14f;
constexpr float kNeverDecide = 1.0f;
constexpr float kAlwaysDecide = -1.0f;

// A float that is not 0 is an odd integer of `significant` bits times
// 2^lowest_exponent.
struct Bits {
  int significant;
  int lowest_exponent;
};

Bits BitsOf(float value) {
  int exponent = 0;
  const double fraction = std::frexp(double{value}, &exponent);
  auto integer = static_cast<uint32_t>(std::abs(fraction) * 0x1p24);
  Bits bits = {24, exponent - 24};
  while (integer % 2 == 0) {
    integer /= 2;
    --bits.significant;
    ++bits.lowest_exponent;
  }
  return bits;
}

}  // namespace

HWY_EXPORT(RequantizeTable);

const RequantizeKernels& ChooseRequantizeKernels() {
  return *HWY_DYNAMIC_DISPATCH(RequantizeTable)();
}

ColumnScaleSummary SummarizeColumnScales(const float* b_scales, size_t count) {
  ColumnScaleSummary summary;
  summary.lowest_exponent = std::numeric_limits<int>::max();
  for (size_t i = 0; i < count; ++i) {
    const Bits bits = BitsOf(b_scales[i]);
    summary.largest = std::max(summary.largest, std::abs(double{b_scales[i]}));
    summary.significant = std::max(summary.significant, bits.significant);
    summary.lowest_exponent =
        std::min(summary.lowest_exponent, bits.lowest_exponent);
  }
  return summary;
}

RequantizeRow MakeRequantizeRow(float a_scale, float output_scale,
                                int32_t zero_point,
                                const ColumnScaleSummary& columns) {
  RequantizeRow row;
  // The decision wants a positive output scale.
  row.a_scale = output_scale < 0 ? -double{a_scale} : double{a_scale};
  row.output_scale = std::abs(double{output_scale});
  row.zero_point = zero_point;
  const double factor = row.a_scale / row.output_scale;
  const double magnitude = std::abs(factor);
  if (magnitude < 0x1p-126 || magnitude > 0x1p127 ||
      magnitude * columns.largest > 0x1p126) {
    row.factor = 0;
    row.threshold = kAlwaysDecide;
    return row;
  }
  // Rounded twice at worst: by less than 2^-24 + 2^-52, far within what the
  // bound leaves.
  row.factor = static_cast<float>(factor);
  row.threshold = kFilter;
  const Bits bits = BitsOf(row.factor);
  if (double{row.factor} * row.output_scale == row.a_scale &&
      bits.significant + columns.significant <= 24 &&
      bits.lowest_exponent + columns.lowest_exponent >= -15) {
    row.threshold = kNeverDecide;
  }
  return row;
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
