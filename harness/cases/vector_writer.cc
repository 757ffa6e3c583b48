// The writing half of vector_file.h.

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/json_reader.h"
#include "harness/cases/tensor_data.h"
#include "harness/cases/vector_file.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

// A JSON string; bytes that are no UTF-8 are replaced.
std::string Quote(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

std::string FormatAttribute(const spec::Attribute& attribute) {
  if (const bool* flag = std::get_if<bool>(&attribute)) {
    return *flag ? "true" : "false";
  }
  if (const int64_t* integer = std::get_if<int64_t>(&attribute)) {
    return absl::StrCat(*integer);
  }
  return Quote(std::get<std::string>(attribute));
}

// Keeps a rule such as {"random": ...} only while it still makes the storage:
// whoever changes a tensor need not know of it.
std::string FormatData(const spec::Tensor& tensor,
                       const std::vector<bool>& must_stay, bool is_output,
                       const std::string& rule) {
  if (!rule.empty()) {
    GenerationBudget budget;
    const absl::StatusOr<JsonValue> json = ReadJson(rule);
    if (json.ok()) {
      const absl::StatusOr<TensorData> made =
          ParseTensorData(*json, tensor.desc, is_output, budget);
      if (made.ok() && made->tensor == tensor &&
          (!is_output || made->must_stay == must_stay)) {
        return made->generated;
      }
    }
  }
  return FormatTensorData(tensor, must_stay);
}

// `data` is empty for an output without one.
std::string FormatTensor(const spec::TensorDesc& desc,
                         const std::string& data) {
  std::string text =
      absl::StrCat("{\"type\": ", Quote(spec::DataTypeName(desc.type)));
  if (desc.format != spec::TensorFormat::kNd) {
    absl::StrAppend(
        &text, ", \"format\": ", Quote(spec::TensorFormatName(desc.format)));
  }
  absl::StrAppend(&text, ", \"sizes\": [", absl::StrJoin(desc.sizes, ", "),
                  "]");
  if (desc.strides.has_value()) {
    absl::StrAppend(&text, ", \"strides\": [",
                    absl::StrJoin(*desc.strides, ", "), "]");
  }
  if (!data.empty()) absl::StrAppend(&text, ", \"data\": ", data);
  return text + "}";
}

std::string FormatOptions(const spec::Options& options) {
  const spec::Options defaults;
  std::vector<std::string> members;
  if (options.feature_level != defaults.feature_level) {
    members.push_back(
        absl::StrCat("\"feature_level\": ", Quote(options.feature_level)));
  }
  if (options.arithmetic != defaults.arithmetic) {
    members.push_back(
        absl::StrCat("\"arithmetic\": ", Quote(options.arithmetic)));
  }
  if (options.allow_transpose_weight_false) {
    members.push_back("\"allow_transpose_weight_false\": true");
  }
  return absl::StrJoin(members, ", ");
}

// The names of a map in the document's order; names that the operator does not
// have come last.
template <typename Map, typename Specs>
std::vector<std::string> InOrder(const Map& map, const Specs& specs) {
  std::vector<std::string> names;
  for (const auto& known : specs) {
    if (map.count(known.name) > 0) names.push_back(known.name);
  }
  for (const auto& [name, value] : map) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  }
  return names;
}

// The rule by which the vector gives a tensor's data; empty if it lists them.
std::string GeneratedBy(const TestCase& test_case, const std::string& name) {
  const auto rule = test_case.generated_data.find(name);
  return rule == test_case.generated_data.end() ? "" : rule->second;
}

// {"ATensor": .., ..}, one line for each tensor.
std::string FormatTensors(const std::vector<std::string>& tensors) {
  if (tensors.empty()) return "{}";
  return absl::StrCat("{\n        ", absl::StrJoin(tensors, ",\n        "),
                      "\n      }");
}

std::string FormatInputs(const TestCase& test_case,
                         const spec::OperatorSpec& operator_spec) {
  const auto& inputs = test_case.arguments.inputs;
  std::vector<std::string> tensors;
  for (const std::string& name : InOrder(inputs, operator_spec.tensors)) {
    const spec::Tensor& tensor = inputs.at(name);
    tensors.push_back(absl::StrCat(
        Quote(name), ": ",
        FormatTensor(tensor.desc, FormatData(tensor, {}, false,
                                             GeneratedBy(test_case, name)))));
  }
  return FormatTensors(tensors);
}

std::string FormatOutputs(const TestCase& test_case,
                          const spec::OperatorSpec& operator_spec) {
  const auto& outputs = test_case.arguments.outputs;
  std::vector<std::string> tensors;
  for (const std::string& name : InOrder(outputs, operator_spec.tensors)) {
    std::string data;
    const auto expected = test_case.expected.find(name);
    if (expected != test_case.expected.end()) {
      data = FormatData(expected->second.tensor, expected->second.must_stay,
                        true, GeneratedBy(test_case, name));
    }
    tensors.push_back(
        absl::StrCat(Quote(name), ": ", FormatTensor(outputs.at(name), data)));
  }
  return FormatTensors(tensors);
}

std::string FormatCase(const TestCase& test_case) {
  static const auto& kNoSpec = *new spec::OperatorSpec();
  const spec::OperatorSpec* found =
      spec::FindOperator(test_case.arguments.operator_name);
  const spec::OperatorSpec& operator_spec = found ? *found : kNoSpec;
  const spec::Arguments& arguments = test_case.arguments;
  std::vector<std::string> members;
  const auto add = [&members](const std::string& name,
                              const std::string& value) {
    members.push_back(absl::StrCat("\"", name, "\": ", value));
  };
  add("id", Quote(test_case.id));
  add("title", Quote(test_case.title));
  if (!test_case.source.empty()) add("source", Quote(test_case.source));
  if (!test_case.clauses.empty()) {
    std::vector<std::string> clauses;
    for (const std::string& clause : test_case.clauses) {
      clauses.push_back(Quote(clause));
    }
    add("clauses", absl::StrCat("[", absl::StrJoin(clauses, ", "), "]"));
  }
  const std::string options = FormatOptions(arguments.options);
  if (!options.empty()) add("options", absl::StrCat("{", options, "}"));
  if (!arguments.attributes.empty()) {
    std::vector<std::string> attributes;
    for (const std::string& name :
         InOrder(arguments.attributes, operator_spec.attributes)) {
      attributes.push_back(absl::StrCat(
          Quote(name), ": ", FormatAttribute(arguments.attributes.at(name))));
    }
    add("attributes", absl::StrCat("{", absl::StrJoin(attributes, ", "), "}"));
  }
  add("inputs", FormatInputs(test_case, operator_spec));
  add("outputs", FormatOutputs(test_case, operator_spec));
  if (test_case.error.has_value()) {
    add("error", test_case.error->aclnn_status.has_value()
                     ? absl::StrCat(*test_case.error->aclnn_status)
                     : Quote(test_case.error->status));
  }
  return absl::StrCat("    {\n      ", absl::StrJoin(members, ",\n      "),
                      "\n    }");
}

}  // namespace

std::string FormatVectorFile(const VectorFile& file) {
  std::vector<std::string> cases;
  for (const TestCase& test_case : file.cases) {
    cases.push_back(FormatCase(test_case));
  }
  return absl::StrCat("{\n  \"schema\": \"test_vector/1\",\n  \"operator\": ",
                      Quote(file.operator_name), ",\n  \"cases\": [",
                      cases.empty() ? "" : "\n", absl::StrJoin(cases, ",\n"),
                      cases.empty() ? "" : "\n  ", "]\n}\n");
}

bool CanBeWritten(const TestCase& test_case) {
  for (const auto& [name, tensor] : test_case.arguments.inputs) {
    if (!spec::StorageElementCount(tensor.desc).ok()) return false;
  }
  for (const auto& [name, desc] : test_case.arguments.outputs) {
    if (!spec::StorageElementCount(desc).ok()) return false;
  }
  const VectorFile file = {
      test_case.file, test_case.arguments.operator_name, {test_case}};
  return ParseVectorFile(file.path, FormatVectorFile(file)).ok();
}

}  // namespace qconform::harness
