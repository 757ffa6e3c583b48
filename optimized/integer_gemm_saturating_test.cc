// What keeps byte multiply-adds exact where they saturate.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/integer_gemm.h"
#include "optimized/integer_gemm_kernels.h"
#include "optimized/integer_gemm_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

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
TEST(IntegerGemmSaturatingTest, PairsOfWeightsThatWouldSaturate) {
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
      PackedMemory memory(gemm);
      std::byte* const packed = memory.data();
      gemm.PackB(b, 0, 3, IntegerGemm::Packing::kOnce, packed);
      const auto header = [&](size_t panel) {
        return reinterpret_cast<const PanelHeader*>(
            packed + panel * (gemm.PackedBytes() / 3));
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
          operands.packed_b = packed;
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

// Two groups of four k are mates where their weights together stay in +-128;
// this one panel's column 0 decides. Expectations hold where bytes saturate.
struct MatesCase {
  const char* what;
  std::vector<int> weights;  // of column 0, by k
  uint32_t mated_groups;
};

TEST(IntegerGemmSaturatingTest, Mates) {
  const MatesCase cases[] = {
      {"one group", {1, 2, 3, 4}, 0},
      {"just fit", {100, 0, 1, 1, 28, 0, 1, 1}, 2},
      {"one too much", {100, 0, 1, 1, 29, 0, 1, 1}, 0},
      {"four that fit", {40, 40, 0, 0, 24, 24, 0, 0}, 2},
      {"four that do not", {40, 40, 0, 0, 24, 25, 0, 0}, 0},
      {"negative, just fit", {0, 0, -1, -100, 0, 0, -27, -0}, 2},
      {"negative, one too much", {0, 0, -1, -100, 0, 0, -28, 0}, 0},
      {"signs apart", {127, -128, 0, 0, 1, 0, 0, 0}, 2},
      {"pairs apart", {128 - 1, 0, 0, 0, 0, 0, 127, 0}, 2},
      {"the first has no mate, the others have",
       {127, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0},
       2},
      {"the mate comes late",
       {127, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0},
       4},
  };
  ForEachTarget([&] {
    const IntegerGemmKernels& kernels = ChooseIntegerGemmKernels();
    for (const MatesCase& c : cases) {
      SCOPED_TRACE(c.what);
      const size_t depth = c.weights.size();
      const size_t columns = kernels.columns_per_panel;
      std::vector<int8_t> b_values(depth * columns, 0);
      for (size_t k = 0; k < depth; ++k) {
        b_values[k * columns] = static_cast<int8_t>(c.weights[k]);
      }
      const ByteMatrix b = {
          b_values.data(), true, {depth, columns}, {columns, 1}};
      const IntegerGemm gemm(depth, columns);
      PackedMemory memory(gemm);
      gemm.PackB(b, 0, 1, IntegerGemm::Packing::kOnce, memory.data());
      if (kernels.has_quads && !kernels.quads_are_exact) {
        const auto& header =
            *reinterpret_cast<const PanelHeader*>(memory.data());
        EXPECT_EQ(header.is_quads, 1u);
        EXPECT_EQ(header.corrections, 0u);
        EXPECT_EQ(header.mated_groups, c.mated_groups);
      }
      // All of A at its largest, then telling the k apart.
      for (const int step : {0, 1}) {
        std::vector<uint8_t> a_values(depth);
        for (size_t k = 0; k < depth; ++k) {
          a_values[k] = static_cast<uint8_t>(255 - step * static_cast<int>(k));
        }
        IntegerGemm::Operands operands;
        operands.a = {a_values.data(), false, {1, depth}, {depth, 1}};
        operands.packed_b = memory.data();
        operands.b_is_signed = true;
        std::vector<std::byte> workspace(gemm.WorkspaceBytes(1));
        Collector collector(1, columns);
        gemm.Multiply(operands, 0, 1, collector, workspace.data());
        ExpectSums(operands, b, collector);
      }
    }
  });
}

// Weights as they occur: pairs that are split, groups with and without mates,
// panels of both forms, several spans of k.
TEST(IntegerGemmSaturatingTest, WeightsOfEveryShape) {
  ForEachTarget([] {
    std::mt19937 random(9);
    for (size_t rows = 1; rows <= 15; ++rows) {
      for (size_t depth : {1, 7, 8, 9, 63, 64, 65, 200, 517}) {
        const size_t columns = 1 + random() % 70;
        CheckProblem(
            {rows, columns, depth, random() % 2 == 0, random() % 2 == 0, 4},
            Layouts(rows, depth)[random() % 3], Layouts(depth, columns)[0],
            random() % 4 != 0, random);
      }
    }
    for (size_t depth : {33024, 33029, 66050}) {
      for (int fill : {4, 5}) {
        CheckProblem({2, 9, depth, true, true, fill}, Layouts(2, depth)[0],
                     Layouts(depth, 9)[0], true, random);
      }
    }
  });
}

}  // namespace
}  // namespace qconform::optimized
