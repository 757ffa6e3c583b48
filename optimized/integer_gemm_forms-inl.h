// What the micro-kernels of IntegerGemm multiply with: the forms of a panel and
// their instructions. Included once per target.

#if defined(QCONFORM_OPTIMIZED_INTEGER_GEMM_FORMS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_INTEGER_GEMM_FORMS_INL_H_
#undef QCONFORM_OPTIMIZED_INTEGER_GEMM_FORMS_INL_H_
#else
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_FORMS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"
#include "optimized/byte_products-inl.h"
#include "optimized/integer_gemm_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using D16 = hn::Repartition<int16_t, D32>;
using D8 = hn::Repartition<int8_t, D32>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;

constexpr size_t kVectorLanes = HWY_MAX_BYTES / sizeof(int32_t);
constexpr size_t kPanel = 2 * kVectorLanes;
// Far enough ahead for memory; a few rows are bound by it.
constexpr size_t kPrefetchBytes = 2048;

// As many accumulators as the registers hold beside two vectors of B and one
// of A: 28 of 32 with AVX-512, 12 of 16 elsewhere.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr size_t kTileRows = 14;
#else
constexpr size_t kTileRows = 6;
#endif

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
constexpr bool kHasQuads = true;
#else
constexpr bool kHasQuads = false;
#endif
#if HWY_ARCH_X86 && HWY_TARGET == HWY_AVX3_DL
constexpr bool kQuadsAreExact = true;
#else
constexpr bool kQuadsAreExact = false;
#endif

// Two products of int16 for each lane; exact.
struct Pairs {
  static constexpr size_t kGroup = 2;
  struct Accumulator {
    V32 sum;
    V32 other;  // of targets that give two halves; folded away on x86
  };
  static HWY_INLINE Accumulator Start(V32 first) {
    return {first, hn::Zero(D32())};
  }
  using Element = int8_t;  // of the body
  static HWY_INLINE V16 LoadB(const int8_t* b) {
    const D16 d16;
    const hn::Rebind<int8_t, D16> d8;
    return hn::PromoteTo(d16, hn::Load(d8, b));
  }
  static HWY_INLINE void MultiplyAdd(int32_t a, V16 b, Accumulator& sum) {
    const D32 d32;
    const V16 pair = hn::BitCast(D16(), hn::Set(d32, a));
    sum.sum = hn::ReorderWidenMulAccumulate(d32, pair, b, sum.sum, sum.other);
  }
  static HWY_INLINE V32 End(const Accumulator& sum) {
    return hn::RearrangeToOddPlusEven(sum.sum, sum.other);
  }
};

// The same of a body that was widened before.
struct WidenedPairs : Pairs {
  using Element = int16_t;
  static HWY_INLINE V16 LoadB(const int16_t* b) { return hn::Load(D16(), b); }
};

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#if HWY_TARGET != HWY_AVX3_DL
// sum + the two int16 of each lane.
HWY_INLINE V32 AddHalves(V32 sum, V16 halves) {
  V32 other = hn::Zero(D32());  // not used on x86
  return hn::ReorderWidenMulAccumulate(D32(), halves,
                                       hn::Set(D16(), int16_t{1}), sum, other);
}
#endif

// sum + the four products of each lane of uint8 a and int8 b.
HWY_INLINE V32 MultiplyAddQuads(V32 sum, V32 a, V32 b) {
#if HWY_TARGET == HWY_AVX3_DL
  // Highway 1.0.3 checks for avx512vnni when it chooses this target, but does
  // not enable it, so the intrinsic would not compile.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#else
  return AddHalves(sum, AddByteProducts(a, b));
#endif
}

// Four products of bytes for each lane.
struct Quads {
  static constexpr size_t kGroup = 4;
  static constexpr size_t kSpanGroups = IntegerGemm::kMaxNarrowDepth / kGroup;
  using Element = int8_t;
  using Accumulator = V32;
  static HWY_INLINE Accumulator Start(V32 first) { return first; }
  static HWY_INLINE V32 LoadB(const int8_t* b) {
    return hn::BitCast(D32(), hn::Load(D8(), b));
  }
  static HWY_INLINE void MultiplyAdd(int32_t a, V32 b, Accumulator& sum) {
    sum = MultiplyAddQuads(sum, hn::Set(D32(), a), b);
  }
  static HWY_INLINE V32 End(Accumulator sum) { return sum; }
};
#endif

// One panel of a GemmTile.
template <class Form>
struct PanelTile {
  size_t groups;
  const int32_t* a;
  const typename Form::Element* body;
  const int32_t* column_sums;
  const int32_t* b_zero_points;
  int32_t* sums;
};

// What zero points take away from vector `v` of row `r`.
template <class Form>
HWY_INLINE V32 FirstSums(const GemmTile& tile, const PanelTile<Form>& panel,
                         size_t r, size_t v) {
  const D32 d32;
  V32 first = hn::Zero(d32);
  if (Form::kGroup == 4) {
    first = hn::Mul(hn::Set(d32, -tile.a_zero_points[r]),
                    hn::Load(d32, panel.column_sums + v * kVectorLanes));
  }
  if (!tile.b_is_centered) {
    V32 zero = hn::Zero(d32);
    if (panel.b_zero_points != nullptr) {
      zero = hn::LoadU(d32, panel.b_zero_points + v * kVectorLanes);
    }
    zero = hn::Sub(zero, hn::Set(d32, tile.b_offset));
    first = hn::Sub(first, hn::Mul(hn::Set(d32, tile.row_sums[r]), zero));
  }
  return first;
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
