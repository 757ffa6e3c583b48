// IntegerGemm's panels of quads where byte multiply-adds saturate: what makes
// them exact, and what makes them faster than int16. Layouts and conditions in
// integer_gemm_kernels.h. Included once per target.

#if defined(QCONFORM_OPTIMIZED_INTEGER_GEMM_SATURATING_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_INTEGER_GEMM_SATURATING_INL_H_
#undef QCONFORM_OPTIMIZED_INTEGER_GEMM_SATURATING_INL_H_
#else
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_SATURATING_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "optimized/byte_products-inl.h"
#include "optimized/integer_gemm_forms-inl.h"
#include "optimized/integer_gemm_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3 && HWY_TARGET != HWY_AVX3_DL

// ---------------------------------------------------------------- packing

constexpr int kMostWeight = 128;  // 255 * 128 is within int16

// Of the weights of each int16 lane, how much can be added up at one time.
struct LaneWeights {
  V16 above;  // sum of the positive ones
  V16 below;  // of the negative ones
};

HWY_INLINE LaneWeights LoadLaneWeights(const int8_t* body) {
  const D16 d16;
  const V16 zero = hn::Zero(d16);
  const V16 both = hn::BitCast(d16, hn::Load(D8(), body));
  const V16 first = hn::ShiftRight<8>(hn::ShiftLeft<8>(both));
  const V16 second = hn::ShiftRight<8>(both);
  return {hn::Add(hn::Max(first, zero), hn::Max(second, zero)),
          hn::Add(hn::Min(first, zero), hn::Min(second, zero))};
}

HWY_INLINE bool Fit(V16 above, V16 below) {
  const D16 d16;
  return hn::AllFalse(
      d16, hn::Or(hn::Gt(above, hn::Set(d16, int16_t{kMostWeight})),
                  hn::Lt(below, hn::Set(d16, int16_t{-kMostWeight}))));
}

// Splits what a pair of weights has too much; false if `corrections` is full.
HWY_INLINE bool SplitWeights(int8_t* body, size_t groups, size_t room,
                             PanelCorrection* corrections, uint32_t* count) {
  const size_t bytes = groups * 4 * kPanel;
  for (size_t i = 0; i < bytes; i += 4 * kVectorLanes) {
    const LaneWeights weights = LoadLaneWeights(body + i);
    if (Fit(weights.above, weights.below)) continue;
    for (size_t j = i; j < i + 4 * kVectorLanes; j += 2) {
      const int sum = body[j] + body[j + 1];
      // Only weights of the same sign can get there.
      const bool same_sign = (body[j] < 0) == (body[j + 1] < 0);
      if (!same_sign || (sum <= kMostWeight && sum >= -kMostWeight)) continue;
      if (*count == room) return false;
      const int fits = (sum > 0 ? kMostWeight : -kMostWeight) - body[j];
      PanelCorrection& correction = corrections[(*count)++];
      correction.k = static_cast<uint32_t>(j / (4 * kPanel) * 4 + j % 4 + 1);
      correction.column = static_cast<int16_t>(j % (4 * kPanel) / 4);
      correction.rest = static_cast<int16_t>(body[j + 1] - fits);
      body[j + 1] = static_cast<int8_t>(fits);
    }
  }
  return true;
}

// Whether no lane of the two groups together can leave int16.
HWY_INLINE bool GroupsFit(const int8_t* one, const int8_t* other) {
  for (size_t i = 0; i < 4 * kPanel; i += 4 * kVectorLanes) {
    const LaneWeights a = LoadLaneWeights(one + i);
    const LaneWeights b = LoadLaneWeights(other + i);
    if (!Fit(hn::Add(a.above, b.above), hn::Add(a.below, b.below))) {
      return false;
    }
  }
  return true;
}

HWY_INLINE void SwapGroups(int8_t* body, uint16_t* order, size_t a, size_t b) {
  if (a == b) return;
  std::swap_ranges(body + a * 4 * kPanel, body + (a + 1) * 4 * kPanel,
                   body + b * 4 * kPanel);
  std::swap(order[a], order[b]);
}

// Brings groups that fit together next to each other, all of these before the
// others; returns how many they are. `order` is that of k, and becomes that of
// the body.
HWY_INLINE size_t MateGroups(int8_t* body, size_t groups, uint16_t* order) {
  constexpr size_t kGroupBytes = 4 * kPanel;
  // Most groups of weights that are fit for it find a mate within a few tries.
  constexpr size_t kMostTries = 32;
  size_t tries_left = 8 * groups;
  size_t mated = 0;
  size_t end = groups;  // the others begin here
  while (mated + 1 < end) {
    const size_t last = std::min(end, mated + 1 + kMostTries);
    size_t mate = mated + 1;
    while (mate < last && tries_left != 0 &&
           !GroupsFit(body + mated * kGroupBytes, body + mate * kGroupBytes)) {
      ++mate;
      --tries_left;
    }
    if (tries_left == 0) break;
    if (mate < last) {
      SwapGroups(body, order, mated + 1, mate);
      mated += 2;
    } else {
      SwapGroups(body, order, mated, --end);
    }
  }
  return mated;
}

// ---------------------------------------------------------------- multiplying

struct OrderedPanel : PanelTile<Quads> {
  const uint16_t* order;  // of the groups in the body
  size_t mated_groups;
  const PanelCorrection* corrections;
  size_t correction_count;
};

HWY_INLINE OrderedPanel MakeOrderedPanel(const PanelTile<Quads>& panel,
                                         const GemmTile& tile,
                                         const std::byte* packed) {
  const PanelHeader& header = *reinterpret_cast<const PanelHeader*>(packed);
  const PanelLayout& layout = *tile.layout;
  return {panel,
          reinterpret_cast<const uint16_t*>(packed + layout.order) +
              tile.span * Quads::kSpanGroups,
          header.mated_groups,
          reinterpret_cast<const PanelCorrection*>(packed + layout.corrections),
          header.corrections};
}

template <size_t kRows>
HWY_INLINE void AddCorrections(const GemmTile& tile,
                               const OrderedPanel& panel) {
  constexpr size_t kBlock = kGroupsPerBlock * Quads::kGroup;
  const auto* a = reinterpret_cast<const uint8_t*>(panel.a);
  const size_t row_stride = tile.row_stride;
  for (size_t i = 0; i < panel.correction_count; ++i) {
    const PanelCorrection& c = panel.corrections[i];
    const uint8_t* column = a + c.k / kBlock * kBlock * kRows + c.k % kBlock;
    int32_t* sums = panel.sums + c.column;
    const int32_t rest = c.rest;
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      sums[r * row_stride] += column[r * kBlock] * rest;
    }
  }
}

// MultiplyPanel of this form. Two groups that are mates share the
// multiplication that widens to int32, a third of what bounds the loop.
template <size_t kRows, size_t kVectors>
HWY_INLINE void MultiplyPanel(const GemmTile& tile, const OrderedPanel& panel) {
  const D32 d32;
  constexpr size_t kVectorBytes = 4 * kVectorLanes;
  constexpr size_t kGroupBytes = 4 * kPanel;
  V32 sum[kRows][kVectors];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      sum[r][v] = FirstSums<Quads>(tile, panel, r, v);
    }
  }
  const int8_t* HWY_RESTRICT b = panel.body;
  const uint16_t* HWY_RESTRICT order = panel.order;
  const auto lanes_of = [&](size_t group) HWY_ATTR {
    return panel.a + group / kGroupsPerBlock * kGroupsPerBlock * kRows +
           group % kGroupsPerBlock;
  };
  const uint16_t* const mated_end = order + panel.mated_groups;
  for (; order != mated_end; order += 2, b += 2 * kGroupBytes) {
    if (kRows <= 4) hwy::Prefetch(b + kPrefetchBytes);
    const int32_t* HWY_RESTRICT a0 = lanes_of(order[0]);
    const int32_t* HWY_RESTRICT a1 = lanes_of(order[1]);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const V32 lane0 = hn::Set(d32, a0[r * kGroupsPerBlock]);
      const V32 lane1 = hn::Set(d32, a1[r * kGroupsPerBlock]);
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) {
        const int8_t* from = b + v * kVectorBytes;
        sum[r][v] = AddHalves(
            sum[r][v],
            hn::Add(AddByteProducts(lane0, Quads::LoadB(from)),
                    AddByteProducts(lane1, Quads::LoadB(from + kGroupBytes))));
      }
    }
  }
  const uint16_t* const end = panel.order + panel.groups;
  for (; order != end; ++order, b += kGroupBytes) {
    if (kRows <= 4) hwy::Prefetch(b + kPrefetchBytes);
    const int32_t* HWY_RESTRICT a0 = lanes_of(order[0]);
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const V32 lane = hn::Set(d32, a0[r * kGroupsPerBlock]);
#pragma GCC unroll 2
      for (size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = MultiplyAddQuads(sum[r][v], lane,
                                     Quads::LoadB(b + v * kVectorBytes));
      }
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (size_t v = 0; v < kVectors; ++v) {
      hn::Store(sum[r][v], d32,
                panel.sums + r * tile.row_stride + v * kVectorLanes);
    }
  }
  AddCorrections<kRows>(tile, panel);
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
