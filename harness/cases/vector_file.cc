#include "harness/cases/vector_file.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/json_reader.h"
#include "harness/cases/tensor_data.h"
#include "harness/cases/value_text.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using Kind = JsonValue::Kind;
using spec::OperatorSpec;
using spec::TensorSpec;

constexpr char kSchema[] = "test_vector/1";

absl::Status Malformed(const std::string& place, const std::string& found,
                       const std::string& allowed) {
  return absl::InvalidArgumentError(absl::StrCat(
      place, place.empty() ? "" : ": ", "found ", found, "; ", allowed));
}

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::InvalidArgumentError(absl::StrCat(place, status.message()));
}

absl::Status CheckKind(const JsonValue& value, Kind kind,
                       const std::string& place, const std::string& allowed) {
  if (value.kind == kind) return absl::OkStatus();
  return Malformed(place, value.Describe(),
                   absl::StrCat(allowed, " stands here"));
}

// Every key must be one of `allowed`, and the first `required` of them must be
// there.
absl::Status CheckKeys(const JsonValue& object, const std::string& place,
                       const std::vector<std::string>& allowed,
                       size_t required) {
  for (const auto& [key, value] : object.members) {
    if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
      return Malformed(
          place, absl::StrCat("the key \"", key, "\""),
          absl::StrCat("allowed are ", absl::StrJoin(allowed, ", ")));
    }
  }
  for (size_t i = 0; i < required; ++i) {
    if (object.Find(allowed[i]) == nullptr) {
      return Malformed(
          place, absl::StrCat("no \"", allowed[i], "\""),
          absl::StrCat("required are ",
                       absl::StrJoin(allowed.begin(),
                                     allowed.begin() + required, ", ")));
    }
  }
  return absl::OkStatus();
}

// Ids stand in repeat lines and filters, so nothing a shell would read.
bool IsId(const std::string& id) {
  return !id.empty() && absl::ascii_isalnum(id[0]) &&
         std::all_of(id.begin(), id.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

absl::StatusOr<std::vector<int64_t>> ParseExtents(const JsonValue& list,
                                                  const std::string& place) {
  absl::Status status = CheckKind(list, Kind::kArray, place, "a list");
  if (!status.ok()) return status;
  std::vector<int64_t> extents;
  for (const JsonValue& item : list.items) {
    if (item.kind != Kind::kUnsigned ||
        item.unsigned_value >
            static_cast<uint64_t>(MaximumOf(spec::DataType::kInt64))) {
      return Malformed(absl::StrCat(place, "[", extents.size(), "]"),
                       item.Describe(),
                       "an integer from 0 to 2^63-1 is allowed");
    }
    extents.push_back(static_cast<int64_t>(item.unsigned_value));
  }
  return extents;
}

absl::StatusOr<spec::TensorDesc> ParseDesc(const JsonValue& tensor,
                                           const std::string& place) {
  spec::TensorDesc desc;
  const JsonValue& type = *tensor.Find("type");
  absl::Status status =
      CheckKind(type, Kind::kString, absl::StrCat(place, ".type"), "a string");
  if (!status.ok()) return status;
  const absl::StatusOr<spec::DataType> data_type =
      spec::ParseDataType(type.text);
  if (!data_type.ok()) {
    return At(absl::StrCat(place, ".type: "), data_type.status());
  }
  desc.type = *data_type;
  if (const JsonValue* format = tensor.Find("format"); format != nullptr) {
    const std::string format_place = absl::StrCat(place, ".format");
    status = CheckKind(*format, Kind::kString, format_place, "a string");
    if (!status.ok()) return status;
    const absl::StatusOr<spec::TensorFormat> tensor_format =
        spec::ParseTensorFormat(format->text);
    if (!tensor_format.ok()) {
      return At(absl::StrCat(format_place, ": "), tensor_format.status());
    }
    desc.format = *tensor_format;
  }
  absl::StatusOr<std::vector<int64_t>> sizes =
      ParseExtents(*tensor.Find("sizes"), absl::StrCat(place, ".sizes"));
  if (!sizes.ok()) return sizes.status();
  desc.sizes = *std::move(sizes);
  if (const JsonValue* list = tensor.Find("strides"); list != nullptr) {
    absl::StatusOr<std::vector<int64_t>> strides =
        ParseExtents(*list, absl::StrCat(place, ".strides"));
    if (!strides.ok()) return strides.status();
    desc.strides = *std::move(strides);
  }
  const absl::StatusOr<int64_t> elements = spec::ElementCount(desc);
  if (!elements.ok()) return At(absl::StrCat(place, ": "), elements.status());
  const absl::StatusOr<int64_t> storage = spec::StorageElementCount(desc);
  if (!storage.ok()) return At(absl::StrCat(place, ": "), storage.status());
  return desc;
}

// Reads "inputs" or "outputs" of a case.
absl::Status ParseTensors(const JsonValue& tensors, bool outputs,
                          const OperatorSpec& operator_spec,
                          GenerationBudget& budget, TestCase& test_case) {
  const std::string group = outputs ? "outputs" : "inputs";
  absl::Status status = CheckKind(tensors, Kind::kObject, group, "an object");
  if (!status.ok()) return status;
  for (const auto& [name, tensor] : tensors.members) {
    const TensorSpec* tensor_spec = operator_spec.FindTensor(name);
    if (tensor_spec == nullptr || tensor_spec->is_output != outputs) {
      std::vector<std::string> names;
      for (const TensorSpec& known : operator_spec.tensors) {
        if (known.is_output == outputs) names.push_back(known.name);
      }
      return Malformed(
          group, absl::StrCat("the tensor \"", name, "\""),
          absl::StrCat("allowed are ", absl::StrJoin(names, ", ")));
    }
    const std::string place = absl::StrCat(group, ".", name);
    status = CheckKind(tensor, Kind::kObject, place, "an object");
    if (!status.ok()) return status;
    status =
        CheckKeys(tensor, place, {"type", "sizes", "data", "strides", "format"},
                  outputs ? 2 : 3);
    if (!status.ok()) return status;
    absl::StatusOr<spec::TensorDesc> desc = ParseDesc(tensor, place);
    if (!desc.ok()) return desc.status();
    const JsonValue* data = tensor.Find("data");
    if (outputs) test_case.arguments.outputs[name] = *desc;
    if (data == nullptr || (outputs && data->kind == Kind::kNull)) continue;
    if (outputs && test_case.error.has_value()) {
      return Malformed(absl::StrCat(place, ".data"), data->Describe(),
                       "a case with an error writes nothing and has no data");
    }
    absl::StatusOr<TensorData> parsed =
        ParseTensorData(*data, *desc, outputs, budget);
    if (!parsed.ok()) {
      const bool nested = parsed.status().message().substr(0, 1) == "[" ||
                          parsed.status().message().substr(0, 1) == ".";
      return At(absl::StrCat(place, ".data", nested ? "" : ": "),
                parsed.status());
    }
    if (!parsed->generated.empty()) {
      test_case.generated_data[name] = parsed->generated;
    }
    if (outputs) {
      test_case.expected[name] = {std::move(parsed->tensor),
                                  std::move(parsed->must_stay)};
    } else {
      test_case.arguments.inputs[name] = std::move(parsed->tensor);
    }
  }
  return absl::OkStatus();
}

absl::Status ParseAttributes(const JsonValue& attributes,
                             const OperatorSpec& operator_spec,
                             TestCase& test_case) {
  absl::Status status =
      CheckKind(attributes, Kind::kObject, "attributes", "an object");
  if (!status.ok()) return status;
  for (const auto& [name, value] : attributes.members) {
    const spec::AttributeSpec* attribute = operator_spec.FindAttribute(name);
    if (attribute == nullptr) {
      std::vector<std::string> names;
      for (const spec::AttributeSpec& known : operator_spec.attributes) {
        names.push_back(known.name);
      }
      return Malformed(
          "attributes", absl::StrCat("the attribute \"", name, "\""),
          absl::StrCat("allowed are ",
                       names.empty() ? "none" : absl::StrJoin(names, ", ")));
    }
    const std::string place = absl::StrCat("attributes.", name);
    spec::Attribute& parsed = test_case.arguments.attributes[name];
    if (attribute->type == "bool") {
      status = CheckKind(value, Kind::kBool, place, "true or false");
      if (!status.ok()) return status;
      parsed = value.boolean;
    } else if (attribute->type == "string") {
      status = CheckKind(value, Kind::kString, place, "a string");
      if (!status.ok()) return status;
      parsed = value.text;
    } else {
      const absl::StatusOr<int64_t> integer =
          ParseInteger(value, spec::DataType::kInt64);
      if (!integer.ok()) return At(absl::StrCat(place, ": "), integer.status());
      parsed = *integer;
    }
  }
  return absl::OkStatus();
}

absl::Status ParseChoice(const JsonValue& value, const std::string& place,
                         const std::vector<std::string>& allowed,
                         std::string& choice) {
  if (value.kind != Kind::kString ||
      std::find(allowed.begin(), allowed.end(), value.text) == allowed.end()) {
    return Malformed(
        place, value.Describe(),
        absl::StrCat("allowed are \"", absl::StrJoin(allowed, "\", \""), "\""));
  }
  choice = value.text;
  return absl::OkStatus();
}

absl::Status ParseOptions(const JsonValue& options,
                          const OperatorSpec& operator_spec,
                          spec::Options& parsed) {
  absl::Status status =
      CheckKind(options, Kind::kObject, "options", "an object");
  if (!status.ok()) return status;
  status = CheckKeys(options, "options", operator_spec.options, 0);
  if (!status.ok()) return status;
  for (const auto& [name, value] : options.members) {
    const std::string place = absl::StrCat("options.", name);
    if (name == "feature_level") {
      status = ParseChoice(value, place, {"2_1", "4_0"}, parsed.feature_level);
    } else if (name == "arithmetic") {
      status =
          ParseChoice(value, place, {"exact", "tensorflow"}, parsed.arithmetic);
    } else {
      status = CheckKind(value, Kind::kBool, place, "true or false");
      parsed.allow_transpose_weight_false = value.boolean;
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ParseError(const JsonValue& value,
                        const OperatorSpec& operator_spec,
                        TestCase& test_case) {
  // The rejections an operator can answer with; absl has more, which no
  // document's operator returns.
  static const auto& kStatuses = *new std::vector<std::string>{
      "invalid_argument", "out_of_range", "resource_exhausted",
      "failed_precondition", "unimplemented"};
  const bool ascend = operator_spec.name.substr(0, 5) == "aclnn";
  ExpectedError error;
  if (value.kind == Kind::kString &&
      std::find(kStatuses.begin(), kStatuses.end(), value.text) !=
          kStatuses.end()) {
    error.status = value.text;
  } else if (ascend && value.kind == Kind::kUnsigned &&
             (value.unsigned_value == 161001 ||
              value.unsigned_value == 161002)) {
    error.aclnn_status = static_cast<int>(value.unsigned_value);
  } else {
    return Malformed(
        "error", value.Describe(),
        absl::StrCat("allowed are \"", absl::StrJoin(kStatuses, "\", \""), "\"",
                     ascend ? ", 161001, 161002" : ""));
  }
  test_case.error = error;
  return absl::OkStatus();
}

absl::Status ParseText(const JsonValue* value, const std::string& place,
                       std::string& text) {
  if (value == nullptr) return absl::OkStatus();
  absl::Status status = CheckKind(*value, Kind::kString, place, "a string");
  text = value->text;
  return status;
}

absl::Status ParseClauses(const JsonValue& clauses, TestCase& test_case) {
  absl::Status status = CheckKind(clauses, Kind::kArray, "clauses", "a list");
  if (!status.ok()) return status;
  for (const JsonValue& clause : clauses.items) {
    status = CheckKind(clause, Kind::kString,
                       absl::StrCat("clauses[", test_case.clauses.size(), "]"),
                       "a clause id");
    if (!status.ok()) return status;
    test_case.clauses.push_back(clause.text);
  }
  return absl::OkStatus();
}

absl::Status ParseCase(const JsonValue& json, const OperatorSpec& operator_spec,
                       GenerationBudget& budget, TestCase& test_case) {
  absl::Status status = CheckKeys(json, "",
                                  {"id", "title", "inputs", "outputs", "source",
                                   "clauses", "options", "attributes", "error"},
                                  4);
  if (!status.ok()) return status;
  status = ParseText(json.Find("title"), "title", test_case.title);
  if (status.ok()) {
    status = ParseText(json.Find("source"), "source", test_case.source);
  }
  if (!status.ok()) return status;
  if (const JsonValue* clauses = json.Find("clauses"); clauses != nullptr) {
    status = ParseClauses(*clauses, test_case);
    if (!status.ok()) return status;
  }
  test_case.arguments.operator_name = operator_spec.name;
  if (const JsonValue* options = json.Find("options"); options != nullptr) {
    status = ParseOptions(*options, operator_spec, test_case.arguments.options);
    if (!status.ok()) return status;
  }
  if (const JsonValue* list = json.Find("attributes"); list != nullptr) {
    status = ParseAttributes(*list, operator_spec, test_case);
    if (!status.ok()) return status;
  }
  if (const JsonValue* error = json.Find("error"); error != nullptr) {
    status = ParseError(*error, operator_spec, test_case);
    if (!status.ok()) return status;
  }
  status = ParseTensors(*json.Find("inputs"), false, operator_spec, budget,
                        test_case);
  if (!status.ok()) return status;
  return ParseTensors(*json.Find("outputs"), true, operator_spec, budget,
                      test_case);
}

absl::StatusOr<VectorFile> ParseFile(const std::string& path,
                                     const JsonValue& json) {
  absl::Status status = CheckKind(json, Kind::kObject, "", "an object");
  if (!status.ok()) return status;
  status = CheckKeys(json, "", {"schema", "operator", "cases"}, 3);
  if (!status.ok()) return status;
  const JsonValue& schema = *json.Find("schema");
  if (schema.kind != Kind::kString || schema.text != kSchema) {
    return Malformed("schema", schema.Describe(),
                     absl::StrCat("\"", kSchema, "\" is allowed"));
  }
  const JsonValue& name = *json.Find("operator");
  const OperatorSpec* operator_spec =
      name.kind == Kind::kString ? spec::FindOperator(name.text) : nullptr;
  if (operator_spec == nullptr) {
    std::vector<std::string> names;
    for (const OperatorSpec& known : spec::AllOperators()) {
      names.push_back(known.name);
    }
    return Malformed("operator", name.Describe(),
                     absl::StrCat("allowed are ", absl::StrJoin(names, ", ")));
  }
  const JsonValue& cases = *json.Find("cases");
  status = CheckKind(cases, Kind::kArray, "cases", "a list");
  if (!status.ok()) return status;

  VectorFile file;
  file.path = path;
  file.operator_name = operator_spec->name;
  std::set<std::string> ids;
  GenerationBudget budget;
  for (const JsonValue& item : cases.items) {
    const std::string place = absl::StrCat("cases[", file.cases.size(), "]");
    status = CheckKind(item, Kind::kObject, place, "an object");
    if (!status.ok()) return status;
    const JsonValue* id = item.Find("id");
    if (id == nullptr || id->kind != Kind::kString || !IsId(id->text)) {
      return Malformed(absl::StrCat(place, ".id"),
                       id == nullptr ? "no id" : id->Describe(),
                       "letters, digits, '-', '_' and '.' are allowed, a "
                       "letter or digit first");
    }
    TestCase& test_case = file.cases.emplace_back();
    test_case.id = id->text;
    test_case.file = path;
    if (!ids.insert(id->text).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          "case \"", id->text, "\": the id stands twice; ids are unique"));
    }
    status = ParseCase(item, *operator_spec, budget, test_case);
    if (!status.ok()) {
      return At(absl::StrCat("case \"", id->text, "\": "), status);
    }
  }
  return file;
}

}  // namespace

absl::StatusOr<VectorFile> ParseVectorFile(const std::string& path,
                                           const std::string& json) {
  const absl::StatusOr<JsonValue> value = ReadJson(json);
  if (!value.ok()) return At(absl::StrCat(path, ": "), value.status());
  absl::StatusOr<VectorFile> file = ParseFile(path, *value);
  if (!file.ok()) return At(absl::StrCat(path, ": "), file.status());
  return file;
}

}  // namespace qconform::harness
