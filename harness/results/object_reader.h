// Strict reading of a JSON object, key by key: the first fault is kept, later
// ones are not looked at, and whoever reads need not check after every key.

#ifndef QCONFORM_HARNESS_RESULTS_JSON_READING_H_
#define QCONFORM_HARNESS_RESULTS_JSON_READING_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {

class ObjectReader {
 public:
  // `place` is for messages; `status` gets the first fault.
  ObjectReader(const nlohmann::json& json, std::string place,
               absl::Status& status);

  std::string Text(const std::string& key);
  bool Bool(const std::string& key);
  double Real(const std::string& key);
  int64_t Integer(const std::string& key,
                  int64_t minimum = std::numeric_limits<int64_t>::min(),
                  int64_t maximum = std::numeric_limits<int64_t>::max());
  // More than any run counts, and so few that the sum over a file is no
  // overflow.
  static constexpr int64_t kMaxCount = int64_t{1} << 44;
  int64_t Count(const std::string& key) { return Integer(key, 0, kMaxCount); }
  std::vector<std::string> Texts(const std::string& key);
  // The index of the text among `names`.
  size_t Choice(const std::string& key, const std::vector<std::string>& names);
  // Calls `read` with each item of an array, or each member of an object, and
  // its place.
  void Items(const std::string& key,
             const std::function<void(const nlohmann::json&,
                                      const std::string& place)>& read);
  void Members(
      const std::string& key,
      const std::function<void(const std::string& name, const nlohmann::json&,
                               const std::string& place)>& read);
  ObjectReader Object(const std::string& key);
  bool Has(const std::string& key) const;  // and not null
  void Ignore(const std::string& key) { seen_.push_back(key); }

  // A fault if the object holds a key that nobody asked for.
  void Finish();
  void Fail(const std::string& what);
  const std::string& place() const { return place_; }

 private:
  const nlohmann::json* Find(const std::string& key, const char* type,
                             bool (nlohmann::json::*is)() const);

  const nlohmann::json& json_;
  std::string place_;
  absl::Status& status_;
  std::vector<std::string> seen_;
};

// Any JSON integer in int64's range.
bool IsInt64(const nlohmann::json& json);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_JSON_READING_H_
