// The arithmetic of the add on contiguous bytes, and the choice among its
// kernels. Internal to dml_element_wise_quantized_linear_add.h.
//
// Every kernel rounds every element correctly; they differ in what they need to
// know of the scales. With x = A - zA, y = B - zB and positive sY (a negative
// one is made positive by negating all three scales, which changes nothing):
//
//   kProduct   x * (sA/sY) + y * (sB/sY) in float. Taken only where that is
//              known to round like the real value: see ChooseParameters.
//   kQuotient  (x * pA + y * pB) / pY in float, for scales in the ratio of
//              small integers pA : pB : pY. Ties are exact in it.
//   kFiltered  as kProduct, and vectors holding a value so near a tie that the
//              float error might decide go to kExact.
//   kExact     double, and the sign of an exact sum of three products. Right
//              for all finite scales, subnormal ones included.

#ifndef QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_KERNELS_H_
#define QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace qconform::optimized::linear_add {

enum class Kernel : uint8_t { kProduct, kQuotient, kFiltered, kExact };

// Scales and zero points as the call gives them.
struct Quantization {
  float a_scale = 1.0f;
  float b_scale = 1.0f;
  float output_scale = 1.0f;
  int32_t a_zero_point = 0;
  int32_t b_zero_point = 0;
  int32_t output_zero_point = 0;
  bool a_is_signed = false;
  bool b_is_signed = false;
  bool output_is_signed = false;
};

// What the kernels take. Signed bytes become unsigned ones by flipping the sign
// bit, which adds 128 to the value and to its zero point: one code serves all
// types.
struct Parameters {
  Kernel kernel = Kernel::kExact;
  uint8_t a_flip = 0;  // 0x80 for signed bytes
  uint8_t b_flip = 0;
  uint8_t output_flip = 0;
  int32_t a_zero_point = 0;  // of the unsigned values
  int32_t b_zero_point = 0;
  int32_t output_zero_point = 0;
  // kProduct, kFiltered: ratios to the output scale. kQuotient: pA, pB, pY.
  float a_factor = 0;
  float b_factor = 0;
  float divisor = 1;
  // kFiltered: largest distance from an integer at which float decides.
  float decided = 0;
  // kExact; also for the vectors that kFiltered hands on.
  double a_scale = 0;
  double b_scale = 0;
  double output_scale = 1;
};

// Finite scales other than 0.
Parameters ChooseParameters(const Quantization& quantization);

using Row = void (*)(const Parameters& parameters, const uint8_t* a,
                     const uint8_t* b, size_t count, uint8_t* output);

// The kernels of one SIMD target, by Kernel.
struct KernelTable {
  Row rows[4];
};

// Those of the best target that is enabled now.
const KernelTable& DispatchKernels();

// True if kProduct gives what kFiltered gives for every pair of bytes: a plan
// for a large tensor can prove the faster kernel right by trying it.
bool ProductIsExact(const KernelTable& table, const Parameters& parameters);

}  // namespace qconform::optimized::linear_add

#endif  // QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_KERNELS_H_
