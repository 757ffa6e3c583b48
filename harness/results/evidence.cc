#include "harness/results/evidence.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/vector_file.h"
#include "harness/judge/explain.h"
#include "harness/results/console_view.h"
#include "harness/results/counterexample.h"

namespace qconform::harness {
namespace {

bool IsFailure(CaseStatus status) {
  return status != CaseStatus::kPassed && status != CaseStatus::kUnsupported;
}

bool Ended(CaseStatus status) {
  return status == CaseStatus::kCrashed || status == CaseStatus::kTimedOut;
}

// What evidence is wanted of.
struct Wish {
  const CaseResult* result = nullptr;
  const TargetResult* target = nullptr;
  int64_t element = -1;
};

using CaseKey = std::pair<std::string, std::string>;  // operator, id
using GroupKey = std::tuple<std::string, std::string, std::string>;

// Worst elements first, then whatever else failed.
std::vector<Wish> Wishes(const Group& group,
                         const std::map<CaseKey, const CaseResult*>& results,
                         const std::vector<Wish>& failed) {
  std::vector<Wish> wishes;
  const auto add = [&wishes](const Wish& wish) {
    for (const Wish& other : wishes) {
      if (other.result == wish.result) return;  // a case once is enough
    }
    wishes.push_back(wish);
  };
  for (const WorstElement& worst : group.worst) {
    const auto found = results.find({group.operator_name, worst.id});
    if (found == results.end()) continue;
    for (const TargetResult& target : found->second->targets) {
      if (target.target == group.target) {
        add({found->second, &target, worst.failure.element});
      }
    }
  }
  for (const Wish& wish : failed) add(wish);
  if (wishes.size() > Evidence::kMaxPerGroup) {
    wishes.resize(Evidence::kMaxPerGroup);
  }
  return wishes;
}

// A file that holds the case alone; empty if it would be too large.
std::string VectorText(const TestCase& test_case) {
  std::string text = FormatVectorFile(
      {test_case.file, test_case.arguments.operator_name, {test_case}});
  if (text.size() > Evidence::kMaxTextBytes) text.clear();
  return text;
}

}  // namespace

std::string RepeatCommand(const RunResults& results, const CaseResult& result,
                          const TargetResult& target) {
  // A generated case has no file; its vector is in the evidence.
  std::string command = "qconform run counterexample.json";
  if (!result.file.empty()) {
    command = absl::StrCat(
        "qconform run ", ShellQuote(result.file), " --filter=",
        ShellQuote(absl::StrCat(result.operator_name, "/", result.id)));
  }
  absl::StrAppend(&command, " --targets=", ShellQuote(target.target));
  if (results.candidate != "builtin") {
    absl::StrAppend(&command, " --candidate=", ShellQuote(results.candidate));
  }
  absl::StrAppend(&command, " --level=", LevelName(results.level));
  // How many threads a kernel is lent may be what it takes.
  if (!target.variation.empty()) {
    absl::StrAppend(&command, " --threads=", results.threads);
  }
  return command;
}

Evidence MakeEvidence(const TestCase& test_case, const std::string& target,
                      int64_t element, bool explain,
                      const std::string& repeat_command, Candidate& candidate) {
  Evidence evidence;
  evidence.operator_name = test_case.arguments.operator_name;
  evidence.types = TypesLabel(test_case.arguments);
  evidence.target = target;
  evidence.id = test_case.id;
  evidence.file = test_case.file;
  evidence.element = element;
  evidence.repeat = repeat_command;
  if (explain) {
    const absl::StatusOr<std::string> text = Explain(
        test_case, absl::StrCat(std::max<int64_t>(element, 0)), candidate);
    evidence.explanation =
        text.ok() ? text->substr(0, Evidence::kMaxTextBytes)
                  : absl::StrCat("no explanation: ", text.status().message());
  }
  evidence.vector = VectorText(test_case);
  return evidence;
}

namespace {

Evidence EvidenceOf(const TestCase& test_case, const Wish& wish,
                    Candidate& candidate, const RunResults& results) {
  const TargetResult& target = *wish.target;
  const bool returns = !Ended(target.status);
  Evidence evidence =
      MakeEvidence(test_case, target.target, wish.element, returns,
                   RepeatCommand(results, *wish.result, target), candidate);
  if (returns && IsFailure(target.status)) {
    evidence.vector =
        VectorText(SimplifiedCase(test_case, candidate,
                                  {.target = target.target,
                                   .level = results.level,
                                   .vary = !target.variation.empty(),
                                   .threads = results.threads}));
  }
  return evidence;
}

}  // namespace

void CollectEvidence(const std::vector<const TestCase*>& cases,
                     Candidate& candidate, RunResults& results) {
  std::map<CaseKey, const CaseResult*> by_name;
  std::map<GroupKey, std::vector<Wish>> failed;
  for (const CaseResult& result : results.cases) {
    by_name[{result.operator_name, result.id}] = &result;
    for (const TargetResult& target : result.targets) {
      if (!IsFailure(target.status)) continue;
      std::vector<Wish>& wishes =
          failed[{result.operator_name, result.types, target.target}];
      if (wishes.size() < Evidence::kMaxPerGroup) {
        wishes.push_back({&result, &target, -1});
      }
    }
  }
  std::map<CaseKey, const TestCase*> test_cases;
  for (const TestCase* test_case : cases) {
    test_cases[{test_case->arguments.operator_name, test_case->id}] = test_case;
  }
  for (const bool failing : {true, false}) {
    for (const Group& group : results.groups) {
      const GroupKey key = {group.operator_name, group.types, group.target};
      const auto found = failed.find(key);
      if ((found != failed.end()) != failing) continue;
      const std::vector<Wish> none;
      for (const Wish& wish :
           Wishes(group, by_name, failing ? found->second : none)) {
        if (results.evidence.size() >= Evidence::kMaxInAll) return;
        const auto test_case =
            test_cases.find({wish.result->operator_name, wish.result->id});
        if (test_case == test_cases.end()) continue;
        results.evidence.push_back(
            EvidenceOf(*test_case->second, wish, candidate, results));
      }
    }
  }
}

}  // namespace qconform::harness
