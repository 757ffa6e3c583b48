#include "optimized/integer_gemm.h"

#include <algorithm>

#include "optimized/integer_gemm_kernels.h"
#include "optimized/workspace.h"

namespace qconform::optimized {
namespace {

// Blocks of A and B that stay in the cache while they are used.
constexpr size_t kChunkBytes = 192 << 10;
constexpr size_t kStripBytes = 256 << 10;
constexpr size_t kStripColumns = 512;

}  // namespace

// The workspace of one Multiply.
struct IntegerGemm::Workspace {
  Workspace(const IntegerGemm& gemm, size_t rows, std::byte* memory)
      : chunk_rows(gemm.RowsPerChunk(rows)),
        spans(DivideUp(gemm.depth_, kMaxNarrowDepth)),
        row_stride(RoundUp(gemm.PanelsPerStrip() * gemm.ColumnsPerPanel(),
                           kWorkspaceAlignment / sizeof(int32_t))) {
    const size_t pairs = DivideUp(gemm.depth_, 2);
    const size_t tile_rows = gemm.kernels_->rows_per_tile;
    WorkspaceCutter cutter(memory);
    packed_a = cutter.Take<int32_t>(chunk_rows * pairs);
    row_sums = cutter.Take<int32_t>(chunk_rows * spans);
    narrow = cutter.Take<int32_t>(tile_rows * row_stride);
    wide = spans > 1 ? cutter.Take<int64_t>(tile_rows * row_stride) : nullptr;
    bytes = cutter.RequiredBytes();
  }

  size_t chunk_rows;
  size_t spans;  // of k, each short enough for int32
  size_t row_stride;
  int32_t* packed_a;
  int32_t* row_sums;  // [tile][span][row of the tile]
  int32_t* narrow;
  int64_t* wide;
  size_t bytes;
};

IntegerGemm::IntegerGemm(size_t depth, size_t columns)
    : kernels_(&ChooseIntegerGemmKernels()), depth_(depth), columns_(columns) {}

size_t IntegerGemm::ColumnsPerPanel() const {
  return kernels_->columns_per_panel;
}

size_t IntegerGemm::PaddedColumns() const {
  return RoundUp(columns_, ColumnsPerPanel());
}

size_t IntegerGemm::PackedBytes() const {
  return PaddedColumns() * RoundUp(depth_, 2);
}

void IntegerGemm::PackB(const ByteMatrix& b, size_t first_panel,
                        size_t last_panel, std::byte* packed) const {
  const size_t panel_bytes = ColumnsPerPanel() * RoundUp(depth_, 2);
  for (size_t panel = first_panel; panel < last_panel; ++panel) {
    kernels_->pack_b_panel(b, panel * ColumnsPerPanel(),
                           packed + panel * panel_bytes);
  }
}

size_t IntegerGemm::RowsPerChunk(size_t rows) const {
  const size_t tile_rows = kernels_->rows_per_tile;
  const size_t row_bytes = RoundUp(depth_, 2) * sizeof(int16_t);
  const size_t tiles = std::max<size_t>(1, kChunkBytes / row_bytes / tile_rows);
  return std::min(RoundUp(rows, tile_rows), tiles * tile_rows);
}

size_t IntegerGemm::PanelsPerStrip() const {
  const size_t panel_bytes = ColumnsPerPanel() * RoundUp(depth_, 2);
  const size_t panels =
      std::min(kStripBytes / panel_bytes, kStripColumns / ColumnsPerPanel());
  return std::min(PanelCount(), std::max<size_t>(1, panels));
}

size_t IntegerGemm::WorkspaceBytes(size_t rows) const {
  return Workspace(*this, rows, nullptr).bytes;
}

void IntegerGemm::Multiply(const Operands& operands, size_t first_panel,
                           size_t last_panel, SumEpilogue& epilogue,
                           std::byte* workspace) const {
  const size_t rows = operands.a.rows.size;
  const Workspace w(*this, rows, workspace);
  const size_t tile_rows = kernels_->rows_per_tile;
  const size_t panel_columns = ColumnsPerPanel();
  const size_t panel_bytes = panel_columns * RoundUp(depth_, 2);
  const size_t pairs = DivideUp(depth_, 2);

  // One tile of A against the panels [panel, panel + panels).
  const auto multiply_tile = [&](size_t first_row, size_t chunk_row,
                                 size_t tile_height, size_t panel,
                                 size_t panels) {
    GemmTile tile;
    tile.rows = tile_height;
    tile.panels = panels;
    tile.panel_bytes = panel_bytes;
    tile.b_is_signed = operands.b_is_signed;
    tile.sums = w.narrow;
    tile.row_stride = w.row_stride;
    if (operands.b_zero_points != nullptr) {
      tile.b_zero_points = operands.b_zero_points + panel * panel_columns;
    }
    for (size_t span = 0; span < w.spans; ++span) {
      const size_t first_pair = span * (kMaxNarrowDepth / 2);
      tile.pairs = std::min(kMaxNarrowDepth / 2, pairs - first_pair);
      tile.packed_a = w.packed_a + chunk_row * pairs + first_pair * tile_height;
      tile.row_sums = w.row_sums + chunk_row * w.spans + span * tile_rows;
      tile.packed_b = operands.packed_b + panel * panel_bytes +
                      first_pair * 2 * panel_columns;
      kernels_->multiply(tile);
      if (w.wide == nullptr) continue;
      for (size_t r = 0; r < tile_height; ++r) {
        const int32_t* narrow = w.narrow + r * w.row_stride;
        int64_t* wide = w.wide + r * w.row_stride;
        for (size_t c = 0; c < panels * panel_columns; ++c) {
          wide[c] = (span == 0 ? 0 : wide[c]) + narrow[c];
        }
      }
    }
    SumTile sums;
    sums.first_row = first_row;
    sums.rows = tile_height;
    sums.first_column = panel * panel_columns;
    sums.columns =
        std::min(columns_ - sums.first_column, panels * panel_columns);
    sums.narrow = w.wide == nullptr ? w.narrow : nullptr;
    sums.wide = w.wide;
    sums.row_stride = w.row_stride;
    epilogue.Consume(sums);
  };

  const size_t strip_panels = PanelsPerStrip();
  for (size_t row = 0; row < rows; row += w.chunk_rows) {
    const size_t chunk_rows = std::min(w.chunk_rows, rows - row);
    for (size_t r = 0; r < chunk_rows; r += tile_rows) {
      const size_t tile_height = std::min(tile_rows, chunk_rows - r);
      const int32_t* zero_points =
          operands.a_zero_points == nullptr
              ? nullptr
              : operands.a_zero_points +
                    (row + r) * operands.a_zero_point_stride;
      for (size_t span = 0; span < w.spans; ++span) {
        const size_t first_k = span * kMaxNarrowDepth;
        kernels_->pack_a_tile(
            operands.a, row + r, tile_height, first_k,
            std::min(depth_, first_k + kMaxNarrowDepth), zero_points,
            operands.a_zero_point_stride,
            w.packed_a + r * pairs + first_k / 2 * tile_height,
            w.row_sums + r * w.spans + span * tile_rows);
      }
    }
    for (size_t panel = first_panel; panel < last_panel;
         panel += strip_panels) {
      const size_t panels = std::min(strip_panels, last_panel - panel);
      for (size_t r = 0; r < chunk_rows; r += tile_rows) {
        multiply_tile(row + r, r, std::min(tile_rows, chunk_rows - r), panel,
                      panels);
      }
    }
  }
}

}  // namespace qconform::optimized
