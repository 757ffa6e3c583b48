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
#include <vector>

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

  // One value. NaN stays NaN, infinity clamps (TQ-08, range given). One
  // multiplication by a precomputed fixed-point scale_factor decides unless the
  // value is within its error of a tie; then Exact() does.
  float operator()(float value) const;

  // Stores all outputs for operator() if num_bits is at most 16: worth its time
  // from about as many values as there are outputs.
  void Tabulate();

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
  float DequantizeExact(int64_t quantized) const;

  bool half_up_;
  int64_t minimum_;  // TQ-01
  int64_t maximum_;
  bool has_scale_factor_ = false;
  // scale_factor = numerator / denominator * 2^exponent, both odd.
  uint64_t numerator_ = 1;    // below 2^62
  uint64_t denominator_ = 1;  // below 2^24
  int exponent_ = 0;
  // numerator / denominator is at least fixed_point * 2^fixed_point_exponent,
  // and less than one unit of fixed_point more: equal if exact.
  uint64_t fixed_point_ = 0;  // 37 or 38 bits
  int fixed_point_exponent_ = 0;
  bool fixed_point_exact_ = false;
  std::vector<float> outputs_;  // from minimum_ on; empty until Tabulate()
};

// The call must be valid and not empty (TQ-09). Both arithmetics (TQ-12).
Result EvaluateQuantizeDequantize(const spec::Arguments& arguments);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_QUANTIZE_DEQUANTIZE_H_
