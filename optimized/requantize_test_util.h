// For tests: requantization in integers alone, one value at a time. Shares
// nothing with the kernels.

#ifndef QCONFORM_OPTIMIZED_REQUANTIZE_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_REQUANTIZE_TEST_UTIL_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace qconform::optimized {

using WideInteger = unsigned __int128;

inline int BitLength(WideInteger value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 64 + std::bit_width(high)
                   : std::bit_width(static_cast<uint64_t>(value));
}

// -1, 0 or 1 as a * 2^a_exponent is less than, equal to or above
// b * 2^b_exponent. Neither may be 0.
inline int Compare(WideInteger a, int a_exponent, WideInteger b,
                   int b_exponent) {
  const int a_top = BitLength(a) + a_exponent;
  const int b_top = BitLength(b) + b_exponent;
  if (a_top != b_top) return a_top < b_top ? -1 : 1;
  // Of equal length once aligned, so the shift loses nothing.
  if (a_exponent > b_exponent) a <<= a_exponent - b_exponent;
  if (b_exponent > a_exponent) b <<= b_exponent - a_exponent;
  return a < b ? -1 : a > b ? 1 : 0;
}

struct Scale {
  uint64_t significand;
  int exponent;
};

inline Scale Decompose(float value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(double{value}), &exponent);
  return {static_cast<uint64_t>(fraction * 0x1p24), exponent - 24};
}

// clamp(round_half_even(sum * a * b / y) + zero) in integers alone.
inline int32_t ExpectedByte(int64_t sum, float a, float b, float y,
                            int32_t zero, bool is_signed) {
  int32_t rounded = 0;
  if (sum != 0) {
    const Scale sa = Decompose(a);
    const Scale sb = Decompose(b);
    const Scale sy = Decompose(y);
    const WideInteger product =
        WideInteger{static_cast<uint64_t>(std::abs(sum))} * sa.significand *
        sb.significand;
    const int product_exponent = sa.exponent + sb.exponent + 1;
    // The largest n whose lower tie (2n - 1) / 2 lies below |x|, or at it for
    // an even n.
    for (int32_t n = 1; n <= 400; ++n) {
      const int order = Compare(
          product, product_exponent,
          WideInteger{sy.significand} * static_cast<uint64_t>(2 * n - 1),
          sy.exponent);
      if (order < 0 || (order == 0 && n % 2 == 1)) break;
      rounded = n;
    }
    if ((sum < 0) != ((a < 0) != ((b < 0) != (y < 0)))) rounded = -rounded;
  }
  const int32_t low = is_signed ? -128 : 0;
  return std::clamp(rounded + zero, low, low + 255);
}

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_REQUANTIZE_TEST_UTIL_H_
