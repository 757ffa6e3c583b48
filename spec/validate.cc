#include "spec/validate.h"

#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/operator_spec.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

using Validator = absl::Status (*)(const OperatorSpec&, const Arguments&);

struct OperatorRules {
  const char* name;
  Validator validate;
  // Inputs that have nothing to compute with if any of them is empty.
  std::vector<std::string> may_be_empty;
};

const std::vector<OperatorRules>& AllRules() {
  static const auto* const kRules = new std::vector<OperatorRules>{
      {"aclnn_quant_grouped_matmul_dequant",
       ValidateAclnnQuantGroupedMatmulDequant,
       {"x", "weight", "weightScale", "groupList"}},  // AG-11
      {"dml_element_wise_quantized_linear_add",
       ValidateDmlElementWiseQuantizedLinearAdd,
       {}},
      {"dml_quantized_linear_matrix_multiply",
       ValidateDmlQuantizedLinearMatrixMultiply,
       {}},
      {"tf_quantize_and_dequantize_v2",
       ValidateTfQuantizeAndDequantizeV2,
       {"input"}},  // TQ-09
  };
  return *kRules;
}

const OperatorRules* FindRules(const std::string& name) {
  for (const OperatorRules& rules : AllRules()) {
    if (rules.name == name) return &rules;
  }
  return nullptr;
}

// The value given, or the default.
Attribute AttributeValue(const Arguments& arguments, const std::string& name) {
  const auto given = arguments.attributes.find(name);
  if (given != arguments.attributes.end()) return given->second;
  return *FindOperator(arguments.operator_name)
              ->FindAttribute(name)
              ->default_value;
}

}  // namespace

absl::Status Validate(const Arguments& arguments) {
  const OperatorSpec* spec = FindOperator(arguments.operator_name);
  const OperatorRules* rules = FindRules(arguments.operator_name);
  if (spec == nullptr || rules == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "no operator \"", arguments.operator_name, "\"; allowed: ",
        absl::StrJoin(AllOperators(), ", ",
                      [](std::string* out, const OperatorSpec& known) {
                        out->append(known.name);
                      })));
  }
  absl::Status status = CheckNames(*spec, arguments);
  if (status.ok()) status = CheckStorage(arguments);
  if (status.ok()) status = rules->validate(*spec, arguments);
  return status;
}

std::optional<int> AclnnStatus(const absl::Status& status) {
  const auto payload = status.GetPayload(kAclnnStatusPayload);
  int value = 0;
  if (!payload.has_value() ||
      !absl::SimpleAtoi(std::string(*payload), &value)) {
    return std::nullopt;
  }
  return value;
}

bool IsEmptyCall(const Arguments& arguments) {
  const OperatorRules* rules = FindRules(arguments.operator_name);
  if (rules == nullptr) return false;
  for (const std::string& name : rules->may_be_empty) {
    const TensorDesc* desc = FindDesc(arguments, name);
    if (desc == nullptr) continue;
    const absl::StatusOr<int64_t> count = ElementCount(*desc);
    if (count.ok() && *count == 0) return true;
  }
  return false;
}

bool BoolAttribute(const Arguments& arguments, const std::string& name) {
  return std::get<bool>(AttributeValue(arguments, name));
}

int64_t IntAttribute(const Arguments& arguments, const std::string& name) {
  return std::get<int64_t>(AttributeValue(arguments, name));
}

std::string StringAttribute(const Arguments& arguments,
                            const std::string& name) {
  return std::get<std::string>(AttributeValue(arguments, name));
}

}  // namespace qconform::spec
