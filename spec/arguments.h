// One call of one operator: what a test vector gives, before anything is
// computed.

#ifndef QCONFORM_SPEC_ARGUMENTS_H_
#define QCONFORM_SPEC_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "spec/tensor.h"

namespace qconform::spec {

using Attribute = std::variant<bool, int64_t, std::string>;

// How a call is to be understood beyond the document's own attributes; the
// defaults are the documents'.
struct Options {
  std::string feature_level = "4_0";  // DML: "2_1" or "4_0" (QM-03)
  std::string arithmetic =
      "exact";  // TensorFlow: "exact" or "tensorflow" (TQ-12)
  bool allow_transpose_weight_false = false;  // Ascend (AG-09)

  friend bool operator==(const Options&, const Options&) = default;
};

// Names are the documents' own. A tensor or attribute that is not given is
// absent from its map.
struct Arguments {
  std::string operator_name;
  std::map<std::string, Attribute> attributes;
  std::map<std::string, Tensor> inputs;
  std::map<std::string, TensorDesc> outputs;
  Options options;

  friend bool operator==(const Arguments&, const Arguments&) = default;
};

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_ARGUMENTS_H_
