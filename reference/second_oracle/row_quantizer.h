// Quantization of one row of x, and the dequantization of its sums, exact:
//
//   p = x * scale_smooth
//   scale_x = row_max(abs(p)) / 127, or the given scale
//   x_quantized = clamp(round(p / scale_x), -128, 127)
//   out = S * scale_weight * scale_x, rounded once to float16      (AG-01)
//
// Document: aclnnQuantGroupedMatmulDequant.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_ROW_QUANTIZER_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_ROW_QUANTIZER_H_

#include <cstdint>

#include "reference/second_oracle/rounding.h"

namespace qconform::reference::second_oracle {

// An exact product of two float16 values.
struct Product {
  enum class Kind { kFinite, kInfinite, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  uint32_t mantissa = 0;  // below 2^22
  int exponent = 0;       // -48..10
};

// Bits of two float16; 0x3c00 is 1. Infinity times 0 is NaN (AG-03).
Product MultiplyFloat16(uint16_t x_bits, uint16_t smooth_bits);

// |a| < |b|, both finite.
bool SmallerMagnitude(const Product& a, const Product& b);

class RowQuantizer {
 public:
  // A scale that the caller gave: finite, any sign, 0 allowed (AG-02).
  static RowQuantizer Given(float scale);

  // scale_x = |largest| / 127, `largest` being the row's product of largest
  // magnitude, finite; 0 gives a row of zeros (AG-02).
  static RowQuantizer Dynamic(const Product& largest);

  // Rounds half to even. An infinite product saturates by the sign of the
  // quotient, or gives 0 if the scale is 0 (AG-03). Not for NaN.
  int Quantize(const Product& product) const;

  // Bits of the float16 nearest to sum * weight_scale * scale_x, ties to even,
  // overflow to infinity. |sum| < 2^62, weight_scale finite.
  uint16_t Dequantize(int64_t sum, float weight_scale) const;

 private:
  RowQuantizer(bool negative, uint32_t mantissa, int exponent,
               uint32_t denominator)
      : negative_(negative),
        mantissa_(mantissa),
        exponent_(exponent),
        denominator_(denominator) {}

  // scale_x = mantissa * 2^exponent / denominator, denominator 1 or 127.
  bool negative_;
  uint32_t mantissa_;
  int exponent_;
  uint32_t denominator_;
};

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_ROW_QUANTIZER_H_
