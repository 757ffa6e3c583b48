// The arithmetic of quantize-and-dequantize on contiguous floats. Internal to
// tf_quantize_and_dequantize_v2.h.

#ifndef QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_KERNELS_H_
#define QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_KERNELS_H_

#include <cstddef>
#include <cstdint>

namespace qconform::optimized::quantize_and_dequantize {

// What the attributes say.
struct Format {
  int64_t quantized_min = -128;  // TQ-01
  int64_t quantized_max = 127;
  bool half_up = false;
  bool tensorflow = false;  // the arithmetic of TQ-12
};

struct Range {
  float min = 0;
  float max = 0;
  bool is_finite = true;  // false: the data holds a NaN or an infinity
};

enum class Kernel : uint8_t {
  kNan,    // every output is NaN (TQ-08)
  kZero,   // every output that is not NaN is 0 (TQ-03)
  kFloat,  // float, vectors with a fused multiply-add; at most 10 bits
  kExact,  // double, vectors; at most 24 bits
  kWide,   // 128-bit integers, scalar
  kTensorFlow
};

// How kFloat rounds the quantized value; all are exact.
enum class FloatRounding : uint8_t {
  kEitherWay,    // whichever way a tie has to go
  kOneWay,       // all ties of these parameters go the same way
  kFloatProduct  // scale_factor is a float
};

struct Parameters {
  Kernel kernel = Kernel::kZero;
  bool half_up = false;
  // scale_factor = quantized / range: the side that TQ-02 chose.
  int64_t quantized = 1;
  float range = 1;
  int64_t quantized_min = 0;
  int64_t quantized_max = 0;
  // Output goes past the caches: worth it where they could not hold it.
  bool streams = false;
  // kFloat: scale_factor and its inverse, each as the sum of two floats.
  float scale_high = 1;
  float scale_low = 0;
  float inverse_high = 1;
  float inverse_low = 0;
  FloatRounding rounding = FloatRounding::kEitherWay;
  // kOneWay: scale_low and a constant that push ties the way they go.
  float biased_low = 0;
  float bias = 0;
  // kTensorFlow; the bounds also for kFloat.
  bool clamps = false;
  float min = 0;
  float max = 0;
  float scale = 1;
  float inverse = 1;
};

// `range_is_given` as opposed to measured; `range` is finite if given.
Parameters ChooseParameters(const Format& format, const Range& range,
                            bool range_is_given);

// One element of kWide, right for every format and every range; `input` is not
// NaN.
float WideElement(const Parameters& parameters, float input);

// The kernels of one SIMD target.
struct KernelTable {
  void (*run[6])(const Parameters& parameters, const float* input, size_t count,
                 float* output);  // by Kernel
  Range (*measure)(const float* input, size_t count);
};

// Those of the best target that is enabled now.
const KernelTable& DispatchKernels();

}  // namespace qconform::optimized::quantize_and_dequantize

#endif  // QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_KERNELS_H_
