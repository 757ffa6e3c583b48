// For tests: the operator by hand, one integer comparison at a time. Nothing
// is computed in floating point.

#ifndef QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_MODEL_H_
#define QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_MODEL_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace qconform::optimized::model {

using Uint128 = unsigned __int128;

// (-1)^negative * integer * 2^exponent.
struct Number {
  Uint128 integer = 0;
  int exponent = 0;
  bool negative = false;
};

inline Number FromFloat16(uint16_t bits) {
  const int field = (bits >> 10) & 0x1F;
  const uint32_t fraction = bits & 0x3FF;
  return {field == 0 ? fraction : fraction + 1024,
          (field == 0 ? 1 : field) - 25, (bits & 0x8000) != 0};
}

inline Number FromFloat32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const int field = static_cast<int>((bits >> 23) & 0xFF);
  const uint32_t fraction = bits & 0x7FFFFF;
  return {field == 0 ? fraction : fraction + 0x800000,
          (field == 0 ? 1 : field) - 150, (bits >> 31) != 0};
}

inline Number Multiply(const Number& a, const Number& b) {
  return {a.integer * b.integer, a.exponent + b.exponent,
          a.negative != b.negative};
}

// The sign of abs(a) - abs(b); integers of up to 120 bits.
inline int CompareMagnitudes(Number a, Number b) {
  if (a.integer == 0 || b.integer == 0) {
    return (a.integer != 0) - (b.integer != 0);
  }
  // Normalized to the same bit length, exponents decide, then integers.
  for (Number* number : {&a, &b}) {
    const auto high = static_cast<uint64_t>(number->integer >> 64);
    const int shift =
        high != 0
            ? std::countl_zero(high)
            : 64 + std::countl_zero(static_cast<uint64_t>(number->integer));
    number->integer <<= shift;
    number->exponent -= shift;
  }
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  return (a.integer > b.integer) - (a.integer < b.integer);
}

// clamp(round(multiplier * p / scale), -128, 127), ties to even.
inline int Quantize(const Number& p, uint32_t multiplier, const Number& scale) {
  const Number twice = Multiply(p, {2 * multiplier, 0, false});
  int magnitude = 0;
  for (; magnitude < 129; ++magnitude) {
    const Number above =
        Multiply(scale, {static_cast<Uint128>(2 * magnitude + 1), 0, false});
    const int order = CompareMagnitudes(twice, above);
    if (order < 0 || (order == 0 && magnitude % 2 == 0)) break;
  }
  return p.negative != scale.negative ? std::max(-magnitude, -128)
                                      : std::min(magnitude, 127);
}

// value / divisor rounded to float16, ties to even.
inline uint16_t RoundToFloat16(const Number& value, uint32_t divisor) {
  // As if the exponents went on above 65504: the half-way point there is 65520.
  const auto value_of = [](uint32_t bits) {
    return bits == 0x7C00 ? Number{1, 16, false}
                          : FromFloat16(static_cast<uint16_t>(bits));
  };
  uint32_t low =
      0;  // the smallest bits whose upper half-way point is not below
  uint32_t high = 0x7C00;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    const Number a = value_of(middle);
    const Number b = value_of(middle + 1);
    // The exponents differ by 1 at most, except that 2^16 has its own.
    const int exponent = a.exponent;
    const Uint128 sum = a.integer + (b.integer << (b.exponent - exponent));
    const Number half_way = {sum * divisor, exponent - 1, false};
    const int order = CompareMagnitudes(value, half_way);
    if (order < 0 || (order == 0 && middle % 2 == 0)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<uint16_t>(low | (value.negative ? 0x8000 : 0));
}

// sum * weight_scale * row_factor / divisor.
inline uint16_t Dequantize(int64_t sum, float weight_scale, float row_factor,
                           uint32_t divisor) {
  const Number s = {static_cast<Uint128>(sum < 0 ? -sum : sum), 0, sum < 0};
  return RoundToFloat16(
      Multiply(Multiply(s, FromFloat32(weight_scale)), FromFloat32(row_factor)),
      divisor);
}

inline bool IsNan(uint16_t bits) { return (bits & 0x7FFF) > 0x7C00; }
inline bool IsInfinite(uint16_t bits) { return (bits & 0x7FFF) == 0x7C00; }

// A call in its plainest form: everything packed, the weight as [g][k][n].
struct Call {
  size_t m = 1, k = 16, n = 16, groups = 1;
  std::vector<uint16_t> x;
  std::vector<int8_t> weight;
  std::vector<float> weight_scale;
  std::vector<int64_t> group_list;
  std::vector<float> x_scale;  // empty: dynamic; one: pertensor; m: pertoken
  bool per_tensor = false;
  std::vector<uint16_t> smooth_scale;  // empty: none
};

// A row of x quantized (AG-01 to AG-03).
struct QuantizedRow {
  bool is_nan = false;
  std::vector<int> values;
  float factor = 0;
  uint32_t divisor = 1;
};

inline QuantizedRow QuantizeRow(const Call& call, size_t row) {
  QuantizedRow result;
  result.values.assign(call.k, 0);
  const uint16_t* x = call.x.data() + row * call.k;
  const auto smooth = [&](size_t k) {
    return call.smooth_scale.empty() ? uint16_t{0x3C00} : call.smooth_scale[k];
  };
  const auto product = [&](size_t k) {
    return Multiply(FromFloat16(x[k]), FromFloat16(smooth(k)));
  };
  Number scale;
  if (!call.x_scale.empty()) {
    result.factor = call.x_scale[call.per_tensor ? 0 : row];
    scale = FromFloat32(result.factor);
  } else {
    result.divisor = 127;
    for (size_t k = 0; k < call.k; ++k) {
      result.is_nan |= IsNan(x[k]) || IsInfinite(x[k]);
      if (CompareMagnitudes(product(k), scale) > 0) scale = product(k);
    }
    scale.negative = false;
    // At most 22 significant bits and normal: the float is exact.
    result.factor = static_cast<float>(static_cast<uint64_t>(scale.integer));
    for (int e = scale.exponent; e < 0; ++e) result.factor /= 2;
    for (int e = scale.exponent; e > 0; --e) result.factor *= 2;
  }
  for (size_t k = 0; k < call.k; ++k) {
    const bool is_infinite = IsInfinite(x[k]);
    result.is_nan |= IsNan(x[k]) || (is_infinite && (smooth(k) & 0x7FFF) == 0);
    if (scale.integer == 0) continue;
    const Number p = product(k);
    if (is_infinite) {
      result.values[k] = p.negative != scale.negative ? -128 : 127;
    } else {
      result.values[k] = Quantize(p, result.divisor, scale);
    }
  }
  return result;
}

// The outputs; rows of no group keep `untouched`.
inline std::vector<uint16_t> Evaluate(const Call& call, uint16_t untouched) {
  std::vector<uint16_t> out(call.m * call.n, untouched);
  size_t row = 0;
  for (size_t g = 0; g < call.groups; ++g) {
    for (; row < static_cast<size_t>(call.group_list[g]); ++row) {
      const QuantizedRow quantized = QuantizeRow(call, row);
      for (size_t n = 0; n < call.n; ++n) {
        int64_t sum = 0;
        for (size_t k = 0; k < call.k; ++k) {
          sum += quantized.values[k] *
                 int64_t{call.weight[(g * call.k + k) * call.n + n]};
        }
        out[row * call.n + n] =
            quantized.is_nan
                ? uint16_t{0x7E00}
                : Dequantize(sum, call.weight_scale[g * call.n + n],
                             quantized.factor, quantized.divisor);
      }
    }
  }
  return out;
}

// -0 equals +0 (AR-06), NaN equals NaN (AR-07).
inline bool SameFloat16(uint16_t a, uint16_t b) {
  if (IsNan(a) || IsNan(b)) return IsNan(a) && IsNan(b);
  return a == b || ((a | b) & 0x7FFF) == 0;
}

}  // namespace qconform::optimized::model

#endif  // QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_MODEL_H_
