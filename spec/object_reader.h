// Reads JSON objects of known members, for the readers of the files beside this
// header.

#ifndef QCONFORM_SPEC_OBJECT_READER_H_
#define QCONFORM_SPEC_OBJECT_READER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "spec/arguments.h"

namespace qconform::spec {

using Json = nlohmann::json;

// Reads the members of one object. The first error stays; reading on after it
// gives empty values. Finish() also refuses members that nobody asked for.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string place)
      : json_(json), place_(std::move(place)) {
    if (!json.is_object()) Fail("an object is expected here");
  }

  std::string String(const char* key) {
    const Json* member = Member(key);
    if (member == nullptr) return "";
    if (member->is_string()) return member->get<std::string>();
    Fail(absl::StrCat("\"", key, "\" must be a string"));
    return "";
  }

  bool Bool(const char* key) {
    const Json* member = Member(key);
    if (member == nullptr) return false;
    if (member->is_boolean()) return member->get<bool>();
    Fail(absl::StrCat("\"", key, "\" must be true or false"));
    return false;
  }

  std::optional<int64_t> OptionalInteger(const char* key) {
    if (!Has(key)) return std::nullopt;
    const Json* member = Member(key);
    if (member->is_number_integer()) return member->get<int64_t>();
    Fail(absl::StrCat("\"", key, "\" must be an integer"));
    return std::nullopt;
  }

  std::optional<Attribute> OptionalValue(const char* key) {
    if (!Has(key)) return std::nullopt;
    return Value(*Member(key), key);
  }

  Attribute Value(const Json& value, const char* key) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_integer()) return value.get<int64_t>();
    if (value.is_string()) return value.get<std::string>();
    Fail(absl::StrCat("\"", key, "\" must hold booleans, integers or strings"));
    return false;
  }

  std::vector<std::string> Strings(const char* key) {
    std::vector<std::string> strings;
    for (const Json& item : Array(key)) {
      if (item.is_string()) {
        strings.push_back(item.get<std::string>());
      } else {
        Fail(absl::StrCat("\"", key, "\" must hold strings"));
      }
    }
    return strings;
  }

  const Json& Array(const char* key) {
    static const Json* const kEmpty = new Json(Json::array());
    const Json* member = Member(key);
    if (member == nullptr) return *kEmpty;
    if (member->is_array()) return *member;
    Fail(absl::StrCat("\"", key, "\" must be an array"));
    return *kEmpty;
  }

  const Json& Object(const char* key) {
    static const Json* const kEmpty = new Json(Json::object());
    const Json* member = Member(key);
    if (member == nullptr) return *kEmpty;
    if (member->is_object()) return *member;
    Fail(absl::StrCat("\"", key, "\" must be an object"));
    return *kEmpty;
  }

  bool Has(const char* key) const {
    return json_.is_object() && json_.contains(key);
  }

  void Fail(const std::string& what) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(absl::StrCat(place_, ": ", what));
    }
  }

  absl::Status Finish() {
    if (json_.is_object()) {
      for (const auto& [key, value] : json_.items()) {
        if (read_.count(key) == 0) {
          Fail(absl::StrCat("unknown member \"", key, "\""));
        }
      }
    }
    return status_;
  }

 private:
  const Json* Member(const char* key) {
    read_.insert(key);
    if (Has(key)) return &json_.at(key);
    Fail(absl::StrCat("\"", key, "\" is missing"));
    return nullptr;
  }

  const Json& json_;
  std::string place_;
  std::set<std::string> read_;
  absl::Status status_;
};

// Reads every object of reader's array `key` with `parse` into `items`.
template <typename Item, typename Parse>
void ParseItems(ObjectReader& reader, const char* key, Parse parse,
                std::vector<Item>& items) {
  const Json& array = reader.Array(key);
  for (size_t i = 0; i < array.size(); ++i) {
    absl::StatusOr<Item> item = parse(array[i], absl::StrCat(key, "[", i, "]"));
    if (item.ok()) {
      items.push_back(*std::move(item));
    } else {
      reader.Fail(std::string(item.status().message()));
    }
  }
}

inline absl::StatusOr<Json> ParseJson(const std::string& text,
                                      const char* place) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(absl::StrCat(place, ": ", error.what()));
  }
}

inline void CheckSchema(ObjectReader& reader, const char* allowed) {
  const std::string schema = reader.String("schema");
  if (schema != allowed) {
    reader.Fail(absl::StrCat("schema \"", schema, "\"; allowed: ", allowed));
  }
}

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_OBJECT_READER_H_
