// The float kernel of quantize-and-dequantize. Included once per target.

#if defined(QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_FLOAT_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_FLOAT_INL_H_
#undef QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_FLOAT_INL_H_
#else
#define QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_FLOAT_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized::quantize_and_dequantize {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

// At most 10 bits. scale_factor s = q / r is S = scale_high + scale_low = s *
// (1 + d) with |d| < 2^-48; let v = x * s. Where v is not a tie h = k + 1/2,
// |v - h| > 2^-25 or > |v| * 2^-24 / |q| (see ExactVector of the kernels, with
// |q| < 2^10 in place of 2^24 in the bound), so |v - h| > 2^-35 as |v| >= 1/2,
// and |v - h| > |h| * 2^-35 as |h| < 2^10.
//
// Each of these rounds v, an integer again, for any data.

// What decides by the side of a tie h = f + 1/2 on which v lies. f is an
// integer with f <= v <= f + 1, but for less than 2^-11 where v is near an
// integer, so that the result is f or f + 1. `distance` is S * x - h with the
// sign of the real one: the first fused multiply-add gives a multiple of
// u = 2^-46 * 2^e, with 2^e <= |v| < 2^(e+2), so it is exact up to 2^24 * u,
// and beyond that it exceeds twice |x * scale_low| <= 2^23 * u; the second one
// rounds the exact sum once. If v is a tie, |distance| <= |h| * 2^-48 < 2^-37.
// If not, |distance| > 2^-36.
template <class DF, class V = hn::Vec<DF>>
struct Tie {
  // With 11 fraction bits, |v| < 2^10 leaves the exponent alone.
  static constexpr float kShift = 0x1.8p12f;

  HWY_INLINE Tie(DF df, const Parameters& p, V value, V scale_low) {
    const hn::RebindToUnsigned<DF> du;
    const V scale_high = hn::Set(df, p.scale_high);
    const V shifted = hn::MulAdd(value, scale_high, hn::Set(df, kShift));
    floor = hn::And(shifted, hn::BitCast(df, hn::Set(du, ~0x7FFu)));
    tie = hn::Sub(floor, hn::Set(df, kShift - 0.5f));
    distance = hn::MulAdd(value, scale_low, hn::MulSub(value, scale_high, tie));
  }

  // `direction` is not 0.
  HWY_INLINE V Past(DF df, V direction) const {
    const V sign = hn::And(direction, hn::Set(df, -0.0f));
    return hn::Add(tie, hn::Or(sign, hn::Set(df, 0.5f)));
  }

  V floor;  // plus kShift
  V tie;
  V distance;
};

// Where ties have to go both ways: those next to an even integer go there
// (AR-03). 2^-37 tells ties from all else.
struct RoundEitherWay {
  template <class DF, class V = hn::Vec<DF>>
  static HWY_INLINE V Round(DF df, const Parameters& p, V value) {
    const hn::RebindToUnsigned<DF> du;
    const Tie<DF> tie(df, p, value, hn::Set(df, p.scale_low));
    // The last bit of the integer becomes the sign.
    const V push =
        hn::Xor(hn::BitCast(df, hn::ShiftLeft<20>(hn::BitCast(du, tie.floor))),
                hn::Set(df, -0x1p-37f));
    return tie.Past(df, hn::Add(tie.distance, push));
  }
};

// Where scale_factor is a float, scale_high: the product is rounded once, half
// to even, because a sum above 2^23 has no fraction bits. The benchmarks also
// take it for any scale, to measure what exactness costs.
struct RoundFloatProduct {
  template <class DF, class V = hn::Vec<DF>>
  static HWY_INLINE V Round(DF df, const Parameters& p, V value) {
    const V shift = hn::Set(df, 0x1.8p23f);
    return hn::Sub(hn::MulAdd(value, hn::Set(df, p.scale_high), shift), shift);
  }
};

// Where all ties go the same way, which biased_low and, for HALF_UP, bias push
// them (see ChooseFloatRounding).
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
// S * x, pushed, is past h exactly if v has to go to the integer past h.
// Rounding that sum towards 0 keeps it on its side of h or puts it on h if it
// was past h; setting its last bit, which h does not have, then leaves no tie
// to round.
template <bool kHalfUp>
struct RoundOneWay {
  template <class DF, class V = hn::Vec<DF>>
  static HWY_INLINE V Round(DF df, const Parameters& p, V value) {
    const hn::RebindToUnsigned<DF> du;
    const V low =
        hn::MulAdd(value, hn::Set(df, p.biased_low), hn::Set(df, p.bias));
    const V towards_zero{
        _mm512_fmadd_round_ps(value.raw, hn::Set(df, p.scale_high).raw, low.raw,
                              _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)};
    const V odd =
        hn::BitCast(df, hn::Or(hn::BitCast(du, towards_zero), hn::Set(du, 1)));
    const V shift = hn::Set(df, 0x1.8p23f);
    return hn::Sub(hn::Add(odd, shift), shift);
  }
};
#else
template <bool kHalfUp>
struct RoundOneWay {
  template <class DF, class V = hn::Vec<DF>>
  static HWY_INLINE V Round(DF df, const Parameters& p, V value) {
    const Tie<DF> tie(df, p, value, hn::Set(df, p.biased_low));
    return tie.Past(df, kHalfUp ? hn::Add(tie.distance, hn::Set(df, p.bias))
                                : tie.distance);
  }
};
#endif

// One vector. kDecides: correctly rounded, otherwise the output is one product.
//
// The output, w = n * r / q, is within |w| * 2^-47 of the sum that the last
// fused multiply-add rounds; a point m half-way between floats that is not w is
// at least |w| * 2^-36 away (as in ExactVector: A < 2^34, |q| < 2^10). If w is
// such a point, r / q is a float: |n| <= |q| makes the odd part of w, which
// divides that of r * n / q, too small for 25 bits, except where n is a power
// of two, and then q's odd part divides r. The product is then exact, and
// inverse_low 0.
template <class Rounding, bool kDecides, class DF, class V = hn::Vec<DF>>
HWY_INLINE V FloatVector(DF df, const Parameters& p, V input) {
  // TQ-04, TQ-08. On x86 both return the second operand if one is NaN, and NaN
  // then passes through everything.
  const V value =
      hn::Min(hn::Set(df, p.max), hn::Max(hn::Set(df, p.min), input));
  const V rounded = Rounding::Round(df, p, value);
  const V inverse_high = hn::Set(df, p.inverse_high);
  if constexpr (!kDecides) return hn::Mul(rounded, inverse_high);
  const V output = hn::MulAdd(rounded, inverse_high,
                              hn::Mul(rounded, hn::Set(df, p.inverse_low)));
#if HWY_ARCH_X86
  return output;
#else
  return hn::IfThenElse(hn::IsNaN(input), input, output);
#endif
}

template <class Rounding, bool kDecides>
void FloatLoop(const Parameters& p, const float* input, size_t count,
               float* output) {
  const hn::ScalableTag<float> df;
  using V = hn::Vec<decltype(df)>;
  const size_t lanes = hn::Lanes(df);
  const auto one = [&](V value) HWY_ATTR {
    return FloatVector<Rounding, kDecides>(df, p, value);
  };
  // Fewer elements than a vector has.
  const auto part = [&](size_t begin, size_t size) HWY_ATTR {
    if (size == 0) return;
    HWY_ALIGN float buffer[hn::MaxLanes(df)] = {};
    memcpy(buffer, input + begin, size * sizeof(float));
    hn::Store(one(hn::Load(df, buffer)), df, buffer);
    memcpy(output + begin, buffer, size * sizeof(float));
  };
  // Past the caches only aligned vectors can go.
  const uintptr_t address = reinterpret_cast<uintptr_t>(output);
  const bool streams = p.streams && address % sizeof(float) == 0;
  size_t i =
      streams ? std::min(count, (0 - address / sizeof(float)) % lanes) : 0;
  part(0, i);
  // Far enough ahead for the memory's latency; a prefetch never faults.
  constexpr size_t kAhead = 1024;
  // Several vectors at once hide each other's latencies, and more loads are on
  // their way.
  const auto four = [&](const auto& store) HWY_ATTR {
    for (; i + 4 * lanes <= count; i += 4 * lanes) {
      const V v0 = one(hn::LoadU(df, input + i));
      const V v1 = one(hn::LoadU(df, input + i + lanes));
      const V v2 = one(hn::LoadU(df, input + i + 2 * lanes));
      const V v3 = one(hn::LoadU(df, input + i + 3 * lanes));
      store(v0, i);
      store(v1, i + lanes);
      store(v2, i + 2 * lanes);
      store(v3, i + 3 * lanes);
    }
  };
  if (streams) {
    four([&](V result, size_t at) HWY_ATTR {
      hwy::Prefetch(input + at + kAhead);
      hn::Stream(result, df, output + at);
    });
    hwy::FlushStream();
  } else {
    four([&](V result, size_t at)
             HWY_ATTR { hn::StoreU(result, df, output + at); });
  }
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(one(hn::LoadU(df, input + i)), df, output + i);
  }
  part(i, count - i);
}

#endif  // HWY_NATIVE_FMA

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized::quantize_and_dequantize
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
