// Golden text of aclnnQuantGroupedMatmulDequant (Ascend CANN). Document: the
// operator's page, section "formula", steps 1 to 4.

#ifndef QCONFORM_REFERENCE_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_
#define QCONFORM_REFERENCE_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "reference/arithmetic/arithmetic.h"
#include "reference/trace.h"

namespace qconform::reference {

// One row of x with what applies to it.
struct RowOperands {
  int64_t k_size = 0;
  const double* x = nullptr;             // x[0..k_size)
  const double* scale_smooth = nullptr;  // likewise, or null if not given
  std::optional<double> scale_x;         // given, or else dynamic (AG-07)
};

// The row after steps 1 to 3.
template <Arithmetic A>
struct QuantizedRow {
  bool is_nan = false;   // AG-03
  bool is_zero = false;  // AG-02
  typename A::Real scale_x{};
  std::vector<typename A::Integer> x_quantized;  // unless NaN or zero
};

template <Arithmetic A>
QuantizedRow<A> QuantizeRow(A& math, const RowOperands& in, Trace& trace) {
  using Real = typename A::Real;
  using Integer = typename A::Integer;
  QuantizedRow<A> row;
  const auto smooth = [&in](int64_t k) {
    return in.scale_smooth == nullptr ? 1.0 : in.scale_smooth[k];
  };

  // AG-03: NaN, infinity times 0 and, where the row has to be measured, any
  // infinity make the row NaN.
  for (int64_t k = 0; k < in.k_size; ++k) {
    const bool product_is_nan = std::isnan(in.x[k] * smooth(k));
    if (product_is_nan || (!in.scale_x && std::isinf(in.x[k]))) {
      trace.Note("AG-03", "x is not finite: every out of the row", "nan");
      row.is_nan = true;
      return row;
    }
  }

  // 1. x = x * scale_smooth, if smoothScaleOptional is given. Infinities stay
  // aside: they are known by their sign alone.
  std::vector<Real> x(static_cast<size_t>(in.k_size));
  bool all_zero = true;
  for (int64_t k = 0; k < in.k_size; ++k) {
    if (std::isinf(in.x[k])) continue;
    Real& p = x[static_cast<size_t>(k)];
    p = math.FromFloat(in.x[k]);
    if (in.scale_smooth != nullptr) {
      p = Real(p * math.FromFloat(in.scale_smooth[k]));
    }
    all_zero = all_zero && (in.x[k] == 0 || smooth(k) == 0);
  }

  // 2. scale_x = row_max(abs(x)) / max_quantDataType, if xScaleOptional is not
  // given (AG-01).
  if (in.scale_x) {
    row.is_zero = *in.scale_x == 0;
    row.scale_x = math.FromFloat(*in.scale_x);
    trace.Step("AG-01", "scale_x, given", row.scale_x);
  } else {
    row.is_zero = all_zero;
    Real row_max = math.Abs(x[0]);
    for (const Real& p : x) row_max = math.Max(row_max, math.Abs(p));
    row.scale_x = row_max / math.FromInteger(int64_t{127});
    trace.Step("AG-01", "row_max(abs(x))", row_max);
    trace.Step("AG-01", "scale_x = row_max(abs(x)) / 127", row.scale_x);
  }
  // AG-02
  if (row.is_zero) {
    trace.Note("AG-02", "nothing but zeros, or scale_x is 0: x_quantized", "0");
    return row;
  }

  // 3. x_quantized = round(x / scale_x), clamped to int8 (AG-01, AR-03).
  for (int64_t k = 0; k < in.k_size; ++k) {
    trace.SetTerm(k);
    if (std::isinf(in.x[k])) {
      // AG-03: saturates by the sign of the quotient.
      const bool negative = std::signbit(in.x[k] * smooth(k) / *in.scale_x);
      math.NoteClamped(negative);
      row.x_quantized.push_back(Integer(negative ? -128 : 127));
    } else {
      const Real quotient = x[static_cast<size_t>(k)] / row.scale_x;
      trace.Step("AG-01", "x / scale_x", quotient);
      row.x_quantized.push_back(math.Clamp(
          math.Round(quotient, Rounding::kHalfEven, /*added_next=*/0), -128,
          127));
    }
    trace.Step("AG-01", "x_quantized = clamp(round(x / scale_x), -128, 127)",
               row.x_quantized.back());
  }
  trace.SetTerm(-1);
  return row;
}

// 4. out = (x_quantized @ weight_quantized[i]) * scale_weight[i] * scale_x for
// one column; weight(k) is weight_quantized[i][k][n]. The document's bias is
// always absent.
template <Arithmetic A, class Weight>
ValueSet GroupedMatmulDequant(A& math, const QuantizedRow<A>& row,
                              Weight weight, double scale_weight,
                              Trace& trace) {
  using Real = typename A::Real;
  if (row.is_nan) {  // AG-03
    return ValueSet::Point(std::numeric_limits<double>::quiet_NaN());
  }
  if (row.is_zero) return ValueSet::Point(0);  // AG-02
  // AR-09
  typename A::Integer sum(0);
  for (size_t k = 0; k < row.x_quantized.size(); ++k) {
    sum += row.x_quantized[k] * weight(static_cast<int64_t>(k));
  }
  trace.Step("AR-09", "Sum over k of x_quantized * weight_quantized[i]", sum);
  const Real scaled = math.FromInteger(sum) * math.FromFloat(scale_weight);
  trace.Step("AG-01", "Sum * scale_weight[i]", scaled);
  const Real out = scaled * row.scale_x;
  trace.Step("AG-01", "Sum * scale_weight[i] * scale_x", out);
  const ValueSet rounded = math.ToFloat16(out);
  trace.Step("AG-01", "out, rounded to float16", rounded);
  return rounded;
}

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_H_
