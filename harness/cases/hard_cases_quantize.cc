// Hard cases of quantize-and-dequantize. A range whose deciding end is q units
// of a float u has 1/u for its scale factor; odd multiples of u/2 are ties.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/random_values.h"

namespace qconform::harness::hard {
namespace {

using spec::DataType;

constexpr double kLargest = 0x1.fffffep127;

struct QuantizeCall {
  bool is_signed = true;
  int64_t bits = 8;
  bool narrow = false;
  bool given = true;
  bool half_up = false;
  bool tensorflow = false;
  double low = -1;
  double high = 1;
  std::vector<double> data;

  double LowestCode() const {
    return is_signed ? std::ldexp(-1.0, static_cast<int>(bits) - 1) + narrow
                     : 0;
  }
  double HighestCode() const {
    return std::ldexp(1.0, static_cast<int>(bits) - is_signed) - 1;
  }
};

double ToFloat(double value) {
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

QuantizeCall StartQuantize(RandomSource& random) {
  QuantizeCall call;
  call.is_signed = !random.OneIn(3);
  call.bits = random.OneIn(2) ? 8 : random.Between(2, 12);
  call.narrow = random.OneIn(3);
  call.given = !random.OneIn(3);
  call.half_up = random.OneIn(2);
  call.tensorflow = random.OneIn(4);
  return call;
}

spec::Arguments FinishQuantize(const QuantizeCall& call, RandomSource& random) {
  spec::Arguments arguments;
  arguments.operator_name = "tf_quantize_and_dequantize_v2";
  // Defaults are left out now and then.
  const auto attribute = [&](const char* name, spec::Attribute value,
                             bool is_default) {
    if (!is_default || random.OneIn(2)) arguments.attributes[name] = value;
  };
  attribute("signed_input", call.is_signed, call.is_signed);
  attribute("num_bits", call.bits, call.bits == 8);
  attribute("narrow_range", call.narrow, !call.narrow);
  attribute("range_given", call.given, !call.given);
  attribute("round_mode",
            std::string(call.half_up ? "HALF_UP" : "HALF_TO_EVEN"),
            !call.half_up);
  if (call.tensorflow) arguments.options.arithmetic = "tensorflow";
  std::vector<int64_t> sizes = {static_cast<int64_t>(call.data.size())};
  if (call.data.size() % 2 == 0 && random.OneIn(3)) {
    sizes = {2, sizes[0] / 2};
  }
  arguments.inputs["input"] =
      PackedTensor(DataType::kFloat32, sizes, call.data);
  arguments.inputs["input_min"] =
      PackedTensor(DataType::kFloat32, {}, {call.low});
  arguments.inputs["input_max"] =
      PackedTensor(DataType::kFloat32, {}, {call.high});
  arguments.outputs["output"] = arguments.inputs["input"].desc;
  return arguments;
}

// Makes the range of a unit: its ends in given bounds and, since it may be
// measured, in the first and last element.
void UseRange(QuantizeCall& call, double low, double high) {
  call.low = ToFloat(low);
  call.high = ToFloat(high);
  call.data.front() = call.high;
  call.data.back() = call.low;
}

// Multiples of half the unit, all exact in float: codes of at most 12 bits and
// a unit of at most 11.
spec::Arguments Ties(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  const int64_t mantissa = RandomOdd(11, false, random);
  // Near the end of float the range would leave it.
  const double unit =
      Scale(mantissa, std::min(RandomExponent(random), 127 - 24));
  const auto lowest = static_cast<int64_t>(call.LowestCode());
  const auto highest = static_cast<int64_t>(call.HighestCode());
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    const int64_t halves = random.Between(2 * lowest - 3, 2 * highest + 3);
    call.data.push_back(ToFloat(static_cast<double>(halves) * unit / 2));
  }
  UseRange(call, call.LowestCode() * unit, call.HighestCode() * unit);
  return FinishQuantize(call, random);
}

// Any range, and the floats nearest to its half units and beside those.
spec::Arguments TieNeighbours(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  const double codes = call.HighestCode();
  const int64_t mantissa = random.Between(1 << 23, (1 << 24) - 1);
  const double high =
      Scale(mantissa, static_cast<int>(random.Between(-40, 40)));
  const auto lowest = static_cast<int64_t>(call.LowestCode());
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    const int64_t halves =
        random.Between(lowest, static_cast<int64_t>(codes) - 1) * 2 + 1;
    const double tie = static_cast<double>(halves) * high / (2 * codes);
    call.data.push_back(
        StepFloat(ToFloat(tie), static_cast<int>(random.Between(-1, 1))));
  }
  UseRange(call, call.is_signed ? -high / 2 : 0, high);
  return FinishQuantize(call, random);
}

// The ends of the range, the floats beside them, and the last half unit.
spec::Arguments Clamps(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  const int64_t mantissa = RandomOdd(10, false, random);
  const double unit =
      Scale(mantissa, static_cast<int>(random.Between(-40, 10)));
  const double low = call.LowestCode() * unit;
  const double high = call.HighestCode() * unit;
  call.given = true;
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    const double end = random.Pick({low, high});
    const double inside = end - random.Pick({-1.0, -0.5, 0.5, 1.0}) * unit;
    const double value = random.Pick({end, inside, 2 * end, -end});
    call.data.push_back(
        StepFloat(ToFloat(value), static_cast<int>(random.Between(-1, 1))));
  }
  UseRange(call, low, high);
  if (random.OneIn(3)) {
    // The bound that does not decide is moved (TQ-02).
    call.high = ToFloat(high * 3 / 4);
  }
  return FinishQuantize(call, random);
}

// HALF_UP of negative ties, and of odd whole numbers of units above 2^23, which
// adding a half in float makes even.
spec::Arguments HalfUp(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  call.half_up = true;
  call.is_signed = true;
  call.given = true;
  call.narrow = false;
  call.bits = random.OneIn(3) ? 8 : random.Between(25, 33);
  const double unit =
      std::ldexp(1.0, static_cast<int>(random.Between(-60, 40)));
  const auto bits = static_cast<int>(call.bits);
  const int64_t magnitude = int64_t{1} << std::min(bits - 1, 23);
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    double units =
        static_cast<double>(random.Between(magnitude / 2, magnitude)) + 0.5;
    if (bits > 24 && random.OneIn(2)) {
      units = static_cast<double>(
          random.Between(int64_t{1} << 22, (int64_t{1} << 23) - 1) * 2 + 1);
    }
    if (random.OneIn(4)) {
      units = static_cast<double>(random.Between(0, 100)) + 0.5;
    }
    call.data.push_back(ToFloat((random.OneIn(3) ? units : -units) * unit));
  }
  // The minimum decides: -2^(b-1) units are exact where 2^(b-1) - 1 are not.
  UseRange(call, call.LowestCode() * unit, -call.LowestCode() * unit / 2);
  return FinishQuantize(call, random);
}

// A unit of 24 bits: products with odd codes lie half-way between two floats.
spec::Arguments OutputTies(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  call.is_signed = true;
  call.given = true;
  call.narrow = false;
  const int e = static_cast<int>(random.Between(-60, 40));
  const double unit =
      Scale((random.Between(1 << 22, (1 << 23) - 1)) * 2 + 1, e);
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    const auto code =
        static_cast<double>(random.OneIn(2) ? random.Pick({3, -3, 5, -5, 1, -1})
                                            : random.Between(-128, 128));
    call.data.push_back(ToFloat(code * unit));
  }
  UseRange(call, call.LowestCode() * unit, unit);
  call.data.front() = ToFloat(unit / 2);
  return FinishQuantize(call, random);
}

// Ranges of subnormals, of the largest floats, and lopsided ones.
spec::Arguments ExtremeRanges(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  if (random.OneIn(3)) call.bits = random.Between(13, 60);
  const int64_t style = random.Between(0, 2);
  const auto value = [&]() -> double {
    if (style == 0) return Scale(random.Between(1, 1 << 12), -149);
    if (style == 1) return Scale(random.Between(1 << 22, (1 << 24) - 1), 104);
    const int e = static_cast<int>(random.Pick({-149, -100, 0, 100, 127}));
    return std::ldexp(1.0, e);
  };
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    const double magnitude = ToFloat(value());
    call.data.push_back(random.OneIn(2) ? magnitude : -magnitude);
  }
  const double low = -value();
  const double high = value();
  UseRange(call, low, high);
  return FinishQuantize(call, random);
}

// Zeros, ranges on the wrong side, NaN and infinities, a sign bit alone.
spec::Arguments Special(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  const bool hostile = random.OneIn(2);
  for (int64_t count = VectorSize(random) + 1; count > 0; --count) {
    double value = static_cast<double>(random.Between(-8, 8)) / 4;
    if (hostile && random.OneIn(12)) {
      value = random.Pick({std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()});
    }
    call.data.push_back(value);
  }
  switch (random.Between(0, 3)) {
    case 0:
      call.low = call.high = random.Pick({0.0, 1.5, -1.5});
      break;
    case 1:
      call.low = 0.5;
      call.high = 1.5;
      break;
    case 2:
      call.low = -1.5;
      call.high = -0.5;
      break;
    default:
      if (!hostile) {
        for (double& value : call.data) value = 0;
      }
      break;
  }
  if (random.OneIn(4)) {
    call.bits = 1;
    call.narrow = false;
    call.tensorflow = call.tensorflow && !call.is_signed;
  }
  return FinishQuantize(call, random);
}

// The last lane alone decides the measured range.
spec::Arguments Remainders(RandomSource& random) {
  QuantizeCall call = StartQuantize(random);
  call.given = false;
  const double codes = call.is_signed ? -call.LowestCode() : call.HighestCode();
  for (int64_t count = VectorSize(random); count > 0; --count) {
    call.data.push_back(static_cast<double>(random.Between(-3, 3)) / 2);
  }
  call.data.back() = call.is_signed ? -codes : codes;
  return FinishQuantize(call, random);
}

}  // namespace

std::vector<Kind> QuantizeAndDequantizeKinds() {
  return {{"ties", 6, Ties},
          {"tie-neighbours", 6, TieNeighbours},
          {"clamps", 4, Clamps},
          {"half-up", 4, HalfUp},
          {"output-ties", 3, OutputTies},
          {"extreme-ranges", 4, ExtremeRanges},
          {"special", 4, Special},
          {"remainders", 3, Remainders}};
}

}  // namespace qconform::harness::hard
