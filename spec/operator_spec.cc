#include "spec/operator_spec.h"

#include <limits>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "spec/embedded_json.h"
#include "spec/object_reader.h"

namespace qconform::spec {
namespace {

absl::StatusOr<TensorSpec> ParseTensor(const Json& json, std::string place) {
  ObjectReader reader(json, std::move(place));
  TensorSpec tensor;
  tensor.name = reader.String("name");
  const std::string role = reader.String("role");
  if (role != "input" && role != "output") {
    reader.Fail(absl::StrCat("role \"", role, "\"; allowed: input, output"));
  }
  tensor.is_output = role == "output";
  tensor.optional = reader.Bool("optional");
  tensor.must_be_absent = reader.Bool("must_be_absent");
  tensor.strides_allowed = reader.Bool("strides_allowed");
  for (const std::string& name : reader.Strings("types")) {
    const absl::StatusOr<DataType> type = ParseDataType(name);
    if (type.ok()) {
      tensor.types.push_back(*type);
    } else {
      reader.Fail(std::string(type.status().message()));
    }
  }
  for (const std::string& name : reader.Strings("formats")) {
    const absl::StatusOr<TensorFormat> format = ParseTensorFormat(name);
    if (format.ok()) {
      tensor.formats.push_back(*format);
    } else {
      reader.Fail(std::string(format.status().message()));
    }
  }
  tensor.min_rank =
      static_cast<int>(reader.OptionalInteger("min_rank").value_or(0));
  tensor.max_rank =
      static_cast<int>(reader.OptionalInteger("max_rank")
                           .value_or(std::numeric_limits<int>::max()));
  for (const Json& shape : reader.Array("shapes")) {
    std::vector<std::string>& symbols = tensor.shapes.emplace_back();
    if (!shape.is_array()) reader.Fail("\"shapes\" must hold arrays");
    for (const Json& symbol : shape) {
      if (symbol.is_string()) {
        symbols.push_back(symbol.get<std::string>());
      } else {
        reader.Fail("a shape must hold strings");
      }
    }
  }
  tensor.description = reader.String("description");
  absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return tensor;
}

absl::StatusOr<AttributeSpec> ParseAttribute(const Json& json,
                                             std::string place) {
  ObjectReader reader(json, std::move(place));
  AttributeSpec attribute;
  attribute.name = reader.String("name");
  attribute.type = reader.String("type");
  if (attribute.type != "bool" && attribute.type != "int" &&
      attribute.type != "string") {
    reader.Fail(absl::StrCat("type \"", attribute.type,
                             "\"; allowed: bool, int, string"));
  }
  attribute.default_value = reader.OptionalValue("default");
  for (const Json& value : reader.Array("allowed")) {
    attribute.allowed.push_back(reader.Value(value, "allowed"));
  }
  attribute.minimum = reader.OptionalInteger("minimum");
  attribute.maximum = reader.OptionalInteger("maximum");
  attribute.description = reader.String("description");
  absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return attribute;
}

absl::StatusOr<Constraint> ParseConstraint(const Json& json,
                                           std::string place) {
  ObjectReader reader(json, std::move(place));
  Constraint constraint;
  constraint.text = reader.String("text");
  constraint.clauses = reader.Strings("clauses");
  absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return constraint;
}

absl::StatusOr<Clause> ParseClause(const Json& json, std::string place) {
  ObjectReader reader(json, std::move(place));
  Clause clause;
  clause.id = reader.String("id");
  clause.question = reader.String("question");
  clause.text = reader.String("text");
  clause.place = reader.String("place");
  absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return clause;
}

template <typename Item>
const Item* FindByName(const std::vector<Item>& items,
                       const std::string& name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

}  // namespace

const TensorSpec* OperatorSpec::FindTensor(
    const std::string& tensor_name) const {
  return FindByName(tensors, tensor_name);
}

const AttributeSpec* OperatorSpec::FindAttribute(
    const std::string& attribute_name) const {
  return FindByName(attributes, attribute_name);
}

const Clause* OperatorSpec::FindClause(const std::string& id) const {
  for (const Clause& clause : clauses) {
    if (clause.id == id) return &clause;
  }
  return nullptr;
}

absl::StatusOr<OperatorSpec> ParseOperatorSpec(
    const std::string& json, const std::string& shared_clauses_json) {
  absl::StatusOr<Json> parsed = ParseJson(json, "operator spec");
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<Json> shared =
      ParseJson(shared_clauses_json, "shared clauses");
  if (!shared.ok()) return shared.status();

  ObjectReader reader(*parsed, "operator spec");
  CheckSchema(reader, "operator_spec/1");
  OperatorSpec spec;
  spec.name = reader.String("name");
  spec.title = reader.String("title");
  spec.document = reader.String("document");
  ParseItems(reader, "tensors", ParseTensor, spec.tensors);
  ParseItems(reader, "attributes", ParseAttribute, spec.attributes);
  spec.options = reader.Strings("options");
  ParseItems(reader, "constraints", ParseConstraint, spec.constraints);
  ParseItems(reader, "clauses", ParseClause, spec.clauses);
  absl::Status status = reader.Finish();
  if (!status.ok()) return status;

  ObjectReader shared_reader(*shared, "shared clauses");
  CheckSchema(shared_reader, "shared_clauses/1");
  ParseItems(shared_reader, "clauses", ParseClause, spec.clauses);
  status = shared_reader.Finish();
  if (!status.ok()) return status;

  std::set<std::string> ids;
  for (const Clause& clause : spec.clauses) {
    if (!ids.insert(clause.id).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(spec.name, ": clause ", clause.id, " stands twice"));
    }
  }
  return spec;
}

const std::vector<OperatorSpec>& AllOperators() {
  static const std::vector<OperatorSpec>* const kOperators = [] {
    auto* operators = new std::vector<OperatorSpec>;
    const std::vector<EmbeddedJson>& files = EmbeddedJsonFiles();
    for (size_t i = 1; i < files.size(); ++i) {
      // The files are part of the program and tested with it, so value()
      // cannot fail.
      operators->push_back(
          ParseOperatorSpec(files[i].json, files[0].json).value());
    }
    return operators;
  }();
  return *kOperators;
}

const OperatorSpec* FindOperator(const std::string& name) {
  return FindByName(AllOperators(), name);
}

}  // namespace qconform::spec
