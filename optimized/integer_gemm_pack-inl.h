// Packing for IntegerGemm; layouts in integer_gemm_kernels.h. Included once per
// target.

#if defined(QCONFORM_OPTIMIZED_INTEGER_GEMM_PACK_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_INTEGER_GEMM_PACK_INL_H_
#undef QCONFORM_OPTIMIZED_INTEGER_GEMM_PACK_INL_H_
#else
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_PACK_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "optimized/integer_gemm_forms-inl.h"
#include "optimized/integer_gemm_kernels.h"
#include "optimized/integer_gemm_saturating-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes16 = hn::FixedTag<uint8_t, 16>;

// How many consecutive elements from i on lie one stride apart.
HWY_INLINE size_t RunLength(const MatrixAxis& axis, size_t i) {
  const size_t in_block = i < axis.block ? i : i % axis.block;
  return std::min(axis.size - i, axis.block - in_block);
}

// ---------------------------------------------------------------------- B

// Groups of eight columns, interleaved. `flip` makes uint8 signed.
template <size_t kGroup>
HWY_INLINE void InterleaveEight(const uint8_t* const* rows, size_t column,
                                hn::Vec<Bytes16> flip, uint8_t* packed) {
  const Bytes16 d8;
  const hn::Half<Bytes16> half;
  const hn::FixedTag<uint16_t, 8> d16;
  const auto load_pair = [&](size_t i) HWY_ATTR {
    return hn::Xor(
        hn::InterleaveLower(
            d8, hn::ZeroExtendVector(d8, hn::LoadU(half, rows[i] + column)),
            hn::ZeroExtendVector(d8, hn::LoadU(half, rows[i + 1] + column))),
        flip);
  };
  if constexpr (kGroup == 2) {
    hn::StoreU(load_pair(0), d8, packed);
  } else {
    const auto low = hn::BitCast(d16, load_pair(0));
    const auto high = hn::BitCast(d16, load_pair(2));
    hn::StoreU(hn::BitCast(d8, hn::InterleaveLower(d16, low, high)), d8,
               packed);
    hn::StoreU(hn::BitCast(d8, hn::InterleaveUpper(d16, low, high)), d8,
               packed + 16);
  }
}

// Columns contiguous in memory, as in a row-major K x N matrix.
template <size_t kGroup>
void PackPanelOfRows(const ByteMatrix& b, size_t first_column,
                     uint8_t* packed) {
  const uint8_t flip = b.is_signed ? 0 : 0x80;
  const auto flips = hn::Set(Bytes16(), flip);
  uint8_t padding[kPanel];  // becomes 0
  std::memset(padding, flip, kPanel);
  const uint8_t* data =
      static_cast<const uint8_t*>(b.data) + b.columns.Offset(first_column);
  for (size_t k = 0; k < b.rows.size; k += kGroup) {
    const uint8_t* rows[kGroup];
    for (size_t i = 0; i < kGroup; ++i) {
      rows[i] = k + i < b.rows.size ? data + b.rows.Offset(k + i) : padding;
    }
    for (size_t column = 0; column < kPanel; column += 8) {
      InterleaveEight<kGroup>(rows, column, flips, packed + kGroup * column);
    }
    packed += kGroup * kPanel;
  }
}

// Sixteen k (eight pairs) of eight columns whose k are contiguous: an 8 x 8
// transpose of 16-bit pairs.
HWY_INLINE void TransposePairs(const uint8_t* const* columns,
                               hn::Vec<Bytes16> flip, uint8_t* packed) {
  const hn::FixedTag<uint16_t, 8> d16;
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<uint64_t, 2> d64;
  const Bytes16 d8;
  const auto load = [&](size_t i) HWY_ATTR {
    return hn::BitCast(d16, hn::Xor(hn::LoadU(d8, columns[i]), flip));
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

// Sixteen k (four quads) of four columns: a 4 x 4 transpose.
HWY_INLINE void TransposeQuads(const uint8_t* const* columns,
                               hn::Vec<Bytes16> flip, uint8_t* packed) {
  const hn::FixedTag<uint32_t, 4> d32;
  const hn::FixedTag<uint64_t, 2> d64;
  const Bytes16 d8;
  const auto load = [&](size_t i) HWY_ATTR {
    return hn::BitCast(d32, hn::Xor(hn::LoadU(d8, columns[i]), flip));
  };
  const auto c0 = load(0);
  const auto c1 = load(1);
  const auto c2 = load(2);
  const auto c3 = load(3);
  const auto low_01 = hn::BitCast(d64, hn::InterleaveLower(d32, c0, c1));
  const auto low_23 = hn::BitCast(d64, hn::InterleaveLower(d32, c2, c3));
  const auto high_01 = hn::BitCast(d64, hn::InterleaveUpper(d32, c0, c1));
  const auto high_23 = hn::BitCast(d64, hn::InterleaveUpper(d32, c2, c3));
  constexpr size_t kStep = 4 * kPanel;
  hn::StoreU(hn::BitCast(d8, hn::InterleaveLower(d64, low_01, low_23)), d8,
             packed);
  hn::StoreU(hn::BitCast(d8, hn::InterleaveUpper(d64, low_01, low_23)), d8,
             packed + kStep);
  hn::StoreU(hn::BitCast(d8, hn::InterleaveLower(d64, high_01, high_23)), d8,
             packed + 2 * kStep);
  hn::StoreU(hn::BitCast(d8, hn::InterleaveUpper(d64, high_01, high_23)), d8,
             packed + 3 * kStep);
}

// One column, any layout; k from first_k (a whole group) on. The padding is
// there already.
template <size_t kGroup>
void PackColumn(const ByteMatrix& b, size_t column, size_t first_k,
                uint8_t* packed) {
  const uint8_t flip = b.is_signed ? 0 : 0x80;
  const uint8_t* data =
      static_cast<const uint8_t*>(b.data) + b.columns.Offset(column);
  for (size_t k = first_k; k < b.rows.size;) {
    const size_t run = RunLength(b.rows, k);
    const uint8_t* from = data + b.rows.Offset(k);
    for (size_t i = 0; i < run; ++i, ++k) {
      packed[k / kGroup * kGroup * kPanel + k % kGroup] =
          from[i * b.rows.stride] ^ flip;
    }
  }
}

// Several columns whose k are contiguous over at least sixteen.
template <size_t kGroup>
void PackSomeColumns(const ByteMatrix& b, size_t first_column,
                     uint8_t* packed) {
  constexpr size_t kColumns = 16 / kGroup;
  const auto flip =
      hn::Set(Bytes16(), static_cast<uint8_t>(b.is_signed ? 0 : 0x80));
  const uint8_t* data = static_cast<const uint8_t*>(b.data);
  size_t k = 0;
  while (b.rows.size - k >= 16 && RunLength(b.rows, k) >= 16) {
    const uint8_t* columns[kColumns];
    for (size_t i = 0; i < kColumns; ++i) {
      columns[i] = data + b.columns.Offset(first_column + i) + b.rows.Offset(k);
    }
    if constexpr (kGroup == 2) {
      TransposePairs(columns, flip, packed + k * kPanel);
    } else {
      TransposeQuads(columns, flip, packed + k * kPanel);
    }
    k += 16;
  }
  for (size_t i = 0; i < kColumns; ++i) {
    PackColumn<kGroup>(b, first_column + i, k, packed + kGroup * i);
  }
}

template <size_t kGroup>
void PackBody(const ByteMatrix& b, size_t first_column, uint8_t* body) {
  const size_t columns = std::min(kPanel, b.columns.size - first_column);
  if (columns == kPanel && b.columns.stride == 1 &&
      RunLength(b.columns, first_column) >= kPanel) {
    PackPanelOfRows<kGroup>(b, first_column, body);
    return;
  }
  const size_t groups = (b.rows.size + kGroup - 1) / kGroup;
  std::memset(body, 0, groups * kGroup * kPanel);
  constexpr size_t kColumns = 16 / kGroup;
  size_t column = 0;
  if (b.rows.stride == 1) {
    for (; column + kColumns <= columns; column += kColumns) {
      PackSomeColumns<kGroup>(b, first_column + column, body + kGroup * column);
    }
  }
  for (; column < columns; ++column) {
    PackColumn<kGroup>(b, first_column + column, 0, body + kGroup * column);
  }
}

void PackBPairs(const ByteMatrix& b, size_t first_column,
                const PanelLayout& layout, std::byte* panel) {
  *reinterpret_cast<PanelHeader*>(panel) = {};
  PackBody<2>(b, first_column, reinterpret_cast<uint8_t*>(panel + layout.body));
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
// The sums of the columns over each span of k.
HWY_INLINE void SumColumns(const int8_t* body, size_t groups,
                           int32_t* column_sums) {
  const D32 d32;
  const V32 ones = hn::Set(d32, 0x01010101);
  while (groups != 0) {
    const size_t span = std::min(groups, Quads::kSpanGroups);
    groups -= span;
    V32 sum0 = hn::Zero(d32);
    V32 sum1 = hn::Zero(d32);
    for (size_t i = 0; i < span; ++i) {
      sum0 = MultiplyAddQuads(sum0, ones, Quads::LoadB(body));
      sum1 =
          MultiplyAddQuads(sum1, ones, Quads::LoadB(body + 4 * kVectorLanes));
      body += 4 * kPanel;
    }
    hn::Store(sum0, d32, column_sums);
    hn::Store(sum1, d32, column_sums + kVectorLanes);
    column_sums += kPanel;
  }
}

bool PackBQuads(const ByteMatrix& b, size_t first_column,
                const PanelLayout& layout, std::byte* panel) {
  auto* body = reinterpret_cast<int8_t*>(panel + layout.body);
  PackBody<4>(b, first_column, reinterpret_cast<uint8_t*>(body));
  const size_t groups = (b.rows.size + 3) / 4;
  SumColumns(body, groups,
             reinterpret_cast<int32_t*>(panel + layout.column_sums));
  PanelHeader header = {1, 0, 0};
#if HWY_TARGET != HWY_AVX3_DL
  if (!SplitWeights(
          body, groups, layout.max_corrections,
          reinterpret_cast<PanelCorrection*>(panel + layout.corrections),
          &header.corrections)) {
    return false;
  }
  auto* order = reinterpret_cast<uint16_t*>(panel + layout.order);
  for (size_t i = 0; i < groups; ++i) {
    order[i] = static_cast<uint16_t>(i % Quads::kSpanGroups);
  }
  // Mates would have to be of one span; so long a K is rare.
  if (groups <= Quads::kSpanGroups) {
    header.mated_groups =
        static_cast<uint32_t>(MateGroups(body, groups, order));
  }
#endif
  *reinterpret_cast<PanelHeader*>(panel) = header;
  return true;
}
#endif

// ---------------------------------------------------------------------- A

// 64 bytes of int16, a - zero; returns the lanes' sums.
template <typename T>
HWY_INLINE V32 CenterBlock(const T* from, V16 zero, V32 sum, int16_t* to) {
  const D16 d16;
  const D32 d32;
  const hn::Rebind<T, D16> d8;
  const V16 ones = hn::Set(d16, int16_t{1});
  V32 other = hn::Zero(d32);
  for (size_t i = 0; i < 32; i += 2 * kVectorLanes) {
    const V16 v = hn::Sub(hn::PromoteTo(d16, hn::LoadU(d8, from + i)), zero);
    hn::StoreU(v, d16, to + i);
    sum = hn::ReorderWidenMulAccumulate(d32, v, ones, sum, other);
  }
  return hn::Add(sum, other);
}

// 64 bytes of uint8.
HWY_INLINE void FlipBlock(const uint8_t* from,
                          hn::Vec<hn::Repartition<uint8_t, D32>> flip,
                          uint8_t* to) {
  const hn::Repartition<uint8_t, D32> d8;
  for (size_t i = 0; i < 64; i += 4 * kVectorLanes) {
    hn::Store(hn::Xor(hn::LoadU(d8, from + i), flip), d8, to + i);
  }
}

// The sum of a row packed in `blocks` blocks of 64 bytes, `stride` apart.
HWY_INLINE int32_t SumBlocks(const uint8_t* packed, size_t blocks,
                             size_t stride) {
  const hn::Repartition<uint8_t, D32> d8;
  const hn::Repartition<uint64_t, D32> d64;
  auto sum = hn::Zero(d64);
  for (size_t block = 0; block < blocks; ++block, packed += stride) {
    for (size_t i = 0; i < 64; i += 4 * kVectorLanes) {
      sum = hn::Add(sum, hn::SumsOf8(hn::Load(d8, packed + i)));
    }
  }
  return static_cast<int32_t>(hn::GetLane(hn::SumOfLanes(d64, sum)));
}

// Calls block(from, i) for every kBlock elements of a row, `from` being
// contiguous and, past the end, `padding`; i counts the blocks.
template <size_t kBlock, class Block>
HWY_INLINE void ForEachBlock(const PackARequest& request, size_t row,
                             uint8_t padding, const Block& block) {
  const MatrixAxis& axis = request.a->columns;
  const uint8_t* data = static_cast<const uint8_t*>(request.a->data) +
                        request.a->rows.Offset(request.first_row + row);
  uint8_t gathered[kBlock];
  size_t i = 0;
  size_t k = request.first_k;
  while (k < request.last_k) {
    if (axis.stride == 1) {
      const size_t run = std::min(RunLength(axis, k), request.last_k - k);
      const uint8_t* from = data + axis.Offset(k);
      size_t done = 0;
      for (; done + kBlock <= run; done += kBlock) block(from + done, i++);
      k += done;
      if (k == request.last_k) break;
    }
    const size_t count = std::min(kBlock, request.last_k - k);
    if (axis.stride == 1 && RunLength(axis, k) >= count) {
      std::memcpy(gathered, data + axis.Offset(k), count);
    } else {
      for (size_t j = 0; j < count; ++j) gathered[j] = data[axis.Offset(k + j)];
    }
    std::memset(gathered + count, padding, kBlock - count);
    block(gathered, i++);
    k += count;
  }
}

template <typename T>
void PackAPairsOf(const PackARequest& request) {
  const D32 d32;
  auto* packed = reinterpret_cast<int16_t*>(request.packed);
  for (size_t r = 0; r < request.rows; ++r) {
    const int32_t zero =
        request.zero_points == nullptr
            ? 0
            : request.zero_points[r * request.zero_point_stride];
    const V16 zeros = hn::Set(D16(), static_cast<int16_t>(zero));
    V32 sum = hn::Zero(d32);
    // The padding becomes 0, and does not count.
    ForEachBlock<32>(request, r, static_cast<uint8_t>(zero),
                     [&](const uint8_t* from, size_t i) HWY_ATTR {
                       sum = CenterBlock(reinterpret_cast<const T*>(from),
                                         zeros, sum,
                                         packed + (i * request.rows + r) * 32);
                     });
    if (request.row_sums == nullptr) continue;
    request.row_sums[r] = hn::GetLane(hn::SumOfLanes(d32, sum));
  }
}

void PackAPairs(const PackARequest& request) {
  if (request.a->is_signed) {
    PackAPairsOf<int8_t>(request);
  } else {
    PackAPairsOf<uint8_t>(request);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
// Rows without gaps or ends to mind, whole blocks: the usual ones.
HWY_INLINE void FlipWholeRows(const uint8_t* from, size_t row_stride,
                              size_t rows, size_t depth,
                              hn::Vec<hn::Repartition<uint8_t, D32>> flip,
                              uint8_t* HWY_RESTRICT packed) {
  for (size_t k = 0; k < depth; k += 64) {
    const uint8_t* row = from + k;
    for (size_t r = 0; r < rows; ++r, row += row_stride, packed += 64) {
      FlipBlock(row, flip, packed);
    }
  }
}

void PackAQuads(const PackARequest& request) {
  const ByteMatrix& a = *request.a;
  const size_t rows = request.rows;
  const uint8_t flip = a.is_signed ? 0x80 : 0;
  const auto flips = hn::Set(hn::Repartition<uint8_t, D32>(), flip);
  auto* packed = reinterpret_cast<uint8_t*>(request.packed);
  const size_t stride = rows * 64;  // from block to block of a row
  const size_t depth = request.last_k - request.first_k;
  if (a.columns.stride == 1 && depth % 64 == 0 &&
      RunLength(a.columns, request.first_k) >= depth &&
      RunLength(a.rows, request.first_row) >= rows) {
    FlipWholeRows(static_cast<const uint8_t*>(a.data) +
                      a.rows.Offset(request.first_row) +
                      a.columns.Offset(request.first_k),
                  a.rows.stride, rows, depth, flips, packed);
  } else {
    for (size_t r = 0; r < rows; ++r) {
      // The padding becomes 0, and does not count.
      ForEachBlock<64>(request, r, flip,
                       [&](const uint8_t* from, size_t i) HWY_ATTR {
                         FlipBlock(from, flips, packed + i * stride + r * 64);
                       });
    }
  }
  const int32_t* zero_point = request.zero_points;
  for (size_t r = 0; r < rows; ++r) {
    int32_t zero = flip;
    if (zero_point != nullptr) {
      zero += *zero_point;
      zero_point += request.zero_point_stride;
    }
    request.packed_zero_points[r] = zero;
    if (request.row_sums == nullptr) continue;
    request.row_sums[r] =
        SumBlocks(packed + r * 64, (depth + 63) / 64, stride) -
        static_cast<int32_t>(depth) * zero;
  }
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
