#include "harness/results/json_view.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/results/json_parts.h"

namespace qconform::harness {
namespace {

Json ToJson(const TargetResult& target) {
  Json failures = Json::array();
  for (const Failure& failure : target.failures) {
    failures.push_back(ToJson(failure));
  }
  Json json = {{"target", target.target},
               {"status", CaseStatusName(target.status)},
               {"elements", ToJson(target.counts)}};
  // Most cases pass and have nothing of this; a large run is half the size.
  if (!target.reason.empty()) json["reason"] = target.reason;
  if (!target.variation.empty()) json["variation"] = target.variation;
  if (target.failure_count > 0) json["failure_count"] = target.failure_count;
  if (target.largest_difference > 0) {
    json["largest_difference"] = target.largest_difference;
  }
  if (!failures.empty()) json["failures"] = std::move(failures);
  return json;
}

Json ToJson(const CaseResult& result) {
  Json targets = Json::array();
  for (const TargetResult& target : result.targets) {
    targets.push_back(ToJson(target));
  }
  return {{"operator", result.operator_name},
          {"id", result.id},
          {"title", result.title},
          {"file", result.file},
          {"clauses", result.clauses},
          {"types", result.types},
          {"expects", result.expects_error ? "error" : "result"},
          {"disagreement", result.disagreement},
          {"targets", targets}};
}

Json ToJson(const std::vector<Sample>& samples) {
  Json json = Json::array();
  for (const Sample& sample : samples) {
    json.push_back({sample.tie_distance, sample.difference});
  }
  return json;
}

Json ToJson(const Group& group) {
  Json histogram = Json::array();
  for (const Histogram::Bucket& bucket : group.histogram.Buckets()) {
    histogram.push_back(
        {{"low", bucket.low}, {"high", bucket.high}, {"count", bucket.count}});
  }
  Json json = GroupCounts(group);
  json["histogram"] = histogram;
  json["samples"] = ToJson(group.samples);
  json["equal_samples"] = ToJson(group.equal_samples);
  return json;
}

Json ToJson(const BuildInfo& build) {
  return {{"version", build.version},
          {"commit", build.commit},
          {"dirty", build.dirty},
          {"compiler", build.compiler},
          {"build_type", build.build_type},
          {"flags", build.flags},
          {"dependencies", build.dependencies},
          {"cpu", build.cpu},
          {"processors", build.processors}};
}

Json ToJson(const Evidence& evidence) {
  return {{"operator", evidence.operator_name},
          {"types", evidence.types},
          {"target", evidence.target},
          {"id", evidence.id},
          {"file", evidence.file},
          {"element", evidence.element},
          {"explanation", evidence.explanation},
          {"vector", evidence.vector},
          {"repeat", evidence.repeat}};
}

Json ToJson(const Quota& quota) {
  return {{"operator", quota.operator_name},
          {"counter", quota.counter},
          {"count", quota.count},
          {"minimum", quota.minimum},
          {"met", quota.Met()}};
}

Json ToJson(const std::optional<Shard>& shard) {
  if (!shard) return nullptr;
  return {{"index", shard->index}, {"count", shard->count}};
}

// A message may quote bytes of a file that are no UTF-8.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename T>
void AppendArray(const char* key, const std::vector<T>& values,
                 std::string& text) {
  absl::StrAppend(&text, ",\n\"", key, "\": [");
  const char* separator = "\n ";
  for (const T& value : values) {
    absl::StrAppend(&text, separator, Dump(ToJson(value)));
    separator = ",\n ";
  }
  absl::StrAppend(&text, values.empty() ? "]" : "\n]");
}

}  // namespace

std::string ToJson(const RunResults& results) {
  const Json head = {
      {"schema", "results/2"},
      {"exit_code", static_cast<int>(results.exit_code)},
      {"partial", !results.stopped.empty()},
      {"stopped", results.stopped},
      {"distrust", results.distrust},
      {"broken", results.broken},
      {"candidate", results.candidate},
      {"profile", results.profile},
      {"level", LevelName(results.level)},
      {"threads", results.threads},
      // Not a number: half of all seeds are more than a double can hold.
      {"seed", results.seed ? Json(absl::StrCat(*results.seed)) : Json()},
      {"filter", results.filter},
      {"shard", ToJson(results.shard)},
      {"merged", results.merged},
      {"started", results.started},
      {"wall_seconds", results.wall_seconds},
      {"build", ToJson(results.build)},
      {"corpus",
       {{"paths", results.paths},
        {"hash", results.corpus_hash},
        {"cases", results.corpus_cases},
        {"selected", results.selected_cases}}},
      {"targets",
       {{"expected", results.expected_targets}, {"run", results.run_targets}}},
      {"quotas_enforced", results.quotas_enforced}};
  // The long lists are written item by item: millions of cases need no tree.
  std::string text = "{";
  const char* separator = "\n";
  for (const auto& [key, value] : head.items()) {
    absl::StrAppend(&text, separator, "\"", key, "\": ", Dump(value));
    separator = ",\n";
  }
  AppendArray("quotas", results.quotas, text);
  AppendArray("stages", results.stages, text);
  AppendArray("ratchet", results.ratchet, text);
  AppendArray("clauses", results.clauses, text);
  AppendArray("groups", results.groups, text);
  AppendArray("evidence", results.evidence, text);
  AppendArray("cases", results.cases, text);
  return text + "\n}\n";
}

}  // namespace qconform::harness
