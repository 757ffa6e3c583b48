#include "spec/validate_rules.h"

#include <algorithm>
#include <limits>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace qconform::spec {
namespace {

std::string AttributeText(const Attribute& attribute) {
  if (const bool* value = std::get_if<bool>(&attribute)) {
    return *value ? "true" : "false";
  }
  if (const int64_t* value = std::get_if<int64_t>(&attribute)) {
    return absl::StrCat(*value);
  }
  return absl::StrCat("\"", std::get<std::string>(attribute), "\"");
}

std::string AttributeTypeName(const Attribute& attribute) {
  if (std::holds_alternative<bool>(attribute)) return "a bool";
  if (std::holds_alternative<int64_t>(attribute)) return "an int";
  return "a string";
}

// Strides are those of the packed layout wherever they matter: not along an
// axis of one element, and not in an empty tensor.
bool IsPacked(const TensorDesc& desc) {
  if (!desc.strides.has_value()) return true;
  TensorDesc packed = desc;
  packed.strides.reset();
  const std::vector<int64_t> strides = EffectiveStrides(packed);
  for (size_t i = 0; i < strides.size(); ++i) {
    if (desc.sizes[i] > 1 && (*desc.strides)[i] != strides[i]) {
      return std::find(desc.sizes.begin(), desc.sizes.end(), 0) !=
             desc.sizes.end();
    }
  }
  return true;
}

absl::Status CheckAttribute(const AttributeSpec& spec,
                            const Attribute& attribute) {
  const std::string wanted =
      absl::StrCat(spec.type == "int" ? "an " : "a ", spec.type);
  const std::string found = AttributeTypeName(attribute);
  if (found != wanted) {
    return Reject(spec.name,
                  absl::StrCat("is ", AttributeText(attribute), ", ", found),
                  wanted);
  }
  if (!spec.allowed.empty() &&
      std::find(spec.allowed.begin(), spec.allowed.end(), attribute) ==
          spec.allowed.end()) {
    return Reject(spec.name, absl::StrCat("is ", AttributeText(attribute)),
                  absl::StrJoin(spec.allowed, ", ",
                                [](std::string* out, const Attribute& allowed) {
                                  out->append(AttributeText(allowed));
                                }));
  }
  if (const int64_t* value = std::get_if<int64_t>(&attribute)) {
    const int64_t minimum =
        spec.minimum.value_or(std::numeric_limits<int64_t>::min());
    const int64_t maximum =
        spec.maximum.value_or(std::numeric_limits<int64_t>::max());
    if (*value < minimum || *value > maximum) {
      return Reject(spec.name, absl::StrCat("is ", *value),
                    absl::StrCat(minimum, "..", maximum));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string SizesText(const std::vector<int64_t>& sizes) {
  return absl::StrCat("{", absl::StrJoin(sizes, ", "), "}");
}

absl::Status Reject(const std::string& name, const std::string& found,
                    const std::string& allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " ", found, "; allowed: ", allowed));
}

const TensorDesc* FindDesc(const Arguments& arguments,
                           const std::string& name) {
  const auto input = arguments.inputs.find(name);
  if (input != arguments.inputs.end()) return &input->second.desc;
  const auto output = arguments.outputs.find(name);
  return output != arguments.outputs.end() ? &output->second : nullptr;
}

absl::Status CheckNames(const OperatorSpec& spec, const Arguments& arguments) {
  const auto unknown = [&spec](const char* kind, const std::string& name,
                               const std::string& known) {
    return absl::NotFoundError(absl::StrCat(spec.name, " has no ", kind, " \"",
                                            name, "\"; allowed: ", known));
  };
  const auto tensor_names = [&spec](bool outputs) {
    std::vector<std::string> names;
    for (const TensorSpec& tensor : spec.tensors) {
      if (tensor.is_output == outputs) names.push_back(tensor.name);
    }
    return absl::StrJoin(names, ", ");
  };
  for (const auto& [name, tensor] : arguments.inputs) {
    const TensorSpec* found = spec.FindTensor(name);
    if (found == nullptr || found->is_output) {
      return unknown("input", name, tensor_names(false));
    }
  }
  for (const auto& [name, desc] : arguments.outputs) {
    const TensorSpec* found = spec.FindTensor(name);
    if (found == nullptr || !found->is_output) {
      return unknown("output", name, tensor_names(true));
    }
  }
  for (const auto& [name, value] : arguments.attributes) {
    if (spec.FindAttribute(name) == nullptr) {
      return unknown(
          "attribute", name,
          absl::StrJoin(spec.attributes, ", ",
                        [](std::string* out, const AttributeSpec& attribute) {
                          out->append(attribute.name);
                        }));
    }
  }
  const Options defaults;
  const struct {
    const char* name;
    bool given;
  } options[] = {
      {"feature_level",
       arguments.options.feature_level != defaults.feature_level},
      {"arithmetic", arguments.options.arithmetic != defaults.arithmetic},
      {"allow_transpose_weight_false",
       arguments.options.allow_transpose_weight_false},
  };
  for (const auto& option : options) {
    if (option.given && std::find(spec.options.begin(), spec.options.end(),
                                  option.name) == spec.options.end()) {
      return unknown("option", option.name, absl::StrJoin(spec.options, ", "));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckStorage(const Arguments& arguments) {
  for (const auto& [name, tensor] : arguments.inputs) {
    const absl::StatusOr<int64_t> count = StorageElementCount(tensor.desc);
    if (!count.ok()) continue;
    // Divided, because the product may exceed 64 bits.
    const size_t element = ByteSize(tensor.desc.type);
    if (tensor.storage.size() % element != 0 ||
        tensor.storage.size() / element != static_cast<uint64_t>(*count)) {
      return Reject(
          name,
          absl::StrCat("has ", tensor.storage.size(), " bytes of storage"),
          absl::StrCat(*count, " elements of ", element, " bytes"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRequiredTensors(const OperatorSpec& spec,
                                  const Arguments& arguments) {
  for (const TensorSpec& tensor : spec.tensors) {
    if (!tensor.optional && FindDesc(arguments, tensor.name) == nullptr) {
      return Reject(tensor.name, "is missing", "it is required");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAbsentTensors(const OperatorSpec& spec,
                                const Arguments& arguments) {
  for (const TensorSpec& tensor : spec.tensors) {
    if (tensor.must_be_absent && FindDesc(arguments, tensor.name) != nullptr) {
      return Reject(tensor.name, "is given", "only its absence");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const OperatorSpec& spec, const Arguments& arguments) {
  for (const TensorSpec& tensor : spec.tensors) {
    const TensorDesc* desc = FindDesc(arguments, tensor.name);
    if (desc == nullptr || std::find(tensor.types.begin(), tensor.types.end(),
                                     desc->type) != tensor.types.end()) {
      continue;
    }
    return Reject(
        tensor.name, absl::StrCat("has type ", DataTypeName(desc->type)),
        absl::StrJoin(tensor.types, ", ", [](std::string* out, DataType type) {
          out->append(DataTypeName(type));
        }));
  }
  return absl::OkStatus();
}

absl::Status CheckRanks(const OperatorSpec& spec, const Arguments& arguments) {
  for (const TensorSpec& tensor : spec.tensors) {
    const TensorDesc* desc = FindDesc(arguments, tensor.name);
    if (desc == nullptr) continue;
    if (desc->sizes.size() < static_cast<size_t>(tensor.min_rank) ||
        desc->sizes.size() > static_cast<size_t>(tensor.max_rank)) {
      return Reject(tensor.name, absl::StrCat("has rank ", desc->sizes.size()),
                    tensor.min_rank == tensor.max_rank
                        ? absl::StrCat(tensor.min_rank)
                        : absl::StrCat(tensor.min_rank, "..", tensor.max_rank));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckLayouts(const OperatorSpec& spec,
                          const Arguments& arguments) {
  for (const TensorSpec& tensor : spec.tensors) {
    const TensorDesc* desc = FindDesc(arguments, tensor.name);
    if (desc == nullptr) continue;
    const absl::StatusOr<int64_t> count = StorageElementCount(*desc);
    if (!count.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(tensor.name, ": ", count.status().message()));
    }
    if (std::find(tensor.formats.begin(), tensor.formats.end(), desc->format) ==
        tensor.formats.end()) {
      return Reject(tensor.name,
                    absl::StrCat("has format ", TensorFormatName(desc->format)),
                    absl::StrJoin(tensor.formats, ", ",
                                  [](std::string* out, TensorFormat format) {
                                    out->append(TensorFormatName(format));
                                  }));
    }
    if (!tensor.strides_allowed && !IsPacked(*desc)) {
      TensorDesc packed = *desc;
      packed.strides.reset();
      return Reject(tensor.name,
                    absl::StrCat("has strides ", SizesText(*desc->strides)),
                    absl::StrCat("only the contiguous ones, ",
                                 SizesText(EffectiveStrides(packed))));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttributes(const OperatorSpec& spec,
                             const Arguments& arguments) {
  for (const AttributeSpec& attribute : spec.attributes) {
    const auto given = arguments.attributes.find(attribute.name);
    if (given == arguments.attributes.end()) continue;
    absl::Status status = CheckAttribute(attribute, given->second);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckRequiredAttributes(const OperatorSpec& spec,
                                     const Arguments& arguments) {
  for (const AttributeSpec& attribute : spec.attributes) {
    if (!attribute.default_value.has_value() &&
        arguments.attributes.count(attribute.name) == 0) {
      return Reject(attribute.name, "is missing", "it is required");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSameType(const Arguments& arguments, const std::string& name,
                           const std::string& zero_point_name) {
  const TensorDesc* zero_point = FindDesc(arguments, zero_point_name);
  const DataType type = FindDesc(arguments, name)->type;
  if (zero_point == nullptr || zero_point->type == type) {
    return absl::OkStatus();
  }
  return Reject(zero_point_name,
                absl::StrCat("has type ", DataTypeName(zero_point->type)),
                absl::StrCat(DataTypeName(type), ", the type of ", name));
}

absl::Status CheckEqualRanks(const Arguments& arguments,
                             const std::vector<std::string>& names) {
  const TensorDesc* first = FindDesc(arguments, names.front());
  for (const std::string& name : names) {
    const TensorDesc* desc = FindDesc(arguments, name);
    if (desc != nullptr && desc->sizes.size() != first->sizes.size()) {
      return Reject(
          name, absl::StrCat("has rank ", desc->sizes.size()),
          absl::StrCat(first->sizes.size(), ", the rank of ", names.front()));
    }
  }
  return absl::OkStatus();
}

absl::Status ForEachElement(
    const TensorDesc& desc,
    const std::function<absl::Status(int64_t offset)>& visit) {
  TensorDesc distinct = desc;
  if (desc.strides.has_value()) {
    for (size_t i = 0; i < desc.sizes.size(); ++i) {
      if ((*desc.strides)[i] == 0) {
        distinct.sizes[i] = std::min<int64_t>(desc.sizes[i], 1);
      }
    }
  }
  const int64_t count = *ElementCount(distinct);
  for (int64_t i = 0; i < count; ++i) {
    absl::Status status = visit(StorageOffset(distinct, i));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace qconform::spec
