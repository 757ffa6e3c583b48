#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/vector_file.h"
#include "harness/results/gate_reader.h"
#include "harness/results/json_view.h"
#include "harness/results/object_reader.h"
#include "harness/results/results_cases_reader.h"
#include "harness/results/summary.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

Evidence ReadEvidence(ObjectReader reader) {
  Evidence evidence;
  evidence.operator_name = reader.Text("operator");
  evidence.types = reader.Text("types");
  evidence.target = reader.Text("target");
  evidence.id = reader.Text("id");
  evidence.file = reader.Text("file");
  evidence.element = reader.Integer("element", -1);
  evidence.explanation = reader.Text("explanation");
  evidence.vector = reader.Text("vector");
  evidence.repeat = reader.Text("repeat");
  reader.Finish();
  return evidence;
}

ClauseResult ReadClause(ObjectReader reader) {
  ClauseResult clause;
  clause.operator_name = reader.Text("operator");
  clause.id = reader.Text("id");
  clause.question = reader.Text("question");
  clause.decision = reader.Text("decision");
  clause.cases = reader.Count("cases");
  clause.passed = reader.Integer("passed", 0, clause.cases);
  clause.failed = reader.Integer("failed", 0, clause.cases - clause.passed);
  if (reader.Text("outcome") != clause.Outcome()) {
    reader.Fail(absl::StrCat("outcome contradicts the counts, which make it ",
                             clause.Outcome()));
  }
  reader.Finish();
  return clause;
}

Quota ReadQuota(ObjectReader reader) {
  Quota quota;
  quota.operator_name = reader.Text("operator");
  quota.counter = reader.Text("counter");
  quota.count = reader.Count("count");
  quota.minimum = reader.Count("minimum");
  if (reader.Bool("met") != quota.Met()) {
    reader.Fail("met contradicts count and minimum");
  }
  reader.Finish();
  return quota;
}

BuildInfo ReadBuild(ObjectReader reader) {
  static const std::vector<std::string> dirty = {"true", "false", "unknown"};
  BuildInfo build;
  build.version = reader.Text("version");
  build.commit = reader.Text("commit");
  build.dirty = dirty[reader.Choice("dirty", dirty)];
  build.compiler = reader.Text("compiler");
  build.build_type = reader.Text("build_type");
  build.flags = reader.Text("flags");
  reader.Members("dependencies", [&](const std::string& name, const Json& json,
                                     const std::string&) {
    if (json.is_string()) {
      build.dependencies[name] = json.get<std::string>();
    } else {
      reader.Fail("dependencies must hold strings");
    }
  });
  build.cpu = reader.Text("cpu");
  build.processors = static_cast<int>(reader.Integer("processors", 0, 1 << 20));
  reader.Finish();
  return build;
}

std::optional<uint64_t> ReadSeed(ObjectReader& reader) {
  if (!reader.Has("seed")) {
    reader.Ignore("seed");
    return std::nullopt;
  }
  const std::string text = reader.Text("seed");
  uint64_t seed = 0;
  if (!absl::SimpleAtoi(text, &seed) || absl::StrCat(seed) != text) {
    reader.Fail(absl::StrCat("seed is \"", text,
                             "\", must be a decimal integer below 2^64"));
  }
  return seed;
}

std::optional<Shard> ReadShard(ObjectReader& reader) {
  if (!reader.Has("shard")) {
    reader.Ignore("shard");
    return std::nullopt;
  }
  ObjectReader object = reader.Object("shard");
  Shard shard;
  shard.count = static_cast<int>(object.Integer("count", 1, 1 << 20));
  shard.index = static_cast<int>(object.Integer("index", 1, shard.count));
  object.Finish();
  return shard;
}

void ReadHead(ObjectReader& reader, RunResults& results) {
  results.exit_code = static_cast<ExitCode>(reader.Integer("exit_code", 0, 4));
  const bool partial = reader.Bool("partial");
  results.stopped = reader.Text("stopped");
  if (partial == results.stopped.empty()) {
    reader.Fail("partial contradicts stopped");
  }
  results.distrust = reader.Texts("distrust");
  results.broken = reader.Texts("broken");
  results.candidate = reader.Text("candidate");
  results.profile = reader.Text("profile");
  results.level = static_cast<Level>(reader.Choice(
      "level", {LevelName(Level::kExact), LevelName(Level::kBinary32)}));
  results.threads = static_cast<int>(reader.Integer("threads", 1, 1 << 20));
  results.seed = ReadSeed(reader);
  results.filter = reader.Text("filter");
  results.shard = ReadShard(reader);
  results.merged = static_cast<int>(reader.Integer("merged", 1, 1 << 20));
  results.started = reader.Text("started");
  results.wall_seconds = reader.Real("wall_seconds");
  results.build = ReadBuild(reader.Object("build"));
  ObjectReader corpus = reader.Object("corpus");
  results.paths = corpus.Texts("paths");
  results.corpus_hash = corpus.Text("hash");
  results.corpus_cases = corpus.Count("cases");
  results.selected_cases = corpus.Count("selected");
  corpus.Finish();
  ObjectReader targets = reader.Object("targets");
  results.expected_targets = targets.Texts("expected");
  results.run_targets = targets.Texts("run");
  targets.Finish();
  results.quotas_enforced = reader.Bool("quotas_enforced");
}

using GroupKey = std::tuple<std::string, std::string, std::string>;

// Views take totals from the groups and details from the cases.
absl::Status CheckCounts(const RunResults& results) {
  std::map<GroupKey, Tally> listed;
  std::set<std::tuple<std::string, std::string, std::string>> names;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      Tally& tally =
          listed[{result.operator_name, result.types, target.target}];
      ++tally.cases[target.status];
      tally.elements.Add(target.counts);
      if (target.failure_count < static_cast<int64_t>(target.failures.size())) {
        return absl::InvalidArgumentError(
            absl::StrCat("case ", result.id, " on ", target.target,
                         " lists more failures than failure_count says"));
      }
      if (!names.insert({result.operator_name, result.id, target.target})
               .second) {
        return absl::InvalidArgumentError(
            absl::StrCat("case ", result.operator_name, "/", result.id, " on ",
                         target.target, " is there twice"));
      }
    }
  }
  std::set<GroupKey> groups;
  for (const Group& group : results.groups) {
    const GroupKey key = {group.operator_name, group.types, group.target};
    const std::string place = absl::StrCat("group ", group.operator_name, " ",
                                           group.types, " ", group.target);
    if (!groups.insert(key).second) {
      return absl::InvalidArgumentError(absl::StrCat(place, " is there twice"));
    }
    const Tally& tally = listed[key];
    for (int i = 0; i <= static_cast<int>(CaseStatus::kTimedOut); ++i) {
      const auto status = static_cast<CaseStatus>(i);
      const auto found = group.cases.find(status);
      const int64_t count = found == group.cases.end() ? 0 : found->second;
      // Only passed cases may be left out of the list.
      if (count < tally.Of(status) ||
          (count > tally.Of(status) && status != CaseStatus::kPassed)) {
        return absl::InvalidArgumentError(absl::StrCat(
            place, " counts ", count, " cases as ", CaseStatusName(status),
            ", the list of cases holds ", tally.Of(status)));
      }
    }
    if (group.counts.wrong != tally.elements.wrong) {
      return absl::InvalidArgumentError(absl::StrCat(
          place, " counts ", group.counts.wrong,
          " wrong elements, its cases hold ", tally.elements.wrong));
    }
  }
  for (const auto& [key, tally] : listed) {
    if (!groups.contains(key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("no group counts the cases of ", std::get<0>(key), " ",
                       std::get<1>(key), " ", std::get<2>(key)));
    }
  }
  return absl::OkStatus();
}

absl::Status Malformed(const std::string& path, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", what));
}

}  // namespace

absl::StatusOr<RunResults> FromJson(const std::string& path,
                                    const std::string& text) {
  RunResults results;
  absl::Status status = absl::OkStatus();
  // Cases are read while parsing and dropped from the tree: a run of a million
  // would not fit into memory twice.
  std::string key;
  int64_t cases = 0;
  const auto callback = [&](int depth, Json::parse_event_t event,
                            Json& parsed) {
    if (event == Json::parse_event_t::key && depth == 1) {
      key = parsed.get<std::string>();
    }
    if (event != Json::parse_event_t::object_end || depth != 2 ||
        key != "cases") {
      return true;
    }
    const std::string place = absl::StrCat("results cases[", cases++, "]");
    CaseResult result = ReadCase(ObjectReader(parsed, place, status), status);
    if (status.ok()) results.cases.push_back(std::move(result));
    return false;
  };
  const Json json = Json::parse(text, callback, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Malformed(path, "is not JSON");
  if (!json.is_object() || !json.contains("schema") ||
      json["schema"] != "results/2") {
    return Malformed(
        path,
        absl::StrCat(
            "must hold results of the schema \"results/2\"",
            json.is_object() && json.contains("schema")
                ? absl::StrCat(", found ", json["schema"].dump(
                                               -1, ' ', false,
                                               Json::error_handler_t::replace))
                : ""));
  }
  ObjectReader reader(json, "results", status);
  reader.Ignore("schema");
  ReadHead(reader, results);
  reader.Items("quotas", [&](const Json& item, const std::string& place) {
    results.quotas.push_back(ReadQuota(ObjectReader(item, place, status)));
  });
  reader.Items("stages", [&](const Json& item, const std::string& place) {
    results.stages.push_back(
        ReadStage(ObjectReader(item, place, status), status));
  });
  reader.Items("ratchet", [&](const Json& item, const std::string& place) {
    results.ratchet.push_back(ReadRatchet(ObjectReader(item, place, status)));
  });
  reader.Items("clauses", [&](const Json& item, const std::string& place) {
    results.clauses.push_back(ReadClause(ObjectReader(item, place, status)));
  });
  reader.Items("groups", [&](const Json& item, const std::string& place) {
    results.groups.push_back(
        ReadGroup(ObjectReader(item, place, status), status));
  });
  reader.Items("evidence", [&](const Json& item, const std::string& place) {
    results.evidence.push_back(ReadEvidence(ObjectReader(item, place, status)));
  });
  // Objects are gone already; anything else is left and wrong.
  reader.Items("cases", [&](const Json& item, const std::string& place) {
    ReadCase(ObjectReader(item, place, status), status);
  });
  reader.Finish();
  if (status.ok()) status = CheckCounts(results);
  if (!status.ok()) return Malformed(path, std::string(status.message()));
  return results;
}

absl::StatusOr<RunResults> ReadResults(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return FromJson(path, *text);
}

}  // namespace qconform::harness
