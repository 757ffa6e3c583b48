#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/cases/random_arguments.h"
#include "harness/cases/random_values.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using spec::Arguments;
using spec::DataType;
using spec::OperatorSpec;
using spec::TensorDesc;
using spec::TensorSpec;

// Storage beyond this is not made; the change is given up instead.
constexpr int64_t kMaxStorage = 1 << 20;

std::vector<std::string> GivenNames(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : arguments.inputs) names.push_back(name);
  for (const auto& [name, desc] : arguments.outputs) names.push_back(name);
  return names;
}

// The finite values of random bytes; what an implementation does with the
// others is no matter of a tensor that has the wrong form.
spec::Tensor RandomTensor(const TensorDesc& desc, RandomSource& random) {
  if (!spec::IsFloat(desc.type)) {
    return FillInteger(desc, random, [&] { return random.Between(-128, 255); });
  }
  return FillReal(desc, random, [&] {
    return RandomScale(ScaleStyle::kOrdinary, 1, random);
  });
}

// Gives a tensor another description. The storage of an input is made anew if
// its size differs; a description that has none gets none.
void Redescribe(Arguments& arguments, const std::string& name,
                const TensorDesc& desc, RandomSource& random) {
  const auto output = arguments.outputs.find(name);
  if (output != arguments.outputs.end()) {
    output->second = desc;
    return;
  }
  spec::Tensor& tensor = arguments.inputs[name];
  const absl::StatusOr<int64_t> elements = spec::StorageElementCount(desc);
  if (!elements.ok()) {
    tensor = {desc, {}};
    return;
  }
  const int64_t count = spec::ElementCount(desc).value();
  if (*elements > kMaxStorage || count > kMaxStorage) return;
  if (tensor.storage.size() ==
      static_cast<size_t>(*elements) * spec::ByteSize(desc.type)) {
    tensor.desc = desc;
  } else {
    tensor = RandomTensor(desc, random);
  }
}

void ChangeType(TensorDesc& desc, RandomSource& random) {
  desc.type =
      random.Pick({DataType::kUint8, DataType::kInt8, DataType::kInt16,
                   DataType::kInt32, DataType::kInt64, DataType::kFloat16,
                   DataType::kFloat32, DataType::kFloat64});
}

// Strides, if there are any, grow and shrink with the sizes.
void ChangeRank(TensorDesc& desc, RandomSource& random) {
  const bool at_front = random.OneIn(2);
  const bool grow = desc.sizes.empty() || random.OneIn(2);
  const auto change = [&](std::vector<int64_t>& list, int64_t value) {
    if (grow) {
      list.insert(at_front ? list.begin() : list.end(), value);
    } else {
      list.erase(at_front ? list.begin() : list.end() - 1);
    }
  };
  change(desc.sizes, random.OneIn(2) ? 1 : 2);
  if (desc.strides.has_value()) change(*desc.strides, 1);
}

void ChangeSize(TensorDesc& desc, bool is_output, RandomSource& random) {
  if (desc.sizes.empty()) return ChangeRank(desc, random);
  int64_t& size = desc.sizes[static_cast<size_t>(
      random.Between(0, static_cast<int64_t>(desc.sizes.size()) - 1))];
  switch (random.Between(0, 6)) {
    case 0:
      size = 0;
      break;
    case 1:
      size = -1;
      break;
    case 2:
      size *= 2;
      break;
    case 3:
      size = 1;
      break;
    case 4:
      // Only outputs: nobody has the storage for such an input.
      size = is_output ? random.Pick({int64_t{1} << 32, int64_t{1} << 62,
                                      std::numeric_limits<int64_t>::max()})
                       : size + 16;
      break;
    default:
      size += random.OneIn(2) && size > 0 ? -1 : 1;
      break;
  }
}

void ChangeStrides(TensorDesc& desc, bool is_output, RandomSource& random) {
  for (const int64_t size : desc.sizes) {
    if (size < 1 || size > kMaxStorage) return;
  }
  std::vector<int64_t> strides = RandomStrides(desc.sizes, is_output, random);
  if (strides.empty() || random.OneIn(8)) {
    strides.push_back(1);
  } else {
    int64_t& stride = strides[static_cast<size_t>(
        random.Between(0, static_cast<int64_t>(strides.size()) - 1))];
    switch (random.Between(0, 5)) {
      case 0:
        stride = 0;
        break;
      case 1:
        stride = -stride;
        break;
      case 2:
        stride += random.Pick({-1, 1});
        break;
      case 3:
        stride = 1;
        break;
      default:
        break;
    }
  }
  desc.strides = strides;
}

// A value of a float or 64-bit tensor that may be illegal: scales, ranges,
// group lists.
void ChangeValue(Arguments& arguments, RandomSource& random) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : arguments.inputs) {
    const DataType type = tensor.desc.type;
    if (!tensor.storage.empty() &&
        (spec::IsFloat(type) || type == DataType::kInt64)) {
      names.push_back(name);
    }
  }
  if (names.empty()) return;
  spec::Tensor& tensor = arguments.inputs[random.Pick(names)];
  const int64_t place =
      random.Between(0, static_cast<int64_t>(tensor.storage.size() /
                                             spec::ByteSize(tensor.desc.type)) -
                            1);
  if (tensor.desc.type == DataType::kInt64) {
    spec::WriteInteger(tensor, place,
                       random.Pick({int64_t{-1}, random.Between(0, 12),
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()}));
  } else {
    spec::WriteReal(
        tensor, place,
        random.Pick({0.0, -0.0, std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()}));
  }
}

// Takes a tensor away, or gives one that is not there.
void ChangePresence(const OperatorSpec& spec, Arguments& arguments,
                    RandomSource& random) {
  std::vector<std::string> names;
  for (const TensorSpec& tensor : spec.tensors) names.push_back(tensor.name);
  const TensorSpec& tensor = *spec.FindTensor(random.Pick(names));
  if (arguments.inputs.erase(tensor.name) > 0 ||
      arguments.outputs.erase(tensor.name) > 0) {
    return;
  }
  TensorDesc desc;
  desc.type =
      tensor.types.empty() ? DataType::kFloat32 : random.Pick(tensor.types);
  const int64_t rank = random.Between(0, 4);
  for (int64_t i = 0; i < rank; ++i) desc.sizes.push_back(random.Between(1, 2));
  if (tensor.is_output) {
    arguments.outputs[tensor.name] = desc;
  } else {
    arguments.inputs[tensor.name] = RandomTensor(desc, random);
  }
}

void ChangeAttribute(const OperatorSpec& spec, Arguments& arguments,
                     RandomSource& random) {
  if (spec.attributes.empty()) return ChangeValue(arguments, random);
  const spec::AttributeSpec& attribute = random.Pick(spec.attributes);
  if (random.OneIn(4)) {
    arguments.attributes.erase(attribute.name);
  } else if (attribute.type == "bool") {
    arguments.attributes[attribute.name] = random.OneIn(2);
  } else if (attribute.type == "int") {
    arguments.attributes[attribute.name] = random.Pick(
        {int64_t{0}, int64_t{1}, int64_t{61}, int64_t{62}, int64_t{63},
         int64_t{-1}, std::numeric_limits<int64_t>::max()});
  } else {
    arguments.attributes[attribute.name] =
        random.OneIn(2) ? std::string("no such value")
                        : std::get<std::string>(random.Pick(attribute.allowed));
  }
}

void ChangeOption(const OperatorSpec& spec, Arguments& arguments,
                  RandomSource& random) {
  if (spec.options.empty()) return ChangeValue(arguments, random);
  const std::string& option = random.Pick(spec.options);
  if (option == "feature_level") {
    arguments.options.feature_level = "2_1";
  } else if (option == "arithmetic") {
    arguments.options.arithmetic = "tensorflow";
  } else {
    arguments.options.allow_transpose_weight_false =
        !arguments.options.allow_transpose_weight_false;
  }
}

}  // namespace

void BreakArguments(Arguments& arguments, RandomSource& random) {
  const OperatorSpec& spec = *spec::FindOperator(arguments.operator_name);
  const int64_t kind = random.Between(0, 11);
  if (kind <= 5) {
    const std::vector<std::string> names = GivenNames(arguments);
    if (names.empty()) return;
    const std::string name = random.Pick(names);
    const bool is_output = arguments.outputs.count(name) != 0;
    TensorDesc desc =
        is_output ? arguments.outputs[name] : arguments.inputs[name].desc;
    switch (kind) {
      case 0:
        ChangeType(desc, random);
        break;
      case 1:
        ChangeRank(desc, random);
        break;
      case 2:
      case 3:
        ChangeSize(desc, is_output, random);
        break;
      case 4:
        ChangeStrides(desc, is_output, random);
        break;
      default:
        desc.format = desc.format == spec::TensorFormat::kNd
                          ? spec::TensorFormat::kFractalNz
                          : spec::TensorFormat::kNd;
        break;
    }
    Redescribe(arguments, name, desc, random);
  } else if (kind <= 7) {
    ChangeValue(arguments, random);
  } else if (kind == 8) {
    ChangePresence(spec, arguments, random);
  } else if (kind == 9) {
    ChangeOption(spec, arguments, random);
  } else {
    ChangeAttribute(spec, arguments, random);
  }
}

bool OutputsFit(const Arguments& arguments, int64_t most_elements) {
  for (const auto& [name, desc] : arguments.outputs) {
    const absl::StatusOr<int64_t> count = spec::StorageElementCount(desc);
    if (!count.ok() || *count > most_elements) return false;
  }
  return true;
}

}  // namespace qconform::harness
