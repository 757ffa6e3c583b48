#include "harness/gate/baseline.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/json_reader.h"
#include "harness/cases/vector_file.h"
#include "harness/gate/stages.h"
#include "harness/judge/quotas.h"
#include "harness/judge/targets.h"
#include "nlohmann/json.hpp"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

constexpr char kEnclosure[] = "enclosure (AR-02)";

absl::Status Malformed(const std::string& place, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

// Reads the members of one object; the first error stays.
class ObjectReader {
 public:
  ObjectReader(std::string place, const JsonValue& object,
               const std::vector<std::string>& allowed)
      : place_(std::move(place)), object_(object) {
    if (object.kind != JsonValue::Kind::kObject) {
      Fail(absl::StrCat("is ", object.Describe(), ", must be an object"));
      return;
    }
    for (const auto& [key, value] : object.members) {
      if (std::find(allowed.begin(), allowed.end(), key) == allowed.end()) {
        Fail(absl::StrCat("has the key \"", key,
                          "\"; allowed are: ", absl::StrJoin(allowed, ", ")));
      }
    }
  }

  // Not empty.
  std::string String(const std::string& key) {
    const JsonValue* value = Required(key);
    if (value == nullptr) return "";
    return StringOf(key, *value);
  }

  std::string OptionalString(const std::string& key) {
    const JsonValue* value = object_.Find(key);
    return value == nullptr ? "" : StringOf(key, *value);
  }

  std::vector<std::string> OptionalStrings(const std::string& key) {
    std::vector<std::string> strings;
    const JsonValue* value = object_.Find(key);
    if (value == nullptr) return strings;
    if (value->kind != JsonValue::Kind::kArray || value->items.empty()) {
      Fail(absl::StrCat("\"", key, "\" is ", value->Describe(),
                        ", must be a list of at least one string"));
      return strings;
    }
    for (const JsonValue& item : value->items) {
      strings.push_back(StringOf(key, item));
    }
    return strings;
  }

  std::string OneOf(const std::string& key,
                    const std::vector<std::string>& allowed) {
    std::string text = String(key);
    if (status_.ok() &&
        std::find(allowed.begin(), allowed.end(), text) == allowed.end()) {
      Fail(absl::StrCat("\"", key, "\" is \"", text,
                        "\"; allowed are: ", absl::StrJoin(allowed, ", ")));
    }
    return text;
  }

  std::string Operator() {
    std::string name = String("operator");
    if (status_.ok() && spec::FindOperator(name) == nullptr) {
      Fail(absl::StrCat("there is no operator \"", name,
                        "\"; qconform list shows them"));
    }
    return name;
  }

  absl::CivilDay Day(const std::string& key) {
    const std::string text = String(key);
    absl::CivilDay day;
    // Comparing with the canonical spelling refuses 2026-2-3 and 2026-02-30.
    if (status_.ok() &&
        (text.size() != 10 || !absl::ParseCivilTime(text, &day) ||
         absl::FormatCivilTime(day) != text)) {
      Fail(absl::StrCat("\"", key, "\" is \"", text,
                        "\", must be a day like 2026-12-31"));
    }
    return day;
  }

  int64_t Count(const std::string& key) {
    const JsonValue* value = Required(key);
    if (value == nullptr) return 0;
    if (value->kind != JsonValue::Kind::kUnsigned ||
        value->unsigned_value > uint64_t{INT64_MAX}) {
      Fail(absl::StrCat("\"", key, "\" is ", value->Describe(),
                        ", must be an integer from 0"));
      return 0;
    }
    return static_cast<int64_t>(value->unsigned_value);
  }

  const std::vector<JsonValue>& List(const std::string& key) {
    static const std::vector<JsonValue> kNone;
    const JsonValue* value = Required(key);
    if (value == nullptr) return kNone;
    if (value->kind != JsonValue::Kind::kArray) {
      Fail(absl::StrCat("\"", key, "\" is ", value->Describe(),
                        ", must be a list"));
    }
    return value->items;
  }

  const absl::Status& status() const { return status_; }

 private:
  void Fail(const std::string& message) {
    if (status_.ok()) status_ = Malformed(place_, message);
  }

  const JsonValue* Required(const std::string& key) {
    if (!status_.ok()) return nullptr;
    const JsonValue* value = object_.Find(key);
    if (value == nullptr) {
      Fail(absl::StrCat("has no \"", key, "\", which is required"));
    }
    return value;
  }

  std::string StringOf(const std::string& key, const JsonValue& value) {
    if (value.kind != JsonValue::Kind::kString || value.text.empty()) {
      Fail(absl::StrCat("\"", key, "\" is ", value.Describe(),
                        ", must be a string that is not empty"));
    }
    return value.text;
  }

  const std::string place_;
  const JsonValue& object_;
  absl::Status status_;
};

std::string Name(const KnownFailure& entry) {
  std::string name =
      absl::StrCat("known failure ", entry.operator_name, "/", entry.case_id);
  if (!entry.targets.empty()) {
    absl::StrAppend(&name, " on ", absl::StrJoin(entry.targets, ", "));
  }
  return name;
}

std::string Name(const KnownDifference& entry) {
  std::string name =
      absl::StrCat("difference of ", entry.operator_name, " ", entry.types);
  if (!entry.target.empty()) absl::StrAppend(&name, " on ", entry.target);
  return name;
}

absl::StatusOr<KnownFailure> ParseKnownFailure(const std::string& place,
                                               const JsonValue& json) {
  ObjectReader reader(
      place, json,
      {"operator", "case", "targets", "reason", "link", "expires"});
  KnownFailure entry;
  entry.operator_name = reader.Operator();
  entry.case_id = reader.String("case");
  entry.targets = reader.OptionalStrings("targets");
  entry.reason = reader.String("reason");
  entry.link = reader.String("link");
  entry.expires = reader.Day("expires");
  if (!reader.status().ok()) return reader.status();
  return entry;
}

absl::StatusOr<KnownDifference> ParseDifference(const std::string& place,
                                                const JsonValue& json) {
  ObjectReader reader(
      place, json,
      {"operator", "types", "target", "unit", "permitted", "observed"});
  KnownDifference entry;
  entry.operator_name = reader.Operator();
  entry.types = reader.String("types");
  entry.target = reader.OptionalString("target");
  entry.unit = reader.OneOf("unit", {"integer", "ULP"});
  entry.permitted = reader.OneOf("permitted", {"0", kEnclosure});
  entry.observed = reader.Count("observed");
  if (!reader.status().ok()) return reader.status();
  return entry;
}

bool Overlap(const KnownFailure& a, const KnownFailure& b) {
  if (a.operator_name != b.operator_name || a.case_id != b.case_id) {
    return false;
  }
  if (a.targets.empty() || b.targets.empty()) return true;
  return std::find_first_of(a.targets.begin(), a.targets.end(),
                            b.targets.begin(),
                            b.targets.end()) != a.targets.end();
}

absl::Status CheckRepetition(const Baseline& baseline) {
  const auto& failures = baseline.known_failures;
  for (size_t i = 0; i < failures.size(); ++i) {
    std::set<std::string> targets(failures[i].targets.begin(),
                                  failures[i].targets.end());
    if (targets.size() != failures[i].targets.size()) {
      return Malformed(baseline.path, absl::StrCat(Name(failures[i]),
                                                   " names a target twice"));
    }
    for (size_t j = 0; j < i; ++j) {
      if (Overlap(failures[i], failures[j])) {
        return Malformed(
            baseline.path,
            absl::StrCat(Name(failures[i]),
                         " stands twice; one entry per case and target is "
                         "allowed"));
      }
    }
  }
  std::set<std::string> names;
  for (const KnownDifference& entry : baseline.differences) {
    if (!names.insert(Name(entry)).second) {
      return Malformed(baseline.path,
                       absl::StrCat(Name(entry), " stands twice"));
    }
  }
  return absl::OkStatus();
}

template <typename Entry, typename Parse>
absl::Status ParseList(const std::string& path, const std::string& key,
                       const std::vector<JsonValue>& items, const Parse& parse,
                       std::vector<Entry>& entries) {
  for (size_t i = 0; i < items.size(); ++i) {
    absl::StatusOr<Entry> entry =
        parse(absl::StrCat(path, ": ", key, "[", i, "]"), items[i]);
    if (!entry.ok()) return entry.status();
    entries.push_back(*std::move(entry));
  }
  return absl::OkStatus();
}

}  // namespace

std::string PermittedDifference(Level level) {
  return level == Level::kExact ? "0" : kEnclosure;
}

absl::StatusOr<Baseline> ParseBaseline(const std::string& path,
                                       const std::string& json) {
  const absl::StatusOr<JsonValue> root = ReadJson(json);
  if (!root.ok()) return Malformed(path, std::string(root.status().message()));
  ObjectReader reader(path, *root, {"schema", "known_failures", "differences"});
  reader.OneOf("schema", {"baseline/1"});
  const std::vector<JsonValue>& failures = reader.List("known_failures");
  const std::vector<JsonValue>& differences = reader.List("differences");
  if (!reader.status().ok()) return reader.status();
  Baseline baseline;
  baseline.path = path;
  absl::Status status = ParseList(path, "known_failures", failures,
                                  ParseKnownFailure, baseline.known_failures);
  if (!status.ok()) return status;
  for (KnownFailure& entry : baseline.known_failures) {
    entry.line = FindLine(json, "case", entry.case_id);
  }
  status = ParseList(path, "differences", differences, ParseDifference,
                     baseline.differences);
  if (!status.ok()) return status;
  status = CheckRepetition(baseline);
  if (!status.ok()) return status;
  return baseline;
}

absl::StatusOr<Baseline> ReadBaseline(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseBaseline(path, *text);
}

std::string FormatBaseline(const Baseline& baseline) {
  using Json = nlohmann::ordered_json;
  std::vector<KnownFailure> failures = baseline.known_failures;
  for (KnownFailure& entry : failures) {
    std::sort(entry.targets.begin(), entry.targets.end());
  }
  std::sort(failures.begin(), failures.end(),
            [](const KnownFailure& a, const KnownFailure& b) {
              return std::tie(a.operator_name, a.case_id, a.targets) <
                     std::tie(b.operator_name, b.case_id, b.targets);
            });
  std::vector<KnownDifference> differences = baseline.differences;
  std::sort(differences.begin(), differences.end(),
            [](const KnownDifference& a, const KnownDifference& b) {
              return std::tie(a.operator_name, a.types, a.target) <
                     std::tie(b.operator_name, b.types, b.target);
            });
  Json json = {{"schema", "baseline/1"},
               {"known_failures", Json::array()},
               {"differences", Json::array()}};
  for (const KnownFailure& entry : failures) {
    Json item = {{"operator", entry.operator_name}, {"case", entry.case_id}};
    if (!entry.targets.empty()) item["targets"] = entry.targets;
    item["reason"] = entry.reason;
    item["link"] = entry.link;
    item["expires"] = absl::FormatCivilTime(entry.expires);
    json["known_failures"].push_back(std::move(item));
  }
  for (const KnownDifference& entry : differences) {
    if (entry.observed == 0) continue;
    Json item = {{"operator", entry.operator_name}, {"types", entry.types}};
    if (!entry.target.empty()) item["target"] = entry.target;
    item["unit"] = entry.unit;
    item["permitted"] = entry.permitted;
    item["observed"] = entry.observed;
    json["differences"].push_back(std::move(item));
  }
  return json.dump(1) + "\n";
}

absl::Status CheckBaseline(const Baseline& baseline,
                           const std::vector<const TestCase*>& cases,
                           const std::vector<std::string>& known_targets,
                           Level level) {
  std::set<std::pair<std::string, std::string>> ids;
  std::set<std::pair<std::string, std::string>> types;
  for (const TestCase* test_case : cases) {
    const std::string& name = test_case->arguments.operator_name;
    ids.insert({name, test_case->id});
    types.insert({name, TypesLabel(test_case->arguments)});
    for (const std::string& stage : StageNames(name)) ids.insert({name, stage});
  }
  std::vector<std::string> problems;
  const auto check_target = [&](const std::string& name,
                                const std::string& target) {
    if (!IsHighwayTarget(target) &&
        std::find(known_targets.begin(), known_targets.end(), target) ==
            known_targets.end()) {
      problems.push_back(absl::StrCat(name, ": there is no target ", target));
    }
  };
  for (const KnownFailure& entry : baseline.known_failures) {
    for (const std::string& target : entry.targets) {
      check_target(Name(entry), target);
    }
    if (!ids.contains({entry.operator_name, entry.case_id})) {
      problems.push_back(absl::StrCat(
          Name(entry),
          " is stale: no such case or stage is run; remove the entry"));
    }
  }
  for (const KnownDifference& entry : baseline.differences) {
    if (!entry.target.empty()) check_target(Name(entry), entry.target);
    if (!types.contains({entry.operator_name, entry.types})) {
      problems.push_back(absl::StrCat(Name(entry),
                                      " is stale: no case of these types is "
                                      "run; remove the entry"));
    }
    if (entry.permitted != PermittedDifference(level)) {
      problems.push_back(absl::StrCat(Name(entry), " has \"permitted\": \"",
                                      entry.permitted, "\"; at level ",
                                      LevelName(level), " it is \"",
                                      PermittedDifference(level), "\""));
    } else if (level == Level::kExact && entry.observed > 0) {
      problems.push_back(absl::StrCat(Name(entry), " is ", entry.observed,
                                      "; at level exact none is permitted"));
    }
  }
  if (problems.empty()) return absl::OkStatus();
  return Malformed(
      baseline.path,
      absl::StrJoin(problems,
                    absl::StrCat("\nqconform: ", baseline.path, ": ")));
}

int64_t FindLine(const std::string& json, const std::string& key,
                 const std::string& value) {
  const std::string quoted_key = absl::StrCat("\"", key, "\"");
  const std::string quoted_value = absl::StrCat("\"", value, "\"");
  for (size_t at = json.find(quoted_key); at != std::string::npos;
       at = json.find(quoted_key, at + 1)) {
    size_t next = at + quoted_key.size();
    const auto skip = [&] {
      while (next < json.size() &&
             (std::isspace(static_cast<unsigned char>(json[next])) != 0 ||
              json[next] == ':')) {
        ++next;
      }
    };
    skip();
    if (json.compare(next, quoted_value.size(), quoted_value) == 0) {
      return 1 + std::count(json.begin(),
                            json.begin() + static_cast<std::ptrdiff_t>(at),
                            '\n');
    }
  }
  return 0;
}

}  // namespace qconform::harness
