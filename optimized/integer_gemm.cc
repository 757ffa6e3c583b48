#include "optimized/integer_gemm.h"

#include <algorithm>

#include "optimized/integer_gemm_kernels.h"
#include "optimized/workspace.h"

namespace qconform::optimized {
namespace {

// Blocks of A and B that stay in the cache while they are used.
constexpr size_t kChunkBytes = 192 << 10;
constexpr size_t kStripBytes = 256 << 10;
// Columns that go to the epilogue at once: their sums stay in the first cache.
constexpr size_t kTileColumns = 128;

// Columns of B in place whose sums are kept at once.
constexpr size_t kInPlaceColumns = 4096;

// A correction costs about as much as 16 multiply-adds of a column; more of
// them than one in 64 of k cost more than quads gain.
constexpr size_t kDepthPerCorrection = 64;

// Sizes of an A packed as groups of `group` k: int32 lanes of one row.
size_t LanesPerRow(size_t depth, size_t group) {
  return RoundUp(DivideUp(depth, group), kGroupsPerBlock);
}

// A weight that is stored as uint8 is packed minus this.
int32_t OffsetOf(bool is_signed) { return is_signed ? 0 : 128; }

}  // namespace

// The workspace of one Multiply.
struct IntegerGemm::Workspace {
  Workspace(const IntegerGemm& gemm, size_t rows, std::byte* memory)
      : chunk_rows(gemm.RowsPerChunk(rows)),
        spans(gemm.SpanCount()),
        row_stride(RoundUp(std::max(kTileColumns, gemm.ColumnsPerPanel()),
                           kWorkspaceAlignment / sizeof(int32_t))) {
    const IntegerGemmKernels& kernels = *gemm.kernels_;
    const size_t tile_rows = kernels.rows_per_tile;
    WorkspaceCutter cutter(memory);
    if (!kernels.quads_are_exact) {
      pairs = cutter.Take<int32_t>(chunk_rows * LanesPerRow(gemm.depth_, 2));
    }
    if (kernels.has_quads) {
      quads = cutter.Take<int32_t>(chunk_rows * LanesPerRow(gemm.depth_, 4));
      zero_points = cutter.Take<int32_t>(chunk_rows);
    }
    row_sums = cutter.Take<int32_t>(chunk_rows * spans);
    narrow = cutter.Take<int32_t>(tile_rows * row_stride);
    if (spans > 1) wide = cutter.Take<int64_t>(tile_rows * row_stride);
    bytes = cutter.RequiredBytes();
  }

  size_t chunk_rows;
  size_t spans;  // of k, each short enough for int32
  size_t row_stride;
  int32_t* pairs = nullptr;
  int32_t* quads = nullptr;
  int32_t* zero_points = nullptr;  // of A packed as quads
  int32_t* row_sums = nullptr;     // [tile][span][row of the tile]
  int32_t* narrow = nullptr;
  int64_t* wide = nullptr;
  size_t bytes = 0;
};

// The workspace of one MultiplyInPlace.
struct IntegerGemm::InPlaceWorkspace {
  InPlaceWorkspace(const IntegerGemm& gemm, std::byte* memory) {
    const size_t columns = std::min(gemm.PaddedColumns(), kInPlaceColumns) +
                           gemm.ColumnsPerPanel();
    WorkspaceCutter cutter(memory);
    pairs = cutter.Take<int32_t>(LanesPerRow(gemm.depth_, 2));
    scratch = cutter.Take<int32_t>(columns);
    sums = cutter.Take<int32_t>(columns);
    bytes = cutter.RequiredBytes();
  }

  int32_t* pairs;
  int32_t* scratch;
  int32_t* sums;
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

size_t IntegerGemm::SpanCount() const {
  return DivideUp(depth_, kMaxNarrowDepth);
}

PanelLayout IntegerGemm::Layout() const {
  const size_t columns = ColumnsPerPanel();
  PanelLayout layout;
  layout.column_sums = sizeof(PanelHeader);
  layout.corrections =
      layout.column_sums +
      RoundUp(kernels_->has_quads ? SpanCount() * columns * sizeof(int32_t) : 0,
              kWorkspaceAlignment);
  // The k of a correction would have to be sought in several spans.
  if (kernels_->has_quads && !kernels_->quads_are_exact && SpanCount() == 1) {
    layout.max_corrections = DivideUp(depth_, kDepthPerCorrection);
  }
  layout.body = layout.corrections +
                RoundUp(layout.max_corrections * sizeof(PanelCorrection),
                        kWorkspaceAlignment);
  layout.bytes =
      layout.body + RoundUp(columns * RoundUp(depth_, 4), kWorkspaceAlignment);
  return layout;
}

size_t IntegerGemm::PackedBytes() const {
  return PanelCount() * Layout().bytes;
}

void IntegerGemm::PackB(const ByteMatrix& b, size_t first_panel,
                        size_t last_panel, Packing packing,
                        std::byte* packed) const {
  const PanelLayout layout = Layout();
  const bool try_quads = kernels_->quads_are_exact ||
                         (kernels_->has_quads && packing == Packing::kOnce);
  for (size_t panel = first_panel; panel < last_panel; ++panel) {
    const size_t first_column = panel * ColumnsPerPanel();
    std::byte* to = packed + panel * layout.bytes;
    if (!try_quads || !kernels_->pack_b_quads(b, first_column, layout, to)) {
      kernels_->pack_b_pairs(b, first_column, layout, to);
    }
  }
}

size_t IntegerGemm::RowsPerChunk(size_t rows) const {
  const size_t tile_rows = kernels_->rows_per_tile;
  const size_t row_bytes =
      LanesPerRow(depth_, kernels_->quads_are_exact ? 4 : 2) * sizeof(int32_t);
  const size_t tiles = std::max<size_t>(1, kChunkBytes / row_bytes / tile_rows);
  return std::min(rows, tiles * tile_rows);
}

size_t IntegerGemm::PanelsPerStrip() const {
  return std::min(PanelCount(),
                  std::max<size_t>(1, kStripBytes / Layout().bytes));
}

size_t IntegerGemm::WorkspaceBytes(size_t rows) const {
  const size_t packed = Workspace(*this, rows, nullptr).bytes;
  return std::max(packed, InPlaceWorkspace(*this, nullptr).bytes);
}

// One Multiply.
struct IntegerGemm::Run {
  Run(const IntegerGemm& from, const Operands& what, const Workspace& memory,
      SumEpilogue& to)
      : gemm(from),
        kernels(*from.kernels_),
        operands(what),
        w(memory),
        epilogue(to),
        layout(from.Layout()),
        b_offset(OffsetOf(what.b_is_signed)) {
    b_is_centered = operands.b_zero_points == nullptr ? b_offset == 0 : true;
    for (size_t i = 0; operands.b_zero_points != nullptr && i < from.columns_;
         ++i) {
      b_is_centered &= operands.b_zero_points[i] == b_offset;
    }
  }

  const PanelHeader& Header(size_t panel) const {
    return *reinterpret_cast<const PanelHeader*>(operands.packed_b +
                                                 panel * layout.bytes);
  }

  void FindForms(size_t first_panel, size_t last_panel) {
    for (size_t panel = first_panel; panel < last_panel; ++panel) {
      (Header(panel).is_quads != 0 ? any_quads : any_pairs) = true;
    }
  }

  // Rows [first_row, first_row + rows), which are rows chunk_row.. of the
  // chunk.
  void PackA(size_t first_row, size_t chunk_row, size_t rows) {
    for (size_t span = 0; span < w.spans; ++span) {
      PackARequest request;
      request.a = &operands.a;
      request.first_row = first_row;
      request.rows = rows;
      request.first_k = span * kMaxNarrowDepth;
      request.last_k = std::min(gemm.depth_, request.first_k + kMaxNarrowDepth);
      if (operands.a_zero_points != nullptr) {
        request.zero_points =
            operands.a_zero_points + first_row * operands.a_zero_point_stride;
      }
      request.zero_point_stride = operands.a_zero_point_stride;
      // Only B's zero points ask for them.
      if (!b_is_centered) request.row_sums = RowSums(chunk_row, rows, span);
      if (any_pairs) {
        request.packed = w.pairs + PackedA(chunk_row, rows, span, 2);
        kernels.pack_a_pairs(request);
      }
      if (any_quads) {
        request.packed = w.quads + PackedA(chunk_row, rows, span, 4);
        request.packed_zero_points = w.zero_points + chunk_row;
        kernels.pack_a_quads(request);
      }
    }
  }

  int32_t* RowSums(size_t chunk_row, size_t rows, size_t span) const {
    return w.row_sums + chunk_row * w.spans + span * rows;
  }

  // Where a span of the tile of so many rows begins. Spans are whole blocks.
  size_t PackedA(size_t chunk_row, size_t rows, size_t span,
                 size_t group) const {
    return chunk_row * LanesPerRow(gemm.depth_, group) +
           span * (kMaxNarrowDepth / group) * rows;
  }

  // One span of one tile against one panel.
  void MultiplyPanel(size_t chunk_row, size_t rows, size_t panel, size_t span,
                     int32_t* sums) {
    const size_t columns = kernels.columns_per_panel;
    const std::byte* packed = operands.packed_b + panel * layout.bytes;
    const PanelHeader& header = Header(panel);
    const bool is_quads = header.is_quads != 0;
    const size_t group = is_quads ? 4 : 2;
    const size_t first_k = span * kMaxNarrowDepth;
    GemmTile tile;
    tile.rows = rows;
    tile.groups =
        DivideUp(std::min(kMaxNarrowDepth, gemm.depth_ - first_k), group);
    tile.row_sums = RowSums(chunk_row, rows, span);
    tile.body = packed + layout.body + first_k * columns;
    if (operands.b_zero_points != nullptr) {
      tile.b_zero_points = operands.b_zero_points + panel * columns;
    }
    tile.b_offset = b_offset;
    tile.b_is_centered = b_is_centered;
    tile.sums = sums;
    tile.row_stride = w.row_stride;
    tile.packed_a =
        (is_quads ? w.quads : w.pairs) + PackedA(chunk_row, rows, span, group);
    if (is_quads) {
      tile.a_zero_points = w.zero_points + chunk_row;
      tile.column_sums =
          reinterpret_cast<const int32_t*>(packed + layout.column_sums) +
          span * columns;
      tile.corrections =
          reinterpret_cast<const PanelCorrection*>(packed + layout.corrections);
      tile.correction_count = header.corrections;
      kernels.multiply_quads(tile);
    } else {
      kernels.multiply_pairs(tile);
    }
  }

  // One tile against panels whose columns fit in the sums.
  void MultiplyTile(size_t first_row, size_t chunk_row, size_t rows,
                    size_t panel, size_t panels) {
    const size_t columns = panels * kernels.columns_per_panel;
    for (size_t span = 0; span < w.spans; ++span) {
      for (size_t i = 0; i < panels; ++i) {
        MultiplyPanel(chunk_row, rows, panel + i, span,
                      w.narrow + i * kernels.columns_per_panel);
      }
      if (w.wide == nullptr) continue;
      for (size_t r = 0; r < rows; ++r) {
        const int32_t* narrow = w.narrow + r * w.row_stride;
        int64_t* wide = w.wide + r * w.row_stride;
        for (size_t c = 0; c < columns; ++c) {
          wide[c] = (span == 0 ? 0 : wide[c]) + narrow[c];
        }
      }
    }
    SumTile sums;
    sums.first_row = first_row;
    sums.rows = rows;
    sums.first_column = panel * kernels.columns_per_panel;
    sums.columns = std::min(gemm.columns_ - sums.first_column, columns);
    sums.narrow = w.wide == nullptr ? w.narrow : nullptr;
    sums.wide = w.wide;
    sums.row_stride = w.row_stride;
    epilogue.Consume(sums);
  }

  const IntegerGemm& gemm;
  const IntegerGemmKernels& kernels;
  const Operands& operands;
  const Workspace& w;
  SumEpilogue& epilogue;
  const PanelLayout layout;
  const int32_t b_offset;
  bool b_is_centered;
  bool any_pairs = false;
  bool any_quads = false;
};

void IntegerGemm::Multiply(const Operands& operands, size_t first_panel,
                           size_t last_panel, SumEpilogue& epilogue,
                           std::byte* workspace) const {
  const size_t rows = operands.a.rows.size;
  const Workspace w(*this, rows, workspace);
  Run run(*this, operands, w, epilogue);
  run.FindForms(first_panel, last_panel);
  const size_t strip_panels = PanelsPerStrip();
  const size_t tile_panels =
      std::max<size_t>(1, kTileColumns / ColumnsPerPanel());
  // Chunks and tiles of nearly equal heights: short ones are slow.
  const size_t chunks = DivideUp(rows, w.chunk_rows);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    const size_t first_row = rows * chunk / chunks;
    const size_t chunk_rows = rows * (chunk + 1) / chunks - first_row;
    const size_t tiles = DivideUp(chunk_rows, kernels_->rows_per_tile);
    const auto row_of_tile = [&](size_t tile) {
      return chunk_rows * tile / tiles;
    };
    for (size_t tile = 0; tile < tiles; ++tile) {
      const size_t row = row_of_tile(tile);
      run.PackA(first_row + row, row, row_of_tile(tile + 1) - row);
    }
    for (size_t strip = first_panel; strip < last_panel;
         strip += strip_panels) {
      const size_t strip_end = std::min(strip + strip_panels, last_panel);
      for (size_t tile = 0; tile < tiles; ++tile) {
        const size_t row = row_of_tile(tile);
        for (size_t panel = strip; panel < strip_end; panel += tile_panels) {
          run.MultiplyTile(first_row + row, row, row_of_tile(tile + 1) - row,
                           panel, std::min(tile_panels, strip_end - panel));
        }
      }
    }
  }
}

bool IntegerGemm::CanMultiplyInPlace(const ByteMatrix& b, size_t rows) const {
  return rows == 1 && depth_ <= kMaxNarrowDepth &&
         columns_ >= ColumnsPerPanel() && b.columns.stride == 1 &&
         b.columns.block >= columns_ && b.rows.block >= depth_;
}

void IntegerGemm::MultiplyInPlace(const Operands& operands, const ByteMatrix& b,
                                  size_t first_panel, size_t last_panel,
                                  SumEpilogue& epilogue,
                                  std::byte* workspace) const {
  const InPlaceWorkspace w(*this, workspace);
  const size_t panel_columns = ColumnsPerPanel();
  InPlaceTile tile;
  PackARequest request;
  request.a = &operands.a;
  request.rows = 1;
  request.last_k = depth_;
  request.zero_points = operands.a_zero_points;
  request.packed = w.pairs;
  request.row_sums = &tile.row_sum;
  kernels_->pack_a_pairs(request);
  tile.b_is_signed = b.is_signed;
  tile.row_stride = b.rows.stride;
  tile.depth = depth_;
  tile.pairs = w.pairs;
  tile.scratch = w.scratch;
  tile.sums = w.sums;
  const size_t last_column = std::min(columns_, last_panel * panel_columns);
  for (size_t column = first_panel * panel_columns; column < last_column;) {
    const size_t columns = std::min(last_column - column, kInPlaceColumns);
    // The kernel wants a whole panel at least: a narrower end of B is computed
    // together with the panel before.
    const size_t before = columns < panel_columns ? panel_columns : 0;
    tile.b = static_cast<const uint8_t*>(b.data) + column - before;
    tile.columns = before + columns;
    if (operands.b_zero_points != nullptr) {
      tile.b_zero_points = operands.b_zero_points + column - before;
    }
    kernels_->multiply_in_place(tile);
    if (before != 0) std::copy_n(w.sums + before, panel_columns, w.sums);
    SumTile sums;
    sums.rows = 1;
    sums.first_column = column;
    sums.columns = columns;
    sums.narrow = w.sums;
    sums.row_stride = columns;
    epilogue.Consume(sums);
    column += columns;
  }
}

}  // namespace qconform::optimized
