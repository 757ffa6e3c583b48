#include "reference/second_oracle/row_quantizer.h"

#include <algorithm>

namespace qconform::reference::second_oracle {

Product MultiplyFloat16(uint16_t x_bits, uint16_t smooth_bits) {
  Product product;
  const bool any_infinite =
      IsInfiniteFloat16(x_bits) || IsInfiniteFloat16(smooth_bits);
  const bool any_zero = (x_bits & 0x7fff) == 0 || (smooth_bits & 0x7fff) == 0;
  if (IsNanFloat16(x_bits) || IsNanFloat16(smooth_bits) ||
      (any_infinite && any_zero)) {
    product.kind = Product::Kind::kNan;
    return product;
  }
  const Decomposed x = DecomposeFloat16(x_bits);
  const Decomposed smooth = DecomposeFloat16(smooth_bits);
  product.negative = x.negative != smooth.negative;
  if (any_infinite) {
    product.kind = Product::Kind::kInfinite;
    return product;
  }
  product.mantissa = x.mantissa * smooth.mantissa;
  product.exponent = x.exponent + smooth.exponent;
  return product;
}

bool SmallerMagnitude(const Product& a, const Product& b) {
  const auto on_grid = [](const Product& product) {
    return static_cast<Uint128>(product.mantissa) << (product.exponent + 48);
  };
  return on_grid(a) < on_grid(b);
}

RowQuantizer RowQuantizer::Given(float scale) {
  const Decomposed parts = DecomposeFloat32(scale);
  return RowQuantizer(parts.negative, parts.mantissa, parts.exponent, 1);
}

RowQuantizer RowQuantizer::Dynamic(const Product& largest) {
  return RowQuantizer(false, largest.mantissa, largest.exponent, 127);
}

int RowQuantizer::Quantize(const Product& product) const {
  if (mantissa_ == 0) return 0;
  uint64_t magnitude = kMagnitudeLimit;
  if (product.kind == Product::Kind::kFinite) {
    magnitude =
        RoundQuotient(static_cast<Uint128>(product.mantissa) * denominator_,
                      mantissa_, product.exponent - exponent_, Tie::kToEven);
  }
  const int64_t rounded = static_cast<int64_t>(magnitude);
  return static_cast<int>(std::clamp<int64_t>(
      product.negative != negative_ ? -rounded : rounded, -128, 127));
}

uint16_t RowQuantizer::Dequantize(int64_t sum, float weight_scale) const {
  const Decomposed weight = DecomposeFloat32(weight_scale);
  const bool negative = ((sum < 0) != weight.negative) != negative_;
  const uint64_t magnitude = sum < 0 ? -static_cast<uint64_t>(sum) : sum;
  // 62 + 24 + 24 bits.
  const uint32_t bits =
      RoundToFloat(static_cast<Uint128>(magnitude) *
                       (static_cast<uint64_t>(weight.mantissa) * mantissa_),
                   denominator_, weight.exponent + exponent_, kFloat16);
  return static_cast<uint16_t>(negative ? bits | 0x8000 : bits);
}

}  // namespace qconform::reference::second_oracle
