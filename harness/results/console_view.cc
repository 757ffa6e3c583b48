#include "harness/results/console_view.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/results/evidence.h"
#include "harness/results/summary.h"

namespace qconform::harness {
namespace {

bool IsFailure(CaseStatus status) { return status != CaseStatus::kPassed; }

// Unsupported cases are summed up under "mistrusted", not listed one by one.
bool IsListed(CaseStatus status) {
  return IsFailure(status) && status != CaseStatus::kUnsupported;
}

void AppendFailure(const RunResults& results, const CaseResult& result,
                   const TargetResult& target, std::string& text) {
  const std::string head =
      absl::StrCat(CaseStatusName(target.status), " ", result.operator_name,
                   "/", result.id, " on ", target.target);
  const std::string variation =
      target.variation.empty() ? ""
                               : absl::StrCat(" (with ", target.variation, ")");
  int64_t element = -1;
  for (const Failure& failure : target.failures) {
    if (element < 0) element = failure.element;
    absl::StrAppend(&text, head, variation, ": ", PlaceOf(failure));
    if (failure.element >= 0) {
      absl::StrAppend(&text, " (element ", failure.element, ")");
    }
    absl::StrAppend(&text, ": expected ", failure.expected, ", got ",
                    failure.found);
    if (!failure.difference_text.empty()) {
      absl::StrAppend(&text, ", ", failure.difference_text);
    }
    absl::StrAppend(&text, ": ", failure.reason, "\n");
  }
  const int64_t unlisted =
      target.failure_count - static_cast<int64_t>(target.failures.size());
  if (unlisted > 0) {
    absl::StrAppend(&text, head, ": ", unlisted, " more elements\n");
  }
  if (target.failures.empty() || !target.reason.empty()) {
    absl::StrAppend(&text, head, variation, ": ", target.reason, "\n");
  }
  absl::StrAppend(&text, "  repeat:  ", RepeatCommand(results, result, target),
                  "\n");
  if (element >= 0) {
    absl::StrAppend(&text, "  explain: qconform explain ",
                    ShellQuote(result.file), " --case=", ShellQuote(result.id),
                    " --element=", element, "\n");
  }
}

// A table whose first column is left-aligned, all others right-aligned.
std::string FormatTable(const std::vector<std::vector<std::string>>& rows,
                        size_t left_columns) {
  std::vector<size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const int width = static_cast<int>(widths[i]);
      line += i < left_columns ? absl::StrFormat("%-*s", width, row[i])
                               : absl::StrFormat("%*s", width, row[i]);
    }
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string FormatMatrix(const RunResults& results) {
  const auto tallies = TallyByOperatorAndTarget(results);
  if (tallies.empty()) return "";
  // A column that only a baseline can fill.
  const bool has_known = TallyAll(results).Of(CaseStatus::kExpectedFailure) > 0;
  std::vector<std::vector<std::string>> rows = {
      {"operator", "target", "passed", "failed", "unsupported", "exact",
       "explained", "wrong", "preserved"}};
  if (has_known) rows[0].push_back("known failures");
  for (const auto& [key, tally] : tallies) {
    std::vector<std::string> row = {key.first, key.second};
    for (const int64_t number :
         {tally.Of(CaseStatus::kPassed), tally.Failed(),
          tally.Of(CaseStatus::kUnsupported), tally.elements.exact,
          tally.elements.explained, tally.elements.wrong,
          tally.elements.preserved}) {
      row.push_back(absl::StrCat(number));
    }
    if (has_known) {
      row.push_back(absl::StrCat(tally.Of(CaseStatus::kExpectedFailure)));
    }
    rows.push_back(std::move(row));
  }
  return FormatTable(rows, 2);
}

std::string FormatQuotas(const RunResults& results) {
  std::map<std::string, std::vector<std::string>> lines;
  for (const Quota& quota : results.quotas) {
    std::string text = absl::StrCat(quota.counter, " ", quota.count);
    if (quota.minimum > 0) {
      absl::StrAppend(&text, quota.Met() ? " (of " : " (NOT MET: of ",
                      quota.minimum, ")");
    }
    lines[quota.operator_name].push_back(std::move(text));
  }
  std::string text;
  for (const auto& [operator_name, counters] : lines) {
    absl::StrAppend(&text, "input quality of ", operator_name, ": ",
                    absl::StrJoin(counters, ", "), "\n");
  }
  return text;
}

std::string FormatGate(const RunResults& results) {
  std::string text;
  for (const StageResult& stage : results.stages) {
    absl::StrAppend(&text, Describe(stage), "\n");
    std::set<std::string> reasons;  // often the same on every target
    for (const StageResult::Target& target : stage.targets) {
      if (!target.reason.empty() && reasons.insert(target.reason).second) {
        absl::StrAppend(&text, "  ", target.reason, "\n");
      }
    }
    for (const std::string& failure : stage.failures) {
      absl::StrAppend(&text, "  counterexample: ", failure, "\n");
    }
    const auto listed = static_cast<int64_t>(stage.failures.size());
    if (stage.Failed() > listed) {
      absl::StrAppend(&text, "  and ", stage.Failed() - listed, " more\n");
    }
  }
  for (const RatchetRow& row : results.ratchet) {
    if (row.Outcome() == "equal") continue;
    absl::StrAppend(&text, "ratchet: ", Describe(row), "\n");
  }
  return text;
}

}  // namespace

std::string ShellQuote(const std::string& text) {
  const bool plain =
      !text.empty() &&
      std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) ||
               std::string("/._-+,=:").find(static_cast<char>(c)) !=
                   std::string::npos;
      });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string FormatFailures(const RunResults& results) {
  // A broken kernel fails everywhere; the first hundred tell as much as all.
  constexpr int64_t kMaxListed = 100;
  std::string text;
  int64_t listed = 0;
  for (const CaseResult& result : results.cases) {
    for (const TargetResult& target : result.targets) {
      if (!IsListed(target.status)) continue;
      if (++listed <= kMaxListed) {
        AppendFailure(results, result, target, text);
      }
    }
  }
  if (listed > kMaxListed) {
    absl::StrAppend(&text, "and ", listed - kMaxListed,
                    " more failures (all of them: --json=FILE)\n");
  }
  return text;
}

std::string FormatSummary(const RunResults& results) {
  std::string text = absl::StrCat(
      "candidate ", results.candidate, ", level ", LevelName(results.level),
      ", commit ", results.build.commit,
      results.build.dirty == "true" ? " (dirty)" : "",
      "\ntargets expected: ", absl::StrJoin(results.expected_targets, " "),
      "; run: ", absl::StrJoin(results.run_targets, " "), "\ncorpus ",
      results.corpus_hash, ": ", results.corpus_cases, " cases, ",
      results.cases.size(), " selected\n\n");
  absl::StrAppend(&text, FormatMatrix(results), "\n", FormatQuotas(results),
                  FormatGate(results));
  for (const CaseResult& result : results.cases) {
    if (!result.disagreement.empty()) {
      absl::StrAppend(&text, "note: ", result.operator_name, "/", result.id,
                      ": ", result.disagreement, "\n");
    }
  }
  for (const std::string& reason : results.broken) {
    absl::StrAppend(&text, "broken: ", reason, "\n");
  }
  for (const std::string& reason : results.distrust) {
    absl::StrAppend(&text, "mistrusted: ", reason, "\n");
  }
  absl::StrAppend(&text, VerdictName(results.exit_code), " (exit code ",
                  static_cast<int>(results.exit_code), "), ",
                  absl::StrFormat("%.1f s\n", results.wall_seconds));
  return text;
}

}  // namespace qconform::harness
