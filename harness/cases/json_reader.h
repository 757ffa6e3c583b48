// JSON as test vectors need it: duplicate keys are errors, nesting is bounded,
// and the spelling of numbers is kept, since 0.1 must be told from the double
// nearest to it.

#ifndef QCONFORM_HARNESS_CASES_JSON_READER_H_
#define QCONFORM_HARNESS_CASES_JSON_READER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace qconform::harness {

struct JsonValue {
  enum class Kind {
    kNull,
    kBool,
    kUnsigned,
    kNegative,
    kReal,
    kString,
    kArray,
    kObject
  };

  Kind kind = Kind::kNull;
  bool boolean = false;
  uint64_t unsigned_value = 0;  // an integer without a minus sign
  int64_t negative_value = 0;   // an integer with one; 0 is "-0"
  std::string text;             // of a string; the spelling of a kReal
  std::vector<JsonValue> items;
  std::vector<std::pair<std::string, JsonValue>> members;

  // Null if an object has no such member.
  const JsonValue* Find(const std::string& name) const;
  // What stands there, short enough for an error message: `"abc"`, `0.1`, `a
  // list`, `an object`.
  std::string Describe() const;
};

// kInvalidArgument with the place in the text for anything that is no JSON
// (RFC 8259, UTF-8), repeats a key in an object or nests deeper than 32.
absl::StatusOr<JsonValue> ReadJson(const std::string& text);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_JSON_READER_H_
