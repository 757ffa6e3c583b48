#include "harness/results/object_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

// Enough of a value to recognize it.
std::string Quote(const Json& json) {
  constexpr size_t kLongest = 60;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

bool IsInt64(const Json& json) {
  return json.is_number_integer() &&
         (!json.is_number_unsigned() ||
          json.get<uint64_t>() <=
              static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

ObjectReader::ObjectReader(const Json& json, std::string place,
                           absl::Status& status)
    : json_(json), place_(std::move(place)), status_(status) {
  if (!json_.is_object()) {
    Fail(absl::StrCat("is ", Quote(json_), ", must be an object"));
  }
}

void ObjectReader::Fail(const std::string& what) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(absl::StrCat(place_, " ", what));
  }
}

const Json* ObjectReader::Find(const std::string& key, const char* type,
                               bool (Json::*is)() const) {
  seen_.push_back(key);
  if (!json_.is_object()) return nullptr;
  const auto found = json_.find(key);
  if (found == json_.end()) {
    Fail(absl::StrCat("has no ", key));
    return nullptr;
  }
  if (is != nullptr && !((*found).*is)()) {
    Fail(absl::StrCat(key, " is ", Quote(*found), ", must be ", type));
    return nullptr;
  }
  return &*found;
}

bool ObjectReader::Has(const std::string& key) const {
  return json_.is_object() && json_.contains(key) && !json_[key].is_null();
}

std::string ObjectReader::Text(const std::string& key) {
  const Json* json = Find(key, "a string", &Json::is_string);
  return json == nullptr ? "" : json->get<std::string>();
}

bool ObjectReader::Bool(const std::string& key) {
  const Json* json = Find(key, "true or false", &Json::is_boolean);
  return json != nullptr && json->get<bool>();
}

double ObjectReader::Real(const std::string& key) {
  const Json* json = Find(key, "a number", &Json::is_number);
  return json == nullptr ? 0 : json->get<double>();
}

int64_t ObjectReader::Integer(const std::string& key, int64_t minimum,
                              int64_t maximum) {
  const Json* json = Find(key, "an integer", &Json::is_number_integer);
  if (json == nullptr) return 0;
  if (!IsInt64(*json) || json->get<int64_t>() < minimum ||
      json->get<int64_t>() > maximum) {
    Fail(absl::StrCat(key, " is ", Quote(*json), ", must be from ", minimum,
                      " to ", maximum));
    return 0;
  }
  return json->get<int64_t>();
}

std::vector<std::string> ObjectReader::Texts(const std::string& key) {
  std::vector<std::string> texts;
  Items(key, [&](const Json& item, const std::string&) {
    if (item.is_string()) {
      texts.push_back(item.get<std::string>());
    } else {
      Fail(absl::StrCat(key, " holds ", Quote(item), ", must hold strings"));
    }
  });
  return texts;
}

size_t ObjectReader::Choice(const std::string& key,
                            const std::vector<std::string>& names) {
  const Json* json = Find(key, "a string", &Json::is_string);
  if (json == nullptr) return 0;
  const auto found =
      std::find(names.begin(), names.end(), json->get<std::string>());
  if (found == names.end()) {
    Fail(absl::StrCat(key, " is ", Quote(*json), ", must be one of ",
                      absl::StrJoin(names, ", ")));
    return 0;
  }
  return static_cast<size_t>(found - names.begin());
}

void ObjectReader::Items(
    const std::string& key,
    const std::function<void(const Json&, const std::string&)>& read) {
  const Json* json = Find(key, "an array", &Json::is_array);
  if (json == nullptr) return;
  for (size_t i = 0; i < json->size() && status_.ok(); ++i) {
    read((*json)[i], absl::StrCat(place_, " ", key, "[", i, "]"));
  }
}

void ObjectReader::Members(
    const std::string& key,
    const std::function<void(const std::string&, const Json&,
                             const std::string&)>& read) {
  const Json* json = Find(key, "an object", &Json::is_object);
  if (json == nullptr) return;
  for (const auto& [name, value] : json->items()) {
    if (status_.ok()) read(name, value, absl::StrCat(place_, " ", key));
  }
}

ObjectReader ObjectReader::Object(const std::string& key) {
  static const Json* const kEmpty = new Json(Json::object());
  const Json* json = Find(key, "an object", &Json::is_object);
  return ObjectReader(json == nullptr ? *kEmpty : *json,
                      absl::StrCat(place_, " ", key), status_);
}

void ObjectReader::Finish() {
  if (!json_.is_object()) return;
  for (const auto& [key, value] : json_.items()) {
    if (std::find(seen_.begin(), seen_.end(), key) == seen_.end()) {
      // One that may be left out is not asked for if it is null.
      Fail(value.is_null()
               ? absl::StrCat("holds null as ", key)
               : absl::StrCat("holds the unknown key ", Quote(Json(key))));
    }
  }
}

}  // namespace qconform::harness
