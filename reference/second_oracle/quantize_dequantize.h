// TensorFlow's QuantizeAndDequantizeV2, exact (TQ-01..TQ-06):
//
//   output = round(clamp(value, input_min, input_max) * scale_factor)
//            / scale_factor
//
// Everything is a comparison of integers: scale_factor is kept as a reduced
// fraction of two odd integers and a power of two. Document:
// tensorflow::ops::QuantizeAndDequantizeV2.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_QUANTIZE_DEQUANTIZE_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_QUANTIZE_DEQUANTIZE_H_

#include <cstdint>

#include "reference/second_oracle/rounding.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/arguments.h"

namespace qconform::reference::second_oracle {

struct QuantizeDequantizeParameters {
  bool signed_input = true;
  int num_bits = 8;  // within TQ-06
  bool narrow_range = false;
  bool half_up = false;  // round_mode HALF_UP
};

class QuantizeDequantize {
 public:
  // The initial range, given or measured: finite, input_min <= input_max.
  QuantizeDequantize(const QuantizeDequantizeParameters& parameters,
                     float input_min, float input_max);

  // One value. NaN stays NaN, infinity clamps (TQ-08, range given). Fast: two
  // multiplications by precomputed 64-bit reciprocals decide unless the value
  // is within their error of a tie; then Exact() does.
  float operator()(float value) const;

  // The same by division, for every value: what operator() is held against.
  float Exact(float value) const;

  // The integer that a finite value is rounded to, within the limits of TQ-01;
  // 0 if there is no scale_factor (TQ-03).
  int64_t Quantize(float value) const;
  int64_t QuantizeExact(float value) const;

  int64_t minimum() const { return minimum_; }
  int64_t maximum() const { return maximum_; }
  bool has_scale_factor() const { return has_scale_factor_; }

 private:
  int64_t Clamp(bool negative, uint64_t rounded) const;
  float Dequantize(int64_t quantized) const;
  float DequantizeExact(int64_t quantized) const;

  bool half_up_;
  int64_t minimum_;  // TQ-01
  int64_t maximum_;
  bool has_scale_factor_ = false;
  // scale_factor = numerator / denominator * 2^exponent, both odd.
  uint64_t numerator_ = 1;    // below 2^62
  uint64_t denominator_ = 1;  // below 2^24
  int exponent_ = 0;
  // A fraction as a 64-bit integer times a power of two, rounded down.
  struct FixedPoint {
    uint64_t value = 0;
    int exponent = 0;
    bool exact = false;
  };
  static FixedPoint Divide(uint64_t numerator, uint64_t denominator);
  FixedPoint scale_;    // numerator / denominator
  FixedPoint inverse_;  // denominator / numerator
  float minimum_output_ = 0;
  float maximum_output_ = 0;
};

// The call must be valid and not empty (TQ-09). Both arithmetics (TQ-12).
Result EvaluateQuantizeDequantize(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_QUANTIZE_DEQUANTIZE_H_
