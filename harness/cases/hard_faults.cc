#include "harness/cases/hard_faults.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "harness/cases/hard_cases.h"
#include "harness/cases/hard_cases_parts.h"

namespace qconform::harness {
namespace {

using spec::Arguments;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Any element, the last one often: a check that stops early misses it.
int64_t AnyElement(const spec::Tensor& tensor, RandomSource& random) {
  const int64_t count = spec::ElementCount(tensor.desc).value();
  return spec::StorageOffset(
      tensor.desc, random.OneIn(2) ? count - 1 : random.Between(0, count - 1));
}

void SpoilScale(Arguments& arguments, const std::vector<std::string>& names,
                std::vector<double> values, RandomSource& random) {
  std::vector<std::string> given;
  for (const std::string& name : names) {
    if (arguments.inputs.contains(name)) given.push_back(name);
  }
  spec::Tensor& scale = arguments.inputs.at(random.Pick(given));
  const double value = random.Pick(values);
  spec::WriteReal(scale, AnyElement(scale, random), value);
}

void SpoilGroups(Arguments& arguments, RandomSource& random) {
  const int64_t m = arguments.inputs.at("x").desc.sizes[0];
  std::vector<double> ends = {static_cast<double>(m), 0};
  switch (random.Between(0, 2)) {
    case 0:
      break;  // decreases
    case 1:
      ends = {0, static_cast<double>(m + 1)};
      break;
    default:
      ends = {-1, static_cast<double>(m)};
      break;
  }
  // Two groups, with the weight of the first for both.
  auto& inputs = arguments.inputs;
  inputs["groupList"] =
      PackedTensor(spec::DataType::kInt64, {2}, {ends[0], ends[1]});
  for (const char* name : {"weight", "weightScale"}) {
    spec::Tensor& tensor = inputs.at(name);
    const int64_t part =
        spec::ElementCount(tensor.desc).value() / tensor.desc.sizes[0];
    spec::Tensor twice = tensor;
    twice.desc.strides.reset();
    twice.desc.sizes[0] = 2;
    twice.storage.resize(static_cast<size_t>(2 * part) *
                         spec::ByteSize(tensor.desc.type));
    for (int64_t i = 0; i < 2 * part; ++i) {
      spec::WriteReal(
          twice, i,
          spec::ReadReal(tensor, spec::StorageOffset(tensor.desc, i % part)));
    }
    tensor = std::move(twice);
  }
}

void SpoilRange(Arguments& arguments, RandomSource& random) {
  arguments.attributes["range_given"] = true;
  double low = random.Pick({1.0, 0x1p-149, 3.0});
  double high = random.Pick({0.0, -1.0, -0x1p-149});
  if (random.OneIn(2)) {
    low = -1;
    high = 1;
    (random.OneIn(2) ? low : high) = random.Pick({kNaN, kInfinity, -kInfinity});
  }
  for (const auto& [name, value] :
       {std::pair("input_min", low), std::pair("input_max", high)}) {
    spec::WriteReal(arguments.inputs.at(name), 0, value);
  }
}

}  // namespace

Arguments HardFault(const std::string& operator_name, RandomSource& random) {
  // The longest sums would only take time.
  const std::string kind =
      operator_name == "aclnn_quant_grouped_matmul_dequant"
          ? random.Pick({std::string("groups"), std::string("smooth-products"),
                         std::string("static-ties")})
          : std::string("clamps");
  Arguments arguments = HardCase(operator_name, kind, random);
  if (operator_name == "tf_quantize_and_dequantize_v2") {
    SpoilRange(arguments, random);
  } else if (operator_name != "aclnn_quant_grouped_matmul_dequant") {
    SpoilScale(arguments, {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"},
               {0.0, kNaN, kInfinity, -kInfinity}, random);
  } else if (random.OneIn(2)) {
    SpoilGroups(arguments, random);
  } else {
    SpoilScale(arguments,
               {"weightScale", "xScaleOptional", "smoothScaleOptional"},
               {kNaN, kInfinity, -kInfinity}, random);
  }
  return arguments;
}

}  // namespace qconform::harness
