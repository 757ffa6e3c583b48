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
#include "optimized/integer_gemm_forms-inl.h"
#include "optimized/integer_gemm_kernels.h"
#include "optimized/integer_gemm_saturating-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// kRows x kVectors vectors of sums in registers; kVectors is 2, or 1 where the
// panel's second half is not wanted.
template <size_t kRows, size_t kVectors, class Form>
HWY_INLINE void MultiplyPanel(const GemmTile& tile,
                              const PanelTile<Form>& panel) {
  const D32 d32;
  using Accumulator = typename Form::Accumulator;
  // A few rows alone would wait for their own sums: they take several groups
  // at once, each with sums of its own.
  constexpr size_t kAtOnce = kRows == 1 ? 4 : kRows <= 3 ? 2 : 1;
  constexpr size_t kVectorElements = kVectorLanes * Form::kGroup;
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

template <class Panel, size_t kRows>
void MultiplyRows(const GemmTile& tile, const Panel& panel, bool is_half) {
  if (is_half) {
    MultiplyPanel<kRows, 1>(tile, panel);
  } else {
    MultiplyPanel<kRows, 2>(tile, panel);
  }
}

// By the number of rows, less 1.
template <class Panel>
using RowsFunction = void (*)(const GemmTile&, const Panel&, bool);
template <class Panel, size_t... kIndices>
constexpr std::array<RowsFunction<Panel>, kTileRows> RowsTable(
    std::index_sequence<kIndices...>) {
  return {&MultiplyRows<Panel, kIndices + 1>...};
}
template <class Panel>
constexpr std::array<RowsFunction<Panel>, kTileRows> kRowsTable =
    RowsTable<Panel>(std::make_index_sequence<kTileRows>());

template <class Panel>
HWY_INLINE void MultiplyRowsOf(const GemmTile& tile, const Panel& panel,
                               bool is_half) {
  kRowsTable<Panel>[tile.rows - 1](tile, panel, is_half);
}

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
#if HWY_TARGET == HWY_AVX3_DL
      MultiplyRowsOf(tile, panel, is_half);
#else
      MultiplyRowsOf(tile, MakeOrderedPanel(panel, tile, packed), is_half);
#endif
      continue;
    }
#endif
    if constexpr (!kQuadsAreExact) {
      if (tile.widened != nullptr) {
        PanelTile<WidenedPairs> panel =
            MakePanelTile<WidenedPairs>(tile, column, tile.pairs);
        panel.body =
            tile.widened + column / kPanel * tile.widened_stride + span_begin;
        MultiplyRowsOf(tile, panel, is_half);
      } else {
        PanelTile<Pairs> panel = MakePanelTile<Pairs>(tile, column, tile.pairs);
        panel.body = body;
        MultiplyRowsOf(tile, panel, is_half);
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
