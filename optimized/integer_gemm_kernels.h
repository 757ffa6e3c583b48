// What one SIMD target contributes to IntegerGemm. Internal to the library.
//
// Packed layouts. Instructions multiply an int32 lane's worth of neighbours in
// k and sum them: two int16 (pairs) or four bytes (quads). A group is one such
// lane; K is padded to whole groups with zeros in B.
//
//   B, one panel of P columns. Its bytes are signed: uint8 is stored minus 128,
//   and the zero points shift with it.
//     body, pairs: b(0,0) b(1,0)  b(0,1) b(1,1)  ..  b(1,P-1)
//                  b(2,0) b(3,0)  ..
//     body, quads: b(0,0) b(1,0) b(2,0) b(3,0)  b(0,1) ..  b(3,P-1)
//                  b(4,0) ..
//     before it a PanelHeader, and of quads the column sums of each span of k,
//     the corrections and the order of the groups.
//
//   A, one tile of R rows, in blocks of 16 groups, 64 bytes a row:
//     groups 0..15 of row 0, of row 1, .. of row R-1, groups 16..31 of row 0 ..
//     pairs hold int16, a - zero; quads hold uint8, int8 being stored plus 128.
//
// Pairs are exact for all data. Their sum is final but for B's zero points,
//   - b_zero[n] * sum over k of (a - a_zero).
// Quads are exact where the target sums four products into int32 without
// saturation (AVX-512 VNNI), else (byte multiply-add, two products in int16)
// only for a panel in which no pair of weights can leave int16:
//   255 * (b0 + b1) stays in int16 exactly if the positive ones of the two sum
//   to at most 128 and the negative ones to at least -128.
// A weight that breaks this is split: what fits stays in the body, the rest
// becomes a correction. A panel with more corrections than pay is kept as
// pairs. Two groups are mates if the same holds for their pairs together: their
// products are added as int16. Mates stand next to each other, before the other
// groups, and `order` says which groups of k they are. Quads need A's zero
// points taken out at the end, too:
//   - a_zero[m] * sum over k of b.
// No intermediate value needs to be in range, because int32 wraps and the end
// is in range (IntegerGemm::kMaxNarrowDepth).

#ifndef QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "optimized/integer_gemm.h"

namespace qconform::optimized {

inline constexpr size_t kGroupsPerBlock = 16;  // 64 bytes of a row

// Part of a weight that its panel could not hold.
struct PanelCorrection {
  uint32_t k;
  int16_t column;  // of the panel
  int16_t rest;
};

// What stands before the body of a panel. 64 bytes, so that all parts keep
// their alignment.
struct alignas(64) PanelHeader {
  uint32_t is_quads;
  uint32_t corrections;
  uint32_t mated_groups;
};

// One tile of A against consecutive panels of B, over one span of k.
struct GemmTile {
  size_t rows = 0;  // 1 .. rows_per_tile
  // Those that count: the last panel is computed in whole vectors up to here.
  size_t columns = 0;
  size_t span = 0;
  size_t depth = 0;  // of the span
  // A, aligned to 64 bytes; null if no panel has that form.
  const int32_t* pairs = nullptr;
  const int32_t* quads = nullptr;
  const int32_t* row_sums = nullptr;       // of a - zero, one per row
  const int32_t* a_zero_points = nullptr;  // of a as packed; quads only
  const std::byte* panels = nullptr;       // the first
  const PanelLayout* layout = nullptr;
  // The bodies of the panels of pairs as int16, every `widened_stride`
  // elements; null: they are widened while multiplying.
  const int16_t* widened = nullptr;
  size_t widened_stride = 0;
  // Of b as packed: those given, less b_offset. Null: all 0 as given.
  const int32_t* b_zero_points = nullptr;
  int32_t b_offset = 0;
  bool b_is_centered = false;  // every zero point of b as packed is 0
  int32_t* sums = nullptr;     // aligned to 64 bytes
  size_t row_stride = 0;       // a multiple of 16
};

// Rows of A to pack; all k of one span.
struct PackARequest {
  const ByteMatrix* a = nullptr;
  size_t first_row = 0;
  size_t rows = 0;
  size_t first_k = 0;
  size_t last_k = 0;
  const int32_t* zero_points = nullptr;  // of the first row; null: all 0
  size_t zero_point_stride = 0;
  int32_t* packed = nullptr;
  int32_t* row_sums = nullptr;            // null: not wanted
  int32_t* packed_zero_points = nullptr;  // written for quads
};

// Rows of B, used where it stands: row-major, columns next to each other.
struct InPlaceTile {
  const void* b = nullptr;  // of the first column
  bool b_is_signed = false;
  size_t row_stride = 0;
  size_t depth = 0;                // at most kMaxNarrowDepth
  size_t columns = 0;              // at least columns_per_panel
  const int32_t* pairs = nullptr;  // the row of A, packed as pairs
  int32_t row_sum = 0;
  const int32_t* b_zero_points = nullptr;  // null: all 0
  // As many as the columns, padded to whole panels, and one panel more.
  int32_t* scratch = nullptr;
  int32_t* sums = nullptr;  // one per column, padded to whole panels
};

struct IntegerGemmKernels {
  size_t rows_per_tile;
  size_t columns_per_panel;
  bool has_quads;
  bool quads_are_exact;  // for all data: pairs are never used
  void (*multiply)(const GemmTile& tile);
  // The panel that begins with first_column, as pairs.
  void (*pack_b_pairs)(const ByteMatrix& b, size_t first_column,
                       const PanelLayout& layout, std::byte* panel);
  void (*pack_a_pairs)(const PackARequest& request);
  // The body of a panel of pairs as int16. `bytes` is a multiple of 64.
  void (*widen)(const std::byte* body, size_t bytes, int16_t* to);
  // As quads; false if they would need more corrections than there is room
  // for. These two are null without quads.
  bool (*pack_b_quads)(const ByteMatrix& b, size_t first_column,
                       const PanelLayout& layout, std::byte* panel);
  void (*pack_a_quads)(const PackARequest& request);
  void (*multiply_in_place)(const InPlaceTile& tile);
};

// Those of the best SIMD target of this moment.
const IntegerGemmKernels& ChooseIntegerGemmKernels();

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_
