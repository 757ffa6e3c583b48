#include "reference/second_oracle/adder.h"

#include <algorithm>

#include "reference/second_oracle/tensor_access.h"

namespace qconform::reference::second_oracle {
namespace {

// Exponent of the smallest subnormal: every term is a multiple of 2^-149.
constexpr int kGridExponent = -149;

int ValueOfByte(int byte, spec::DataType type) {
  return type == spec::DataType::kInt8 && byte > 127 ? byte - 256 : byte;
}

}  // namespace

Adder::Adder(const AdderParameters& parameters)
    : parameters_(parameters),
      a_scale_(DecomposeFloat32(parameters.a_scale)),
      b_scale_(DecomposeFloat32(parameters.b_scale)),
      output_scale_(DecomposeFloat32(parameters.output_scale)) {
  const auto [lowest, highest] = std::minmax(
      {a_scale_.exponent, b_scale_.exponent, output_scale_.exponent});
  // 24 bits of a mantissa, 9 of a difference of bytes and one for the sum.
  narrow_ = highest - lowest <= 90;
  if (!narrow_) return;
  const auto on_grid = [lowest = lowest](const Decomposed& scale) {
    return static_cast<Int128>(scale.mantissa) << (scale.exponent - lowest);
  };
  narrow_a_ = on_grid(a_scale_) * (a_scale_.negative ? -1 : 1);
  narrow_b_ = on_grid(b_scale_) * (b_scale_.negative ? -1 : 1);
  narrow_output_ = static_cast<Uint128>(on_grid(output_scale_));
}

int Adder::Add(int a, int b) const {
  const int a_difference = a - parameters_.a_zero_point;
  const int b_difference = b - parameters_.b_zero_point;
  if (narrow_) {
    const Int128 sum = a_difference * narrow_a_ + b_difference * narrow_b_;
    const bool negative = sum < 0;
    const Uint128 magnitude = static_cast<Uint128>(negative ? -sum : sum);
    return Finish(negative,
                  RoundQuotient(magnitude, narrow_output_, 0, Tie::kToEven));
  }
  const bool a_negative = (a_difference < 0) != a_scale_.negative;
  const bool b_negative = (b_difference < 0) != b_scale_.negative;
  const auto on_grid = [](uint32_t factor, const Decomposed& scale) {
    return Uint384(static_cast<Uint128>(factor) * scale.mantissa,
                   scale.exponent - kGridExponent);
  };
  Uint384 larger = on_grid(std::abs(a_difference), a_scale_);
  Uint384 smaller = on_grid(std::abs(b_difference), b_scale_);
  bool negative = a_negative;
  if (larger < smaller) {
    std::swap(larger, smaller);
    negative = b_negative;
  }
  if (a_negative == b_negative) {
    larger += smaller;
  } else {
    larger -= smaller;
  }
  return Finish(negative, RoundQuotient(larger, on_grid(1, output_scale_)));
}

int Adder::Finish(bool negative, uint64_t rounded) const {
  const int64_t quotient = static_cast<int64_t>(rounded);
  const Limits limits = LimitsOf(parameters_.output_type);
  return static_cast<int>(std::clamp<int64_t>(
      (negative != output_scale_.negative ? -quotient : quotient) +
          parameters_.output_zero_point,
      limits.minimum, limits.maximum));
}

std::vector<int16_t> AdderTable(const AdderParameters& parameters,
                                spec::DataType a_type, spec::DataType b_type) {
  const Adder adder(parameters);
  std::vector<int16_t> table(65536);
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      table[a * 256 + b] = static_cast<int16_t>(
          adder.Add(ValueOfByte(a, a_type), ValueOfByte(b, b_type)));
    }
  }
  return table;
}

}  // namespace qconform::reference::second_oracle
