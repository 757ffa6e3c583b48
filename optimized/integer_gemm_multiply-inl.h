// The micro-kernels of IntegerGemm; layouts in integer_gemm_kernels.h. Included
// once per target.

#if defined(QCONFORM_OPTIMIZED_INTEGER_GEMM_MULTIPLY_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_INTEGER_GEMM_MULTIPLY_INL_H_
#undef QCONFORM_OPTIMIZED_INTEGER_GEMM_MULTIPLY_INL_H_
#else
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_MULTIPLY_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
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
// sum + the four products of each lane of uint8 a and int8 b.
HWY_INLINE V32 MultiplyAddQuads(V32 sum, V32 a, V32 b) {
#if HWY_TARGET == HWY_AVX3_DL
  // Highway 1.0.3 checks for avx512vnni when it chooses this target, but does
  // not enable it, so the intrinsic would not compile.
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#elif HWY_TARGET == HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(a.raw, b.raw);
  return V32{_mm512_add_epi32(sum.raw,
                              _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))};
#elif HWY_TARGET == HWY_AVX2
  const __m256i pairs = _mm256_maddubs_epi16(a.raw, b.raw);
  return V32{_mm256_add_epi32(sum.raw,
                              _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))};
#else
  const __m128i pairs = _mm_maddubs_epi16(a.raw, b.raw);
  return V32{_mm_add_epi32(sum.raw, _mm_madd_epi16(pairs, _mm_set1_epi16(1)))};
#endif
}

// Four products of bytes for each lane.
struct Quads {
  static constexpr size_t kGroup = 4;
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

// kRows x kVectors vectors of sums in registers; kVectors is 2, or 1 where the
// panel's second half is not wanted.
template <class Form, size_t kRows, size_t kVectors>
HWY_INLINE void MultiplyPanel(const GemmTile& tile,
                              const PanelTile<Form>& panel) {
  const D32 d32;
  using Accumulator = typename Form::Accumulator;
  // A few rows alone would wait for their own sums: they take several groups
  // at once, each with sums of its own.
  constexpr size_t kAtOnce = kRows == 1 ? 4 : kRows <= 3 ? 2 : 1;
  constexpr size_t kVectorElements = kVectorLanes * Form::kGroup;
  // Far enough ahead for memory; a few rows are bound by it.
  constexpr size_t kPrefetchBytes = 2048;
  Accumulator sum[kAtOnce][kRows][kVectors];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      sum[0][r][v] = Form::Start(FirstSums<Form>(tile, panel, r, v));
#pragma GCC unroll 4
      for (size_t i = 1; i < kAtOnce; ++i) {
        sum[i][r][v] = Form::Start(hn::Zero(d32));
      }
    }
  }
  const int32_t* HWY_RESTRICT a = panel.a;
  const typename Form::Element* HWY_RESTRICT b = panel.body;
  const auto add_group = [&](const int32_t* from, size_t i) HWY_ATTR
      __attribute__((always_inline)) {
    decltype(Form::LoadB(b)) loaded[kVectors];
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      loaded[v] = Form::LoadB(b + v * kVectorElements);
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const int32_t lane = from[r * kGroupsPerBlock];
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) {
        Form::MultiplyAdd(lane, loaded[v], sum[i][r][v]);
      }
    }
    b += 2 * kVectorElements;
  };
  for (size_t left = panel.groups; left != 0;) {
    const size_t groups = std::min(left, kGroupsPerBlock);
    left -= groups;
    size_t group = 0;
    for (; group + kAtOnce <= groups; group += kAtOnce) {
      if (kRows <= 4) hwy::Prefetch(b + kPrefetchBytes);
#pragma GCC unroll 4
      for (size_t i = 0; i < kAtOnce; ++i) add_group(a + group + i, i);
    }
    if (kAtOnce > 1) {
      for (; group < groups; ++group) add_group(a + group, 0);
    }
    a += kRows * kGroupsPerBlock;
  }
  int32_t* HWY_RESTRICT row = panel.sums;
  const size_t row_stride = tile.row_stride;
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r, row += row_stride) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      V32 total = Form::End(sum[0][r][v]);
#pragma GCC unroll 4
      for (size_t i = 1; i < kAtOnce; ++i) {
        total = hn::Add(total, Form::End(sum[i][r][v]));
      }
      hn::Store(total, d32, row + v * kVectorLanes);
    }
  }
}

template <class Form, size_t kRows>
void MultiplyRows(const GemmTile& tile, const PanelTile<Form>& panel,
                  bool is_half) {
  if (is_half) {
    MultiplyPanel<Form, kRows, 1>(tile, panel);
  } else {
    MultiplyPanel<Form, kRows, 2>(tile, panel);
  }
}

// By the number of rows, less 1.
template <class Form>
using RowsFunction = void (*)(const GemmTile&, const PanelTile<Form>&, bool);
template <class Form, size_t... kIndices>
constexpr std::array<RowsFunction<Form>, kTileRows> RowsTable(
    std::index_sequence<kIndices...>) {
  return {&MultiplyRows<Form, kIndices + 1>...};
}
template <class Form>
constexpr std::array<RowsFunction<Form>, kTileRows> kRowsTable =
    RowsTable<Form>(std::make_index_sequence<kTileRows>());

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
HWY_INLINE void AddCorrections(const GemmTile& tile, const std::byte* packed,
                               size_t count, int32_t* panel_sums) {
  const auto* corrections = reinterpret_cast<const PanelCorrection*>(
      packed + tile.layout->corrections);
  const auto* a = reinterpret_cast<const uint8_t*>(tile.quads);
  constexpr size_t kBlock = kGroupsPerBlock * Quads::kGroup;
  for (size_t i = 0; i < count; ++i) {
    const PanelCorrection& c = corrections[i];
    const uint8_t* column =
        a + c.k / kBlock * kBlock * tile.rows + c.k % kBlock;
    int32_t* sums = panel_sums + c.column;
    for (size_t r = 0; r < tile.rows; ++r) {
      sums[r * tile.row_stride] += column[r * kBlock] * c.rest;
    }
  }
}
#endif

template <class Form>
HWY_INLINE PanelTile<Form> MakePanelTile(const GemmTile& tile,
                                         size_t first_column,
                                         const int32_t* a) {
  PanelTile<Form> panel = {};
  panel.groups = (tile.depth + Form::kGroup - 1) / Form::kGroup;
  panel.a = a;
  if (tile.b_zero_points != nullptr) {
    panel.b_zero_points = tile.b_zero_points + first_column;
  }
  panel.sums = tile.sums + first_column;
  return panel;
}

HWY_INLINE void MultiplyTile(const GemmTile& tile) {
  const std::byte* packed = tile.panels;
  const PanelLayout& layout = *tile.layout;
  // Of int8; a span begins with a whole group.
  const size_t span_begin = tile.span * IntegerGemm::kMaxNarrowDepth * kPanel;
  for (size_t column = 0; column < tile.columns;
       column += kPanel, packed += layout.bytes) {
    const bool is_half = tile.columns - column <= kVectorLanes;
    const auto* body =
        reinterpret_cast<const int8_t*>(packed + layout.body) + span_begin;
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
    const PanelHeader& header = *reinterpret_cast<const PanelHeader*>(packed);
    if (kQuadsAreExact || header.is_quads != 0) {
      PanelTile<Quads> panel = MakePanelTile<Quads>(tile, column, tile.quads);
      panel.body = body;
      panel.column_sums =
          reinterpret_cast<const int32_t*>(packed + layout.column_sums) +
          tile.span * kPanel;
      kRowsTable<Quads>[tile.rows - 1](tile, panel, is_half);
      if (!kQuadsAreExact && header.corrections != 0) {
        AddCorrections(tile, packed, header.corrections, panel.sums);
      }
      continue;
    }
#endif
    if constexpr (!kQuadsAreExact) {
      if (tile.widened != nullptr) {
        PanelTile<WidenedPairs> panel =
            MakePanelTile<WidenedPairs>(tile, column, tile.pairs);
        panel.body =
            tile.widened + column / kPanel * tile.widened_stride + span_begin;
        kRowsTable<WidenedPairs>[tile.rows - 1](tile, panel, is_half);
      } else {
        PanelTile<Pairs> panel = MakePanelTile<Pairs>(tile, column, tile.pairs);
        panel.body = body;
        kRowsTable<Pairs>[tile.rows - 1](tile, panel, is_half);
      }
    }
  }
}

HWY_INLINE void Widen(const std::byte* body, size_t bytes, int16_t* to) {
  const D16 d16;
  const hn::Rebind<int8_t, D16> d8;
  const auto* from = reinterpret_cast<const int8_t*>(body);
  for (size_t i = 0; i < bytes; i += 2 * kVectorLanes) {
    hn::Store(hn::PromoteTo(d16, hn::Load(d8, from + i)), d16, to + i);
  }
}

// ------------------------------------------------- one row, B where it stands

constexpr size_t kInPlacePairs = 4;  // read in one pass over the columns

// Adds `pairs` pairs of rows from b on to a panel's worth of sums. The sums are
// in the order in which interleaving leaves the columns.
template <typename T>
HWY_INLINE void AddInPlace(const T* b, size_t row_stride, const int32_t* a,
                           size_t pairs, bool is_half_pair, int32_t* sums) {
  const D32 d32;
  const D16 d16;
  const hn::Rebind<T, D16> d8;
  Pairs::Accumulator low = Pairs::Start(hn::Zero(d32));
  Pairs::Accumulator high = low;
  for (size_t p = 0; p < pairs; ++p) {
    const V16 even = hn::PromoteTo(d16, hn::LoadU(d8, b));
    const V16 odd = is_half_pair && p + 1 == pairs
                        ? hn::Zero(d16)
                        : hn::PromoteTo(d16, hn::LoadU(d8, b + row_stride));
    Pairs::MultiplyAdd(a[p], hn::InterleaveLower(d16, even, odd), low);
    Pairs::MultiplyAdd(a[p], hn::InterleaveUpper(d16, even, odd), high);
    b += 2 * row_stride;
  }
  hn::Store(hn::Add(hn::Load(d32, sums), Pairs::End(low)), d32, sums);
  hn::Store(hn::Add(hn::Load(d32, sums + kVectorLanes), Pairs::End(high)), d32,
            sums + kVectorLanes);
}

template <typename T>
void MultiplyInPlaceOf(const InPlaceTile& tile) {
  const D32 d32;
  const hn::FixedTag<int32_t, 4> d_block;
  const T* b = static_cast<const T*>(tile.b);
  const size_t panels = (tile.columns + kPanel - 1) / kPanel;
  // The last panel ends with the last column; columns that it shares with the
  // one before come out alike.
  const auto first_column = [&](size_t panel) {
    return std::min(panel * kPanel, tile.columns - kPanel);
  };
  const V32 zero = hn::Zero(d32);
  for (size_t i = 0; i < panels * kPanel; i += kVectorLanes) {
    hn::Store(zero, d32, tile.scratch + i);
  }
  for (size_t k = 0; k < tile.depth; k += 2 * kInPlacePairs) {
    const size_t rows = std::min(tile.depth - k, 2 * kInPlacePairs);
    const size_t pairs = (rows + 1) / 2;
    const int32_t* a = tile.pairs + k / 2;
    const T* row = b + k * tile.row_stride;
    if (rows == 2 * kInPlacePairs) {
      for (size_t panel = 0; panel < panels; ++panel) {
        AddInPlace(row + first_column(panel), tile.row_stride, a, kInPlacePairs,
                   false, tile.scratch + panel * kPanel);
      }
    } else {
      for (size_t panel = 0; panel < panels; ++panel) {
        AddInPlace(row + first_column(panel), tile.row_stride, a, pairs,
                   rows % 2 == 1, tile.scratch + panel * kPanel);
      }
    }
  }
  // Interleaving works on blocks of eight columns: their first halves are in
  // the first vector of a panel, the others in the second.
  for (size_t panel = 0; panel < panels; ++panel) {
    const int32_t* from = tile.scratch + panel * kPanel;
    const size_t column = first_column(panel);
    for (size_t i = 0; i < kPanel; i += 4) {
      auto sum = hn::Load(d_block, from + i % 8 / 4 * kVectorLanes + i / 8 * 4);
      if (tile.b_zero_points != nullptr) {
        sum = hn::Sub(
            sum, hn::Mul(hn::Set(d_block, tile.row_sum),
                         hn::LoadU(d_block, tile.b_zero_points + column + i)));
      }
      hn::StoreU(sum, d_block, tile.sums + column + i);
    }
  }
}

HWY_INLINE void MultiplyInPlace(const InPlaceTile& tile) {
  if (tile.b_is_signed) {
    MultiplyInPlaceOf<int8_t>(tile);
  } else {
    MultiplyInPlaceOf<uint8_t>(tile);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
