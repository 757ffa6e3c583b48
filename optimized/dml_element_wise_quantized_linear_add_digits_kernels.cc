#include <algorithm>
#include <cstring>

#include "optimized/dml_element_wise_quantized_linear_add_digits.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE \
  "optimized/dml_element_wise_quantized_linear_add_digits_kernels.cc"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/byte_products-inl.h"

// For lambdas in the loop: without it a compiler that sees several calls may
// leave them calls.
#undef QCONFORM_INLINE_LAMBDA
#define QCONFORM_INLINE_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized::linear_add {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<int16_t>;
using V16 = hn::Vec<D16>;

// The shares joined, in units of the highest digit. `t` are the products'
// sums, of which those of absent digits are not used. Sums wrap on the way, but
// the plan has made sure that each complete one fits; only the last saturates,
// and the clamp (AR-04) is that saturation, or that of the final narrowing.
// kTie: the digit to which `bit` is added, -1 for none.
template <int kDigits, int kTie>
HWY_INLINE V16 Join(V16 t0, V16 t1, V16 t2, V16 t3, V16 c0, V16 c1, V16 c2,
                    V16 c3, V16 join0, V16 join1, V16 join2, V16 bit) {
  V16 carry = c0;
  if constexpr (kDigits > 1) {
    V16 u1 = hn::Add(t1, c1);
    if constexpr (kDigits > 2) {
      V16 u2 = hn::Add(t2, c2);
      if constexpr (kDigits > 3) {
        V16 u3 = hn::Add(t3, c3);
        if constexpr (kTie == 3) u3 = hn::Add(u3, bit);
        u2 = hn::Add(u2, hn::MulHigh(u3, join2));
      }
      if constexpr (kTie == 2) u2 = hn::Add(u2, bit);
      u1 = hn::Add(u1, hn::MulHigh(u2, join1));
    }
    carry = hn::Add(carry, hn::MulHigh(u1, join0));
  }
  const V16 sum = hn::SaturatedAdd(t0, carry);
  return kTie == 0 ? hn::SaturatedAdd(sum, bit) : sum;
}

#if QCONFORM_HAVE_BYTE_PRODUCTS

using D8 = hn::ScalableTag<uint8_t>;
using V8 = hn::Vec<D8>;

// Products of unsigned digits with signed bytes, added in pairs. No pair of
// digits of a plan exceeds 255 together, so nothing saturates.
HWY_INLINE V16 Products(V16 digits, V8 bytes) {
  return optimized::HWY_NAMESPACE::AddByteProducts(digits, bytes);
}

// The inverse order of InterleaveLower and InterleaveUpper, saturating.
HWY_INLINE V8 Narrow(V16 low, V16 high) {
#if HWY_TARGET <= HWY_AVX3
  return V8{_mm512_packs_epi16(low.raw, high.raw)};
#elif HWY_TARGET == HWY_AVX2
  return V8{_mm256_packs_epi16(low.raw, high.raw)};
#else
  return V8{_mm_packs_epi16(low.raw, high.raw)};
#endif
}

#else

// Half a vector of bytes at a time.
using D8 = hn::Rebind<uint8_t, D16>;
using V8 = hn::Vec<D8>;

#endif  // QCONFORM_HAVE_BYTE_PRODUCTS

template <int kDigits, int kTie>
void DigitsRow(const Digits& p, const uint8_t* HWY_RESTRICT a,
               const uint8_t* HWY_RESTRICT b, size_t count,
               uint8_t* HWY_RESTRICT output) {
  const D16 d16;
  const D8 d8;
  const auto a_flip = hn::Set(d8, p.a_flip);
  const auto b_flip = hn::Set(d8, p.b_flip);
  const auto output_flip = hn::Set(d8, p.output_flip);
  const V16 c0 = hn::Set(d16, p.c[0]), c1 = hn::Set(d16, p.c[1]);
  const V16 c2 = hn::Set(d16, p.c[2]), c3 = hn::Set(d16, p.c[3]);
  const V16 join0 = hn::Set(d16, p.join[0]);
  const V16 join1 = hn::Set(d16, p.join[1]);
  const V16 join2 = hn::Set(d16, p.join[2]);
  const V16 last = hn::Set(d16, p.last);
  const V16 one = hn::Set(d16, int16_t{1});
  [[maybe_unused]] const V16 odd =
      hn::Set(d16, int16_t{p.output_zero_point_is_odd});

  const auto round = [&](V16 t0, V16 t1, V16 t2,
                         V16 t3) QCONFORM_INLINE_LAMBDA {
    V16 sum = Join<kDigits, -1>(t0, t1, t2, t3, c0, c1, c2, c3, join0, join1,
                                join2, one);
    if constexpr (kTie >= 0) {
      const V16 bit = hn::And(hn::Xor(hn::MulHigh(sum, last), odd), one);
      sum = Join<kDigits, kTie>(t0, t1, t2, t3, c0, c1, c2, c3, join0, join1,
                                join2, bit);
    }
    return hn::MulHigh(sum, last);
  };
#if QCONFORM_HAVE_BYTE_PRODUCTS
  const auto pair = [&](int i) QCONFORM_INLINE_LAMBDA {
    return hn::Set(d16, static_cast<int16_t>(p.a[i] + 256 * p.b[i]));
  };
  const V16 r0 = pair(0), r1 = pair(1), r2 = pair(2), r3 = pair(3);
  const auto half = [&](V8 bytes) QCONFORM_INLINE_LAMBDA {
    return round(Products(r0, bytes), Products(r1, bytes), Products(r2, bytes),
                 Products(r3, bytes));
  };
  const auto vector = [&](V8 va, V8 vb) QCONFORM_INLINE_LAMBDA {
    va = hn::Xor(va, a_flip);
    vb = hn::Xor(vb, b_flip);
    return hn::Xor(Narrow(half(hn::InterleaveLower(d8, va, vb)),
                          half(hn::InterleaveUpper(d8, va, vb))),
                   output_flip);
  };
#else
  const hn::Rebind<int8_t, D16> di8;
  const V16 a0 = hn::Set(d16, p.a[0]), b0 = hn::Set(d16, p.b[0]);
  const V16 a1 = hn::Set(d16, p.a[1]), b1 = hn::Set(d16, p.b[1]);
  const V16 a2 = hn::Set(d16, p.a[2]), b2 = hn::Set(d16, p.b[2]);
  const V16 a3 = hn::Set(d16, p.a[3]), b3 = hn::Set(d16, p.b[3]);
  const auto vector = [&](V8 a_bytes, V8 b_bytes) QCONFORM_INLINE_LAMBDA {
    const V16 va =
        hn::PromoteTo(d16, hn::BitCast(di8, hn::Xor(a_bytes, a_flip)));
    const V16 vb =
        hn::PromoteTo(d16, hn::BitCast(di8, hn::Xor(b_bytes, b_flip)));
    const V16 rounded = round(hn::Add(hn::Mul(va, a0), hn::Mul(vb, b0)),
                              hn::Add(hn::Mul(va, a1), hn::Mul(vb, b1)),
                              hn::Add(hn::Mul(va, a2), hn::Mul(vb, b2)),
                              hn::Add(hn::Mul(va, a3), hn::Mul(vb, b3)));
    return hn::Xor(hn::BitCast(d8, hn::DemoteTo(di8, rounded)), output_flip);
  };
#endif
  const auto vector_at = [&](size_t at) QCONFORM_INLINE_LAMBDA {
    return vector(hn::LoadU(d8, a + at), hn::LoadU(d8, b + at));
  };

  const size_t lanes = hn::Lanes(d8);
  if (count < lanes) {
#if HWY_TARGET <= HWY_AVX3
    // Here masks of bytes are quick, and no other byte is touched.
    const auto mask = hn::FirstN(d8, count);
    const auto va = hn::MaskedLoad(mask, d8, a);
    const auto vb = hn::MaskedLoad(mask, d8, b);
    hn::BlendedStore(vector(va, vb), mask, d8, output);
#else
    HWY_ALIGN uint8_t a_part[hn::MaxLanes(d8)] = {};
    HWY_ALIGN uint8_t b_part[hn::MaxLanes(d8)] = {};
    HWY_ALIGN uint8_t output_part[hn::MaxLanes(d8)];
    memcpy(a_part, a, count);
    memcpy(b_part, b, count);
    hn::StoreU(vector(hn::Load(d8, a_part), hn::Load(d8, b_part)), d8,
               output_part);
    memcpy(output, output_part, count);
#endif
    return;
  }
  // Elsewhere what is no whole vector belongs to one that begins or ends with
  // it; elements in two vectors get the same value twice.
  size_t i = 0;
  if (p.streams) {
    // Past the caches only aligned vectors can go.
    i = (0 - reinterpret_cast<uintptr_t>(output)) % lanes;
    if (i != 0) hn::StoreU(vector_at(0), d8, output);
  }
  // Far enough ahead for the memory's latency; a prefetch never faults.
  constexpr size_t kAhead = 4096;
  for (; i + lanes <= count; i += lanes) {
    const auto result = vector_at(i);
    if (p.streams) {
      hwy::Prefetch(a + i + kAhead);
      hwy::Prefetch(b + i + kAhead);
      hn::Stream(result, d8, output + i);
    } else {
      hn::StoreU(result, d8, output + i);
    }
  }
  if (p.streams) hwy::FlushStream();
  if (i < count) {
    i = count - lanes;
    hn::StoreU(vector_at(i), d8, output + i);
  }
}

size_t FindNearZero(const AllSums& sums, uint32_t limit, size_t capacity,
                    uint16_t* pairs) {
  const hn::ScalableTag<uint32_t> d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN uint32_t b_sums[256];
  for (uint32_t b = 0; b < 256; ++b) b_sums[b] = (b - 128) * sums.b_step;
  size_t found = 0;
  const auto near = hn::Set(d, 2 * limit);
  for (uint32_t a = 0; a < 256; ++a) {
    // Of numbers shifted up by the limit, the small ones are near.
    const uint32_t a_sum = sums.start + (a - 128) * sums.a_step + limit;
    const auto row = hn::Set(d, a_sum);
    auto least = hn::Add(row, hn::Load(d, b_sums));
    for (size_t b = lanes; b < 256; b += lanes) {
      least = hn::Min(least, hn::Add(row, hn::Load(d, b_sums + b)));
    }
    if (hn::AllFalse(d, hn::Lt(least, near))) continue;
    for (size_t from = 0; from < 256; from += lanes) {
      const auto sum = hn::Add(row, hn::Load(d, b_sums + from));
      if (hn::AllFalse(d, hn::Lt(sum, near))) continue;
      for (size_t b = from; b < from + lanes; ++b) {
        if (a_sum + b_sums[b] >= 2 * limit) continue;
        if (found == capacity) return capacity + 1;
        pairs[found++] = static_cast<uint16_t>(a * 256 + b);
      }
    }
  }
  return found;
}

const DigitTable* Table() {
  static constexpr DigitTable kTable = {
      {DigitsRow<3, -1>, DigitsRow<4, -1>, DigitsRow<1, 0>, DigitsRow<3, 0>,
       DigitsRow<3, 2>, DigitsRow<4, 3>},
      FindNearZero};
  return &kTable;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized::linear_add
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized::linear_add {
namespace {
HWY_EXPORT(Table);
}  // namespace

const DigitTable& DispatchDigits() { return *HWY_DYNAMIC_DISPATCH(Table)(); }

}  // namespace qconform::optimized::linear_add
#endif  // HWY_ONCE
