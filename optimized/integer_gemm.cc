#include "optimized/integer_gemm.h"

#include <algorithm>

#include "optimized/integer_gemm_kernels.h"
#include "optimized/workspace.h"

namespace qconform::optimized {
namespace {

// Blocks of A and B that stay in the cache while they are used. What is done
// once for every chunk and strip pays if chunks are large.
constexpr size_t kChunkBytes = 192 << 10;
constexpr size_t kWidenedChunkBytes = 768 << 10;
constexpr size_t kStripBytes = 384 << 10;
constexpr size_t kWidenedStripBytes = 256 << 10;

// Widening a panel once costs about as much as three tiles lose by widening it
// on their way.
constexpr size_t kMinTilesToWiden = 6;
// Columns that go to the epilogue at once: their sums stay in the first cache.
constexpr size_t kTileColumns = 256;

// Columns of B in place whose sums are kept at once.
constexpr size_t kInPlaceColumns = 4096;

// More corrections of a panel than one in 16 of k cost about what quads gain.
constexpr size_t kDepthPerCorrection = 16;

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
      : chunk_rows(std::min(rows, gemm.rows_per_chunk_)),
        spans(gemm.span_count_),
        row_stride(RoundUp(std::max(kTileColumns, gemm.ColumnsPerPanel()),
                           kWorkspaceAlignment / sizeof(int32_t))) {
    const IntegerGemmKernels& kernels = *gemm.kernels_;
    const size_t tile_rows = kernels.rows_per_tile;
    WorkspaceCutter cutter(memory);
    if (!kernels.quads_are_exact) {
      pairs = cutter.Take<int32_t>(chunk_rows * LanesPerRow(gemm.depth_, 2));
      widened_stride = (gemm.layout_.bytes - gemm.layout_.body);
      if (chunk_rows >= kMinTilesToWiden * tile_rows) {
        widened = cutter.Take<int16_t>(gemm.panels_per_strip_ * widened_stride);
      }
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
  int16_t* widened = nullptr;  // the panels of a strip
  size_t widened_stride = 0;
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
    : kernels_(&ChooseIntegerGemmKernels()),
      depth_(depth),
      columns_(columns),
      panel_count_(DivideUp(columns, kernels_->columns_per_panel)),
      span_count_(DivideUp(depth, kMaxNarrowDepth)),
      layout_(MakeLayout()) {
  const bool is_exact = kernels_->quads_are_exact;
  const size_t row_bytes = LanesPerRow(depth, is_exact ? 4 : 2) * 4;
  const size_t tile_bytes = row_bytes * kernels_->rows_per_tile;
  const size_t chunk_bytes = is_exact ? kChunkBytes : kWidenedChunkBytes;
  rows_per_chunk_ =
      std::max<size_t>(1, chunk_bytes / tile_bytes) * kernels_->rows_per_tile;
  const size_t strip_bytes = is_exact ? kStripBytes : kWidenedStripBytes;
  const size_t panel_bytes =
      is_exact ? layout_.bytes : 2 * (layout_.bytes - layout_.body);
  panels_per_strip_ =
      std::clamp<size_t>(strip_bytes / panel_bytes, 1, panel_count_);
  panels_per_tile_ = std::max<size_t>(1, kTileColumns / ColumnsPerPanel());
}

size_t IntegerGemm::ColumnsPerPanel() const {
  return kernels_->columns_per_panel;
}

PanelLayout IntegerGemm::MakeLayout() const {
  const size_t columns = ColumnsPerPanel();
  PanelLayout layout;
  layout.column_sums = sizeof(PanelHeader);
  layout.corrections =
      layout.column_sums +
      RoundUp(kernels_->has_quads ? span_count_ * columns * sizeof(int32_t) : 0,
              kWorkspaceAlignment);
  layout.order = layout.corrections;
  if (kernels_->has_quads && !kernels_->quads_are_exact) {
    // The k of a correction would have to be sought in several spans.
    if (span_count_ == 1) {
      layout.max_corrections = DivideUp(depth_, kDepthPerCorrection);
    }
    layout.order += RoundUp(layout.max_corrections * sizeof(PanelCorrection),
                            kWorkspaceAlignment);
    layout.body = layout.order + RoundUp(DivideUp(depth_, 4) * sizeof(uint16_t),
                                         kWorkspaceAlignment);
  } else {
    layout.body = layout.order;
  }
  layout.bytes =
      layout.body + RoundUp(columns * RoundUp(depth_, 4), kWorkspaceAlignment);
  return layout;
}

void IntegerGemm::PackB(const ByteMatrix& b, size_t first_panel,
                        size_t last_panel, Packing packing,
                        std::byte* packed) const {
  const bool try_quads = kernels_->quads_are_exact ||
                         (kernels_->has_quads && packing == Packing::kOnce);
  for (size_t panel = first_panel; panel < last_panel; ++panel) {
    const size_t first_column = panel * ColumnsPerPanel();
    std::byte* to = packed + panel * layout_.bytes;
    if (!try_quads || !kernels_->pack_b_quads(b, first_column, layout_, to)) {
      kernels_->pack_b_pairs(b, first_column, layout_, to);
    }
  }
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
        layout(from.layout_),
        b_offset(OffsetOf(what.b_is_signed)) {
    b_is_centered = b_offset == 0;
    if (operands.b_zero_points != nullptr) {
      int32_t difference = 0;
      for (size_t i = 0; i < from.columns_; ++i) {
        difference |= operands.b_zero_points[i] ^ b_offset;
      }
      b_is_centered = difference == 0;
    }
  }

  const PanelHeader& Header(size_t panel) const {
    return *reinterpret_cast<const PanelHeader*>(operands.packed_b +
                                                 panel * layout.bytes);
  }

  void FindForms(size_t first_panel, size_t last_panel) {
    any_quads = kernels.quads_are_exact;
    if (any_quads) return;
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

  // The panels of pairs of a strip, for all tiles of a chunk.
  void Widen(size_t first_panel, size_t last_panel) {
    for (size_t panel = first_panel; panel < last_panel; ++panel) {
      if (Header(panel).is_quads != 0) continue;
      kernels.widen(operands.packed_b + panel * layout.bytes + layout.body,
                    w.widened_stride,
                    w.widened + (panel - first_panel) * w.widened_stride);
    }
  }

  // One tile against panels whose columns fit in the sums. `widened` is null,
  // or the first of them.
  void MultiplyTile(size_t first_row, size_t chunk_row, size_t rows,
                    size_t panel, size_t panels, const int16_t* widened) {
    const size_t first_column = panel * kernels.columns_per_panel;
    const size_t columns = std::min(gemm.columns_ - first_column,
                                    panels * kernels.columns_per_panel);
    GemmTile tile;
    tile.rows = rows;
    tile.columns = columns;
    tile.panels = operands.packed_b + panel * layout.bytes;
    tile.layout = &layout;
    tile.widened = widened;
    tile.widened_stride = w.widened_stride;
    if (w.zero_points != nullptr)
      tile.a_zero_points = w.zero_points + chunk_row;
    if (operands.b_zero_points != nullptr) {
      tile.b_zero_points = operands.b_zero_points + first_column;
    }
    tile.b_offset = b_offset;
    tile.b_is_centered = b_is_centered;
    tile.sums = w.narrow;
    tile.row_stride = w.row_stride;
    for (size_t span = 0; span < w.spans; ++span) {
      tile.span = span;
      tile.depth = std::min(size_t{kMaxNarrowDepth},
                            gemm.depth_ - span * kMaxNarrowDepth);
      if (any_pairs) tile.pairs = w.pairs + PackedA(chunk_row, rows, span, 2);
      if (any_quads) tile.quads = w.quads + PackedA(chunk_row, rows, span, 4);
      tile.row_sums = RowSums(chunk_row, rows, span);
      kernels.multiply(tile);
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
    sums.first_column = first_column;
    sums.columns = columns;
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
  const PanelLayout& layout;
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
  const size_t panels = last_panel - first_panel;
  const size_t strips =
      std::max<size_t>(1, DivideUp(panels, panels_per_strip_));
  const size_t strip_panels = DivideUp(panels, strips);
  // Chunks and tiles of nearly equal heights: short ones are slow.
  const size_t chunks = DivideUp(rows, w.chunk_rows);
  for (size_t chunk = 0; chunk < chunks; ++chunk) {
    const size_t first_row = rows * chunk / chunks;
    const size_t chunk_rows = rows * (chunk + 1) / chunks - first_row;
    const size_t tiles = DivideUp(chunk_rows, kernels_->rows_per_tile);
    const size_t tile_rows = chunk_rows / tiles;
    const size_t taller_tiles = chunk_rows % tiles;
    // Calls visit(row, height) for each tile.
    const auto for_each_tile = [&](const auto& visit) {
      size_t row = 0;
      for (size_t tile = 0; tile < tiles; ++tile) {
        const size_t height = tile_rows + (tile < taller_tiles ? 1 : 0);
        visit(row, height);
        row += height;
      }
    };
    const int16_t* const widened =
        run.any_pairs && tiles >= kMinTilesToWiden ? w.widened : nullptr;
    for (size_t strip = first_panel; strip < last_panel;
         strip += strip_panels) {
      const size_t strip_end = std::min(strip + strip_panels, last_panel);
      if (widened != nullptr) run.Widen(strip, strip_end);
      for_each_tile([&](size_t row, size_t height) {
        // A tile is packed when it is wanted first, so that it is still in the
        // first cache; if that is the only time, every tile in the same place.
        const size_t place = strips == 1 ? 0 : row;
        if (strip == first_panel) run.PackA(first_row + row, place, height);
        for (size_t panel = strip; panel < strip_end;
             panel += panels_per_tile_) {
          run.MultiplyTile(first_row + row, place, height, panel,
                           std::min(panels_per_tile_, strip_end - panel),
                           widened == nullptr
                               ? nullptr
                               : widened + (panel - strip) * w.widened_stride);
        }
      });
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
