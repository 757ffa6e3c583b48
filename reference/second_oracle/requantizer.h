// The last step of the quantized matrix multiply, for one row and column:
//
//   OutputTensor = clamp(round(S * AScale * BScale / OutputScale)
//                        + OutputZeroPoint, Min, Max)          (QM-01)
//
// where S is the exact integer sum of products. Rounded once, half to even
// (AR-01, AR-03), zero point after rounding, then clamped (AR-04). Document:
// DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_OPERATOR_DESC.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_REQUANTIZER_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_REQUANTIZER_H_

#include <cstdint>
#include <optional>

#include "reference/second_oracle/rounding.h"
#include "spec/tensor.h"

namespace qconform::reference::second_oracle {

class Requantizer {
 public:
  // Scales must be finite and not zero (AR-08), output_type uint8 or int8, the
  // zero point within it.
  Requantizer(float a_scale, float b_scale, float output_scale,
              int output_zero_point, spec::DataType output_type);

  // |sum| < 2^62; a matmul of 2^32 products stays below 2^48.
  int Requantize(int64_t sum) const;

  // True if larger sums give smaller outputs: an odd number of the scales is
  // negative.
  bool Decreasing() const { return negative_; }

  // Where the output reaches `value`, by one exact division.
  // Increasing: the smallest sum in int64 whose output is >= value.
  // Decreasing: the largest such sum; all smaller ones reach the value too.
  // Nothing if no sum in int64 reaches it (value above the type's maximum
  // included). A value that every sum reaches gives INT64_MIN, or INT64_MAX if
  // decreasing.
  std::optional<int64_t> FirstSumReaching(int value) const;

 private:
  uint64_t multiplier_;  // mantissas of AScale * BScale, below 2^48
  uint32_t divisor_;     // mantissa of OutputScale, below 2^24
  int shift_;            // ratio = multiplier / divisor * 2^shift
  bool negative_;        // sign of the ratio
  int zero_point_;
  int minimum_;
  int maximum_;
};

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_REQUANTIZER_H_
