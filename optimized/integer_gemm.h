// The integer matrix multiply under the quantized operators:
//
//   sum[m][n] = sum over k of (A[m][k] - a_zero[m]) * (B[k][n] - b_zero[n])
//
// exact for every value and every K (AR-09): int32 where no sum can leave it,
// int64 beyond. A and B hold bytes, signed or not, in any layout that a
// MatrixAxis can say. B is packed once (PackB), A while multiplying; the sums
// go to an epilogue in tiles that are still in the cache. A single row is
// multiplied with a row-major B where it stands, if B is not kept.
//
// An IntegerGemm stays on the SIMD target that was chosen when it was made.
// All methods are const, allocate nothing and may run on many threads at once,
// each with a workspace of its own.

#ifndef QCONFORM_OPTIMIZED_INTEGER_GEMM_H_
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <limits>

namespace qconform::optimized {

// Where the elements of one dimension lie, in elements: index i is at
// (i / block) * block_stride + (i % block) * stride. With the default block
// this is i * stride; blocks describe FRACTAL_NZ.
struct MatrixAxis {
  size_t size = 0;
  size_t stride = 0;
  size_t block = std::numeric_limits<size_t>::max();
  size_t block_stride = 0;

  size_t Offset(size_t i) const {
    if (i < block) return i * stride;  // saves the division
    return (i / block) * block_stride + (i % block) * stride;
  }
};

// Bytes read as int8 or as uint8.
struct ByteMatrix {
  const void* data = nullptr;
  bool is_signed = false;
  MatrixAxis rows;
  MatrixAxis columns;
};

// Sums of consecutive rows and columns. Exactly one of narrow and wide is set:
// wide if depth K exceeds kMaxNarrowDepth. Element (r, c) of the tile is at
// r * row_stride + c and belongs to row first_row + r, column first_column + c.
// Rows begin on 64-byte boundaries, and each may be read (not used) up to the
// end of its last panel.
struct SumTile {
  size_t first_row = 0;
  size_t rows = 0;
  size_t first_column = 0;
  size_t columns = 0;
  const int32_t* narrow = nullptr;
  const int64_t* wide = nullptr;
  size_t row_stride = 0;
};

// What becomes of the sums. Consume is called from the thread that called
// Multiply, each element exactly once.
class SumEpilogue {
 public:
  virtual ~SumEpilogue() = default;
  virtual void Consume(const SumTile& tile) = 0;
};

// integer_gemm_kernels.h
struct IntegerGemmKernels;  // one SIMD target's

// Byte offsets in a panel of a packed B.
struct PanelLayout {
  size_t column_sums = 0;  // [span][column]
  size_t corrections = 0;
  size_t max_corrections = 0;
  size_t order = 0;  // uint16 for each group, counted within its span
  size_t body = 0;
  size_t bytes = 0;
};

class IntegerGemm {
 public:
  // Products lie in +-65025; up to this depth no int32 sum overflows.
  static constexpr size_t kMaxNarrowDepth = 33024;

  // For B of `depth` rows (K) and `columns` columns (N), both at least 1.
  // Takes the best SIMD target of this moment.
  IntegerGemm(size_t depth, size_t columns);

  // Columns rounded up to whole panels; the length of b_zero_points.
  size_t PaddedColumns() const { return panel_count_ * ColumnsPerPanel(); }
  // Columns of a panel. Tasks that share a packed B divide it at multiples.
  size_t ColumnsPerPanel() const;
  size_t PanelCount() const { return panel_count_; }

  // Bytes of a packed B. Its address must be a multiple of 64.
  size_t PackedBytes() const { return panel_count_ * layout_.bytes; }
  // Whether the packed form is chosen by the values of B, which takes longer
  // and makes many multiplications faster.
  enum class Packing { kOnce, kForOneCall };
  // Packs panels [first_panel, last_panel) of `b` (K x N) into their places in
  // `packed`.
  void PackB(const ByteMatrix& b, size_t first_panel, size_t last_panel,
             Packing packing, std::byte* packed) const;

  // Bytes that one Multiply of up to `rows` rows needs; any alignment.
  size_t WorkspaceBytes(size_t rows) const;

  struct Operands {
    ByteMatrix a;  // M x K; M at least 1
    // Zero point of row m at [m * stride]; null: all 0.
    const int32_t* a_zero_points = nullptr;
    size_t a_zero_point_stride = 0;
    const std::byte* packed_b = nullptr;
    bool b_is_signed = false;
    // PaddedColumns() zero points, 0 past N; null: all 0.
    const int32_t* b_zero_points = nullptr;
  };

  // All rows of A with panels [first_panel, last_panel) of B.
  void Multiply(const Operands& operands, size_t first_panel, size_t last_panel,
                SumEpilogue& epilogue, std::byte* workspace) const;

  // Whether MultiplyInPlace takes this B with A of so many rows.
  bool CanMultiplyInPlace(const ByteMatrix& b, size_t rows) const;
  // The same as PackB and Multiply. Ignores packed_b and b_is_signed.
  void MultiplyInPlace(const Operands& operands, const ByteMatrix& b,
                       size_t first_panel, size_t last_panel,
                       SumEpilogue& epilogue, std::byte* workspace) const;

 private:
  struct Workspace;
  struct InPlaceWorkspace;
  struct Run;
  PanelLayout MakeLayout() const;

  const IntegerGemmKernels* kernels_;
  size_t depth_;
  size_t columns_;
  // What follows from these three, known before any multiplication: a small one
  // takes no longer than a few dozen divisions.
  size_t panel_count_;
  size_t span_count_;  // of k, each short enough for int32
  PanelLayout layout_;
  size_t rows_per_chunk_;  // at most
  size_t panels_per_strip_;
  size_t panels_per_tile_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_INTEGER_GEMM_H_
