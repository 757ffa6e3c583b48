#include "harness/results/markdown_view.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/results/evidence.h"
#include "harness/results/summary.h"
#include "harness/results/text_safety.h"

namespace qconform::harness {
namespace {

constexpr size_t kMaxLines = 20;  // of any list
constexpr size_t kMaxText = 400;  // bytes of any text of unknown length

bool IsProblem(CaseStatus status) {
  return status != CaseStatus::kPassed && status != CaseStatus::kUnsupported &&
         status != CaseStatus::kExpectedFailure;
}

// A sign and the counts in words; colour alone would not do in a text.
std::string Cell(const Tally* tally) {
  if (tally == nullptr || tally->All() == 0) return "not run";
  const int64_t passed = tally->Of(CaseStatus::kPassed);
  const int64_t bad = tally->Failed();
  const int64_t known = tally->Of(CaseStatus::kExpectedFailure);
  if (bad > 0) return absl::StrCat("❌ **", bad, "** of ", tally->All());
  if (passed == tally->All()) return absl::StrCat("✅ ", passed);
  if (passed + known == tally->All()) {
    return absl::StrCat("✅ ", passed, ", ", known, " known failures");
  }
  if (passed == 0) return absl::StrCat("unsupported ", tally->All());
  return absl::StrCat("⚠ ", passed, " of ", tally->All());
}

void AppendMatrix(const RunResults& results, std::string& text) {
  const auto tallies = TallyByOperatorAndTarget(results);
  std::vector<std::string> targets = results.expected_targets;
  std::set<std::string> operators;
  for (const auto& [key, tally] : tallies) {
    operators.insert(key.first);
    if (std::find(targets.begin(), targets.end(), key.second) ==
        targets.end()) {
      targets.push_back(key.second);
    }
  }
  if (operators.empty()) return;
  absl::StrAppend(&text, "\n| operator |");
  for (const std::string& target : targets) {
    absl::StrAppend(&text, " ", EscapeMarkdown(target), " |");
  }
  absl::StrAppend(&text, "\n|---|");
  for (size_t i = 0; i < targets.size(); ++i) absl::StrAppend(&text, "---|");
  for (const std::string& name : operators) {
    absl::StrAppend(&text, "\n| ", EscapeMarkdown(name), " |");
    for (const std::string& target : targets) {
      const auto found = tallies.find({name, target});
      absl::StrAppend(&text, " ",
                      Cell(found == tallies.end() ? nullptr : &found->second),
                      " |");
    }
  }
  const Tally all = TallyAll(results);
  absl::StrAppend(&text, "\n\n", all.All(), " cases");
  for (const auto& [status, count] : all.cases) {
    absl::StrAppend(&text, ", ", count, " ", CaseStatusName(status));
  }
  absl::StrAppend(
      &text, " (each case once per target). Elements: ", all.elements.exact,
      " exact, ", all.elements.explained, " explained, ", all.elements.wrong,
      " wrong, ", all.elements.preserved, " preserved.\n");
}

void AppendList(const std::string& head, const std::vector<std::string>& lines,
                std::string& text) {
  if (lines.empty()) return;
  absl::StrAppend(&text, "\n### ", head, "\n\n");
  for (size_t i = 0; i < std::min(lines.size(), kMaxLines); ++i) {
    absl::StrAppend(&text, "- ", EscapeMarkdown(CutText(lines[i], kMaxText)),
                    "\n");
  }
  if (lines.size() > kMaxLines) {
    absl::StrAppend(&text, "- and ", lines.size() - kMaxLines, " more\n");
  }
}

std::string FirstFailure(const TargetResult& target) {
  if (target.failures.empty()) return target.reason;
  const Failure& failure = target.failures.front();
  return absl::StrCat(PlaceOf(failure), ": expected ", failure.expected,
                      ", got ", failure.found,
                      failure.difference_text.empty() ? "" : ", ",
                      failure.difference_text, ": ", failure.reason);
}

void AppendFailures(const RunResults& results, std::string& text) {
  size_t listed = 0;
  int64_t unlisted = 0;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      if (!IsProblem(target.status)) continue;
      if (listed == kMaxLines) {
        ++unlisted;
        continue;
      }
      if (listed++ == 0) absl::StrAppend(&text, "\n### Failures\n\n");
      const std::string name =
          absl::StrCat(result.operator_name, "/", result.id);
      absl::StrAppend(
          &text, "- **", CaseStatusName(target.status), "** ",
          CodeSpan(CutText(name, kMaxText)), " on ",
          EscapeMarkdown(target.target), ": ",
          EscapeMarkdown(CutText(FirstFailure(target), kMaxText)),
          target.failure_count > 1
              ? absl::StrCat(" (", target.failure_count, " elements)")
              : "",
          "<br>\n  ",
          CodeSpan(
              CutText(RepeatCommand(results, result, target), 2 * kMaxText)),
          "\n");
    }
  }
  if (unlisted > 0) absl::StrAppend(&text, "- and ", unlisted, " more\n");
}

// One line per stage: those that did not pass first and in full, the others
// behind a click.
void AppendStages(const RunResults& results, std::string& text) {
  std::vector<std::string> faults;
  std::string passed;
  int64_t count = 0;
  for (const StageResult& stage : results.stages) {
    if (stage.TargetsThat(CaseStatus::kPassed).size() == stage.targets.size()) {
      absl::StrAppend(&passed, "- ✅ ", EscapeMarkdown(Describe(stage)), "\n");
      ++count;
      continue;
    }
    const bool excused = stage.TargetsThat(CaseStatus::kFailed).empty() &&
                         stage.TargetsThat(CaseStatus::kUnexpectedPass).empty();
    faults.push_back(absl::StrCat(excused ? "" : "❌ ", Describe(stage)));
    for (const StageResult::Target& target : stage.targets) {
      if (target.reason.empty()) continue;
      faults.push_back(absl::StrCat(target.target, ": ", target.reason));
    }
    faults.insert(faults.end(), stage.failures.begin(), stage.failures.end());
  }
  AppendList("Sweeps and properties that did not pass", faults, text);
  if (count == 0) return;
  absl::StrAppend(&text, "\n<details><summary>", count,
                  " sweeps and properties passed</summary>\n\n", passed,
                  "\n</details>\n");
}

// Rows without any difference are many and say nothing.
void AppendRatchet(const RunResults& results, std::string& text) {
  std::vector<std::string> lines;
  for (const RatchetRow& row : results.ratchet) {
    if (row.observed == 0 && row.recorded == 0) continue;
    const bool worse = row.Outcome() == "worse";
    const std::string line = absl::StrCat(worse ? "❌ " : "", Describe(row));
    lines.insert(worse ? lines.begin() : lines.end(), line);
  }
  AppendList("Largest differences", lines, text);
}

void AppendClauses(const RunResults& results, std::string& text) {
  if (results.clauses.empty()) return;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> rows;
  for (const ClauseResult& clause : results.clauses) {
    rows[clause.operator_name][clause.Outcome()].push_back(clause.id);
  }
  absl::StrAppend(&text,
                  "\n<details><summary>Clauses</summary>\n\n| operator | "
                  "passed | failed | incomplete | not covered |\n"
                  "|---|---|---|---|---|\n");
  for (auto& [name, outcomes] : rows) {
    absl::StrAppend(&text, "| ", EscapeMarkdown(name), " | ",
                    outcomes["passed"].size(), " |");
    for (const char* outcome : {"failed", "incomplete", "not covered"}) {
      const std::vector<std::string>& ids = outcomes[outcome];
      absl::StrAppend(
          &text, " ", ids.size(), ids.empty() ? "" : ": ",
          EscapeMarkdown(CutText(absl::StrJoin(ids, " "), kMaxText)), " |");
    }
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, "\n</details>\n");
}

void AppendSetup(const RunResults& results, std::string& text) {
  absl::StrAppend(&text,
                  "\n<details><summary>What this is bound "
                  "to</summary>\n\n| | |\n|---|---|\n");
  for (const auto& [name, value] : SetupRows(results)) {
    absl::StrAppend(&text, "| ", name, " | ",
                    EscapeMarkdown(CutText(value, kMaxText)), " |\n");
  }
  absl::StrAppend(&text, "\n</details>\n");
}

void AppendComparison(const Comparison& comparison, std::string& text) {
  absl::StrAppend(&text, "\n### Compared with the older results\n\n",
                  VerdictName(comparison.before), " → ",
                  VerdictName(comparison.after), ".");
  if (comparison.Empty()) absl::StrAppend(&text, " Nothing changed.");
  absl::StrAppend(&text, "\n\n");
  for (const auto& [key, count] : comparison.transitions) {
    absl::StrAppend(&text, "- ", count, " cases: ", key.first, " → ",
                    key.second, "\n");
  }
  for (size_t i = 0; i < std::min(comparison.cases.size(), kMaxLines); ++i) {
    const CaseChange& change = comparison.cases[i];
    absl::StrAppend(
        &text, "- ",
        CodeSpan(CutText(absl::StrCat(change.operator_name, "/", change.id),
                         kMaxText)),
        " on ", EscapeMarkdown(change.target), ": ", change.before, " → ",
        change.after, "\n");
  }
  if (comparison.cases.size() > kMaxLines) {
    absl::StrAppend(&text, "- and more\n");
  }
  for (const Change& change : comparison.setup) {
    absl::StrAppend(&text, "- ", change.name, ": ",
                    EscapeMarkdown(CutText(change.before, kMaxText)), " → ",
                    EscapeMarkdown(CutText(change.after, kMaxText)), "\n");
  }
}

}  // namespace

std::string EscapeMarkdown(const std::string& text) {
  std::string escaped;
  for (const char c : CleanText(text)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '\n' || c == '\t') {
      escaped += ' ';
    } else {
      if (std::string("\\`*_{}[]#|!~$").find(c) != std::string::npos) {
        escaped += '\\';
      }
      escaped += c;
    }
  }
  return escaped;
}

std::string CodeSpan(const std::string& text) {
  std::string code = CleanText(text);
  std::replace(code.begin(), code.end(), '\n', ' ');
  // The fence must be longer than any run of backticks within.
  size_t longest = 0;
  size_t run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fence + space + code + space + fence;
}

std::string ToMarkdown(const RunResults& results,
                       const Comparison* comparison) {
  const char* sign = results.exit_code == kConforms        ? "✅"
                     : results.exit_code == kUntrustworthy ? "⚠"
                                                           : "❌";
  std::string text = absl::StrCat(
      "## ", sign, " qconform: ", VerdictName(results.exit_code),
      !results.stopped.empty() ? " (partial)" : "", "\n\n",
      EscapeMarkdown(results.candidate), " at level ", LevelName(results.level),
      ", commit ", EscapeMarkdown(results.build.commit.substr(0, 12)),
      results.build.dirty == "true" ? " (dirty)" : "", "\n");
  AppendMatrix(results, text);
  AppendList("Broken", results.broken, text);
  AppendList("Why this is mistrusted", results.distrust, text);
  AppendFailures(results, text);
  AppendStages(results, text);
  AppendRatchet(results, text);
  AppendList("What was not run", NotRun(results), text);
  if (comparison != nullptr) AppendComparison(*comparison, text);
  AppendClauses(results, text);
  AppendSetup(results, text);
  return text;
}

}  // namespace qconform::harness
