// The SIMD kernels of aclnnQuantGroupedMatmulDequant around the integer GEMM:
// quantization of the rows of x, and dequantization of the sums.

#ifndef QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_KERNELS_H_
#define QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace qconform::optimized {

// Dynamic quantization divides a row's largest magnitude by this: the scale of
// a row is the rational row_factor / 127, never a rounded number (AG-01).
inline constexpr int kDynamicDivisor = 127;

// Quantization of rows of x, p = x * smooth:
//   dynamic: x_q = round(127 * p / max), factor = max, the row's max of abs(p)
//   static:  x_q = clamp(round(p / scale), -128, 127), factor = scale
struct RowQuantization {
  const uint16_t* x = nullptr;  // float16 bits
  size_t row_stride = 0;
  size_t column_stride = 0;
  size_t k = 0;                    // a multiple of 16
  const float* smooth = nullptr;   // k factors, or null
  const float* x_scale = nullptr;  // null: dynamic
  size_t x_scale_stride = 0;       // 0: per tensor
  int8_t* quantized = nullptr;     // row r at r * k
  // One for each row. NaN says that every output of the row is NaN (AG-03), 0
  // that every output is 0 (AG-02); x_q is 0 in both.
  float* row_factors = nullptr;
};

// out = sum * weight_scale * row_factor / divisor, rounded once to float16,
// ties to even.
struct Dequantization {
  const float* weight_scale = nullptr;  // of the first column
  float row_factor = 0;
  bool is_dynamic = false;  // the divisor is 127, else 1
};

struct GroupedMatmulKernels {
  void (*quantize_rows)(const RowQuantization& quantization, size_t first_row,
                        size_t last_row);
  // Exact for sums within +-2^31, which is any sum of up to 131071 products.
  void (*dequantize)(const Dequantization& dequantization, const int32_t* sums,
                     size_t count, uint16_t* out);
};

// Those of the best SIMD target of this moment.
const GroupedMatmulKernels& ChooseGroupedMatmulKernels();

// `count` float16 NaN: a row that AG-03 makes NaN.
void FillWithNan(size_t count, uint16_t* out);

// The same as dequantize for any sum, by integer arithmetic.
void DequantizeWide(const Dequantization& dequantization, const int64_t* sums,
                    size_t count, uint16_t* out);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_KERNELS_H_
