#include "harness/results/results_cases_reader.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

// The names of the enumerators from 0 to the last.
template <typename Enum>
std::vector<std::string> Names(std::string (*name)(Enum), Enum last) {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    names.push_back(name(static_cast<Enum>(i)));
  }
  return names;
}

const std::vector<std::string>& StatusNames() {
  static const auto* const names = new std::vector<std::string>(
      Names(CaseStatusName, CaseStatus::kTimedOut));
  return *names;
}

const std::vector<std::string>& FaultNames() {
  static const auto* const names = new std::vector<std::string>(
      Names(ElementFaultName, ElementFault::kUnstable));
  return *names;
}

ElementCounts ReadCounts(ObjectReader reader) {
  ElementCounts counts;
  counts.exact = reader.Count("exact");
  counts.explained = reader.Count("explained");
  counts.wrong = reader.Count("wrong");
  counts.preserved = reader.Count("preserved");
  reader.Finish();
  return counts;
}

std::optional<int64_t> IntegerOrNull(ObjectReader& reader,
                                     const std::string& key) {
  if (reader.Has(key)) return reader.Integer(key);
  reader.Ignore(key);
  return std::nullopt;
}

Failure ReadFailure(ObjectReader reader) {
  static const std::vector<std::string> verdicts =
      Names(ElementVerdictName, ElementVerdict::kWrong);
  Failure failure;
  failure.output = reader.Text("output");
  failure.element = reader.Integer("element", -1);
  failure.index = reader.Text("index");
  failure.verdict =
      static_cast<ElementVerdict>(reader.Choice("verdict", verdicts));
  failure.fault =
      static_cast<ElementFault>(reader.Choice("fault", FaultNames()));
  failure.expected = reader.Text("expected");
  failure.found = reader.Text("found");
  failure.difference = IntegerOrNull(reader, "difference");
  failure.difference_text = reader.Text("difference_text");
  failure.reason = reader.Text("reason");
  reader.Finish();
  return failure;
}

TargetResult ReadTarget(ObjectReader reader, absl::Status& status) {
  TargetResult target;
  target.target = reader.Text("target");
  target.status =
      static_cast<CaseStatus>(reader.Choice("status", StatusNames()));
  target.counts = ReadCounts(reader.Object("elements"));
  if (reader.Has("reason")) target.reason = reader.Text("reason");
  if (reader.Has("variation")) target.variation = reader.Text("variation");
  if (reader.Has("failure_count")) {
    target.failure_count = reader.Count("failure_count");
  }
  if (reader.Has("largest_difference")) {
    target.largest_difference = reader.Count("largest_difference");
  }
  if (reader.Has("failures")) {
    reader.Items("failures", [&](const Json& json, const std::string& place) {
      target.failures.push_back(ReadFailure(ObjectReader(json, place, status)));
    });
  }
  reader.Finish();
  return target;
}

std::vector<Sample> ReadSamples(ObjectReader& reader, const std::string& key) {
  std::vector<Sample> samples;
  reader.Items(key, [&](const Json& json, const std::string&) {
    if (json.is_array() && json.size() == 2 && json[0].is_number() &&
        IsInt64(json[1])) {
      samples.push_back({json[0].get<double>(), json[1].get<int64_t>()});
    } else {
      reader.Fail(absl::StrCat(key, " must hold pairs [distance, integer]"));
    }
  });
  return samples;
}

// {name: count}, each name one of `names`.
template <typename Enum>
std::map<Enum, int64_t> ReadCountsBy(ObjectReader& reader,
                                     const std::string& key,
                                     const std::vector<std::string>& names) {
  std::map<Enum, int64_t> counts;
  reader.Members(key, [&](const std::string& name, const Json& count,
                          const std::string&) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      reader.Fail(absl::StrCat(key, " holds the unknown key ", name));
    } else if (!IsInt64(count) || count < 0 ||
               count > ObjectReader::kMaxCount) {
      reader.Fail(absl::StrCat(key, " ", name, " must be a count"));
    } else {
      counts[static_cast<Enum>(found - names.begin())] = count.get<int64_t>();
    }
  });
  return counts;
}

void ReadHistogram(ObjectReader& reader, absl::Status& status,
                   Histogram& histogram) {
  reader.Items("histogram", [&](const Json& json, const std::string& place) {
    ObjectReader bucket(json, place, status);
    Histogram::Bucket read;
    constexpr int64_t kFarthest = int64_t{1} << 62;
    read.low = bucket.Integer("low", -kFarthest, kFarthest);
    read.high = bucket.Integer("high", read.low, kFarthest);
    read.count = bucket.Integer("count", 1, ObjectReader::kMaxCount);
    bucket.Finish();
    histogram.Add(read);
  });
}

WorstElement ReadWorst(ObjectReader reader) {
  WorstElement worst;
  worst.id = reader.Text("id");
  worst.file = reader.Text("file");
  if (reader.Has("tie_distance")) {
    worst.tie_distance = reader.Real("tie_distance");
  } else {
    reader.Ignore("tie_distance");
  }
  worst.failure = ReadFailure(reader.Object("failure"));
  reader.Finish();
  return worst;
}

}  // namespace

CaseResult ReadCase(ObjectReader reader, absl::Status& status) {
  CaseResult result;
  result.operator_name = reader.Text("operator");
  result.id = reader.Text("id");
  result.title = reader.Text("title");
  result.file = reader.Text("file");
  result.clauses = reader.Texts("clauses");
  result.types = reader.Text("types");
  result.expects_error = reader.Choice("expects", {"result", "error"}) == 1;
  result.disagreement = reader.Text("disagreement");
  reader.Items("targets", [&](const Json& json, const std::string& place) {
    result.targets.push_back(
        ReadTarget(ObjectReader(json, place, status), status));
  });
  reader.Finish();
  return result;
}

Group ReadGroup(ObjectReader reader, absl::Status& status) {
  static const std::vector<std::string> units = {"integer", "ULP"};
  Group group;
  group.operator_name = reader.Text("operator");
  group.types = reader.Text("types");
  group.target = reader.Text("target");
  group.difference_unit = units[reader.Choice("difference_unit", units)];
  group.cases = ReadCountsBy<CaseStatus>(reader, "cases", StatusNames());
  group.counts = ReadCounts(reader.Object("elements"));
  ReadHistogram(reader, status, group.histogram);
  group.nan_mismatches = reader.Count("nan_mismatches");
  group.faults = ReadCountsBy<ElementFault>(reader, "faults", FaultNames());
  ObjectReader facts = reader.Object("facts");
  group.with_facts = facts.Count("elements");
  group.ties = facts.Count("ties");
  group.output_ties = facts.Count("output_ties");
  group.clamped_low = facts.Count("clamped_low");
  group.clamped_high = facts.Count("clamped_high");
  facts.Finish();
  group.samples = ReadSamples(reader, "samples");
  group.equal_samples = ReadSamples(reader, "equal_samples");
  group.equal_seen = static_cast<int64_t>(group.equal_samples.size());
  reader.Items("worst", [&](const Json& json, const std::string& place) {
    group.worst.push_back(ReadWorst(ObjectReader(json, place, status)));
  });
  reader.Finish();
  return group;
}

}  // namespace qconform::harness
