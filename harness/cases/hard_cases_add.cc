// Hard cases of the element-wise quantized add. With scales P*2^f, Q*2^f and
// Y*2^(f+1) a result before rounding is (P*i + Q*j) / (2*Y), so that
// P*i + Q*j = w*Y with an odd w puts it on a tie, whatever the mantissas.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/random_values.h"
#include "harness/cases/value_text.h"

namespace qconform::harness::hard {
namespace {

using spec::DataType;

// One operand or the output: a type, a zero point, a scale, data.
struct Quantized {
  DataType type = DataType::kUint8;
  int64_t low = 0;
  int64_t high = 255;
  int64_t zero_point = 0;
  double scale = 1;
  std::vector<int64_t> data;

  bool Holds(int64_t difference) const {
    const int64_t value = zero_point + difference;
    return low <= value && value <= high;
  }
};

struct AddCall {
  Quantized a;
  Quantized b;
  Quantized output;
};

Quantized RandomOperand(size_t count, RandomSource& random) {
  Quantized operand;
  operand.type = random.Pick({DataType::kUint8, DataType::kInt8});
  operand.low = MinimumOf(operand.type);
  operand.high = MaximumOf(operand.type);
  operand.zero_point = RandomZeroPoint(operand.type, random);
  const bool ends = random.OneIn(4);
  for (size_t i = 0; i < count; ++i) {
    operand.data.push_back(ends ? random.Pick({operand.low, operand.high})
                                : random.Between(operand.low, operand.high));
  }
  return operand;
}

AddCall StartAdd(RandomSource& random) {
  const auto count = static_cast<size_t>(VectorSize(random));
  AddCall call;
  call.a = RandomOperand(count, random);
  call.b = RandomOperand(count, random);
  call.output = RandomOperand(0, random);
  return call;
}

std::vector<double> ToReal(const std::vector<int64_t>& values) {
  return {values.begin(), values.end()};
}

// Tensors of any rank and strides; zero points of 0 are left out now and then.
spec::Arguments FinishAdd(const AddCall& call, RandomSource& random) {
  std::vector<int64_t> sizes = {static_cast<int64_t>(call.a.data.size())};
  if (random.OneIn(2)) {
    if (sizes[0] % 2 == 0) sizes = {2, sizes[0] / 2};
    const auto ones = static_cast<size_t>(random.Between(0, 6));
    sizes.insert(sizes.begin(), ones, 1);
  }
  const bool strided = random.OneIn(4);
  spec::Arguments arguments;
  arguments.operator_name = "dml_element_wise_quantized_linear_add";
  const auto give = [&](const char* name, DataType type,
                        const std::vector<int64_t>& shape,
                        const std::vector<double>& values) {
    spec::Tensor tensor = PackedTensor(type, shape, values);
    if (strided && random.OneIn(2)) Restride(tensor, random);
    arguments.inputs[name] = tensor;
  };
  const std::vector<int64_t> one(sizes.size(), 1);
  const auto quantization = [&](const char* scale, const char* zero_point,
                                const Quantized& operand) {
    give(scale, DataType::kFloat32, one, {operand.scale});
    if (operand.zero_point != 0 || random.OneIn(2)) {
      give(zero_point, operand.type, one,
           {static_cast<double>(operand.zero_point)});
    }
  };
  give("ATensor", call.a.type, sizes, ToReal(call.a.data));
  quantization("AScaleTensor", "AZeroPointTensor", call.a);
  give("BTensor", call.b.type, sizes, ToReal(call.b.data));
  quantization("BScaleTensor", "BZeroPointTensor", call.b);
  quantization("OutputScaleTensor", "OutputZeroPointTensor", call.output);
  spec::TensorDesc& output = arguments.outputs["OutputTensor"];
  output.type = call.output.type;
  output.sizes = sizes;
  if (strided) output.strides = RandomStrides(sizes, true, random);
  return arguments;
}

struct TieScales {
  int64_t a = 0;
  int64_t b = 0;
  int64_t output = 0;
};

// Mantissas of at most 24 bits with a*i + b*j = w*output; false if none was
// found. Bounding them by w/i and w/j keeps the quotient below 2^24.
bool SolveTie(int64_t i, int64_t j, int64_t w, RandomSource& random,
              TieScales& scales) {
  const auto bound = [&](int64_t factor) {
    return factor == 0 ? (1 << 24) - 1
                       : std::min<int64_t>((1 << 24) - 1,
                                           ((int64_t{1} << 23) - 1) *
                                               std::abs(w) / std::abs(factor));
  };
  for (int attempt = 0; attempt < 8; ++attempt) {
    scales.b = random.Between(1, bound(j));
    if (random.OneIn(3)) scales.b = -scales.b;
    int64_t first = 0;
    const int64_t period = std::abs(w);
    while (first < period && (first * i + scales.b * j) % w != 0) ++first;
    if (first == period || bound(i) < 2 * period) continue;
    scales.a = first + period * random.Between(1, bound(i) / period - 1);
    scales.output = (scales.a * i + scales.b * j) / w;
    if (scales.output != 0) return true;
  }
  return false;
}

// Solves for a tie of one pair of elements and copies the pair into other
// lanes. Without a solution the scales stay 1, where there may be none.
void MakeTie(AddCall& call, int exponent, RandomSource& random) {
  const auto count = static_cast<int64_t>(call.a.data.size());
  for (int attempt = 0; attempt < 10; ++attempt) {
    const auto place = static_cast<size_t>(random.Between(0, count - 1));
    const int64_t a = call.a.data[place];
    const int64_t b = call.b.data[place];
    // The value beside the tie, so chosen that clamping does not hide it.
    const int64_t below =
        random.Between(call.output.low, call.output.high - 1) -
        call.output.zero_point;
    TieScales scales;
    if (!SolveTie(a - call.a.zero_point, b - call.b.zero_point, 2 * below + 1,
                  random, scales)) {
      continue;
    }
    if (random.OneIn(6)) {
      scales = {-scales.a, -scales.b, -scales.output};
    }
    call.a.scale = Scale(scales.a, exponent);
    call.b.scale = Scale(scales.b, exponent);
    call.output.scale = Scale(scales.output, exponent + 1);
    for (size_t lane = 0; lane < call.a.data.size(); ++lane) {
      if (!random.OneIn(3) && lane + 1 != call.a.data.size()) continue;
      call.a.data[lane] = a;
      call.b.data[lane] = b;
    }
    return;
  }
}

spec::Arguments Ties(RandomSource& random) {
  AddCall call = StartAdd(random);
  MakeTie(call, static_cast<int>(random.Between(-40, 10)), random);
  return FinishAdd(call, random);
}

spec::Arguments TieNeighbours(RandomSource& random) {
  AddCall call = StartAdd(random);
  MakeTie(call, static_cast<int>(random.Between(-40, 10)), random);
  double& scale =
      *random.Pick({&call.a.scale, &call.b.scale, &call.output.scale});
  scale = StepFloat(scale, random.Pick({-1, 1}));
  return FinishAdd(call, random);
}

spec::Arguments ExtremeScales(RandomSource& random) {
  AddCall call = StartAdd(random);
  MakeTie(call, random.Pick({-149, -148, 102, 103}), random);
  if (random.OneIn(4)) {
    // Of one operand nothing is left, or it alone decides.
    call.b.scale = random.Pick({0x1p-149, 0x1.fffffep127, -0x1p-126});
  }
  return FinishAdd(call, random);
}

// A and B nearly cancel: what is left is a few units of a scale's last place,
// all of which float arithmetic loses if it rounds a product.
spec::Arguments Cancellation(RandomSource& random) {
  AddCall call = StartAdd(random);
  const int exponent = static_cast<int>(random.Between(-40, 10));
  const int64_t mantissa = random.Between(1 << 23, (1 << 24) - 600);
  const int64_t rest = random.Pick({1, 2, 3, 5, 7, 255, 511});
  call.a.scale = Scale(mantissa, exponent);
  call.b.scale = -Scale(mantissa + rest, exponent);
  call.output.scale = Scale(random.Between(1, 6) * rest, exponent);
  for (size_t lane = 0; lane < call.a.data.size(); ++lane) {
    const int64_t difference = call.a.data[lane] - call.a.zero_point;
    if (call.b.Holds(difference)) {
      call.b.data[lane] = call.b.zero_point + difference;
    }
  }
  return FinishAdd(call, random);
}

// Scales with ratio 1 : 1/2, so that values come in halves, around both limits.
spec::Arguments Clamps(RandomSource& random) {
  AddCall call = StartAdd(random);
  const int exponent = RandomExponent(random);
  // The smaller scale must not vanish.
  call.a.scale = Scale(2, exponent);
  call.b.scale = Scale(1, exponent);
  call.output.scale = call.a.scale;
  for (size_t lane = 0; lane < call.a.data.size(); ++lane) {
    const int64_t limit = random.Pick({call.output.low, call.output.high}) -
                          call.output.zero_point;
    const int64_t target = 2 * limit + random.Between(-4, 4);
    // 2*i + j = target with any j of the right parity that B holds.
    int64_t j = random.Between(call.b.low, call.b.high) - call.b.zero_point;
    if (((target - j) & 1) != 0) j += call.b.Holds(j + 1) ? 1 : -1;
    const int64_t i = (target - j) / 2;
    if (!call.a.Holds(i)) continue;
    call.a.data[lane] = call.a.zero_point + i;
    call.b.data[lane] = call.b.zero_point + j;
  }
  return FinishAdd(call, random);
}

// All zero points and most data at the ends of their types; sums of up to 510.
spec::Arguments ZeroPointEnds(RandomSource& random) {
  AddCall call = StartAdd(random);
  for (Quantized* operand : {&call.a, &call.b, &call.output}) {
    operand->zero_point = random.Pick({operand->low, operand->high});
    for (int64_t& value : operand->data) {
      if (!random.OneIn(4)) {
        value = random.Pick(
            {operand->low, operand->low + 1, operand->high - 1, operand->high});
      }
    }
  }
  const int exponent = static_cast<int>(random.Between(-20, 4));
  call.a.scale = Scale(RandomOdd(3, false, random), exponent);
  call.b.scale = Scale(RandomOdd(3, true, random), exponent);
  call.output.scale = Scale(random.Pick({1, 2, 3, 4, 6}), exponent);
  return FinishAdd(call, random);
}

}  // namespace

std::vector<Kind> AddKinds() {
  return {{"ties", 6, Ties},
          {"tie-neighbours", 6, TieNeighbours},
          {"extreme-scales", 3, ExtremeScales},
          {"cancellation", 3, Cancellation},
          {"clamps", 4, Clamps},
          {"zero-point-ends", 3, ZeroPointEnds}};
}

}  // namespace qconform::harness::hard
