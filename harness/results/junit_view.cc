#include "harness/results/junit_view.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/results/evidence.h"
#include "harness/results/summary.h"
#include "harness/results/text_safety.h"

namespace qconform::harness {
namespace {

struct Counts {
  int64_t tests = 0;
  int64_t failures = 0;
  int64_t errors = 0;
  int64_t skipped = 0;
};

Counts CountsOf(const Tally& tally) {
  Counts counts;
  counts.tests = tally.All();
  counts.failures =
      tally.Of(CaseStatus::kFailed) + tally.Of(CaseStatus::kUnexpectedPass);
  counts.errors = tally.Of(CaseStatus::kCrashed) +
                  tally.Of(CaseStatus::kTimedOut) +
                  tally.Of(CaseStatus::kMistrusted);
  counts.skipped = tally.Of(CaseStatus::kUnsupported) +
                   tally.Of(CaseStatus::kExpectedFailure);
  return counts;
}

std::string Attributes(const Counts& counts) {
  return absl::StrCat(" tests=\"", counts.tests, "\" failures=\"",
                      counts.failures, "\" errors=\"", counts.errors,
                      "\" skipped=\"", counts.skipped, "\"");
}

// Empty for a passed case.
std::string ElementName(CaseStatus status) {
  switch (status) {
    case CaseStatus::kPassed:
      return "";
    case CaseStatus::kFailed:
    case CaseStatus::kUnexpectedPass:
      return "failure";
    case CaseStatus::kUnsupported:
    case CaseStatus::kExpectedFailure:
      return "skipped";
    default:
      return "error";
  }
}

std::string Describe(const TargetResult& target) {
  std::string text;
  for (const Failure& failure : target.failures) {
    absl::StrAppend(&text, PlaceOf(failure), ": expected ", failure.expected,
                    ", got ", failure.found,
                    failure.difference_text.empty() ? "" : ", ",
                    failure.difference_text, ": ", failure.reason, "\n");
  }
  const int64_t more =
      target.failure_count - static_cast<int64_t>(target.failures.size());
  if (more > 0) absl::StrAppend(&text, more, " more elements\n");
  if (!target.variation.empty()) {
    absl::StrAppend(&text, "with ", target.variation, "\n");
  }
  return text;
}

void AppendCase(const RunResults& results, const CaseResult& result,
                const TargetResult& target, std::string& text) {
  absl::StrAppend(
      &text, "  <testcase classname=\"",
      EscapeXml(absl::StrCat(result.operator_name, ".", target.target)),
      "\" name=\"", EscapeXml(result.id), "\" file=\"", EscapeXml(result.file),
      "\"");
  const std::string element = ElementName(target.status);
  if (element.empty()) {
    absl::StrAppend(&text, "/>\n");
    return;
  }
  std::string message = target.reason;
  if (message.empty()) {
    message = absl::StrCat(target.failure_count, " elements differ");
  }
  absl::StrAppend(&text, ">\n   <", element, " type=\"",
                  CaseStatusName(target.status), "\" message=\"",
                  EscapeXml(message), "\">", EscapeXml(Describe(target)),
                  "repeat: ", EscapeXml(RepeatCommand(results, result, target)),
                  "</", element, ">\n  </testcase>\n");
}

void AppendProperties(const RunResults& results, std::string& text) {
  const BuildInfo& build = results.build;
  absl::StrAppend(&text, "  <properties>\n");
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{
           {"verdict", VerdictName(results.exit_code)},
           {"commit", build.commit},
           {"dirty", build.dirty},
           {"compiler", build.compiler},
           {"flags", build.flags},
           {"cpu", build.cpu},
           {"candidate", results.candidate},
           {"profile", results.profile},
           {"level", LevelName(results.level)},
           {"corpus", results.corpus_hash},
           {"partial", !results.stopped.empty() ? "true" : "false"},
           {"targets expected", absl::StrJoin(results.expected_targets, " ")},
           {"targets run", absl::StrJoin(results.run_targets, " ")}}) {
    absl::StrAppend(&text, "   <property name=\"", name, "\" value=\"",
                    EscapeXml(value), "\"/>\n");
  }
  absl::StrAppend(&text, "  </properties>\n");
}

// One test that is no case.
void AppendTest(const std::string& class_name, const std::string& name,
                CaseStatus status, const std::string& message, Counts& counts,
                std::string& text) {
  const std::string element = ElementName(status);
  ++counts.tests;
  counts.failures += element == "failure";
  counts.skipped += element == "skipped";
  absl::StrAppend(&text, "  <testcase classname=\"", EscapeXml(class_name),
                  "\" name=\"", EscapeXml(name), "\"");
  if (element.empty()) {
    absl::StrAppend(&text, "/>\n");
    return;
  }
  absl::StrAppend(&text, ">\n   <", element, " type=\"", CaseStatusName(status),
                  "\" message=\"",
                  EscapeXml(message.substr(0, message.find('\n'))), "\">",
                  EscapeXml(message), "</", element, ">\n  </testcase>\n");
}

void AppendSuite(const std::string& name, const Counts& counts,
                 const std::string& tests, std::string& text) {
  if (counts.tests == 0) return;
  absl::StrAppend(&text, " <testsuite name=\"", name, "\"", Attributes(counts),
                  ">\n", tests, " </testsuite>\n");
}

// What a gate does beside cases: stages, once per target, and the differences
// that it compares with its baseline.
Counts AppendGate(const RunResults& results, std::string& text) {
  Counts stages;
  std::string tests;
  for (const StageResult& stage : results.stages) {
    for (const StageResult::Target& target : stage.targets) {
      AppendTest(
          absl::StrCat(stage.operator_name, ".", target.target), stage.name,
          target.status,
          absl::StrCat(target.reason.empty() ? Describe(stage) : target.reason,
                       "\n", absl::StrJoin(stage.failures, "\n")),
          stages, tests);
    }
  }
  AppendSuite("sweeps and properties", stages, tests, text);
  Counts ratchet;
  tests.clear();
  for (const RatchetRow& row : results.ratchet) {
    AppendTest(
        absl::StrCat(row.operator_name, ".",
                     row.target.empty() ? "all targets" : row.target),
        absl::StrCat("largest difference of ", row.types),
        row.Outcome() == "worse" ? CaseStatus::kFailed : CaseStatus::kPassed,
        Describe(row), ratchet, tests);
  }
  AppendSuite("largest differences", ratchet, tests, text);
  stages.tests += ratchet.tests;
  stages.failures += ratchet.failures;
  return stages;
}

// The run itself may be at fault although every case passed.
void AppendRunItself(const RunResults& results, std::string& text) {
  std::vector<std::string> reasons = results.broken;
  reasons.insert(reasons.end(), results.distrust.begin(),
                 results.distrust.end());
  absl::StrAppend(&text,
                  " <testsuite name=\"the run itself\" tests=\"1\" "
                  "failures=\"0\" errors=\"",
                  reasons.empty() ? 0 : 1, "\" skipped=\"0\">\n");
  AppendProperties(results, text);
  absl::StrAppend(&text,
                  "  <testcase classname=\"qconform\" name=\"proves "
                  "what it should\"");
  if (reasons.empty()) {
    absl::StrAppend(&text, "/>\n");
  } else {
    absl::StrAppend(&text, ">\n   <error type=\"",
                    results.broken.empty() ? "mistrusted" : "broken",
                    "\" message=\"", EscapeXml(reasons.front()), "\">",
                    EscapeXml(absl::StrJoin(reasons, "\n")),
                    "</error>\n  </testcase>\n");
  }
  absl::StrAppend(&text, " </testsuite>\n");
}

}  // namespace

std::string EscapeXml(const std::string& text) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':  // else an attribute turns it into a blank
        escaped += "&#10;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string ToJunit(const RunResults& results) {
  // Lines of each suite, in one pass over the cases.
  std::map<std::pair<std::string, std::string>, std::string> suites;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      AppendCase(results, result, target,
                 suites[{result.operator_name, target.target}]);
    }
  }
  Counts all = CountsOf(TallyAll(results));
  std::string gate;
  const Counts gate_counts = AppendGate(results, gate);
  all.tests += gate_counts.tests + 1;
  all.failures += gate_counts.failures;
  all.skipped += gate_counts.skipped;
  all.errors += !results.broken.empty() || !results.distrust.empty();
  std::string text = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "
      "name=\"qconform\"",
      Attributes(all), absl::StrFormat(" time=\"%.3f\"", results.wall_seconds),
      ">\n");
  for (const auto& [key, tally] : TallyByOperatorAndTarget(results)) {
    absl::StrAppend(&text, " <testsuite name=\"",
                    EscapeXml(absl::StrCat(key.first, " on ", key.second)),
                    "\"", Attributes(CountsOf(tally)), " timestamp=\"",
                    EscapeXml(results.started), "\">\n", suites[key],
                    " </testsuite>\n");
  }
  text += gate;
  AppendRunItself(results, text);
  return text + "</testsuites>\n";
}

}  // namespace qconform::harness
