#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/tf_quantize_and_dequantize_v2_kernels.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/tf_quantize_and_dequantize_v2_float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized::quantize_and_dequantize {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Calls vector(from, to) for whole vectors, and for the rest on a copy of it.
template <class D, class Vector>
HWY_INLINE void ForEachVector(D d, const float* HWY_RESTRICT input,
                              size_t count, float* HWY_RESTRICT output,
                              const Vector& vector) {
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) vector(input + i, output + i);
  const size_t rest = count - i;
  if (rest == 0) return;
  HWY_ALIGN float from[hn::MaxLanes(d)] = {};
  HWY_ALIGN float to[hn::MaxLanes(d)];
  memcpy(from, input + i, rest * sizeof(float));
  vector(from, to);
  memcpy(output + i, to, rest * sizeof(float));
}

void NanRow(const Parameters& /*p*/, const float* /*input*/, size_t count,
            float* output) {
  std::fill_n(output, count, std::numeric_limits<float>::quiet_NaN());
}

void ZeroRow(const Parameters& /*p*/, const float* input, size_t count,
             float* output) {
  const hn::ScalableTag<float> df;
  ForEachVector(
      df, input, count, output, [&](const float* from, float* to) HWY_ATTR {
        const auto value = hn::LoadU(df, from);
        hn::StoreU(hn::IfThenElseZero(hn::IsNaN(value), value), df, to);
      });
}

// At most 24 bits. scale_factor = q / r with |q| <= 2^24 and a float r.
//
// The quantized value. x * q has at most 48 significant bits: exact in double,
// no exponent is out of range. Let v = x * q / r, and t = k + 1/2 a tie with
// |t| <= 2^24, not equal to v. In units of the last bits, x * q = P * 2^a with
// P < 2^48, r = R * 2^b with R < 2^24, and |v - t| = |2 x q - (2k + 1) r| /
// 2|r| is at least 2^b / (2 R 2^b) > 2^-25 if b <= a + 1, else at least 2^(a+1)
// / (2 R 2^b) = |v| / P > |v| * 2^-48. Both exceed half a unit in the last
// place of the double quotient (|v| * 2^-53 <= 2^-29), so the correctly rounded
// division reaches a tie exactly where v is one, and never passes it.
//
// The output. n * r, with |n| <= 2^24, is exact in the same way. Let
// w = n * r / q, and m = M * 2^c a point half-way between neighbouring floats
// (M < 2^25, smaller for subnormals), not equal to w. With n * r = A * 2^b,
// A < 2^48: |w - m| is at least 2^c / |q| >= |m| * 2^-49 if c <= b, else at
// least 2^b / |q| = |w| / A > |w| * 2^-48: again more than the double division
// rounds, so rounding its result to float is the same as rounding w. Ranges
// whose outputs could overflow float are left to kWide, because targets differ
// in narrowing a double that is too large.
template <class DD, bool kHalfUp>
HWY_INLINE void ExactVector(DD dd, const Parameters& p, const float* from,
                            float* to) {
  const hn::Rebind<float, DD> df;
  const auto input = hn::LoadU(df, from);
  const auto quantized = hn::Set(dd, static_cast<double>(p.quantized));
  const auto range = hn::Set(dd, static_cast<double>(p.range));
  const auto low = hn::Set(dd, static_cast<double>(p.quantized_min));
  const auto high = hn::Set(dd, static_cast<double>(p.quantized_max));
  const auto scaled =
      hn::Div(hn::Mul(hn::PromoteTo(dd, input), quantized), range);
  // TQ-04. Whatever a target makes of NaN here, it is replaced below.
  const auto clamped = hn::Max(hn::Min(scaled, high), low);
  // Adding 1.5 * 2^52 leaves no fraction bits: it rounds half to even.
  const auto shift = hn::Set(dd, 0x1.8p52);
  auto rounded = hn::Sub(hn::Add(clamped, shift), shift);
  if constexpr (kHalfUp) {
    // The difference is exact; 1/2 is a tie that went down.
    const auto is_down = hn::Eq(hn::Sub(clamped, rounded), hn::Set(dd, 0.5));
    rounded = hn::Add(rounded, hn::IfThenElseZero(is_down, hn::Set(dd, 1.0)));
  }
  const auto output =
      hn::DemoteTo(df, hn::Div(hn::Mul(rounded, range), quantized));
  const auto is_nan = hn::IsNaN(input);
  hn::StoreU(hn::IfThenElse(is_nan, input, output), df, to);
}

template <bool kHalfUp>
void ExactLoop(const Parameters& p, const float* input, size_t count,
               float* output) {
  const hn::ScalableTag<double> dd;
  const hn::Rebind<float, decltype(dd)> df;
  ForEachVector(df, input, count, output,
                [&](const float* from, float* to) HWY_ATTR {
                  ExactVector<decltype(dd), kHalfUp>(dd, p, from, to);
                });
}

void ExactRow(const Parameters& p, const float* input, size_t count,
              float* output) {
  if (p.half_up) {
    ExactLoop<true>(p, input, count, output);
  } else {
    ExactLoop<false>(p, input, count, output);
  }
}

#if HWY_NATIVE_FMA

void FloatRow(const Parameters& p, const float* input, size_t count,
              float* output) {
  if (p.rounding == FloatRounding::kFloatProduct) {
    FloatLoop<RoundFloatProduct, true>(p, input, count, output);
  } else if (p.rounding == FloatRounding::kEitherWay) {
    FloatLoop<RoundEitherWay, true>(p, input, count, output);
  } else if (p.half_up) {
    FloatLoop<RoundOneWay<true>, true>(p, input, count, output);
  } else {
    FloatLoop<RoundOneWay<false>, true>(p, input, count, output);
  }
}

#else

// Without a fused multiply-add the bounds do not hold, and double costs no
// more than splitting products of floats.
void FloatRow(const Parameters& p, const float* input, size_t count,
              float* output) {
  ExactRow(p, input, count, output);
}

#endif  // HWY_NATIVE_FMA

void WideRow(const Parameters& p, const float* input, size_t count,
             float* output) {
  for (size_t i = 0; i < count; ++i) {
    output[i] = std::isnan(input[i]) ? input[i] : WideElement(p, input[i]);
  }
}

// Half to even; magnitudes of 2^23 and more are integers, and they, infinities
// and NaN stay as they are.
template <class DF, class V = hn::Vec<DF>>
HWY_INLINE V RoundHalfToEven(DF df, V value) {
  const V shift = hn::Set(df, 0x1p23f);
  const V magnitude = hn::Abs(value);
  // Floats from 2^23 to 2^24 have no fraction bits.
  const V rounded = hn::Sub(hn::Add(magnitude, shift), shift);
  return hn::IfThenElse(hn::Lt(magnitude, shift), hn::CopySign(rounded, value),
                        value);
}

template <class DF, class V = hn::Vec<DF>>
HWY_INLINE V Floor(DF df, V value) {
  const V rounded = RoundHalfToEven(df, value);
  const V one = hn::Set(df, 1.0f);
  return hn::Sub(rounded, hn::IfThenElseZero(hn::Gt(rounded, value), one));
}

// TQ-12: each operation is one of float, never fused.
template <bool kHalfUp>
void TensorFlowLoop(const Parameters& p, const float* input, size_t count,
                    float* output) {
  const hn::ScalableTag<float> df;
  // An unclamped value passes bounds that nothing exceeds.
  const float infinity = std::numeric_limits<float>::infinity();
  const auto low = hn::Set(df, p.clamps ? p.min : -infinity);
  const auto high = hn::Set(df, p.clamps ? p.max : infinity);
  const auto scale = hn::Set(df, p.scale);
  const auto inverse = hn::Set(df, p.inverse);
  const auto half = hn::Set(df, 0.5f);
  ForEachVector(
      df, input, count, output, [&](const float* from, float* to) HWY_ATTR {
        auto value = hn::LoadU(df, from);
        // Selections, because minima and maxima of NaN differ by target: here a
        // NaN stays (TQ-08), and the lower bound has the last word.
        value = hn::IfThenElse(hn::Gt(value, high), high, value);
        value = hn::IfThenElse(hn::Lt(value, low), low, value);
        const auto scaled = hn::Mul(value, scale);
        const auto rounded = kHalfUp ? Floor(df, hn::Add(scaled, half))
                                     : RoundHalfToEven(df, scaled);
        hn::StoreU(hn::Mul(rounded, inverse), df, to);
      });
}

void TensorFlowRow(const Parameters& p, const float* input, size_t count,
                   float* output) {
  if (p.half_up) {
    TensorFlowLoop<true>(p, input, count, output);
  } else {
    TensorFlowLoop<false>(p, input, count, output);
  }
}

// `count` is at least 1. Minimum and maximum mean nothing if a value is not
// finite.
Range Measure(const float* input, size_t count) {
  const hn::ScalableTag<float> df;
  const hn::RebindToSigned<decltype(df)> di;
  const auto magnitude_bits = hn::Set(di, 0x7FFFFFFF);
  const size_t lanes = hn::Lanes(df);
  auto min = hn::Set(df, input[0]);
  auto max = min;
  auto magnitude = hn::Zero(di);
  const auto take = [&](const float* from) HWY_ATTR {
    const auto value = hn::LoadU(df, from);
    min = hn::Min(min, value);
    max = hn::Max(max, value);
    magnitude =
        hn::Max(magnitude, hn::And(hn::BitCast(di, value), magnitude_bits));
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) take(input + i);
  if (i < count) {
    HWY_ALIGN float rest[hn::MaxLanes(df)];
    std::fill_n(rest, lanes, input[0]);
    memcpy(rest, input + i, (count - i) * sizeof(float));
    take(rest);
  }
  Range range;
  range.min = hn::GetLane(hn::MinOfLanes(df, min));
  range.max = hn::GetLane(hn::MaxOfLanes(df, max));
  range.is_finite = hn::GetLane(hn::MaxOfLanes(di, magnitude)) < 0x7F800000;
  return range;
}

const KernelTable* Table() {
  static constexpr KernelTable kTable = {
      {NanRow, ZeroRow, FloatRow, ExactRow, WideRow, TensorFlowRow}, Measure};
  return &kTable;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized::quantize_and_dequantize
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized::quantize_and_dequantize {
namespace {
HWY_EXPORT(Table);
}  // namespace

const KernelTable& DispatchKernels() { return *HWY_DYNAMIC_DISPATCH(Table)(); }

}  // namespace qconform::optimized::quantize_and_dequantize
#endif  // HWY_ONCE
