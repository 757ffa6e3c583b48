#include "harness/cases/json_reader.h"

#include <nlohmann/json.hpp>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

constexpr size_t kMaxDepth = 32;
constexpr size_t kMaxDescribed = 60;

// Receives the parser's events and builds the tree; `open_` is the way from the
// root to the value being read, so depth costs heap, not stack.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Add(JsonValue()); }
  bool boolean(bool value) override {
    JsonValue node;
    node.kind = JsonValue::Kind::kBool;
    node.boolean = value;
    return Add(std::move(node));
  }
  bool number_integer(number_integer_t value) override {
    JsonValue node;
    node.kind = JsonValue::Kind::kNegative;
    node.negative_value = value;
    return Add(std::move(node));
  }
  bool number_unsigned(number_unsigned_t value) override {
    JsonValue node;
    node.kind = JsonValue::Kind::kUnsigned;
    node.unsigned_value = value;
    return Add(std::move(node));
  }
  bool number_float(number_float_t, const string_t& spelling) override {
    JsonValue node;
    node.kind = JsonValue::Kind::kReal;
    node.text = spelling;
    return Add(std::move(node));
  }
  bool string(string_t& value) override {
    JsonValue node;
    node.kind = JsonValue::Kind::kString;
    node.text = value;
    return Add(std::move(node));
  }
  // Only binary formats have such values; text never reaches this.
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return Open(JsonValue::Kind::kObject); }
  bool start_array(size_t) override { return Open(JsonValue::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(string_t& name) override {
    if (open_.back().Find(name) != nullptr) {
      error_ = absl::StrCat("the key \"", name,
                            "\" stands twice in one object; once is allowed");
      return false;
    }
    open_.back().members.emplace_back(name, JsonValue());
    return true;
  }
  bool parse_error(size_t, const std::string&,
                   const nlohmann::json::exception& exception) override {
    error_ = exception.what();
    // The library puts its own error number in brackets before the text.
    const size_t end = error_.find("] ");
    if (end != std::string::npos) error_ = error_.substr(end + 2);
    return false;
  }

  const std::string& error() const { return error_; }
  JsonValue TakeRoot() { return std::move(root_); }

 private:
  bool Add(JsonValue node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (open_.back().kind == JsonValue::Kind::kArray) {
      open_.back().items.push_back(std::move(node));
    } else {
      open_.back().members.back().second = std::move(node);
    }
    return true;
  }
  bool Open(JsonValue::Kind kind) {
    if (open_.size() == kMaxDepth) {
      error_ = absl::StrCat("nested deeper than the ", kMaxDepth,
                            " levels that are allowed");
      return false;
    }
    open_.emplace_back().kind = kind;
    return true;
  }
  bool Close() {
    JsonValue node = std::move(open_.back());
    open_.pop_back();
    return Add(std::move(node));
  }

  std::vector<JsonValue> open_;
  JsonValue root_;
  std::string error_;
};

}  // namespace

const JsonValue* JsonValue::Find(const std::string& name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::string JsonValue::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return boolean ? "true" : "false";
    case Kind::kUnsigned:
      return absl::StrCat(unsigned_value);
    case Kind::kNegative:
      return negative_value == 0 ? "-0" : absl::StrCat(negative_value);
    case Kind::kReal:
      return text.size() <= kMaxDescribed ? text
                                          : text.substr(0, kMaxDescribed);
    case Kind::kString:
      if (text.size() <= kMaxDescribed) return absl::StrCat("\"", text, "\"");
      return absl::StrCat("\"", text.substr(0, kMaxDescribed), "...\"");
    case Kind::kArray:
      return "a list";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

absl::StatusOr<JsonValue> ReadJson(const std::string& text) {
  TreeBuilder builder;
  // The parser takes a zero byte for the end of the text.
  if (const size_t zero = text.find('\0'); zero != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("found a zero byte at offset ", zero, ", no JSON"));
  }
  if (!nlohmann::json::sax_parse(text, &builder)) {
    return absl::InvalidArgumentError(builder.error());
  }
  return builder.TakeRoot();
}

}  // namespace qconform::harness
