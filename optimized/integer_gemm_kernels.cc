#include "optimized/integer_gemm_kernels.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/integer_gemm_kernels.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::ScalableTag<int32_t>;
using D16 = hn::Repartition<int16_t, D32>;
using V32 = hn::Vec<D32>;
using V16 = hn::Vec<D16>;

constexpr size_t kVectorLanes = HWY_MAX_BYTES / sizeof(int32_t);
constexpr size_t kPanel = 2 * kVectorLanes;

// As many accumulators as the registers hold beside two vectors of B and one
// of A: 24 of 32 with AVX-512, 12 of 16 elsewhere.
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
constexpr size_t kTileRows = 12;
#else
constexpr size_t kTileRows = 6;
#endif

// ---------------------------------------------------------------- packing

// How many consecutive elements from i on lie one stride apart.
size_t RunLength(const MatrixAxis& axis, size_t i) {
  return std::min(axis.size - i, axis.block - i % axis.block);
}

// Rows k and k + 1 of eight columns, interleaved.
HWY_INLINE void InterleaveEight(const uint8_t* even, const uint8_t* odd,
                                uint8_t* packed) {
  const hn::FixedTag<uint8_t, 16> d;
  const hn::Half<decltype(d)> half;
  hn::StoreU(
      hn::InterleaveLower(d, hn::ZeroExtendVector(d, hn::LoadU(half, even)),
                          hn::ZeroExtendVector(d, hn::LoadU(half, odd))),
      d, packed);
}

// Sixteen k (eight pairs) of eight columns whose k are contiguous: an 8 x 8
// transpose of 16-bit pairs.
HWY_INLINE void TransposeEight(const uint8_t* const* columns, uint8_t* packed) {
  const hn::FixedTag<uint16_t, 8> d16;
  const hn::FixedTag<uint8_t, 16> d8;
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<uint64_t, 2> d64;
  const auto load = [&](size_t i) HWY_ATTR {
    return hn::BitCast(d16, hn::LoadU(d8, columns[i]));
  };
  // After three rounds of interleaving, vector p holds pair p of every column.
  for (size_t half = 0; half < 2; ++half) {
    const auto zip = [&](size_t i) HWY_ATTR {
      const auto low = load(i);
      const auto high = load(i + 1);
      return hn::BitCast(d32, half == 0 ? hn::InterleaveLower(d16, low, high)
                                        : hn::InterleaveUpper(d16, low, high));
    };
    const auto z01 = zip(0);
    const auto z23 = zip(2);
    const auto z45 = zip(4);
    const auto z67 = zip(6);
    const auto low_0 = hn::BitCast(d64, hn::InterleaveLower(d32, z01, z23));
    const auto low_4 = hn::BitCast(d64, hn::InterleaveLower(d32, z45, z67));
    const auto high_0 = hn::BitCast(d64, hn::InterleaveUpper(d32, z01, z23));
    const auto high_4 = hn::BitCast(d64, hn::InterleaveUpper(d32, z45, z67));
    uint8_t* out = packed + half * 4 * 2 * kPanel;
    hn::StoreU(hn::BitCast(d8, hn::InterleaveLower(d64, low_0, low_4)), d8,
               out);
    hn::StoreU(hn::BitCast(d8, hn::InterleaveUpper(d64, low_0, low_4)), d8,
               out + 2 * kPanel);
    hn::StoreU(hn::BitCast(d8, hn::InterleaveLower(d64, high_0, high_4)), d8,
               out + 4 * kPanel);
    hn::StoreU(hn::BitCast(d8, hn::InterleaveUpper(d64, high_0, high_4)), d8,
               out + 6 * kPanel);
  }
}

// Columns contiguous in memory, as in a row-major K x N matrix.
void PackPanelOfRows(const ByteMatrix& b, size_t first_column,
                     uint8_t* packed) {
  static constexpr uint8_t kZeros[kPanel] = {};
  const uint8_t* data =
      static_cast<const uint8_t*>(b.data) + b.columns.Offset(first_column);
  for (size_t k = 0; k < b.rows.size; k += 2) {
    const uint8_t* even = data + b.rows.Offset(k);
    const uint8_t* odd =
        k + 1 < b.rows.size ? data + b.rows.Offset(k + 1) : kZeros;
    for (size_t column = 0; column < kPanel; column += 8) {
      InterleaveEight(even + column, odd + column, packed + 2 * column);
    }
    packed += 2 * kPanel;
  }
}

// One column, any layout; k from first_k (even) on.
void PackColumn(const ByteMatrix& b, size_t column, size_t first_k,
                uint8_t* packed) {
  const uint8_t* data =
      static_cast<const uint8_t*>(b.data) + b.columns.Offset(column);
  const size_t depth = b.rows.size;
  for (size_t k = first_k; k < depth;) {
    const size_t run = RunLength(b.rows, k);
    const uint8_t* from = data + b.rows.Offset(k);
    for (size_t i = 0; i < run; ++i, ++k) {
      packed[k / 2 * 2 * kPanel + k % 2] = from[i * b.rows.stride];
    }
  }
  if (depth % 2 == 1) packed[depth / 2 * 2 * kPanel + 1] = 0;
}

// Eight columns whose k are contiguous over at least sixteen.
void PackEightColumns(const ByteMatrix& b, size_t first_column,
                      uint8_t* packed) {
  const uint8_t* data = static_cast<const uint8_t*>(b.data);
  size_t k = 0;
  while (b.rows.size - k >= 16 && RunLength(b.rows, k) >= 16) {
    const uint8_t* columns[8];
    for (size_t i = 0; i < 8; ++i) {
      columns[i] = data + b.columns.Offset(first_column + i) + b.rows.Offset(k);
    }
    TransposeEight(columns, packed + k * kPanel);
    k += 16;
  }
  for (size_t i = 0; i < 8; ++i) {
    PackColumn(b, first_column + i, k, packed + 2 * i);
  }
}

void PackBPanel(const ByteMatrix& b, size_t first_column, std::byte* packed) {
  uint8_t* bytes = reinterpret_cast<uint8_t*>(packed);
  const size_t columns = std::min(kPanel, b.columns.size - first_column);
  if (columns == kPanel && b.columns.stride == 1 &&
      RunLength(b.columns, first_column) >= kPanel) {
    PackPanelOfRows(b, first_column, bytes);
    return;
  }
  size_t column = 0;
  if (b.rows.stride == 1) {
    for (; column + 8 <= columns; column += 8) {
      PackEightColumns(b, first_column + column, bytes + 2 * column);
    }
  }
  for (; column < columns; ++column) {
    PackColumn(b, first_column + column, 0, bytes + 2 * column);
  }
  const size_t pairs = (b.rows.size + 1) / 2;
  for (size_t pair = 0; columns < kPanel && pair < pairs; ++pair) {
    std::memset(bytes + pair * 2 * kPanel + 2 * columns, 0,
                2 * (kPanel - columns));
  }
}

// a - zero of `count` bytes as int16, and their sum.
template <typename T>
HWY_INLINE int32_t Center(const T* from, size_t count, int32_t zero,
                          int16_t* to) {
  const D16 d16;
  const D32 d32;
  const hn::Rebind<T, D16> d8;
  const V16 zeros = hn::Set(d16, static_cast<int16_t>(zero));
  const V16 ones = hn::Set(d16, int16_t{1});
  V32 sum0 = hn::Zero(d32);
  V32 sum1 = hn::Zero(d32);
  const size_t lanes = hn::Lanes(d16);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V16 v = hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, from + i)), zeros);
    hn::StoreU(v, d16, to + i);
    sum0 = hn::ReorderWidenMulAccumulate(d32, v, ones, sum0, sum1);
  }
  int32_t sum = hn::GetLane(hn::SumOfLanes(d32, hn::Add(sum0, sum1)));
  for (; i < count; ++i) {
    const int32_t v = int32_t{from[i]} - zero;
    to[i] = static_cast<int16_t>(v);
    sum += v;
  }
  return sum;
}

// Values of a row handled at a time; even, so that pairs stay together.
constexpr size_t kChunk = 512;

template <typename T>
void PackATileOf(const ByteMatrix& a, size_t first_row, size_t rows,
                 size_t first_k, size_t last_k, const int32_t* zero_points,
                 size_t zero_point_stride, int32_t* packed, int32_t* row_sums) {
  alignas(64) int16_t centered[kChunk];
  T gathered[kChunk];
  for (size_t r = 0; r < rows; ++r) {
    const T* row = static_cast<const T*>(a.data) + a.rows.Offset(first_row + r);
    const int32_t zero =
        zero_points == nullptr ? 0 : zero_points[r * zero_point_stride];
    int32_t sum = 0;
    for (size_t k = first_k; k < last_k; k += kChunk) {
      const size_t count = std::min(kChunk, last_k - k);
      const T* from = row + a.columns.Offset(k);
      if (a.columns.stride != 1 || RunLength(a.columns, k) < count) {
        for (size_t i = 0; i < count; ++i) {
          gathered[i] = row[a.columns.Offset(k + i)];
        }
        from = gathered;
      }
      sum += Center(from, count, zero, centered);
      if (count % 2 == 1) centered[count] = 0;
      int32_t* to = packed + (k - first_k) / 2 * rows + r;
      for (size_t i = 0; i < count; i += 2, to += rows) {
        std::memcpy(to, centered + i, sizeof(*to));
      }
    }
    row_sums[r] = sum;
  }
}

void PackATile(const ByteMatrix& a, size_t first_row, size_t rows,
               size_t first_k, size_t last_k, const int32_t* zero_points,
               size_t zero_point_stride, int32_t* packed, int32_t* row_sums) {
  if (a.is_signed) {
    PackATileOf<int8_t>(a, first_row, rows, first_k, last_k, zero_points,
                        zero_point_stride, packed, row_sums);
  } else {
    PackATileOf<uint8_t>(a, first_row, rows, first_k, last_k, zero_points,
                         zero_point_stride, packed, row_sums);
  }
}

// ------------------------------------------------------------ multiplying

// kRows x kPanel sums in registers.
template <typename T, size_t kRows>
HWY_INLINE void MultiplyPanel(const GemmTile& tile, const T* HWY_RESTRICT b,
                              const int32_t* b_zero_points,
                              int32_t* HWY_RESTRICT sums) {
  const D32 d32;
  const D16 d16;
  const hn::Rebind<T, D16> d8;
  constexpr size_t kBytes = 2 * kVectorLanes;
  V32 sum[kRows][2];
  // Used by targets whose multiply-add gives two halves; folded away on x86.
  V32 other[kRows][2];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
    const V32 zero = hn::Zero(d32);
    sum[r][0] = sum[r][1] = other[r][0] = other[r][1] = zero;
    if (b_zero_points != nullptr) {
      const V32 row_sum = hn::Set(d32, -tile.row_sums[r]);
      sum[r][0] = hn::Mul(row_sum, hn::LoadU(d32, b_zero_points));
      sum[r][1] =
          hn::Mul(row_sum, hn::LoadU(d32, b_zero_points + kVectorLanes));
    }
  }
  const int32_t* HWY_RESTRICT a = tile.packed_a;
  for (size_t pair = 0; pair < tile.pairs; ++pair) {
    const V16 b0 = hn::PromoteTo(d16, hn::Load(d8, b));
    const V16 b1 = hn::PromoteTo(d16, hn::Load(d8, b + kBytes));
#pragma GCC unroll 16
    for (size_t r = 0; r < kRows; ++r) {
      const V16 a_pair = hn::BitCast(d16, hn::Set(d32, a[r]));
      sum[r][0] = hn::ReorderWidenMulAccumulate(d32, a_pair, b0, sum[r][0],
                                                other[r][0]);
      sum[r][1] = hn::ReorderWidenMulAccumulate(d32, a_pair, b1, sum[r][1],
                                                other[r][1]);
    }
    a += kRows;
    b += 2 * kBytes;
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
    int32_t* row = sums + r * tile.row_stride;
    hn::Store(hn::RearrangeToOddPlusEven(sum[r][0], other[r][0]), d32, row);
    hn::Store(hn::RearrangeToOddPlusEven(sum[r][1], other[r][1]), d32,
              row + kVectorLanes);
  }
}

template <typename T, size_t kRows>
void MultiplyRows(const GemmTile& tile) {
  const T* b = reinterpret_cast<const T*>(tile.packed_b);
  const int32_t* zero_points = tile.b_zero_points;
  int32_t* sums = tile.sums;
  for (size_t panel = 0; panel < tile.panels; ++panel) {
    MultiplyPanel<T, kRows>(tile, b, zero_points, sums);
    b += tile.panel_bytes;
    if (zero_points != nullptr) zero_points += kPanel;
    sums += kPanel;
  }
}

template <typename T, size_t kRows = kTileRows>
void MultiplyAnyRows(const GemmTile& tile) {
  if constexpr (kRows > 1) {
    if (tile.rows < kRows) return MultiplyAnyRows<T, kRows - 1>(tile);
  }
  MultiplyRows<T, kRows>(tile);
}

void Multiply(const GemmTile& tile) {
  if (tile.b_is_signed) {
    MultiplyAnyRows<int8_t>(tile);
  } else {
    MultiplyAnyRows<uint8_t>(tile);
  }
}

}  // namespace

const IntegerGemmKernels* Kernels() {
  static constexpr IntegerGemmKernels kKernels = {
      kTileRows, kPanel, &PackBPanel, &PackATile, &Multiply};
  return &kKernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized {

HWY_EXPORT(Kernels);

const IntegerGemmKernels& ChooseIntegerGemmKernels() {
  return *HWY_DYNAMIC_DISPATCH(Kernels)();
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
