// Integer matrix multiplies of all kinds, against sums in int64.

#ifndef QCONFORM_OPTIMIZED_INTEGER_GEMM_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_TEST_UTIL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/integer_gemm.h"

namespace qconform::optimized {

// Keeps every sum, and counts how often each came.
class Collector : public SumEpilogue {
 public:
  Collector(size_t rows, size_t columns)
      : columns_(columns), sums_(rows * columns), visits_(rows * columns) {}

  void Consume(const SumTile& tile) override {
    EXPECT_NE(tile.narrow == nullptr, tile.wide == nullptr);
    for (size_t r = 0; r < tile.rows; ++r) {
      for (size_t c = 0; c < tile.columns; ++c) {
        const size_t from = r * tile.row_stride + c;
        const size_t to =
            (tile.first_row + r) * columns_ + tile.first_column + c;
        sums_[to] = tile.wide != nullptr ? tile.wide[from] : tile.narrow[from];
        ++visits_[to];
      }
    }
  }

  const std::vector<int64_t>& sums() const { return sums_; }
  bool EachOnce() const {
    return std::all_of(visits_.begin(), visits_.end(),
                       [](int visits) { return visits == 1; });
  }

 private:
  size_t columns_;
  std::vector<int64_t> sums_;
  std::vector<int> visits_;
};

// Memory for a packed B, aligned as it has to be.
class PackedMemory {
 public:
  explicit PackedMemory(const IntegerGemm& gemm)
      : memory_(gemm.PackedBytes() + 64) {}
  std::byte* data() {
    return memory_.data() +
           (64 - reinterpret_cast<uintptr_t>(memory_.data()) % 64);
  }

 private:
  std::vector<std::byte> memory_;
};

struct Layout {
  std::string name;
  MatrixAxis rows;
  MatrixAxis columns;
};

inline std::vector<Layout> Layouts(size_t rows, size_t columns) {
  const size_t row_blocks = (rows + 31) / 32;
  const size_t column_blocks = (columns + 31) / 32;
  return {
      {"rows contiguous", {rows, columns}, {columns, 1}},
      {"columns contiguous", {rows, 1}, {columns, rows}},
      {"gaps", {rows, 3 * columns + 1}, {columns, 3}},
      {"one row repeated", {rows, 0}, {columns, 1}},
      {"one column repeated", {rows, 1}, {columns, 0}},
      // FRACTAL_NZ, blocks of 32 rows by 16 columns.
      {"rows in blocks",
       {rows, 1, 32, (columns + 15) / 16 * 512},
       {columns, 32, 16, 512}},
      {"columns in blocks",
       {rows, 32, 16, 512},
       {columns, 1, 32, (row_blocks * 2) * 512}},
      {"short blocks",
       {rows, 1, 4, 4 * column_blocks * 32},
       {columns, 4, 8, 32}},
  };
}

struct Problem {
  size_t rows;
  size_t columns;
  size_t depth;
  bool a_signed;
  bool b_signed;
  // 0: random, 1: all bytes 0x80, 2: all 0xFF, 3: all 0x7F, 4: random, but B as
  // weights are, most of them small, 5: all of B small.
  int fill;
};

inline int64_t Value(const ByteMatrix& matrix, size_t row, size_t column) {
  const size_t offset = matrix.rows.Offset(row) + matrix.columns.Offset(column);
  return matrix.is_signed
             ? int64_t{static_cast<const int8_t*>(matrix.data)[offset]}
             : int64_t{static_cast<const uint8_t*>(matrix.data)[offset]};
}

inline size_t Extent(const Layout& layout) {
  // Offsets grow with the index except where a stride is 0.
  size_t extent = 0;
  for (size_t r = 0; r < layout.rows.size; ++r) {
    extent = std::max(extent, layout.rows.Offset(r));
  }
  size_t column_extent = 0;
  for (size_t c = 0; c < layout.columns.size; ++c) {
    column_extent = std::max(column_extent, layout.columns.Offset(c));
  }
  return extent + column_extent + 1;
}

inline std::vector<uint8_t> Fill(size_t size, int fill, std::mt19937& random) {
  static constexpr uint8_t kFills[] = {0, 0x80, 0xFF, 0x7F};
  std::vector<uint8_t> bytes(size, kFills[fill]);
  if (fill == 0) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  }
  return bytes;
}

inline std::vector<uint8_t> Weights(size_t size, bool is_signed, int divisor,
                                    std::mt19937& random) {
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) {
    int weight = -254;
    for (int i = 0; i < 4; ++i) weight += static_cast<int>(random() % 128);
    byte = static_cast<uint8_t>(std::clamp(weight / divisor, -128, 127) +
                                (is_signed ? 0 : 128));
  }
  return bytes;
}

inline std::vector<int32_t> ZeroPoints(size_t count, size_t padded,
                                       bool is_signed, std::mt19937& random) {
  std::vector<int32_t> zero_points(padded, 0);
  for (size_t i = 0; i < count; ++i) {
    const int32_t low = is_signed ? -128 : 0;
    // Both ends often: they give the largest differences (QM-09).
    const uint32_t kind = random() % 4;
    zero_points[i] = low + (kind == 0   ? 0
                            : kind == 1 ? 255
                                        : static_cast<int32_t>(random() % 256));
  }
  return zero_points;
}

// Sums by their definition: of (A - AZeroPoint) * (B - BZeroPoint) over k.
inline void ExpectSums(const IntegerGemm::Operands& operands,
                       const ByteMatrix& b, const Collector& collector) {
  EXPECT_TRUE(collector.EachOnce());
  const size_t columns = b.columns.size;
  for (size_t m = 0; m < operands.a.rows.size; ++m) {
    const int64_t a_zero =
        operands.a_zero_points == nullptr
            ? 0
            : operands.a_zero_points[m * operands.a_zero_point_stride];
    for (size_t n = 0; n < columns; ++n) {
      const int64_t b_zero =
          operands.b_zero_points == nullptr ? 0 : operands.b_zero_points[n];
      int64_t expected = 0;
      for (size_t k = 0; k < b.rows.size; ++k) {
        expected +=
            (Value(operands.a, m, k) - a_zero) * (Value(b, k, n) - b_zero);
      }
      ASSERT_EQ(collector.sums()[m * columns + n], expected)
          << "row " << m << ", column " << n;
    }
  }
}

inline void CheckProblem(const Problem& problem, const Layout& a_layout,
                         const Layout& b_layout, bool zero_points,
                         std::mt19937& random) {
  SCOPED_TRACE(testing::Message()
               << problem.rows << " x " << problem.columns << " x "
               << problem.depth << ", A " << a_layout.name << ", B "
               << b_layout.name << ", signed " << problem.a_signed
               << problem.b_signed << ", fill " << problem.fill);
  const std::vector<uint8_t> a_bytes =
      Fill(Extent(a_layout), problem.fill < 4 ? problem.fill : 0, random);
  const std::vector<uint8_t> b_bytes =
      problem.fill < 4 ? Fill(Extent(b_layout), problem.fill, random)
                       : Weights(Extent(b_layout), problem.b_signed,
                                 problem.fill == 4 ? 2 : 8, random);
  IntegerGemm gemm(problem.depth, problem.columns);
  const ByteMatrix b = {b_bytes.data(), problem.b_signed, b_layout.rows,
                        b_layout.columns};
  PackedMemory packed_memory(gemm);
  std::byte* const packed = packed_memory.data();
  // In two parts, as two threads would.
  const size_t middle = gemm.PanelCount() / 2;
  const auto packing = random() % 2 == 0 ? IntegerGemm::Packing::kOnce
                                         : IntegerGemm::Packing::kForOneCall;
  gemm.PackB(b, 0, middle, packing, packed);
  gemm.PackB(b, middle, gemm.PanelCount(), packing, packed);

  const std::vector<int32_t> a_zeros =
      ZeroPoints(problem.rows, problem.rows, problem.a_signed, random);
  const std::vector<int32_t> b_zeros = ZeroPoints(
      problem.columns, gemm.PaddedColumns(), problem.b_signed, random);
  IntegerGemm::Operands operands;
  operands.a = {a_bytes.data(), problem.a_signed, a_layout.rows,
                a_layout.columns};
  operands.packed_b = packed;
  operands.b_is_signed = problem.b_signed;
  const size_t a_zero_stride = random() % 2;
  if (zero_points) {
    operands.a_zero_points = a_zeros.data();
    operands.a_zero_point_stride = a_zero_stride;
    operands.b_zero_points = b_zeros.data();
  }
  const size_t misalignment = random() % 64;
  std::vector<std::byte> workspace(gemm.WorkspaceBytes(problem.rows) +
                                   misalignment);
  Collector collector(problem.rows, problem.columns);
  gemm.Multiply(operands, 0, middle, collector,
                workspace.data() + misalignment);
  gemm.Multiply(operands, middle, gemm.PanelCount(), collector,
                workspace.data() + misalignment);
  ExpectSums(operands, b, collector);
  if (gemm.CanMultiplyInPlace(b, problem.rows)) {
    Collector in_place(problem.rows, problem.columns);
    gemm.MultiplyInPlace(operands, b, 0, middle, in_place,
                         workspace.data() + misalignment);
    gemm.MultiplyInPlace(operands, b, middle, gemm.PanelCount(), in_place,
                         workspace.data() + misalignment);
    EXPECT_TRUE(in_place.EachOnce());
    EXPECT_EQ(in_place.sums(), collector.sums());
  }
}

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_INTEGER_GEMM_TEST_UTIL_H_
