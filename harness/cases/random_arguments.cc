#include "harness/cases/random_arguments.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/cases/random_values.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using spec::Arguments;
using spec::OperatorSpec;
using spec::TensorDesc;
using spec::TensorSpec;

using Sizes = std::vector<int64_t>;
// What the symbols of the shapes stand for in one call.
using Symbols = std::map<std::string, int64_t>;

// A size along which kernels vectorize: small, around the vector widths, or any
// remainder of the widest, 64 lanes.
int64_t VectorSize(RandomSource& random) {
  switch (random.Between(0, 3)) {
    case 0:
      return random.Between(1, 8);
    case 1:
      return random.Pick({15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129});
    default:
      return random.Between(1, 80);
  }
}

Sizes Instantiate(const std::vector<std::string>& shape,
                  const Symbols& symbols) {
  Sizes sizes;
  for (const std::string& symbol : shape) {
    const auto bound = symbols.find(symbol);
    sizes.push_back(bound != symbols.end() ? bound->second
                                           : std::stoll(symbol));
  }
  return sizes;
}

// Sizes of one of the tensor's shapes, without leading 1s down to `rank`.
Sizes RandomShape(const TensorSpec& tensor, const Symbols& symbols, size_t rank,
                  RandomSource& random) {
  std::vector<Sizes> candidates;
  for (const auto& shape : tensor.shapes) {
    Sizes sizes = Instantiate(shape, symbols);
    while (sizes.size() > rank && sizes.front() == 1) {
      sizes.erase(sizes.begin());
    }
    if (sizes.size() == rank) candidates.push_back(sizes);
  }
  return random.Pick(candidates);
}

TensorDesc RandomDesc(const TensorSpec& tensor, const Sizes& sizes,
                      RandomSource& random) {
  TensorDesc desc;
  desc.type = random.Pick(tensor.types);
  desc.sizes = sizes;
  if (tensor.strides_allowed && random.OneIn(3)) {
    desc.strides = RandomStrides(sizes, tensor.is_output, random);
  }
  return desc;
}

// The scales and zero points that both DML operators have. `sizes_of` gives the
// sizes of one of these tensors; `growth` is about how many times larger than
// scaleA * scaleB or than the scales of the addends the results may be.
void AddDmlQuantization(const OperatorSpec& spec,
                        const std::function<Sizes(const TensorSpec&)>& sizes_of,
                        bool is_product, int64_t growth, RandomSource& random,
                        Arguments& arguments) {
  const ScaleStyle style = RandomScaleStyle(random);
  const double a = std::ldexp(1.0, static_cast<int>(random.Between(-12, 4)));
  const double b =
      is_product ? std::ldexp(1.0, static_cast<int>(random.Between(-12, 4)))
                 : a;
  // From "everything saturates" to "everything is one of a few values".
  const double output =
      (is_product ? a * b : a) *
      std::ldexp(1.0,
                 static_cast<int>(random.Between(-1, 8 + std::ilogb(growth))));
  const std::map<std::string, double> magnitudes = {
      {"A", a}, {"B", b}, {"Output", output}};
  for (const auto& [prefix, magnitude] : magnitudes) {
    const TensorSpec& scale =
        *spec.FindTensor(absl::StrCat(prefix, "ScaleTensor"));
    const TensorDesc scale_desc = RandomDesc(scale, sizes_of(scale), random);
    arguments.inputs[scale.name] =
        FillReal(scale_desc, random, [&, magnitude = magnitude] {
          return RandomScale(style, magnitude, random);
        });
    if (random.OneIn(4)) continue;
    const TensorSpec& zero_point =
        *spec.FindTensor(absl::StrCat(prefix, "ZeroPointTensor"));
    TensorDesc desc = RandomDesc(zero_point, sizes_of(zero_point), random);
    const std::string whole = absl::StrCat(prefix, "Tensor");
    desc.type = prefix == "Output" ? arguments.outputs[whole].type
                                   : arguments.inputs[whole].desc.type;
    arguments.inputs[zero_point.name] = FillInteger(
        desc, random, [&] { return RandomZeroPoint(desc.type, random); });
  }
}

// The two operands and the output of a DML operator.
void AddDmlOperands(const OperatorSpec& spec,
                    const std::function<Sizes(const TensorSpec&)>& sizes_of,
                    RandomSource& random, Arguments& arguments) {
  for (const char* name : {"ATensor", "BTensor", "OutputTensor"}) {
    const TensorSpec& tensor = *spec.FindTensor(name);
    const TensorDesc desc = RandomDesc(tensor, sizes_of(tensor), random);
    if (tensor.is_output) {
      arguments.outputs[name] = desc;
    } else {
      const int64_t center = RandomZeroPoint(desc.type, random);
      arguments.inputs[name] = RandomQuantized(desc, center, random);
    }
  }
}

void MakeMatrixMultiply(const OperatorSpec& spec, RandomSource& random,
                        Arguments& arguments) {
  const bool old_level = random.OneIn(5);
  if (old_level) arguments.options.feature_level = "2_1";
  const TensorSpec& a = *spec.FindTensor("ATensor");
  const int64_t rank = old_level ? 4 : random.Between(a.min_rank, a.max_rank);
  Symbols symbols;
  symbols["BatchCount"] = rank == 4 ? random.Between(1, 2) : 1;
  symbols["ChannelCount"] = rank >= 3 ? random.Between(1, 3) : 1;
  symbols["N"] = VectorSize(random);
  symbols["K"] = VectorSize(random);
  // Few rows where the rest is large; the golden model evaluates exactly.
  const int64_t work = symbols["BatchCount"] * symbols["ChannelCount"] *
                       symbols["N"] * symbols["K"];
  symbols["M"] = random.Between(1, std::clamp<int64_t>(20000 / work, 1, 9));
  AddDmlOperands(
      spec,
      [&](const TensorSpec& tensor) {
        return RandomShape(tensor, symbols, static_cast<size_t>(rank), random);
      },
      random, arguments);

  const TensorSpec& scale = *spec.FindTensor("AScaleTensor");
  const int64_t scale_rank =
      old_level ? 4 : random.Between(scale.min_rank, scale.max_rank);
  AddDmlQuantization(
      spec,
      [&](const TensorSpec& tensor) {
        return RandomShape(tensor, symbols, static_cast<size_t>(scale_rank),
                           random);
      },
      /*is_product=*/true, symbols["K"] * 64, random, arguments);
}

void MakeAdd(const OperatorSpec& spec, RandomSource& random,
             Arguments& arguments) {
  const TensorSpec& a = *spec.FindTensor("ATensor");
  const int64_t rank = random.Between(a.min_rank, a.max_rank);
  Sizes sizes(static_cast<size_t>(rank), 1);
  int64_t count = VectorSize(random);
  sizes.back() = count;
  for (size_t i = 0; i + 1 < sizes.size(); ++i) {
    sizes[i] = random.Between(1, std::clamp<int64_t>(2000 / count, 1, 4));
    count *= sizes[i];
  }
  AddDmlOperands(
      spec, [&](const TensorSpec&) { return sizes; }, random, arguments);
  const Sizes one(sizes.size(), 1);
  AddDmlQuantization(
      spec, [&](const TensorSpec&) { return one; }, /*is_product=*/false,
      /*growth=*/2, random, arguments);
}

// A row of x: multiples of a half, so that many quotients are ties once the
// scale is a power of two; values of any kind; the row's scale made a power of
// two by a maximum of 127; zeros; NaN and infinities.
void FillRow(spec::Tensor& x, int64_t row, int64_t k, RandomSource& random) {
  const int64_t style = random.Between(0, 11);
  const double unit = std::ldexp(1.0, static_cast<int>(random.Between(-12, 2)));
  for (int64_t i = 0; i < k; ++i) {
    double value;
    if (style < 4) {
      value = unit * static_cast<double>(random.Between(-253, 253)) / 2;
    } else if (style < 6) {
      value = unit * static_cast<double>(random.Between(-2000, 2000)) / 64;
    } else if (style < 8) {
      value = RandomFiniteFloat16(random);
    } else if (style == 8) {
      value = 0;
    } else if (style == 9) {
      value = std::ldexp(static_cast<double>(random.Between(-9, 9)), -24);
    } else {
      value = unit * static_cast<double>(random.Between(-9, 9));
    }
    spec::WriteReal(x, spec::StorageOffset(x.desc, row * k + i), value);
  }
  const int64_t place =
      spec::StorageOffset(x.desc, row * k + random.Between(0, k - 1));
  if (style < 3) spec::WriteReal(x, place, 127 * unit);
  if (style == 11) {
    spec::WriteReal(x, place,
                    random.Pick({std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity()}));
  }
}

// Whether the weight is transposed.
bool ChooseTransposition(RandomSource& random, Arguments& arguments) {
  const bool transposed = !random.OneIn(3);
  if (!transposed) {
    arguments.attributes["transposeWeight"] = false;
    arguments.options.allow_transpose_weight_false = true;
  } else if (random.OneIn(2)) {
    arguments.attributes["transposeWeight"] = true;
  }
  return transposed;
}

// Groups that are empty, and rows beyond the last, come of themselves.
Sizes ChooseGroupEnds(int64_t groups, int64_t rows, RandomSource& random) {
  Sizes ends(static_cast<size_t>(groups));
  for (int64_t& end : ends) end = random.Between(0, rows);
  if (random.OneIn(2)) ends.back() = rows;
  std::sort(ends.begin(), ends.end());
  return ends;
}

void MakeGroupedMatmul(const OperatorSpec& spec, RandomSource& random,
                       Arguments& arguments) {
  const bool transposed = ChooseTransposition(random, arguments);
  const std::string mode = std::get<std::string>(
      random.Pick(spec.FindAttribute("xQuantMode")->allowed));
  arguments.attributes["xQuantMode"] = mode;

  const int64_t m = random.Between(1, 9);
  const int64_t k = 16 * random.Between(1, 5);
  const int64_t n = 16 * random.Between(1, 5);
  const int64_t g = random.Between(1, 4);
  const Symbols symbols = {{"m", m},
                           {"k", k},
                           {"n", n},
                           {"g", g},
                           {"ceil(k/32)", (k + 31) / 32},
                           {"ceil(n/32)", (n + 31) / 32},
                           {"n/16", n / 16},
                           {"k/16", k / 16}};
  const auto desc_of = [&](const char* name, size_t shape) {
    const TensorSpec& tensor = *spec.FindTensor(name);
    return RandomDesc(tensor, Instantiate(tensor.shapes[shape], symbols),
                      random);
  };

  // The spec lists (g,n,k), (g,k,n) and then the two of FRACTAL_NZ alike.
  const auto format = random.Pick(spec.FindTensor("weight")->formats);
  TensorDesc weight =
      desc_of("weight", (format == spec::TensorFormat::kFractalNz ? 2u : 0u) +
                            (transposed ? 0u : 1u));
  weight.format = format;
  arguments.inputs["weight"] = RandomQuantized(weight, 0, random);

  arguments.inputs["x"] = FillReal(desc_of("x", 0), random, [] { return 0.0; });
  for (int64_t row = 0; row < m; ++row) {
    FillRow(arguments.inputs["x"], row, k, random);
  }

  const ScaleStyle style = RandomScaleStyle(random);
  const auto scales = [&](const char* name, size_t shape, double magnitude) {
    arguments.inputs[name] = FillReal(desc_of(name, shape), random, [&] {
      return random.OneIn(30) ? 0.0 : RandomScale(style, magnitude, random);
    });
  };
  scales("weightScale", 0,
         std::ldexp(1.0, static_cast<int>(random.Between(-14, 3))));
  if (mode == "pertensor" || random.OneIn(2)) {
    scales("xScaleOptional", mode == "pertensor" ? 0 : 1,
           std::ldexp(1.0, static_cast<int>(random.Between(-10, 2))));
  }
  if (random.OneIn(2)) {
    const bool any = random.OneIn(4);
    arguments.inputs["smoothScaleOptional"] =
        FillReal(desc_of("smoothScaleOptional", 0), random, [&] {
          if (any) return RandomFiniteFloat16(random);
          return std::ldexp(static_cast<double>(random.Between(-2, 6)), -1);
        });
  }

  const Sizes ends = ChooseGroupEnds(g, m, random);
  // Its elements must not share storage, or the order would be lost.
  TensorDesc groups = desc_of("groupList", 0);
  if (groups.strides.has_value()) groups.strides = {random.Between(1, 3)};
  size_t next = 0;
  arguments.inputs["groupList"] =
      FillInteger(groups, random, [&] { return ends[next++]; });

  arguments.outputs["out"] = desc_of("out", 0);

  if (random.OneIn(25)) {
    // Empty tensors succeed, whatever the shapes of the others (AG-11).
    const std::string name =
        random.Pick({"x", "weight", "weightScale", "groupList"});
    TensorDesc& desc = arguments.inputs[name].desc;
    desc.sizes[0] = 0;
    arguments.inputs[name].storage.clear();
  }
}

void ChooseAttributes(const OperatorSpec& spec, RandomSource& random,
                      Arguments& arguments) {
  for (const spec::AttributeSpec& attribute : spec.attributes) {
    if (random.OneIn(3)) continue;  // The default is taken.
    spec::Attribute value;
    if (attribute.type == "bool") {
      value = random.OneIn(2);
    } else if (attribute.type == "int") {
      // 62 bits fit only unsigned values; 1 bit is tried below.
      value = random.Pick({int64_t{8}, int64_t{4}, int64_t{2}, int64_t{16},
                           random.Between(2, *attribute.maximum - 1)});
    } else {
      value = random.Pick(attribute.allowed);
    }
    arguments.attributes[attribute.name] = value;
  }
  if (random.OneIn(3)) arguments.options.arithmetic = "tensorflow";
  if (random.OneIn(10)) {
    arguments.attributes["signed_input"] = false;
    arguments.attributes["num_bits"] =
        random.Pick({*spec.FindAttribute("num_bits")->minimum,
                     *spec.FindAttribute("num_bits")->maximum});
  } else if (random.OneIn(20)) {
    arguments.attributes["num_bits"] = int64_t{1};
    arguments.attributes["narrow_range"] = false;
    arguments.options.arithmetic = "exact";
  }
}

struct Range {
  // A unit of which ends and data are multiples makes the scale factor a power
  // of two and half units ties.
  double unit;
  double low;
  double high;
  bool is_any;  // the ends are no multiples
};

Range ChooseRange(RandomSource& random) {
  Range range;
  range.unit = random.OneIn(8)
                   ? std::fabs(RandomFiniteFloat32(random))
                   : std::ldexp(1.0, static_cast<int>(random.Between(-9, 3)));
  const double unit = range.unit;
  range.low = -127 * unit;
  range.high = 127 * unit;
  switch (random.Between(0, 7)) {
    case 0:
      range.low = -128 * unit;
      break;
    case 1:
      range.low =
          -std::fabs(unit * static_cast<double>(random.Between(0, 999)));
      break;
    case 2:
      range.low = 0;
      range.high = 255 * unit;
      break;
    case 3:
      range.high = unit * static_cast<double>(random.Between(-127, 127));
      break;
    case 4:
      range.low = unit * static_cast<double>(random.Between(-127, 127));
      break;
    case 5:
      range.low = range.high = random.Pick({0.0, -unit, unit});
      break;
    default:
      break;
  }
  range.is_any = random.OneIn(10);
  if (range.is_any) {
    range.low = RandomFiniteFloat32(random);
    range.high = RandomFiniteFloat32(random);
    if (range.low > range.high) std::swap(range.low, range.high);
  }
  return range;
}

double ClampToFloat32(double value) {
  return std::clamp(value, -0x1.fffffep127, 0x1.fffffep127);
}

spec::Tensor ChooseInput(const TensorDesc& desc, const Range& range,
                         RandomSource& random) {
  const int64_t style = random.Between(0, 9);
  const double sign = style == 9 ? -1 : 1;
  spec::Tensor input = FillReal(desc, random, [&]() -> double {
    if (style == 0) return RandomFiniteFloat32(random);
    if (style == 1 && random.OneIn(20)) {
      return random.Pick({std::numeric_limits<double>::quiet_NaN(),
                          std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()});
    }
    if (style == 2 || range.is_any) {
      return ClampToFloat32(
          range.unit *
          static_cast<double>(random.Between(-(1 << 23), 1 << 23)) / (1 << 15));
    }
    const int64_t halves = random.Between(style >= 8 ? 0 : -300, 300);
    return ClampToFloat32(sign * range.unit * static_cast<double>(halves) / 2);
  });
  if (style >= 3 && random.OneIn(2)) {
    // A measured range then has ends that are multiples of the unit.
    const int64_t count = spec::ElementCount(desc).value();
    if (count > 0) {
      spec::WriteReal(input, random.Between(0, count - 1),
                      ClampToFloat32(sign * 127 * range.unit));
    }
  }
  return input;
}

void MakeQuantizeAndDequantize(const OperatorSpec& spec, RandomSource& random,
                               Arguments& arguments) {
  ChooseAttributes(spec, random, arguments);
  Range range = ChooseRange(random);
  const auto given = arguments.attributes.find("range_given");
  if ((given == arguments.attributes.end() ||
       given->second == spec::Attribute(false)) &&
      random.OneIn(3)) {
    // Ignored, whatever it is (TQ-07).
    range.low = std::numeric_limits<double>::quiet_NaN();
  }
  const auto scalar = [&](const char* name, double value) {
    arguments.inputs[name] =
        FillReal(RandomDesc(*spec.FindTensor(name), {}, random), random,
                 [&] { return ClampToFloat32(value); });
  };
  scalar("input_min", range.low);
  scalar("input_max", range.high);

  Sizes sizes(static_cast<size_t>(random.Between(0, 5)), 1);
  if (!sizes.empty()) {
    sizes.back() =
        random.OneIn(3) ? random.Between(1, 300) : VectorSize(random);
    for (size_t i = 0; i + 1 < sizes.size(); ++i) {
      sizes[i] = random.Between(1, 2);
    }
    if (random.OneIn(25)) sizes[0] = 0;
  }
  arguments.inputs["input"] = ChooseInput(
      RandomDesc(*spec.FindTensor("input"), sizes, random), range, random);
  arguments.outputs["output"] =
      RandomDesc(*spec.FindTensor("output"), sizes, random);
}

}  // namespace

Arguments RandomValidArguments(const std::string& operator_name,
                               RandomSource& random) {
  static const auto* const kMakers =
      new std::map<std::string,
                   void (*)(const OperatorSpec&, RandomSource&, Arguments&)>{
          {"aclnn_quant_grouped_matmul_dequant", MakeGroupedMatmul},
          {"dml_element_wise_quantized_linear_add", MakeAdd},
          {"dml_quantized_linear_matrix_multiply", MakeMatrixMultiply},
          {"tf_quantize_and_dequantize_v2", MakeQuantizeAndDequantize}};
  Arguments arguments;
  arguments.operator_name = operator_name;
  kMakers->at(operator_name)(*spec::FindOperator(operator_name), random,
                             arguments);
  return arguments;
}

Arguments RandomArguments(const std::string& operator_name,
                          RandomSource& random) {
  Arguments arguments = RandomValidArguments(operator_name, random);
  const int64_t changes = random.Pick({0, 0, 1, 1, 1, 2});
  for (int64_t i = 0; i < changes; ++i) BreakArguments(arguments, random);
  return arguments;
}

}  // namespace qconform::harness
