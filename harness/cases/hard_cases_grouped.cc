// Hard cases of the grouped matrix multiply with quantized rows.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "harness/cases/hard_cases_parts.h"
#include "harness/cases/random_values.h"
#include "harness/cases/weight_layout.h"

namespace qconform::harness::hard {
namespace {

using spec::DataType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct GroupedCall {
  int64_t m = 1;
  int64_t k = 16;
  int64_t n = 16;
  int64_t g = 1;
  std::vector<double> x;              // m*k
  std::vector<int8_t> weight;         // g*n*k
  std::vector<double> weight_scales;  // g*n
  std::vector<int64_t> ends;          // g
  std::vector<double> x_scales;       // 1 or m; none: dynamic
  std::vector<double> smooth;         // k, or none
  // Absent: any.
  std::optional<bool> fractal;
  std::optional<bool> transposed;

  double& X(int64_t row, int64_t i) {
    return x[static_cast<size_t>(row * k + i)];
  }
  int8_t& Weight(int64_t group, int64_t column, int64_t i) {
    return weight[static_cast<size_t>((group * n + column) * k + i)];
  }
  double& WeightScale(int64_t group, int64_t column) {
    return weight_scales[static_cast<size_t>(group * n + column)];
  }
};

GroupedCall StartGrouped(int64_t m, int64_t k, int64_t n, int64_t g,
                         RandomSource& random) {
  GroupedCall call;
  call.m = m;
  call.k = k;
  call.n = n;
  call.g = g;
  const int unit = static_cast<int>(random.Between(-8, 2));
  for (int64_t i = 0; i < m * k; ++i) {
    call.x.push_back(
        std::ldexp(static_cast<double>(random.Between(-127, 127)), unit));
  }
  const bool ends = random.OneIn(4);
  for (int64_t i = 0; i < g * n * k; ++i) {
    call.weight.push_back(static_cast<int8_t>(
        ends ? random.Pick({-128, -127, 127}) : random.Between(-128, 127)));
  }
  for (int64_t i = 0; i < g * n; ++i) {
    call.weight_scales.push_back(
        std::ldexp(1.0, static_cast<int>(random.Between(-12, 2))));
  }
  for (int64_t i = 0; i < g; ++i) call.ends.push_back(random.Between(0, m));
  std::sort(call.ends.begin(), call.ends.end());
  if (!random.OneIn(4)) call.ends.back() = m;
  return call;
}

GroupedCall StartGrouped(RandomSource& random) {
  const int64_t m = random.Between(1, 6);
  const int64_t k = 16 * random.Between(1, 6);
  const int64_t n = 16 * random.Between(1, 4);
  return StartGrouped(m, k, n, random.Between(1, 3), random);
}

spec::Tensor MakeWeight(const GroupedCall& call, bool fractal, bool transposed,
                        RandomSource& random) {
  const WeightLayout layout{fractal, transposed, call.n, call.k};
  spec::Tensor tensor;
  tensor.desc.type = DataType::kInt8;
  if (fractal) tensor.desc.format = spec::TensorFormat::kFractalNz;
  tensor.desc.sizes = layout.Sizes(call.g);
  tensor.storage.resize(
      static_cast<size_t>(spec::ElementCount(tensor.desc).value()));
  if (fractal && (transposed ? call.k : call.n) % 32 != 0) {
    // The padding lanes are ignored, whatever they hold.
    for (std::byte& byte : tensor.storage) {
      byte = static_cast<std::byte>(random.Pick({127, 128, 1, 255}));
    }
  }
  size_t next = 0;
  for (int64_t group = 0; group < call.g; ++group) {
    for (int64_t column = 0; column < call.n; ++column) {
      for (int64_t i = 0; i < call.k; ++i) {
        const int64_t offset = layout.Offset(group, column, i);
        tensor.storage[static_cast<size_t>(offset)] =
            static_cast<std::byte>(call.weight[next++]);
      }
    }
  }
  return tensor;
}

spec::Arguments FinishGrouped(const GroupedCall& call, RandomSource& random) {
  spec::Arguments arguments;
  arguments.operator_name = "aclnn_quant_grouped_matmul_dequant";
  const bool fractal = call.fractal.value_or(random.OneIn(2));
  const bool transposed = call.transposed.value_or(!random.OneIn(4));
  if (!transposed || random.OneIn(2)) {
    arguments.attributes["transposeWeight"] = transposed;
  }
  arguments.options.allow_transpose_weight_false = !transposed;
  const bool per_tensor =
      call.x_scales.size() == 1 && (call.m > 1 || random.OneIn(2));
  arguments.attributes["xQuantMode"] =
      std::string(per_tensor ? "pertensor" : "pertoken");
  arguments.inputs["weight"] = MakeWeight(call, fractal, transposed, random);
  const bool strided = random.OneIn(5);
  const auto give = [&](const char* name, DataType type,
                        const std::vector<int64_t>& sizes,
                        const std::vector<double>& values) {
    spec::Tensor tensor = PackedTensor(type, sizes, values);
    if (strided && random.OneIn(2)) Restride(tensor, random);
    arguments.inputs[name] = tensor;
  };
  give("x", DataType::kFloat16, {call.m, call.k}, call.x);
  give("weightScale", DataType::kFloat32, {call.g, call.n}, call.weight_scales);
  give("groupList", DataType::kInt64, {call.g},
       {call.ends.begin(), call.ends.end()});
  if (!call.x_scales.empty()) {
    give("xScaleOptional", DataType::kFloat32,
         {static_cast<int64_t>(call.x_scales.size())}, call.x_scales);
  }
  if (!call.smooth.empty()) {
    give("smoothScaleOptional", DataType::kFloat16, {call.k}, call.smooth);
  }
  spec::TensorDesc& out = arguments.outputs["out"];
  out.type = DataType::kFloat16;
  out.sizes = {call.m, call.n};
  return arguments;
}

// A positive float16 with a mantissa of `bits` bits, far from both ends.
double RandomMagnitude(int bits, RandomSource& random) {
  const int64_t mantissa = RandomOdd(bits, false, random);
  return Scale(mantissa, static_cast<int>(random.Between(-12, 3)));
}

// Entries of half the row's maximum quantize to the tie 63.5 whatever the
// maximum; where it is 127 units, odd numbers of half units are ties too.
spec::Arguments RowTies(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.ends.back() = call.m;
  for (int64_t row = 0; row < call.m; ++row) {
    const bool units = random.OneIn(2);
    const double unit = units ? RandomMagnitude(3, random) : 0;
    const double maximum = units ? 127 * unit : RandomMagnitude(10, random) * 2;
    for (int64_t i = 0; i < call.k; ++i) {
      double value = random.Pick({maximum / 2, -maximum / 2, maximum, 0.0});
      if (units) {
        value = unit * static_cast<double>(random.Between(-254, 254)) / 2;
      }
      call.X(row, i) = value;
    }
    const int64_t place = random.Between(0, call.k - 1);
    call.X(row, place) = random.OneIn(2) ? maximum : -maximum;
  }
  return FinishGrouped(call, random);
}

// x at ties and whole multiples of a given scale, beyond both clamps too; the
// scale itself or the float beside it.
spec::Arguments StaticTies(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.ends.back() = call.m;
  const bool per_tensor = random.OneIn(3);
  const bool limits = random.OneIn(3);
  for (int64_t row = 0; row < (per_tensor ? 1 : call.m); ++row) {
    const int64_t mantissa = RandomOdd(3, false, random);
    call.x_scales.push_back(
        Scale(mantissa, static_cast<int>(random.Between(-10, 2))));
  }
  for (int64_t row = 0; row < call.m; ++row) {
    const double scale =
        call.x_scales[static_cast<size_t>(per_tensor ? 0 : row)];
    for (int64_t i = 0; i < call.k; ++i) {
      const int64_t halves =
          limits ? random.Pick({252, 253, 254, 255, 256, 257, -253, -254, -255,
                                -256, -257, -258})
                 : random.Between(-257, 256);
      call.X(row, i) = scale * static_cast<double>(halves) / 2;
    }
  }
  for (double& scale : call.x_scales) {
    if (random.OneIn(2)) scale = StepFloat(scale, random.Pick({-1, 1}));
    if (random.OneIn(8)) scale = -scale;
  }
  return FinishGrouped(call, random);
}

// Changes the column's weights so that its sum with `quantized` becomes
// `target`.
void ReachSum(GroupedCall& call, int64_t group, int64_t column,
              const std::vector<int64_t>& quantized, int64_t target) {
  int64_t rest = target;
  for (int64_t i = 0; i < call.k; ++i) {
    rest -= quantized[static_cast<size_t>(i)] * call.Weight(group, column, i);
  }
  for (const bool coarse : {true, false}) {
    for (int64_t i = 0; i < call.k && rest != 0; ++i) {
      const int64_t factor = quantized[static_cast<size_t>(i)];
      if (factor == 0 || (coarse && std::abs(factor) == 1)) continue;
      int8_t& weight = call.Weight(group, column, i);
      const int64_t changed =
          std::clamp<int64_t>(weight + rest / factor, -128, 127);
      rest -= (changed - weight) * factor;
      weight = static_cast<int8_t>(changed);
    }
  }
}

// Rows that quantize exactly to these integers.
void QuantizeTo(GroupedCall& call, const std::vector<int64_t>& quantized,
                double scale) {
  call.x_scales.assign(1, scale);
  for (int64_t row = 0; row < call.m; ++row) {
    for (int64_t i = 0; i < call.k; ++i) {
      call.X(row, i) =
          scale * static_cast<double>(quantized[static_cast<size_t>(i)]);
    }
  }
}

// Results at the half-way points of float16: beside the overflow (65520), the
// underflow (2^-25), among subnormals and among normal numbers; the weight
// scale itself or the float beside it.
spec::Arguments OutputTies(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.ends.back() = call.m;
  std::vector<int64_t> quantized(static_cast<size_t>(call.k));
  for (int64_t& value : quantized) value = random.Between(-128, 127);
  quantized.front() = 1;
  quantized.back() = -1;
  const int e = static_cast<int>(random.Between(-8, 2));
  QuantizeTo(call, quantized, Scale(1, e));
  for (int64_t group = 0; group < call.g; ++group) {
    for (int64_t column = 0; column < call.n; ++column) {
      int64_t sum = 0;
      int exponent = 0;
      switch (random.Between(0, 3)) {
        case 0:  // 65504, 65520, 65536
          sum = random.Pick({4094, 4095, 4096});
          exponent = 4;
          break;
        case 1:
          sum = random.Pick({1, 2, 3, 5, 2045, 2046, 2047, 2049});
          exponent = -25;
          break;
        case 2:
          sum = RandomOdd(10, false, random);
          exponent = -25;
          break;
        default:
          sum = random.Between(1024, 2047) * 2 + 1;
          exponent = static_cast<int>(random.Between(-20, 3));
          break;
      }
      if (random.OneIn(2)) sum = -sum;
      ReachSum(call, group, column, quantized, sum);
      const double scale = Scale(1, exponent - e);
      call.WeightScale(group, column) =
          random.OneIn(2) ? scale : StepFloat(scale, random.Pick({-1, 1}));
    }
  }
  return FinishGrouped(call, random);
}

// Sums `middle` - 1, `middle`, `middle` + 1, of which the one in the middle is
// a tie of float16.
spec::Arguments AroundSum(int64_t middle, int64_t k, RandomSource& random) {
  GroupedCall call = StartGrouped(1, k, 16, 1, random);
  call.ends = {1};
  std::vector<int64_t> quantized(static_cast<size_t>(k), -128);
  quantized.back() = 1;
  QuantizeTo(call, quantized, 1);
  const int64_t odd = random.Between(1024, 2047) * 2 + 1;
  for (int64_t column = 0; column < call.n; ++column) {
    call.WeightScale(0, column) =
        std::ldexp(static_cast<double>(odd),
                   -static_cast<int>(std::ilogb(static_cast<double>(middle))));
    ReachSum(call, 0, column, quantized, middle + random.Between(-1, 1));
  }
  return FinishGrouped(call, random);
}

spec::Arguments AccumulatorNear2To24(RandomSource& random) {
  return AroundSum(int64_t{1} << 24, 16 * random.Between(65, 70), random);
}

spec::Arguments AccumulatorNear2To31(RandomSource& random) {
  return AroundSum(int64_t{1} << 31, 131072 + 16 * random.Between(1, 3),
                   random);
}

spec::Arguments Groups(RandomSource& random) {
  const int64_t m = random.Between(1, 7);
  const int64_t k = 16 * random.Between(1, 3);
  GroupedCall call = StartGrouped(m, k, 16, random.Between(2, 6), random);
  for (int64_t& end : call.ends) {
    end = random.Pick({int64_t{0}, m / 2, m / 2, std::max<int64_t>(m - 1, 0), m,
                       random.Between(0, m)});
  }
  std::sort(call.ends.begin(), call.ends.end());
  if (random.OneIn(4)) call.ends.back() = m;
  if (random.OneIn(4)) call.ends.front() = 0;
  if (random.OneIn(2)) {
    for (int64_t row = 0; row < m; ++row) {
      call.x_scales.push_back(Scale(1, static_cast<int>(row) - 3));
    }
  }
  // Rows of no group are not read.
  for (int64_t row = call.ends.back(); row < m; ++row) {
    call.X(row, 0) = random.Pick({kNaN, kInfinity, 65504.0});
  }
  return FinishGrouped(call, random);
}

spec::Arguments Padding(bool transposed, RandomSource& random) {
  int64_t k = 16 * random.Between(1, 6);
  int64_t n = 16 * random.Between(1, 6);
  int64_t& lanes = transposed ? k : n;
  lanes = 32 * random.Between(0, 3) + 16;
  const int64_t m = random.Between(1, 4);
  GroupedCall call = StartGrouped(m, k, n, random.Between(1, 3), random);
  call.fractal = true;
  call.transposed = transposed;
  return FinishGrouped(call, random);
}

spec::Arguments PaddingAlongK(RandomSource& random) {
  return Padding(true, random);
}

spec::Arguments PaddingAlongN(RandomSource& random) {
  return Padding(false, random);
}

spec::Arguments NotTransposed(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.transposed = false;
  return FinishGrouped(call, random);
}

// Zero rows, NaN and infinities, scales of 0.
spec::Arguments SpecialRows(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  if (random.OneIn(2)) {
    for (int64_t row = 0; row < call.m; ++row) {
      call.x_scales.push_back(random.Pick({0.0, 0.0, 0.5, -0.25, 0x1p-149}));
    }
  }
  if (random.OneIn(2)) {
    for (int64_t i = 0; i < call.k; ++i) {
      call.smooth.push_back(random.Pick({0.0, 1.0, -1.0, 0.5, 2.0}));
    }
  }
  for (int64_t row = 0; row < call.m; ++row) {
    if (random.OneIn(3)) {
      for (int64_t i = 0; i < call.k; ++i) call.X(row, i) = 0;
    }
    const int64_t place =
        random.OneIn(2) ? call.k - 1 : random.Between(0, call.k - 1);
    if (random.OneIn(2)) {
      call.X(row, place) = random.Pick({kNaN, kInfinity, -kInfinity});
    }
    if (random.OneIn(4)) call.X(row, 0) = random.Pick({kNaN, kInfinity});
  }
  if (random.OneIn(3)) call.WeightScale(0, 0) = 0;
  return FinishGrouped(call, random);
}

// Products that need 22 bits, exceed all float16 or fall below them.
spec::Arguments SmoothProducts(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.ends.back() = call.m;
  const int64_t style = random.Between(0, 2);
  const auto value = [&]() -> double {
    const auto mantissa = static_cast<double>(random.Between(1024, 2047));
    const double signed_mantissa = random.OneIn(2) ? -mantissa : mantissa;
    // Near 1, near the largest float16, subnormal.
    if (style == 0) return std::ldexp(signed_mantissa, -10);
    if (style == 1) return std::ldexp(signed_mantissa, 5);
    return std::ldexp(static_cast<double>(random.Between(-1023, 1023)), -24);
  };
  for (double& x : call.x) x = value();
  for (int64_t i = 0; i < call.k; ++i) call.smooth.push_back(value());
  for (double& scale : call.weight_scales) {
    scale = std::ldexp(1.0, static_cast<int>(style == 0   ? -6
                                             : style == 1 ? -32
                                                          : 28));
  }
  return FinishGrouped(call, random);
}

// Products of the two scales that float cannot hold, or cannot hold exactly.
spec::Arguments ExtremeScales(RandomSource& random) {
  GroupedCall call = StartGrouped(random);
  call.ends.back() = call.m;
  const int e = random.Pick({-149, -148, -140, -126, -30, 10});
  for (int64_t row = 0; row < call.m; ++row) {
    const int64_t mantissa = RandomOdd(3, true, random);
    call.x_scales.push_back(Scale(mantissa, e));
  }
  for (double& scale : call.weight_scales) {
    const int64_t mantissa = RandomOdd(3, true, random);
    const int target = static_cast<int>(random.Between(-40, 8));
    scale = Scale(mantissa, std::clamp(target - e, -149, 124));
  }
  if (e >= -30) {
    for (double& x : call.x) x = std::ldexp(x, e < 0 ? -10 : 3);
  }
  return FinishGrouped(call, random);
}

}  // namespace

std::vector<Kind> GroupedMatmulKinds() {
  return {{"row-ties", 60, RowTies},
          {"static-ties", 60, StaticTies},
          {"output-ties", 60, OutputTies},
          {"accumulator-near-2-to-24", 20, AccumulatorNear2To24},
          {"accumulator-near-2-to-31", 1, AccumulatorNear2To31},
          {"groups", 50, Groups},
          {"padding-along-k", 30, PaddingAlongK},
          {"padding-along-n", 20, PaddingAlongN},
          {"not-transposed", 15, NotTransposed},
          {"special-rows", 30, SpecialRows},
          {"smooth-products", 30, SmoothProducts},
          {"extreme-scales", 30, ExtremeScales}};
}

}  // namespace qconform::harness::hard
