#include "optimized/integer_gemm.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/integer_gemm_kernels.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

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

struct Layout {
  std::string name;
  MatrixAxis rows;
  MatrixAxis columns;
};

std::vector<Layout> Layouts(size_t rows, size_t columns) {
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
  int fill;  // 0: random, 1: all bytes 0x80, 2: all 0xFF, 3: all 0x7F
};

int64_t Value(const ByteMatrix& matrix, size_t row, size_t column) {
  const size_t offset = matrix.rows.Offset(row) + matrix.columns.Offset(column);
  return matrix.is_signed
             ? int64_t{static_cast<const int8_t*>(matrix.data)[offset]}
             : int64_t{static_cast<const uint8_t*>(matrix.data)[offset]};
}

size_t Extent(const Layout& layout) {
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

std::vector<uint8_t> Fill(size_t size, int fill, std::mt19937& random) {
  static constexpr uint8_t kFills[] = {0, 0x80, 0xFF, 0x7F};
  std::vector<uint8_t> bytes(size, kFills[fill]);
  if (fill == 0) {
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  }
  return bytes;
}

std::vector<int32_t> ZeroPoints(size_t count, size_t padded, bool is_signed,
                                std::mt19937& random) {
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

// Aligned as packed matrices must be.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t bytes) : memory_(bytes + 64) {}
  std::byte* data() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - address % 64);
  }

 private:
  std::vector<std::byte> memory_;
};

// Sums by their definition: of (A - AZeroPoint) * (B - BZeroPoint) over k.
void ExpectSums(const IntegerGemm::Operands& operands, const ByteMatrix& b,
                const Collector& collector) {
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

void CheckProblem(const Problem& problem, const Layout& a_layout,
                  const Layout& b_layout, bool zero_points,
                  std::mt19937& random) {
  SCOPED_TRACE(testing::Message()
               << problem.rows << " x " << problem.columns << " x "
               << problem.depth << ", A " << a_layout.name << ", B "
               << b_layout.name << ", signed " << problem.a_signed
               << problem.b_signed << ", fill " << problem.fill);
  const std::vector<uint8_t> a_bytes =
      Fill(Extent(a_layout), problem.fill, random);
  const std::vector<uint8_t> b_bytes =
      Fill(Extent(b_layout), problem.fill, random);
  IntegerGemm gemm(problem.depth, problem.columns);
  const ByteMatrix b = {b_bytes.data(), problem.b_signed, b_layout.rows,
                        b_layout.columns};
  AlignedBytes packed(gemm.PackedBytes());
  // In two parts, as two threads would.
  const size_t middle = gemm.PanelCount() / 2;
  const auto packing = random() % 2 == 0 ? IntegerGemm::Packing::kOnce
                                         : IntegerGemm::Packing::kForOneCall;
  gemm.PackB(b, 0, middle, packing, packed.data());
  gemm.PackB(b, middle, gemm.PanelCount(), packing, packed.data());

  const std::vector<int32_t> a_zeros =
      ZeroPoints(problem.rows, problem.rows, problem.a_signed, random);
  const std::vector<int32_t> b_zeros = ZeroPoints(
      problem.columns, gemm.PaddedColumns(), problem.b_signed, random);
  IntegerGemm::Operands operands;
  operands.a = {a_bytes.data(), problem.a_signed, a_layout.rows,
                a_layout.columns};
  operands.packed_b = packed.data();
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

TEST(IntegerGemmTest, EverySizeAroundTheVectorWidths) {
  ForEachTarget([] {
    std::mt19937 random(1);
    for (size_t columns = 1; columns <= 70; ++columns) {
      for (size_t depth : {1, 2, 3, 16, 31, 37}) {
        const size_t rows = 1 + random() % 26;
        const Problem problem = {
            rows, columns, depth, random() % 2 == 0, random() % 2 == 0, 0};
        CheckProblem(problem, Layouts(rows, depth)[0],
                     Layouts(depth, columns)[0], random() % 4 != 0, random);
      }
    }
  });
}

TEST(IntegerGemmTest, EveryRowCountAndDepth) {
  ForEachTarget([] {
    std::mt19937 random(2);
    for (size_t rows = 1; rows <= 26; ++rows) {
      for (size_t depth = 1; depth <= 67; depth += 1 + rows % 3) {
        const size_t columns = 1 + random() % 40;
        CheckProblem(
            {rows, columns, depth, random() % 2 == 0, random() % 2 == 0, 0},
            Layouts(rows, depth)[0], Layouts(depth, columns)[0], true, random);
      }
    }
  });
}

TEST(IntegerGemmTest, EveryLayoutAndSign) {
  ForEachTarget([] {
    std::mt19937 random(3);
    for (size_t i = 0; i < 8; ++i) {
      for (size_t signs = 0; signs < 4; ++signs) {
        for (size_t columns : {16, 48, 77}) {
          for (size_t depth : {16, 45, 96}) {
            const size_t rows = 1 + random() % 9;
            CheckProblem({rows, columns, depth, signs % 2 == 1, signs > 1, 0},
                         Layouts(rows, depth)[random() % 8],
                         Layouts(depth, columns)[i], true, random);
          }
        }
      }
    }
  });
}

TEST(IntegerGemmTest, LongRowsAndManyStrips) {
  ForEachTarget([] {
    std::mt19937 random(4);
    // Several chunks of rows (by depth), several strips of columns.
    CheckProblem({29, 50, 8200, true, false, 0}, Layouts(29, 8200)[0],
                 Layouts(8200, 50)[1], true, random);
    CheckProblem({5, 1100, 30, false, true, 0}, Layouts(5, 30)[2],
                 Layouts(30, 1100)[0], true, random);
  });
}

// Many rows make it worth to widen a panel first: at every width, and in
// several strips and chunks.
TEST(IntegerGemmTest, ManyRows) {
  ForEachTarget([] {
    std::mt19937 random(8);
    for (size_t columns = 1; columns <= 40; ++columns) {
      const size_t rows = 34 + random() % 15;
      CheckProblem({rows, columns, 37, random() % 2 == 0, random() % 2 == 0, 0},
                   Layouts(rows, 37)[0], Layouts(37, columns)[0], true, random);
    }
    CheckProblem({37, 1100, 130, true, true, 0}, Layouts(37, 130)[0],
                 Layouts(130, 1100)[1], true, random);
    CheckProblem({150, 40, 5000, false, true, 0}, Layouts(150, 5000)[0],
                 Layouts(5000, 40)[0], true, random);
    // Several tiles in a chunk and several strips, of quads, too.
    CheckProblem({40, 100, 5000, false, true, 0}, Layouts(40, 5000)[0],
                 Layouts(5000, 100)[0], true, random);
  });
}

// One row takes a row-major B where it stands, in strips of columns.
TEST(IntegerGemmTest, OneRowInPlace) {
  ForEachTarget([] {
    std::mt19937 random(6);
    for (size_t columns : {8, 31, 32, 33, 95, 200, 4096, 4099, 8201}) {
      for (size_t depth : {1, 2, 7, 8, 9, 21}) {
        CheckProblem(
            {1, columns, depth, random() % 2 == 0, random() % 2 == 0, 0},
            Layouts(1, depth)[random() % 3], Layouts(depth, columns)[0],
            random() % 4 != 0, random);
      }
    }
  });
}

// Three panels of weights in pairs. Panel 0: exactly what fits. Panel 1: four
// that do not. Panel 2: many.
std::vector<uint8_t> PairedWeights(size_t depth, size_t columns_per_panel,
                                   bool is_signed) {
  const size_t columns = 3 * columns_per_panel;
  const int offset = is_signed ? 0 : 128;
  std::vector<uint8_t> bytes(depth * columns);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(offset + static_cast<int>(i % 9) - 4);
  }
  const auto set_pair = [&](size_t k, size_t n, int low, int high) {
    bytes[k * columns + n] = static_cast<uint8_t>(offset + low);
    bytes[(k + 1) * columns + n] = static_cast<uint8_t>(offset + high);
  };
  set_pair(0, 0, 127, 1);
  set_pair(2, 1, -128, 0);
  const size_t second = columns_per_panel;
  set_pair(0, second, 127, 127);
  set_pair(6, second + 3, -128, -128);
  set_pair(200, second + 7, 2, 127);
  set_pair(386, second + 5, -1, -128);
  for (size_t k = 0; k + 1 < depth; k += 2) {
    set_pair(k, 2 * second + k % second, 127, 127);
  }
  return bytes;
}

// Byte multiply-adds saturate where two weights push 255 * (b0 + b1) out of
// int16: a few such pairs are split, too many make the panel use int16.
TEST(IntegerGemmTest, PairsOfWeightsThatWouldSaturate) {
  ForEachTarget([] {
    const IntegerGemmKernels& kernels = ChooseIntegerGemmKernels();
    constexpr size_t kRows = 8;
    constexpr size_t kDepth = 389;
    const size_t columns = 3 * kernels.columns_per_panel;
    for (const bool b_signed : {false, true}) {
      const std::vector<uint8_t> b_bytes =
          PairedWeights(kDepth, kernels.columns_per_panel, b_signed);
      const ByteMatrix b = {
          b_bytes.data(), b_signed, {kDepth, columns}, {columns, 1}};
      const IntegerGemm gemm(kDepth, columns);
      AlignedBytes packed(gemm.PackedBytes());
      gemm.PackB(b, 0, 3, IntegerGemm::Packing::kOnce, packed.data());
      const auto header = [&](size_t panel) {
        return reinterpret_cast<const PanelHeader*>(
            packed.data() + panel * (gemm.PackedBytes() / 3));
      };
      if (kernels.has_quads && !kernels.quads_are_exact) {
        EXPECT_EQ(header(0)->is_quads, 1u);
        EXPECT_EQ(header(0)->corrections, 0u);
        EXPECT_EQ(header(1)->is_quads, 1u);
        EXPECT_EQ(header(1)->corrections, 4u);
        EXPECT_EQ(header(2)->is_quads, 0u);
      }
      for (const uint8_t extreme : {0, 0x7F, 0x80, 0xFF}) {
        for (const bool a_signed : {false, true}) {
          std::vector<uint8_t> a_bytes(kRows * kDepth, extreme);
          for (size_t i = 0; i < a_bytes.size() / 2; ++i) {
            a_bytes[i] = static_cast<uint8_t>(i * 37);
          }
          IntegerGemm::Operands operands;
          operands.a = {a_bytes.data(), a_signed, {kRows, kDepth}, {kDepth, 1}};
          operands.packed_b = packed.data();
          operands.b_is_signed = b_signed;
          std::vector<std::byte> workspace(gemm.WorkspaceBytes(kRows));
          Collector collector(kRows, columns);
          gemm.Multiply(operands, 0, 3, collector, workspace.data());
          ExpectSums(operands, b, collector);
        }
      }
    }
  });
}

// AR-09: exact where int32 just holds, and beyond.
TEST(IntegerGemmTest, ExtremeValuesAtEveryDepth) {
  ForEachTarget([] {
    std::mt19937 random(5);
    for (size_t depth : {33023, 33024, 33025, 40001, 66050}) {
      for (size_t signs = 0; signs < 4; ++signs) {
        for (int fill = 1; fill <= 3; ++fill) {
          CheckProblem({2, 9, depth, signs % 2 == 1, signs > 1, fill},
                       Layouts(2, depth)[0], Layouts(depth, 9)[0], true,
                       random);
        }
      }
    }
  });
}

}  // namespace
}  // namespace qconform::optimized
