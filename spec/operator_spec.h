// The operator documents as data: one JSON file per operator beside this
// header, compiled into the program.

#ifndef QCONFORM_SPEC_OPERATOR_SPEC_H_
#define QCONFORM_SPEC_OPERATOR_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::spec {

struct TensorSpec {
  std::string name;  // as the document writes it
  bool is_output = false;
  bool optional = false;
  bool must_be_absent = false;  // the document takes only a null pointer
                                // (biasOptional, xOffsetOptional)
  bool strides_allowed = false;
  std::vector<DataType> types;
  std::vector<TensorFormat> formats;
  int min_rank = 0;
  int max_rank = 0;
  // Shapes the document allows, each a list of symbols or numbers, outermost
  // first: {"M","K"}, {"1","1","M","1"}.
  std::vector<std::vector<std::string>> shapes;
  std::string description;
};

struct AttributeSpec {
  std::string name;
  std::string type;                        // "bool", "int", "string"
  std::optional<Attribute> default_value;  // absent: the attribute is required
  std::vector<Attribute>
      allowed;  // empty: any value of the type (subject to minimum and maximum)
  std::optional<int64_t> minimum;
  std::optional<int64_t> maximum;
  std::string description;
};

// A clause says what the document says, or what was decided where it is silent.
struct Clause {
  std::string id;        // "AR-01", "QM-03"
  std::string question;  // what the clause settles
  std::string text;      // the decision
  std::string place;     // where in the document
};

struct Constraint {
  std::string text;
  std::vector<std::string> clauses;
};

struct OperatorSpec {
  std::string name;      // "dml_element_wise_quantized_linear_add"
  std::string title;     // the document's name of the operator
  std::string document;  // what the document is and where it is published
  std::vector<TensorSpec> tensors;  // in the document's order
  std::vector<AttributeSpec> attributes;
  std::vector<std::string>
      options;  // names of Options fields that the operator knows
  std::vector<Constraint> constraints;
  std::vector<Clause>
      clauses;  // the operator's own and those for all operators (AR)

  const TensorSpec* FindTensor(const std::string& tensor_name) const;
  const AttributeSpec* FindAttribute(const std::string& attribute_name) const;
  const Clause* FindClause(const std::string& id) const;
};

// All operators, in the order of their names.
const std::vector<OperatorSpec>& AllOperators();

// Null if there is no such operator.
const OperatorSpec* FindOperator(const std::string& name);

// Reads one spec; for tests and for AllOperators. `shared_clauses_json` holds
// the AR clauses.
absl::StatusOr<OperatorSpec> ParseOperatorSpec(
    const std::string& json, const std::string& shared_clauses_json);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_OPERATOR_SPEC_H_
