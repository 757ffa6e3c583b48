#include "harness/gate/baseline.h"

#include <algorithm>
#include <cctype>
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
#include "harness/results/object_reader.h"
#include "nlohmann/json.hpp"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

constexpr char kEnclosure[] = "enclosure (AR-02)";

absl::Status Malformed(const std::string& place, const std::string& message) {
  return absl::InvalidArgumentError(absl::StrCat(place, ": ", message));
}

// A string that is not empty.
std::string FilledText(ObjectReader& reader, const std::string& key) {
  std::string text = reader.Text(key);
  if (text.empty()) {
    reader.Fail(absl::StrCat(key, " is \"\", must not be empty"));
  }
  return text;
}

// At least one of them.
std::vector<std::string> FilledTexts(ObjectReader& reader,
                                     const std::string& key) {
  std::vector<std::string> texts = reader.Texts(key);
  if (texts.empty() ||
      std::find(texts.begin(), texts.end(), "") != texts.end()) {
    reader.Fail(absl::StrCat(
        key, " must hold at least one string, and none that is empty"));
  }
  return texts;
}

std::string Operator(ObjectReader& reader) {
  std::string name = reader.Text("operator");
  if (spec::FindOperator(name) == nullptr) {
    reader.Fail(absl::StrCat("there is no operator \"", name,
                             "\"; qconform list shows them"));
  }
  return name;
}

absl::CivilDay Day(ObjectReader& reader, const std::string& key) {
  const std::string text = reader.Text(key);
  absl::CivilDay day;
  // Comparing with the canonical spelling refuses 2026-2-3 and 2026-02-30.
  if (text.size() != 10 || !absl::ParseCivilTime(text, &day) ||
      absl::FormatCivilTime(day) != text) {
    reader.Fail(
        absl::StrCat(key, " is \"", text, "\", must be a day like 2026-12-31"));
  }
  return day;
}

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

KnownFailure ReadKnownFailure(ObjectReader reader) {
  KnownFailure entry;
  entry.operator_name = Operator(reader);
  entry.case_id = FilledText(reader, "case");
  if (reader.Has("targets")) entry.targets = FilledTexts(reader, "targets");
  entry.reason = FilledText(reader, "reason");
  entry.link = FilledText(reader, "link");
  entry.expires = Day(reader, "expires");
  reader.Finish();
  return entry;
}

KnownDifference ReadDifference(ObjectReader reader) {
  static const std::vector<std::string> units = {"integer", "ULP"};
  static const std::vector<std::string> permitted = {"0", kEnclosure};
  KnownDifference entry;
  entry.operator_name = Operator(reader);
  entry.types = FilledText(reader, "types");
  if (reader.Has("target")) entry.target = FilledText(reader, "target");
  entry.unit = units[reader.Choice("unit", units)];
  entry.permitted = permitted[reader.Choice("permitted", permitted)];
  entry.observed = reader.Integer("observed", 0);
  reader.Finish();
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

}  // namespace

std::string PermittedDifference(Level level) {
  return level == Level::kExact ? "0" : kEnclosure;
}

absl::StatusOr<Baseline> ParseBaseline(const std::string& path,
                                       const std::string& json) {
  // Refuses repeated keys, of which the tree below keeps one.
  absl::Status status = ReadJson(json).status();
  if (!status.ok()) return Malformed(path, std::string(status.message()));
  const Json tree = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  Baseline baseline;
  baseline.path = path;
  ObjectReader reader(tree, "baseline", status);
  reader.Choice("schema", {"baseline/1"});
  reader.Items("known_failures",
               [&](const Json& item, const std::string& place) {
                 KnownFailure& entry = baseline.known_failures.emplace_back(
                     ReadKnownFailure(ObjectReader(item, place, status)));
                 entry.line = FindLine(json, "case", entry.case_id);
               });
  reader.Items("differences", [&](const Json& item, const std::string& place) {
    baseline.differences.push_back(
        ReadDifference(ObjectReader(item, place, status)));
  });
  reader.Finish();
  if (!status.ok()) return Malformed(path, std::string(status.message()));
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
  using OrderedJson = nlohmann::ordered_json;
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
  OrderedJson json = {{"schema", "baseline/1"},
                      {"known_failures", OrderedJson::array()},
                      {"differences", OrderedJson::array()}};
  for (const KnownFailure& entry : failures) {
    OrderedJson item = {{"operator", entry.operator_name},
                        {"case", entry.case_id}};
    if (!entry.targets.empty()) item["targets"] = entry.targets;
    item["reason"] = entry.reason;
    item["link"] = entry.link;
    item["expires"] = absl::FormatCivilTime(entry.expires);
    json["known_failures"].push_back(std::move(item));
  }
  for (const KnownDifference& entry : differences) {
    if (entry.observed == 0) continue;
    OrderedJson item = {{"operator", entry.operator_name},
                        {"types", entry.types}};
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
