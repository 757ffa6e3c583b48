#include "harness/gate/annotations.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "harness/cases/vector_file.h"
#include "harness/results/summary.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::ordered_json;

// A message may quote bytes of a file that are no UTF-8.
std::string Dump(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Reads each file once.
class LineFinder {
 public:
  int64_t Find(const std::string& file, const std::string& id) {
    const auto [place, is_new] = texts_.try_emplace(file);
    if (is_new && !file.empty()) {
      // A file that is gone since has no lines.
      place->second = ReadTextFile(file).value_or("");
    }
    return FindLine(place->second, "id", id);
  }

 private:
  std::map<std::string, std::string> texts_;
};

std::string DescribeTarget(const TargetResult& target) {
  std::string text = absl::StrCat(target.target, ": ");
  if (target.failures.empty()) return text + target.reason;
  const Failure& failure = target.failures.front();
  absl::StrAppend(&text, failure.output, " ", failure.index, " expected ",
                  failure.expected, ", got ", failure.found);
  if (!failure.difference_text.empty()) {
    absl::StrAppend(&text, ", ", failure.difference_text);
  }
  absl::StrAppend(&text, ": ", failure.reason);
  if (target.failure_count > 1) {
    absl::StrAppend(&text, " (and ", target.failure_count - 1,
                    " more elements)");
  }
  if (!target.reason.empty()) absl::StrAppend(&text, "; ", target.reason);
  return text;
}

// FNV-1a: a name, not a secret.
std::string Fingerprint(const Finding& finding, const std::string& subject) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : absl::StrCat(finding.rule, "\n", subject)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return absl::StrFormat("%016x", hash);
}

void AddCaseFindings(const CaseResult& result, LineFinder& lines,
                     std::vector<Finding>& findings) {
  std::map<CaseStatus, std::vector<const TargetResult*>> by_status;
  for (const TargetResult& target : result.targets) {
    // What is unsupported is told once for the run, as distrust.
    if (target.status != CaseStatus::kPassed &&
        target.status != CaseStatus::kUnsupported) {
      by_status[target.status].push_back(&target);
    }
  }
  for (const auto& [status, targets] : by_status) {
    Finding finding;
    finding.rule = CaseStatusName(status);
    finding.suppressed = status == CaseStatus::kExpectedFailure;
    if (finding.suppressed) finding.severity = Severity::kNote;
    finding.file = result.file;
    finding.line = lines.Find(result.file, result.id);
    std::vector<std::string> names;
    std::vector<std::string> texts;
    for (const TargetResult* target : targets) {
      names.push_back(target->target);
      texts.push_back(DescribeTarget(*target));
    }
    finding.title = absl::StrCat(result.operator_name, " ", finding.rule,
                                 " on ", absl::StrJoin(names, ", "));
    const std::string name = absl::StrCat(result.operator_name, "/", result.id);
    finding.message = absl::StrCat(name, " (", result.types, ")\n",
                                   absl::StrJoin(texts, "\n"));
    finding.fingerprint = Fingerprint(
        finding, absl::StrCat(name, "\n", absl::StrJoin(names, ",")));
    findings.push_back(std::move(finding));
  }
}

void AddRunFinding(Severity severity, const std::string& rule,
                   const std::string& title, const std::string& message,
                   const std::string& file, std::vector<Finding>& findings) {
  Finding finding;
  finding.severity = severity;
  finding.rule = rule;
  finding.file = file;
  finding.title = title;
  finding.message = message;
  finding.fingerprint = Fingerprint(finding, message);
  findings.push_back(std::move(finding));
}

void AddStageFinding(const StageResult& stage, CaseStatus status,
                     std::vector<Finding>& findings) {
  const std::vector<std::string> targets = stage.TargetsThat(status);
  if (targets.empty()) return;
  Finding finding;
  finding.rule = CaseStatusName(status);
  finding.suppressed = status == CaseStatus::kExpectedFailure;
  if (finding.suppressed) finding.severity = Severity::kNote;
  const std::string on = absl::StrJoin(targets, ", ");
  finding.title =
      absl::StrCat(stage.operator_name, " ", finding.rule, " on ", on);
  const std::string name = absl::StrCat(stage.operator_name, "/", stage.name);
  std::vector<std::string> lines = {name};
  for (const StageResult::Target& target : stage.targets) {
    if (target.status == status && !target.reason.empty()) {
      lines.push_back(absl::StrCat(target.target, ": ", target.reason));
    }
  }
  if (status == CaseStatus::kFailed) {
    lines.insert(lines.end(), stage.failures.begin(), stage.failures.end());
  }
  finding.message = absl::StrJoin(lines, "\n");
  finding.fingerprint = Fingerprint(finding, absl::StrCat(name, "\n", on));
  findings.push_back(std::move(finding));
}

const char* SarifLevel(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    default:
      return "note";
  }
}

const char* RuleDescription(const std::string& rule) {
  static const auto* const kDescriptions =
      new std::map<std::string, const char*>{
          {"failed",
           "A case, sweep or property gives another result than it must."},
          {"expected-failure", "A known failure that still fails."},
          {"unexpected-pass", "A known failure that passes."},
          {"mistrusted", "A result that proves less than it should."},
          {"crashed", "The implementation crashed."},
          {"timed-out", "The implementation did not come back."},
          {"ratchet", "Differences against those that the baseline records."},
          {"broken", "The harness or the implementation broke."},
          {"expiry", "A known failure that expires soon."}};
  return kDescriptions->at(rule);
}

}  // namespace

std::vector<Finding> CollectFindings(const RunResults& results,
                                     const Baseline& baseline,
                                     const std::vector<std::string>& warnings) {
  std::vector<Finding> findings;
  LineFinder lines;
  for (const CaseResult& result : results.cases) {
    AddCaseFindings(result, lines, findings);
  }
  for (const StageResult& stage : results.stages) {
    for (const CaseStatus status :
         {CaseStatus::kFailed, CaseStatus::kExpectedFailure,
          CaseStatus::kUnexpectedPass}) {
      AddStageFinding(stage, status, findings);
    }
  }
  for (const RatchetRow& row : results.ratchet) {
    const std::string outcome = row.Outcome();
    if (outcome == "equal") continue;
    AddRunFinding(outcome == "worse" ? Severity::kError : Severity::kNote,
                  "ratchet", absl::StrCat(row.operator_name, " is ", outcome),
                  Describe(row), baseline.path, findings);
  }
  for (const std::string& text : results.broken) {
    AddRunFinding(Severity::kError, "broken", "broken", text, "", findings);
  }
  for (const std::string& text : results.distrust) {
    AddRunFinding(Severity::kError, "mistrusted", "mistrusted", text, "",
                  findings);
  }
  for (const std::string& text : warnings) {
    AddRunFinding(Severity::kWarning, "expiry", "expires soon", text,
                  baseline.path, findings);
  }
  return findings;
}

std::string ToGitHubAnnotations(const std::vector<Finding>& findings) {
  constexpr int kMaxShown = 10;
  const auto escape = [](const std::string& text) {
    return absl::StrReplaceAll(text,
                               {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
  };
  const auto escape_property = [&escape](const std::string& text) {
    return absl::StrReplaceAll(escape(text), {{":", "%3A"}, {",", "%2C"}});
  };
  std::string text;
  for (const auto& [severity, command] :
       {std::pair(Severity::kError, "error"),
        std::pair(Severity::kWarning, "warning"),
        std::pair(Severity::kNote, "notice")}) {
    const auto all = std::count_if(findings.begin(), findings.end(),
                                   [severity = severity](const Finding& f) {
                                     return f.severity == severity;
                                   });
    int shown = 0;
    for (const Finding& finding : findings) {
      if (finding.severity != severity) continue;
      if (++shown == kMaxShown && all > kMaxShown) {
        absl::StrAppend(&text, "::", command, "::and ", all - kMaxShown + 1,
                        " more, see the summary of the job\n");
        break;
      }
      absl::StrAppend(&text, "::", command, " ");
      if (!finding.file.empty()) {
        absl::StrAppend(&text, "file=", escape_property(finding.file), ",");
      }
      if (finding.line > 0) {
        absl::StrAppend(&text, "line=", finding.line, ",");
      }
      absl::StrAppend(&text, "title=", escape_property(finding.title),
                      "::", escape(finding.message), "\n");
    }
  }
  return text;
}

std::string ToSarif(const std::vector<Finding>& findings,
                    const BuildInfo& build) {
  std::set<std::string> names;
  for (const Finding& finding : findings) names.insert(finding.rule);
  Json rules = Json::array();
  for (const std::string& name : names) {
    rules.push_back({{"id", name},
                     {"shortDescription", {{"text", RuleDescription(name)}}}});
  }
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json result = {
        {"ruleId", finding.rule},
        {"level", SarifLevel(finding.severity)},
        {"message",
         {{"text", absl::StrCat(finding.title, "\n", finding.message)}}},
        {"partialFingerprints", {{"qconform/1", finding.fingerprint}}}};
    if (!finding.file.empty()) {
      Json location = {{"artifactLocation", {{"uri", finding.file}}}};
      if (finding.line > 0) {
        location["region"] = {{"startLine", finding.line}};
      }
      // A list in a list must be built by name: braces would be an object.
      result["locations"] = Json::array();
      result["locations"].push_back({{"physicalLocation", location}});
    }
    if (finding.suppressed) {
      result["suppressions"] = Json::array();
      result["suppressions"].push_back({{"kind", "external"}});
    }
    list.push_back(std::move(result));
  }
  Json run = {{"tool",
               {{"driver",
                 {{"name", "qconform"},
                  {"version", build.version},
                  {"rules", rules}}}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", list}};
  Json sarif = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                {"version", "2.1.0"},
                {"runs", Json::array()}};
  sarif["runs"].push_back(std::move(run));
  return Dump(sarif);
}

std::string ToCodeQuality(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    const char* severity = "info";
    if (finding.severity == Severity::kError) severity = "critical";
    if (finding.severity == Severity::kWarning) severity = "minor";
    // GitLab wants a place for everything.
    list.push_back(
        {{"description", absl::StrCat(finding.title, ": ", finding.message)},
         {"check_name", absl::StrCat("qconform/", finding.rule)},
         {"fingerprint", finding.fingerprint},
         {"severity", severity},
         {"location",
          {{"path", finding.file.empty() ? "." : finding.file},
           {"lines", {{"begin", std::max<int64_t>(finding.line, 1)}}}}}});
  }
  return Dump(list);
}

}  // namespace qconform::harness
