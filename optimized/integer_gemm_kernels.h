// What one SIMD target contributes to IntegerGemm. Internal to the library.
//
// Packed layouts. k goes in pairs, because the multiply-add instructions sum
// two products of int16 into an int32; an odd K is padded with a zero.
//
//   B, one panel of P columns:   b(0,0) b(1,0)  b(0,1) b(1,1) .. b(1,P-1)
//                                b(2,0) b(3,0)  b(2,1) ..        bytes as given
//   A, one tile of R rows:       a(0,0) a(0,1)  a(1,0) a(1,1) .. a(R-1,1)
//                                a(0,2) a(0,3)  ..               int16, a -
//                                zero
//
// B keeps its bytes, half the traffic of int16; its zero points enter as
// -b_zero[n] * (sum over k of a - a_zero), so every multiply is exact: no
// partial sum leaves +-65025 * K.

#ifndef QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_
#define QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "optimized/integer_gemm.h"

namespace qconform::optimized {

// One tile of A against consecutive panels of B.
struct GemmTile {
  size_t rows = 0;   // 1 .. rows_per_tile
  size_t pairs = 0;  // pairs of k
  size_t panels = 0;
  const int32_t* packed_a = nullptr;
  const int32_t* row_sums = nullptr;  // of a - zero, one per row
  const std::byte* packed_b = nullptr;
  size_t panel_bytes = 0;  // from one panel to the next
  bool b_is_signed = false;
  const int32_t* b_zero_points = nullptr;  // of the first panel's columns
  int32_t* sums = nullptr;                 // aligned to 64 bytes
  size_t row_stride = 0;                   // a multiple of 16
};

struct IntegerGemmKernels {
  size_t rows_per_tile;
  size_t columns_per_panel;
  // Columns from first_column on, all k.
  void (*pack_b_panel)(const ByteMatrix& b, size_t first_column,
                       std::byte* packed);
  // `rows` rows from first_row on, k in [first_k, last_k). `zero_points` is the
  // first row's.
  void (*pack_a_tile)(const ByteMatrix& a, size_t first_row, size_t rows,
                      size_t first_k, size_t last_k, const int32_t* zero_points,
                      size_t zero_point_stride, int32_t* packed,
                      int32_t* row_sums);
  void (*multiply)(const GemmTile& tile);
};

// Those of the best SIMD target of this moment.
const IntegerGemmKernels& ChooseIntegerGemmKernels();

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_INTEGER_GEMM_KERNELS_H_
