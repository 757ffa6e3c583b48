// Dequantization of sums that int32 cannot hold, by integer arithmetic.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"

namespace qconform::optimized {
namespace {

using Uint128 = unsigned __int128;

constexpr uint32_t kFloat16Infinity = 0x7C00;
constexpr int kFloat16MinExponent = -24;  // of the last bit of a subnormal

int BitLength(Uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high)
                   : std::bit_width(static_cast<uint64_t>(value));
}

// abs(value) = integer * 2^exponent with an integer of at most 24 bits.
struct Decomposed {
  uint32_t integer;
  int exponent;
};

Decomposed Decompose(float value) {
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(value), &exponent);
  return {static_cast<uint32_t>(std::ldexp(fraction, 24)), exponent - 24};
}

// numerator * 2^exponent / divisor in units of 2^unit_exponent, rounded half to
// even. The result must be below 2^12 or so: the shifts then lose nothing.
uint32_t RoundedQuotient(Uint128 numerator, int exponent, uint32_t divisor,
                         int unit_exponent) {
  const int shift = exponent - unit_exponent;
  Uint128 denominator = divisor;
  if (shift >= 0) {
    numerator <<= shift;
  } else if (-shift < 120) {
    denominator <<= -shift;
  } else {
    // numerator < 2^111: below 2^-9 units.
    return 0;
  }
  const Uint128 quotient = numerator / denominator;
  const Uint128 twice_rest = 2 * (numerator % denominator);
  const bool up = twice_rest > denominator ||
                  (twice_rest == denominator && (quotient & 1) != 0);
  return static_cast<uint32_t>(quotient + (up ? 1 : 0));
}

uint16_t DequantizeOne(int64_t sum, float weight_scale, float row_factor,
                       uint32_t divisor) {
  const uint64_t magnitude =
      sum < 0 ? 0 - static_cast<uint64_t>(sum) : static_cast<uint64_t>(sum);
  const Decomposed w = Decompose(weight_scale);
  const Decomposed f = Decompose(row_factor);
  // 63 + 24 + 24 bits.
  const Uint128 numerator = Uint128{magnitude} * w.integer * f.integer;
  if (numerator == 0) return 0;
  const uint16_t sign =
      ((sum < 0) != std::signbit(weight_scale)) != std::signbit(row_factor)
          ? 0x8000
          : 0;
  const int exponent = w.exponent + f.exponent;
  // The value lies in [2^top, 2^(top + 2)): a quotient of numbers of these bit
  // lengths is within a factor of two.
  const int top = exponent + BitLength(numerator) - std::bit_width(divisor) - 1;
  if (top >= 16) return static_cast<uint16_t>(kFloat16Infinity | sign);
  int unit_exponent = std::max(top - 10, kFloat16MinExponent);
  uint32_t rounded =
      RoundedQuotient(numerator, exponent, divisor, unit_exponent);
  if (rounded > 2048) {  // the upper of the two binades
    ++unit_exponent;
    rounded = RoundedQuotient(numerator, exponent, divisor, unit_exponent);
  }
  // Adding the exponent field lets a carry out of the fraction raise it.
  const uint32_t bits =
      rounded +
      (static_cast<uint32_t>(unit_exponent - kFloat16MinExponent) << 10);
  return static_cast<uint16_t>(std::min(bits, kFloat16Infinity) | sign);
}

}  // namespace

void DequantizeWide(const Dequantization& dequantization, const int64_t* sums,
                    size_t count, uint16_t* out) {
  if (std::isnan(dequantization.row_factor)) {
    FillWithNan(count, out);
    return;
  }
  const uint32_t divisor = dequantization.is_dynamic ? kDynamicDivisor : 1;
  for (size_t i = 0; i < count; ++i) {
    const uint16_t bits = DequantizeOne(sums[i], dequantization.weight_scale[i],
                                        dequantization.row_factor, divisor);
    std::memcpy(out + i, &bits, sizeof(bits));
  }
}

void FillWithNan(size_t count, uint16_t* out) {
  constexpr uint16_t kNan = 0x7E00;
  for (size_t i = 0; i < count; ++i) std::memcpy(out + i, &kNan, sizeof(kNan));
}

}  // namespace qconform::optimized
