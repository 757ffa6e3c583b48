// From exact integer sums to bytes, correctly rounded in every element:
//
//   out = clamp(round_half_even(S * a_scale * b_scale / output_scale) + zero)
//
// evaluated as real numbers, rounded once (AR-01, AR-03), the zero point added
// after rounding and clamped last (AR-04). Internal to the library.
//
// How it is exact at the price of a float multiply. Let r be the real ratio
// a_scale * b_scale / output_scale and x = S * r the real value.
//
// Filter (float). y = float(S) * (factor * b_scale), factor being
// a_scale / output_scale rounded to float, in the normal range. That is four
// roundings of relative size at most u = 2^-24, so
//
//   |y - x| <= |x| * ((1 + u)^4 - 1) + 2^-118,
//
// the last term for a product factor * b_scale below the normal range, whose
// error is at most 2^-150, times |S| <= 2^31, rounded again. Only |x| < 257
// matters: output types and zero points span 255, so a larger |x| gives a
// limit whatever its fraction, and there |y| > 256.9 rounds to at least 257
// too. For |x| < 257 the bound is below 257 * 4.0000004 * 2^-24 + 2^-118
// < 0x1.05p-14. y - round(y) is exact in float. So if y lies at least
// 0x1.05p-14 from every tie, round(y) = round(x). With AVX-512 the filter works
// on fixed-point numbers (requantize_fixed_point-inl.h).
//
// Decision (double). The other elements are decided without any tolerance: C =
// a_scale * b_scale is exact in double (48 bits), S * C is exact as an
// unevaluated sum h + l of two doubles, and the nearest tie t = floor(x) + 1/2
// times output_scale is exact (24 + 11 bits). The sign of S * C - output_scale
// * t is the sign of (h - output_scale * t) + l: if the difference is rounded
// at all, its ends differ by more than a factor of two (Sterbenz), so it is at
// least |h| / 2 and l, at most 2^-53 |h|, cannot turn it. No scale leaves
// double's range: the exponents of float are too small by far. This holds for
// sums up to 2^53, so for every K.
//
// Ties that float represents exactly, as with scales that are powers of two,
// are frequent, and would all go to the decision. Where factor * b_scale is
// exact and its lowest bit weighs at least 2^-15, S * ratio below 257 has at
// most 9 + 15 bits, so y = x and the filter is switched off.

#ifndef QCONFORM_OPTIMIZED_REQUANTIZE_H_
#define QCONFORM_OPTIMIZED_REQUANTIZE_H_

#include <cstddef>
#include <cstdint>

namespace qconform::optimized {

// What the rows need to know of all column scales together.
struct ColumnScaleSummary {
  double largest = 0;       // magnitude
  int significant = 0;      // bits of the longest significand
  int lowest_exponent = 0;  // weight of the lowest bit of any scale is 2^this
};
ColumnScaleSummary SummarizeColumnScales(const float* b_scales, size_t count);

// One row of the output.
struct RequantizeRow {
  double a_scale = 1;
  double output_scale = 1;
  float factor = 1;
  // A distance of y from its nearest integer that reaches this is decided
  // exactly: 1/2 minus the bound; above 1/2 never; below 0 always, for ratios
  // that float cannot hold.
  float threshold = 0;
  int32_t zero_point = 0;
};
RequantizeRow MakeRequantizeRow(float a_scale, float output_scale,
                                int32_t zero_point,
                                const ColumnScaleSummary& columns);

// Where the bytes go.
struct RequantizeOutput {
  void* data = nullptr;  // of the first row and column
  bool is_signed = false;
  size_t row_stride = 0;
  size_t stride = 1;
};

// Some rows of sums; either narrow or wide is given. A row's sums and b_scales
// hold at least `columns` elements, and may be read up to the next multiple of
// 16 (64 bytes).
struct RequantizeTile {
  const RequantizeRow* rows = nullptr;
  size_t row_step = 0;  // from one row's to the next; 0: they share one
  size_t row_count = 0;
  const int32_t* narrow = nullptr;
  const int64_t* wide = nullptr;
  size_t sum_stride = 0;
  const float* b_scales = nullptr;
  bool b_scales_are_equal = false;  // if known: saves reading them
  size_t columns = 0;
  RequantizeOutput output;
};

using RequantizeFunction = void(const RequantizeTile& tile);

// That of the best SIMD target of this moment.
RequantizeFunction* ChooseRequantize();

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_REQUANTIZE_H_
