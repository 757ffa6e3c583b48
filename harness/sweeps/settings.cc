#include "harness/sweeps/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/packed_tensor.h"
#include "harness/cases/value_text.h"

namespace qconform::harness {
namespace {

using spec::DataType;

double ValueOf(uint8_t byte, DataType type) {
  return type == DataType::kInt8 ? static_cast<int8_t>(byte) : byte;
}

// A sign and a ratio of the kind that makes rounding hard: powers of two and
// small fractions (ties), decimal fractions, any mantissa.
double HardRatio(RandomSource& source, int lowest_exponent,
                 int highest_exponent) {
  const double power = std::ldexp(
      1.0, static_cast<int>(source.Between(lowest_exponent, highest_exponent)));
  double ratio = power;
  switch (source.Between(0, 3)) {
    case 0:
      break;
    case 1:  // n + 1/2 is met at multiples of the denominator
      ratio *= static_cast<double>(2 * source.Between(0, 15) + 1) /
               static_cast<double>(source.Between(1, 12));
      break;
    case 2:
      ratio *= static_cast<double>(source.Between(1, 999)) / 1000.0;
      break;
    default:
      ratio *=
          1.0 + static_cast<double>(source.Between(0, (1 << 24) - 1)) / 0x1p24;
  }
  return source.OneIn(8) ? -ratio : ratio;
}

DataType TypeOf(size_t bit) {
  return bit % 2 != 0 ? DataType::kInt8 : DataType::kUint8;
}

// Both ends as often as everything between.
int ZeroPoint(RandomSource& source, DataType type) {
  const int64_t low = MinimumOf(type);
  const int64_t high = MaximumOf(type);
  switch (source.Between(0, 3)) {
    case 0:
      return static_cast<int>(low);
    case 1:
      return static_cast<int>(high);
    case 2:
      return type == DataType::kInt8 ? 0 : 128;
    default:
      return static_cast<int>(source.Between(low, high));
  }
}

// A power of two that moves all scales alike: mostly 1, at times near the ends
// of float.
double CommonPower(RandomSource& source) {
  if (!source.OneIn(6)) return 1.0;
  return source.Pick({0x1p-140, 0x1p-126, 0x1p-60, 0x1p60, 0x1p110});
}

}  // namespace

float NearbyFloat(double value, RandomSource& source) {
  const double largest = std::numeric_limits<float>::max();
  float result = static_cast<float>(std::clamp(value, -largest, largest));
  if (source.OneIn(2)) {
    result = std::nextafter(result, source.OneIn(2) ? 0.0f : result * 2);
  }
  if (!std::isfinite(result)) result = std::copysign(largest, result);
  return result == 0 ? std::numeric_limits<float>::denorm_min() : result;
}

std::string Describe(const AddSetting& s) {
  return absl::StrCat(
      "A ", spec::DataTypeName(s.a_type), " scale ", HexFloat(s.a_scale),
      " zero point ", s.a_zero_point, ", B ", spec::DataTypeName(s.b_type),
      " scale ", HexFloat(s.b_scale), " zero point ", s.b_zero_point,
      ", output ", spec::DataTypeName(s.output_type), " scale ",
      HexFloat(s.output_scale), " zero point ", s.output_zero_point);
}

std::string Describe(const RequantizeSetting& s) {
  return absl::StrCat(
      "A scale ", HexFloat(s.a_scale), ", B scale ", HexFloat(s.b_scale),
      ", output ", spec::DataTypeName(s.output_type), " scale ",
      HexFloat(s.output_scale), " zero point ", s.output_zero_point);
}

std::string Describe(const QuantizeAndDequantizeSetting& s) {
  return absl::StrCat(s.signed_input ? "signed" : "unsigned", " num_bits ",
                      s.num_bits, s.narrow_range ? " narrow_range" : "", " ",
                      s.half_up ? "HALF_UP" : "HALF_TO_EVEN", " range [",
                      HexFloat(s.input_min), ", ", HexFloat(s.input_max), "]",
                      s.tensorflow ? " tensorflow arithmetic" : "");
}

spec::Arguments AddCall(const AddSetting& s, uint8_t a, uint8_t b) {
  spec::Arguments call;
  call.operator_name = "dml_element_wise_quantized_linear_add";
  const auto set = [&](const std::string& name, DataType type, double value) {
    call.inputs[name] = PackedTensor(type, {1}, {value});
  };
  set("ATensor", s.a_type, ValueOf(a, s.a_type));
  set("AScaleTensor", DataType::kFloat32, s.a_scale);
  set("AZeroPointTensor", s.a_type, s.a_zero_point);
  set("BTensor", s.b_type, ValueOf(b, s.b_type));
  set("BScaleTensor", DataType::kFloat32, s.b_scale);
  set("BZeroPointTensor", s.b_type, s.b_zero_point);
  set("OutputScaleTensor", DataType::kFloat32, s.output_scale);
  set("OutputZeroPointTensor", s.output_type, s.output_zero_point);
  call.outputs["OutputTensor"] = PackedDesc(s.output_type, {1});
  return call;
}

std::optional<spec::Arguments> RequantizeCall(const RequantizeSetting& s,
                                              int64_t sum, int64_t largest_k) {
  // |sum| = 65025 * q + 255 * r + t with r, t <= 255; the sign goes into A,
  // which is int8 with the zero point at one end.
  constexpr int64_t kLargest = 255 * 255;
  const int64_t magnitude = std::abs(sum);
  const int64_t whole = magnitude / kLargest;
  if (whole + 2 > largest_k) return std::nullopt;
  const int64_t rest = magnitude % kLargest;
  const int64_t sign = sum < 0 ? -1 : 1;
  const int zero_point = sum < 0 ? 127 : -128;
  std::vector<double> a(static_cast<size_t>(whole), sign * 255.0);
  std::vector<double> b(static_cast<size_t>(whole), 255);
  a.push_back(static_cast<double>(sign * (rest / 255)));
  b.push_back(255);
  a.push_back(static_cast<double>(sign * (rest % 255)));
  b.push_back(1);
  for (double& value : a) value += zero_point;

  spec::Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  const auto k = static_cast<int64_t>(a.size());
  const auto scalar = [&](const std::string& name, DataType type,
                          double value) {
    call.inputs[name] = PackedTensor(type, {1, 1, 1, 1}, {value});
  };
  call.inputs["ATensor"] = PackedTensor(DataType::kInt8, {1, 1, 1, k}, a);
  call.inputs["BTensor"] = PackedTensor(DataType::kUint8, {1, 1, k, 1}, b);
  scalar("AScaleTensor", DataType::kFloat32, s.a_scale);
  scalar("AZeroPointTensor", DataType::kInt8, zero_point);
  scalar("BScaleTensor", DataType::kFloat32, s.b_scale);
  scalar("OutputScaleTensor", DataType::kFloat32, s.output_scale);
  scalar("OutputZeroPointTensor", s.output_type, s.output_zero_point);
  call.outputs["OutputTensor"] = PackedDesc(s.output_type, {1, 1, 1, 1});
  return call;
}

spec::Arguments QuantizeAndDequantizeCall(const QuantizeAndDequantizeSetting& s,
                                          float input) {
  spec::Arguments call;
  call.operator_name = "tf_quantize_and_dequantize_v2";
  call.attributes["signed_input"] = s.signed_input;
  call.attributes["num_bits"] = int64_t{s.num_bits};
  call.attributes["range_given"] = true;
  call.attributes["narrow_range"] = s.narrow_range;
  call.attributes["round_mode"] =
      std::string(s.half_up ? "HALF_UP" : "HALF_TO_EVEN");
  call.options.arithmetic = s.tensorflow ? "tensorflow" : "exact";
  call.inputs["input"] = PackedTensor(DataType::kFloat32, {1}, {input});
  call.inputs["input_min"] =
      PackedTensor(DataType::kFloat32, {}, {s.input_min});
  call.inputs["input_max"] =
      PackedTensor(DataType::kFloat32, {}, {s.input_max});
  call.outputs["output"] = PackedDesc(DataType::kFloat32, {1});
  return call;
}

spec::Arguments RowQuantizeCall(uint16_t x, uint16_t smooth, const float* scale,
                                uint16_t largest) {
  spec::Arguments call;
  call.operator_name = "aclnn_quant_grouped_matmul_dequant";
  call.attributes["xQuantMode"] =
      std::string(scale != nullptr ? "pertensor" : "pertoken");
  call.attributes["transposeWeight"] = true;
  std::vector<double> row(16, 0.0);
  row[0] = spec::Float16ToDouble(x);
  if (scale == nullptr) row[1] = spec::Float16ToDouble(largest);
  std::vector<double> weight(256, 0.0);
  weight[0] = 1;
  call.inputs["x"] = PackedTensor(DataType::kFloat16, {1, 16}, row);
  call.inputs["weight"] = PackedTensor(DataType::kInt8, {1, 16, 16}, weight);
  call.inputs["weightScale"] =
      PackedTensor(DataType::kFloat32, {1, 16}, std::vector<double>(16, 1.0));
  call.inputs["groupList"] = PackedTensor(DataType::kInt64, {1}, {1});
  call.inputs["smoothScaleOptional"] =
      PackedTensor(DataType::kFloat16, {16},
                   std::vector<double>(16, spec::Float16ToDouble(smooth)));
  if (scale != nullptr) {
    call.inputs["xScaleOptional"] =
        PackedTensor(DataType::kFloat32, {1}, {*scale});
  }
  call.outputs["out"] = PackedDesc(DataType::kFloat16, {1, 16});
  return call;
}

std::vector<AddSetting> AddSettings(uint64_t seed, size_t count) {
  RandomSource source(seed);
  // Ties everywhere; ties at odd sums; a third of the sums are ties; two
  // decimal scales whose sum is one too; scales one unit beside a tie; ties of
  // an even divisor that is no power of two; large terms that cancel.
  constexpr float kHard[][3] = {{1.0f, 1.0f, 2.0f},
                                {0.5f, 1.0f, 1.0f},
                                {0.1f, 0.2f, 0.3f},
                                {0x1.000002p-1f, 0.5f, 1.0f},
                                {0x1.fffffep-2f, 0.5f, 1.0f},
                                {0x1p-149f, 0x1p-149f, 0x1p-148f},
                                {0x1p127f, 0x1p126f, 0x1.fffffep127f},
                                {3.0f, 5.0f, 2.0f},
                                {0.5f, 1.5f, 5.0f},
                                {0x1.000002p20f, -0x1p20f, 0.25f}};
  std::vector<AddSetting> settings;
  for (size_t i = 0; i < count; ++i) {
    AddSetting s;
    s.a_type = TypeOf(i);
    s.b_type = TypeOf(i / 2);
    s.output_type = TypeOf(i / 4);
    s.a_zero_point = ZeroPoint(source, s.a_type);
    s.b_zero_point = ZeroPoint(source, s.b_type);
    s.output_zero_point = ZeroPoint(source, s.output_type);
    if (i / 8 < std::size(kHard)) {
      s.a_scale = kHard[i / 8][0];
      s.b_scale = kHard[i / 8][1];
      s.output_scale = kHard[i / 8][2];
    } else if (source.OneIn(8)) {
      // Small integers of one unit: ties wherever the last of them is even.
      const double unit = CommonPower(source);
      const auto integer = [&] {
        return static_cast<float>(unit *
                                  static_cast<double>(source.Between(1, 60)));
      };
      s.a_scale = integer();
      s.b_scale = source.OneIn(4) ? -integer() : integer();
      s.output_scale = integer();
    } else if (source.OneIn(12)) {
      // Terms far beyond the limits, which meet again where they cancel.
      const double unit = HardRatio(source, 11, 24);
      s.a_scale = NearbyFloat(unit, source);
      s.b_scale = NearbyFloat(-unit * HardRatio(source, -1, 0), source);
      s.output_scale = NearbyFloat(HardRatio(source, -2, 2), source);
    } else {
      const double power = CommonPower(source);
      s.output_scale = NearbyFloat(power * HardRatio(source, -6, 2), source);
      const double unit = s.output_scale;
      s.a_scale = NearbyFloat(unit * HardRatio(source, -6, 1), source);
      // Now and then a B that hardly counts, or only near ties.
      s.b_scale = NearbyFloat(
          unit * HardRatio(source, source.OneIn(8) ? -30 : -6, 1), source);
    }
    settings.push_back(s);
  }
  return settings;
}

std::vector<RequantizeSetting> HardRequantizeSettings() {
  constexpr DataType kU = DataType::kUint8;
  constexpr DataType kI = DataType::kInt8;
  // Ratios of 1 and 1/2; usual ones; where the whole of int32 is within the
  // limits; where float is exact and just no longer; negative; ends of float.
  return {{1.0f, 0.5f, 1.0f, 0, kU},
          {1.0f, 1.0f, 1.0f, -128, kI},
          {0.0235f, 0.0078f, 0.05f, 117, kU},
          {0x1.91p-7f, 0x1.3a9b66p-9f, 0x1.7f3c2ap-4f, -5, kI},
          {0x1p-12f, 0x1p-11f, 1.0f, 0, kI},
          {0x1.fffffep-13f, 0x1p-11f, 1.0f, 128, kU},
          {0x1p-13f, 0x1p-12f, 1.0f, 127, kI},
          {0x1p-7f, 0x1p-8f, 1.0f, 3, kU},
          {0x1p-8f, 0x1p-8f, 1.0f, 3, kU},
          {-0x1.8p-3f, 0x1.555556p-10f, 0x1p-1f, 0, kI},
          {0x1p-149f, 0x1p-3f, 0x1.8p-130f, 255, kU},
          {0x1.234566p120f, 0x1p-90f, 0x1.fffffep45f, 10, kI}};
}

std::vector<RequantizeSetting> RequantizeSettings(uint64_t seed, size_t count) {
  RandomSource source(seed);
  std::vector<RequantizeSetting> settings = HardRequantizeSettings();
  while (settings.size() < count) {
    RequantizeSetting s;
    s.output_type = TypeOf(settings.size());
    s.output_zero_point = ZeroPoint(source, s.output_type);
    const double power = CommonPower(source);
    s.b_scale = NearbyFloat(HardRatio(source, -10, 2), source);
    s.output_scale = NearbyFloat(power * HardRatio(source, -10, 2), source);
    s.a_scale = NearbyFloat(
        HardRatio(source, -26, 1) * double{s.output_scale} / double{s.b_scale},
        source);
    settings.push_back(s);
  }
  settings.resize(count);
  return settings;
}

std::vector<QuantizeAndDequantizeSetting> QuantizeAndDequantizeSettings(
    bool every_range) {
  constexpr std::pair<float, float> kRanges[] = {
      {-1.0f, 1.0f},
      {0.0f, 1.0f},
      {-0x1.99999ap-1f, 0x1.99999ap-4f},  // -0.8, 0.1
      {-10.0f, 127.0f},
      {-0x1.234566p3f, 0x1.abcdeep2f},
      {-3.0f, 0.0f},
      // The next ones are slow, subnormal, or empty on one side.
      {0x1p-3f, 0x1.8p+1f},
      {-0x1p-140f, 0x1.8p-139f},
      {-0x1.fffffep127f, 0x1.fffffep127f},
      {-2.0f, -1.0f}};
  constexpr size_t kUsual = 6;
  std::vector<QuantizeAndDequantizeSetting> settings;
  size_t turn = 0;
  // 10 (for narrow_range 11) and 24 are the most that kernels take for float
  // and double arithmetic; beyond, they need integers. Whole domains of those
  // take hours.
  const std::vector<int> all_bits =
      every_range ? std::vector<int>{2, 4, 8, 10, 11, 16, 24, 25, 40, 61}
                  : std::vector<int>{2, 8, 10, 16, 24};
  for (const int bits : all_bits) {
    for (int kind = 0; kind < 3; ++kind) {
      for (const bool half_up : {false, true}) {
        QuantizeAndDequantizeSetting s;
        s.num_bits = bits;
        s.signed_input = kind != 2;
        s.narrow_range = kind == 1;
        s.half_up = half_up;
        const auto add = [&](const std::pair<float, float>& range) {
          s.input_min = range.first;
          s.input_max = range.second;
          settings.push_back(s);
        };
        if (every_range) {
          for (const auto& range : kRanges) add(range);
        } else {
          // An unsigned format has no output but 0 for the last of these.
          add(kRanges[turn++ % (kind == 2 ? kUsual - 1 : kUsual)]);
        }
      }
    }
  }
  return settings;
}

}  // namespace qconform::harness
