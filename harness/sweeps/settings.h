// What a sweep varies besides its input: scales, zero points, types and
// attributes, with the words and the call that repeat one element.

#ifndef QCONFORM_HARNESS_SWEEPS_SETTINGS_H_
#define QCONFORM_HARNESS_SWEEPS_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cases/random_source.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::harness {

struct AddSetting {
  float a_scale = 1;
  float b_scale = 1;
  float output_scale = 1;
  int a_zero_point = 0;
  int b_zero_point = 0;
  int output_zero_point = 0;
  spec::DataType a_type = spec::DataType::kUint8;
  spec::DataType b_type = spec::DataType::kUint8;
  spec::DataType output_type = spec::DataType::kUint8;
};

struct RequantizeSetting {
  float a_scale = 1;
  float b_scale = 1;
  float output_scale = 1;
  int output_zero_point = 0;
  spec::DataType output_type = spec::DataType::kUint8;
};

// The range is given.
struct QuantizeAndDequantizeSetting {
  bool signed_input = true;
  int num_bits = 8;
  bool narrow_range = false;
  bool half_up = false;
  bool tensorflow = false;  // the arithmetic of TQ-12
  float input_min = 0;
  float input_max = 0;
};

// Floats in hexadecimal: everything that is needed to repeat it.
std::string Describe(const AddSetting& setting);
std::string Describe(const RequantizeSetting& setting);
std::string Describe(const QuantizeAndDequantizeSetting& setting);

// A call with one output element. `a` and `b` are bytes of the tensors.
spec::Arguments AddCall(const AddSetting& setting, uint8_t a, uint8_t b);
// A matmul of uint8 tensors whose one sum of products is `sum`; nothing if that
// takes more than `largest_k` products.
std::optional<spec::Arguments> RequantizeCall(const RequantizeSetting& setting,
                                              int64_t sum, int64_t largest_k);
spec::Arguments QuantizeAndDequantizeCall(
    const QuantizeAndDequantizeSetting& setting, float input);
// The first element of the output is x_q * weight_scale * scale of x, x_q being
// the quantized x * smooth. `scale` null: dynamic, with `largest` as the row's
// other x. Smooth is the same for the whole row.
spec::Arguments RowQuantizeCall(uint16_t x, uint16_t smooth, const float* scale,
                                uint16_t largest);

// Deterministic lists: well-known hard settings first, then random ones. Every
// combination of types comes as often as every other.
std::vector<AddSetting> AddSettings(uint64_t seed, size_t count);
std::vector<RequantizeSetting> HardRequantizeSettings();
std::vector<RequantizeSetting> RequantizeSettings(uint64_t seed, size_t count);
// Bits x signed, narrow, unsigned x both round modes, each with every range if
// `every_range`, else fewer bits with one of the ranges in turn, without those
// that only the slow kernel takes.
std::vector<QuantizeAndDequantizeSetting> QuantizeAndDequantizeSettings(
    bool every_range);

// A finite float that is not 0, at most `limit` in magnitude: the value rounded
// to float, then moved by up to one unit in the last place.
float NearbyFloat(double value, RandomSource& source);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_SETTINGS_H_
