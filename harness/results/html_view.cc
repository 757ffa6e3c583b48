#include "harness/results/html_view.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/results/evidence.h"
#include "harness/results/html/page.h"
#include "harness/results/json_parts.h"
#include "harness/results/summary.h"
#include "harness/results/text_safety.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

// What bounds the page.
constexpr size_t kMaxFailures = 300;  // listed cases
constexpr size_t kMaxFailuresPerGroup = 20;
constexpr size_t kMaxPoints = 10'000;  // of all scatter plots together
constexpr size_t kMaxText = 600;       // bytes of one text of a case
constexpr size_t kMaxLines = 200;      // of a list of sentences

bool IsProblem(CaseStatus status) {
  return status != CaseStatus::kPassed && status != CaseStatus::kUnsupported;
}

std::string Cut(const std::string& text) { return CutText(text, kMaxText); }

Json Lines(const std::vector<std::string>& lines) {
  Json json = Json::array();
  for (size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    json.push_back(Cut(lines[i]));
  }
  if (lines.size() > kMaxLines) {
    json.push_back(absl::StrCat("and ", lines.size() - kMaxLines, " more"));
  }
  return json;
}

Failure CutTexts(Failure failure) {
  for (std::string* text :
       {&failure.expected, &failure.found, &failure.reason}) {
    *text = Cut(*text);
  }
  return failure;
}

// [tie distance, difference, how many]: points that a plot cannot tell apart
// are one, and of too many every so-and-so-many-th stays.
Json Points(const std::vector<Sample>& samples, size_t limit) {
  std::map<std::pair<int64_t, std::string>, int64_t> points;
  for (const Sample& sample : samples) {
    ++points[{sample.difference, absl::StrFormat("%.3g", sample.tie_distance)}];
  }
  const size_t step = (points.size() + limit - 1) / limit;
  Json json = Json::array();
  size_t i = 0;
  for (const auto& [point, count] : points) {
    if (i++ % step == 0) {
      json.push_back({std::stod(point.second), point.first, count});
    }
  }
  return json;
}

// The buckets; if they are many, those far from 0 in powers of two.
Json Buckets(const Histogram& histogram) {
  constexpr size_t kMany = 80;
  constexpr int64_t kFar = 16;
  std::vector<Histogram::Bucket> buckets = histogram.Buckets();
  if (buckets.size() > kMany) {
    std::map<int64_t, Histogram::Bucket> wide;
    for (Histogram::Bucket bucket : buckets) {
      const bool negative = bucket.high < 0;
      const auto near =
          static_cast<uint64_t>(std::abs(negative ? bucket.high : bucket.low));
      if (near >= kFar) {
        const auto low = static_cast<int64_t>(std::bit_floor(near));
        const int64_t far_end = low + (low - 1);
        bucket.low = negative ? -far_end : low;
        bucket.high = negative ? -low : far_end;
      }
      Histogram::Bucket& own = wide[bucket.low];
      own.low = bucket.low;
      own.high = bucket.high;
      own.count += bucket.count;
    }
    buckets.clear();
    for (const auto& [low, bucket] : wide) buckets.push_back(bucket);
  }
  Json json = Json::array();
  for (const Histogram::Bucket& bucket : buckets) {
    json.push_back({bucket.low, bucket.high, bucket.count});
  }
  return json;
}

Json GroupJson(const Group& group, size_t points) {
  Group shown = group;
  for (WorstElement& element : shown.worst) {
    element.failure = CutTexts(element.failure);
  }
  Json json = GroupCounts(shown);
  json["histogram"] = Buckets(group.histogram);
  json["points"] = Points(group.samples, points);
  json["equal_points"] = Points(group.equal_samples, points / 4);
  return json;
}

Json Groups(const RunResults& results) {
  const size_t points =
      kMaxPoints / std::max<size_t>(results.groups.size(), 1) + 4;
  Json json = Json::array();
  for (const Group& group : results.groups) {
    json.push_back(GroupJson(group, points));
  }
  return json;
}

// The first failures of each group, so that one broken operator does not hide
// another.
void AddFailures(const RunResults& results, Json& data) {
  std::map<std::pair<std::string, std::string>, size_t> listed;
  Json failures = Json::array();
  int64_t unlisted = 0;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      if (!IsProblem(target.status)) continue;
      size_t& of_group = listed[{result.operator_name, target.target}];
      if (of_group >= kMaxFailuresPerGroup || failures.size() >= kMaxFailures) {
        ++unlisted;
        continue;
      }
      ++of_group;
      Json elements = Json::array();
      for (const Failure& failure : target.failures) {
        elements.push_back(ToJson(CutTexts(failure)));
      }
      failures.push_back({{"operator", result.operator_name},
                          {"types", result.types},
                          {"id", Cut(result.id)},
                          {"title", Cut(result.title)},
                          {"file", Cut(result.file)},
                          {"target", target.target},
                          {"status", CaseStatusName(target.status)},
                          {"reason", Cut(target.reason)},
                          {"variation", target.variation},
                          {"failure_count", target.failure_count},
                          {"failures", elements},
                          {"repeat", RepeatCommand(results, result, target)}});
    }
  }
  data["failures"] = std::move(failures);
  data["failures_unlisted"] = unlisted;
}

// Vectors are large and several targets fail the same: each is there once.
void AddEvidence(const RunResults& results, Json& data) {
  std::map<std::string, size_t> places;
  Json vectors = Json::array();
  Json list = Json::array();
  for (const Evidence& evidence : results.evidence) {
    Json vector = nullptr;
    if (!evidence.vector.empty()) {
      const auto [place, is_new] =
          places.insert({evidence.vector, vectors.size()});
      if (is_new) vectors.push_back(evidence.vector);
      vector = place->second;
    }
    list.push_back({{"operator", evidence.operator_name},
                    {"types", evidence.types},
                    {"target", evidence.target},
                    {"id", evidence.id},
                    {"element", evidence.element},
                    {"explanation", evidence.explanation},
                    {"vector", vector},
                    {"repeat", evidence.repeat}});
  }
  data["vectors"] = std::move(vectors);
  data["evidence"] = std::move(list);
}

Json Setup(const RunResults& results) {
  Json json = Json::object();
  for (const auto& [name, value] : SetupRows(results)) json[name] = value;
  return json;
}

template <typename T>
Json List(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(ToJson(value));
  return json;
}

Json Quotas(const RunResults& results) {
  Json json = Json::array();
  for (const Quota& quota : results.quotas) {
    json.push_back(
        {quota.operator_name, quota.counter, quota.count, quota.minimum});
  }
  return json;
}

Json Gate(const RunResults& results) {
  Json stages = Json::array();
  for (const StageResult& stage : results.stages) {
    Json json = ToJson(stage);
    json["failures"] = Lines(stage.failures);
    stages.push_back(std::move(json));
  }
  return {{"stages", stages}, {"ratchet", List(results.ratchet)}};
}

Json ChangesJson(const std::vector<Change>& changes) {
  Json json = Json::array();
  for (const Change& change : changes) {
    json.push_back({change.name, Cut(change.before), Cut(change.after)});
  }
  return json;
}

Json ComparisonJson(const Comparison* comparison) {
  if (comparison == nullptr) return nullptr;
  Json transitions = Json::array();
  for (const auto& [key, count] : comparison->transitions) {
    transitions.push_back({key.first, key.second, count});
  }
  Json cases = Json::array();
  for (const CaseChange& change : comparison->cases) {
    cases.push_back({{"operator", change.operator_name},
                     {"id", Cut(change.id)},
                     {"target", change.target},
                     {"before", change.before},
                     {"after", change.after}});
  }
  Json groups = Json::array();
  for (const GroupChange& change : comparison->groups) {
    groups.push_back({{"operator", change.operator_name},
                      {"types", change.types},
                      {"target", change.target},
                      {"before", ToJson(change.before)},
                      {"after", ToJson(change.after)},
                      {"largest_before", change.largest_before},
                      {"largest_after", change.largest_after}});
  }
  return {{"before", VerdictName(comparison->before)},
          {"after", VerdictName(comparison->after)},
          {"empty", comparison->Empty()},
          {"setup", ChangesJson(comparison->setup)},
          {"transitions", transitions},
          {"cases", cases},
          {"groups", groups},
          {"clauses", ChangesJson(comparison->clauses)}};
}

Json Extra(const std::string& text) {
  if (text.empty()) return nullptr;
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json OperatorTitles(const RunResults& results) {
  Json json = Json::object();
  for (const Group& group : results.groups) {
    const spec::OperatorSpec* spec = spec::FindOperator(group.operator_name);
    json[group.operator_name] = spec == nullptr ? "" : spec->title;
  }
  return json;
}

// "<" would let a text end the script element that holds the data.
std::string ForScript(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', /*ensure_ascii=*/true,
                                Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

absl::Status CheckExtra(const std::string& path, const std::string& json) {
  constexpr size_t kMaxBytes = 2'000'000;
  if (json.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": has ", json.size(),
                                                   " bytes, at most ",
                                                   kMaxBytes, " are allowed"));
  }
  if (!Json::accept(json)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not JSON"));
  }
  return absl::OkStatus();
}

std::string ToHtml(const RunResults& results, const HtmlExtras& extras) {
  const Tally all = TallyAll(results);
  Json data = {
      {"schema", "report/1"},
      {"verdict",
       {{"name", VerdictName(results.exit_code)},
        {"exit_code", static_cast<int>(results.exit_code)},
        {"stopped", results.stopped}}},
      {"totals",
       {{"cases", ToJson(all.cases)}, {"elements", ToJson(all.elements)}}},
      {"targets",
       {{"expected", results.expected_targets}, {"run", results.run_targets}}},
      {"not_run", Lines(NotRun(results))},
      {"distrust", Lines(results.distrust)},
      {"broken", Lines(results.broken)},
      {"setup", Setup(results)},
      {"titles", OperatorTitles(results)},
      {"groups", Groups(results)},
      {"clauses", List(results.clauses)},
      {"quotas", Quotas(results)},
      {"gate", Gate(results)},
      {"comparison", ComparisonJson(extras.comparison)},
      {"mutants", Extra(extras.mutants)},
      {"speed", Extra(extras.speed)}};
  AddFailures(results, data);
  AddEvidence(results, data);
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n<title>qconform: ",
      VerdictName(results.exit_code),
      "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n", kPageStyle,
      "</style>\n</head>\n<body>\n<main id=\"page\"><noscript>qconform: ",
      VerdictName(results.exit_code), ", ", all.Of(CaseStatus::kPassed), " of ",
      all.All(),
      " cases passed. The rest of this page needs "
      "JavaScript.</noscript></main>\n<script type=\"application/json\" "
      "id=\"data\">",
      ForScript(data), "</script>\n<script>\n", kPageScript,
      "</script>\n</body>\n</html>\n");
}

}  // namespace qconform::harness
