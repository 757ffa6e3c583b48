// The JSON files beside this header, as part of the program; embed_json.cmake
// writes the definition.

#ifndef QCONFORM_SPEC_EMBEDDED_JSON_H_
#define QCONFORM_SPEC_EMBEDDED_JSON_H_

#include <string>
#include <vector>

namespace qconform::spec {

struct EmbeddedJson {
  std::string name;  // of the file, without its extension
  std::string json;
};

// The clauses for all operators first, then the operators by name.
const std::vector<EmbeddedJson>& EmbeddedJsonFiles();

// orders.json, then deviations.json.
const std::vector<EmbeddedJson>& EmbeddedOrders();

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_EMBEDDED_JSON_H_
