// IEEE binary16 to and from binary32, by own arithmetic: Highway 1.0.3
// truncates or mishandles infinities on targets without hardware conversion, so
// its results would differ by target (AR-10).
//
// float16 values travel as their 16 bits. Conversion to float32 is exact;
// conversion to float16 rounds to nearest, ties to even, keeps subnormals
// (AR-05) and overflows to infinity. A NaN stays a NaN of the same sign and
// becomes quiet on the way to float16. Vectors: float16-inl.h.

#ifndef QCONFORM_OPTIMIZED_FLOAT16_H_
#define QCONFORM_OPTIMIZED_FLOAT16_H_

#include <bit>
#include <cstddef>
#include <cstdint>

namespace qconform::optimized {

// The largest finite float16, 65504.
inline constexpr uint16_t kFloat16Max = 0x7BFF;

inline float Float16ToFloat32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t magnitude = bits & 0x7FFFu;
  if (magnitude < 0x0400u) {  // zero and subnormals, in units of 2^-24
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  // The exponent bias grows from 15 to 127; infinity and NaN need the largest
  // exponent, 255 = 31 + 2 * 112.
  const uint32_t bias = magnitude < 0x7C00u ? 112u << 23 : 224u << 23;
  return std::bit_cast<float>(((magnitude << 13) + bias) | sign);
}

inline uint16_t Float32ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  uint32_t result;
  if (magnitude > 0x7F800000u) {  // NaN: keep the top of the payload
    result = 0x7E00u | ((magnitude >> 13) & 0x01FFu);
  } else if (magnitude < 0x38800000u) {
    // Below 2^-14 the float16 grid is 2^-24, which is the unit in the last
    // place of floats in [1/2, 1): the addition rounds.
    const float rounded = std::bit_cast<float>(magnitude) + 0.5f;
    result = std::bit_cast<uint32_t>(rounded) - 0x3F000000u;
  } else {
    // Half a unit less one, plus the last kept bit: ties go to even.
    const uint32_t odd = (magnitude >> 13) & 1u;
    result = (magnitude - (112u << 23) + 0x0FFFu + odd) >> 13;
    if (result > 0x7C00u) result = 0x7C00u;
  }
  return static_cast<uint16_t>(result | sign);
}

// Whole arrays on the best SIMD target of the machine, any alignment. `from`
// and `to` must not overlap.
void ConvertFloat16ToFloat32(const uint16_t* from, size_t count, float* to);
void ConvertFloat32ToFloat16(const float* from, size_t count, uint16_t* to);

// The same of one SIMD target.
struct Float16Kernels {
  void (*to_float32)(const uint16_t* from, size_t count, float* to);
  void (*to_float16)(const float* from, size_t count, uint16_t* to);
};

// Those of the best target of this moment.
const Float16Kernels& ChooseFloat16Kernels();

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_FLOAT16_H_
