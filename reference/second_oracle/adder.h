// The element-wise quantized add of two integers, exact:
//
//   AValue = (A - AZeroPoint) * AScale
//   BValue = (B - BZeroPoint) * BScale
//   OutputTensor = clamp(round((AValue + BValue) / OutputScale)
//                        + OutputZeroPoint, Min, Max)            (QA-01)
//
// Rounded once, half to even (AR-01, AR-03), zero point after rounding, then
// clamped (AR-04). Document:
// DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_OPERATOR_DESC.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_ADDER_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_ADDER_H_

#include <cstdint>
#include <vector>

#include "reference/second_oracle/rounding.h"
#include "spec/tensor.h"

namespace qconform::reference::second_oracle {

// Scales must be finite and not zero (AR-08), types uint8 or int8, zero points
// within their types.
struct AdderParameters {
  float a_scale = 1;
  int a_zero_point = 0;
  float b_scale = 1;
  int b_zero_point = 0;
  float output_scale = 1;
  int output_zero_point = 0;
  spec::DataType output_type = spec::DataType::kUint8;
};

class Adder {
 public:
  explicit Adder(const AdderParameters& parameters);

  // a and b within -128..255.
  int Add(int a, int b) const;

 private:
  int Finish(bool negative, uint64_t rounded) const;

  AdderParameters parameters_;
  Decomposed a_scale_;
  Decomposed b_scale_;
  Decomposed output_scale_;
  // Scales on their common grid, if all fit in 128 bits.
  bool narrow_ = false;
  Int128 narrow_a_ = 0;
  Int128 narrow_b_ = 0;
  Uint128 narrow_output_ = 0;
};

// All 65,536 outputs, at [256 * (byte of A) + (byte of B)]: byte 255 of an int8
// is -1.
std::vector<int16_t> AdderTable(const AdderParameters& parameters,
                                spec::DataType a_type, spec::DataType b_type);

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_ADDER_H_
