#include "harness/commands/mutants_matrix.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "harness/cases/hard_cases.h"
#include "harness/cases/random_arguments.h"
#include "harness/judge/expectation.h"
#include "harness/judge/verdict.h"
#include "nlohmann/json.hpp"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

// The second oracle takes every call: no amount of work is below this limit.
constexpr int64_t kSecondOracleAlways = -1;

constexpr int kColumnWidth = 26;

std::string ShownKill(const std::optional<std::string>& kill) {
  if (!kill) return "-";
  return kill->size() < kColumnWidth
             ? *kill
             : kill->substr(0, kColumnWidth - 4) + "...";
}

}  // namespace

ListedCases::ListedCases(std::vector<TestCase> cases)
    : cases_(std::move(cases)) {
  expectations_.reserve(cases_.size());
}

absl::StatusOr<std::optional<std::string>> ListedCases::FirstKill(
    Candidate& candidate) {
  for (size_t i = 0; i < cases_.size(); ++i) {
    if (i == expectations_.size()) {
      absl::StatusOr<Expectation> made =
          Expectation::Make(cases_[i], kSecondOracleAlways);
      if (!made.ok()) return made.status();
      expectations_.push_back(*std::move(made));
    }
    const absl::StatusOr<CaseVerdict> verdict =
        JudgeOnTarget(expectations_[i], candidate, candidate.Targets()[0],
                      Level::kExact, /*vary=*/false, /*threads=*/1);
    if (!verdict.ok()) return verdict.status();
    if (verdict->status != CaseStatus::kPassed) return cases_[i].id;
  }
  return std::nullopt;
}

std::vector<TestCase> RandomCases(const std::string& operator_name,
                                  int64_t count, uint64_t seed) {
  RandomSource random(seed);
  std::vector<TestCase> cases;
  for (int64_t i = 0; std::ssize(cases) < count; ++i) {
    TestCase test_case;
    const bool hard = i % 2 == 1;
    test_case.id = absl::StrCat(hard ? "hard-" : "random-", i);
    test_case.title = hard ? "a hard call" : "a random call";
    test_case.arguments = hard ? RandomHardArguments(operator_name, random)
                               : RandomArguments(operator_name, random);
    if (!OutputsFit(test_case.arguments)) continue;
    if (const absl::Status status = spec::Validate(test_case.arguments);
        !status.ok()) {
      test_case.error = ErrorOf(status);
    }
    cases.push_back(std::move(test_case));
  }
  return cases;
}

bool MutantResult::Survived() const {
  return std::none_of(kills.begin(), kills.end(),
                      [](const auto& kill) { return kill.has_value(); });
}

int64_t KillMatrix::SurvivorCount() const {
  return std::count_if(
      mutants.begin(), mutants.end(),
      [](const MutantResult& mutant) { return mutant.Survived(); });
}

absl::StatusOr<KillMatrix> FillKillMatrix(
    const std::string& operator_name, std::vector<NamedSource> sources,
    const std::vector<mutants::Fault>& faults) {
  absl::StatusOr<std::unique_ptr<Candidate>> original =
      mutants::MakeMutant(operator_name, "");
  if (!original.ok()) return original.status();
  KillMatrix matrix;
  for (const mutants::Fault& fault : faults) {
    matrix.mutants.push_back({.fault = fault, .kills = {}});
  }
  for (NamedSource& named : sources) {
    const absl::Time start = absl::Now();
    absl::StatusOr<std::optional<std::string>> kill =
        named.source->FirstKill(**original);
    if (!kill.ok()) return kill.status();
    if (kill->has_value()) {
      return absl::InternalError(absl::StrCat(
          "the scalar model of ", operator_name, " without a fault fails ",
          named.name, " case ", **kill, ", so its mutants prove nothing"));
    }
    SourceTotal total;
    total.name = named.name;
    total.cases = static_cast<int64_t>(named.source->CaseCount());
    for (MutantResult& result : matrix.mutants) {
      absl::StatusOr<std::unique_ptr<Candidate>> mutant =
          mutants::MakeMutant(operator_name, result.fault.name);
      if (!mutant.ok()) return mutant.status();
      kill = named.source->FirstKill(**mutant);
      if (!kill.ok()) return kill.status();
      total.killed += kill->has_value();
      result.kills.push_back(*std::move(kill));
    }
    total.seconds = absl::ToDoubleSeconds(absl::Now() - start);
    matrix.sources.push_back(std::move(total));
  }
  return matrix;
}

void AppendMatrix(KillMatrix part, KillMatrix& whole) {
  if (whole.sources.empty()) {
    whole = std::move(part);
    return;
  }
  for (size_t i = 0; i < whole.sources.size(); ++i) {
    whole.sources[i].cases += part.sources[i].cases;
    whole.sources[i].killed += part.sources[i].killed;
    whole.sources[i].seconds += part.sources[i].seconds;
  }
  for (MutantResult& mutant : part.mutants) {
    whole.mutants.push_back(std::move(mutant));
  }
}

double KilledPercent(const KillMatrix& matrix, const SourceTotal& source) {
  if (matrix.mutants.empty()) return 0;
  return 100.0 * static_cast<double>(source.killed) /
         static_cast<double>(matrix.mutants.size());
}

std::string FormatMatrix(const KillMatrix& matrix) {
  std::string text;
  std::string operator_name;
  for (const MutantResult& mutant : matrix.mutants) {
    if (mutant.fault.operator_name != operator_name) {
      operator_name = mutant.fault.operator_name;
      absl::StrAppendFormat(&text, "%s\n  %-32s", operator_name, "mutant");
      for (const SourceTotal& source : matrix.sources) {
        absl::StrAppendFormat(&text, "%-*s", kColumnWidth, source.name);
      }
      absl::StrAppend(&text, "\n");
    }
    absl::StrAppendFormat(&text, "  %-32s", mutant.fault.name);
    for (const std::optional<std::string>& kill : mutant.kills) {
      absl::StrAppendFormat(&text, "%-*s", kColumnWidth, ShownKill(kill));
    }
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, "killed, of ", matrix.mutants.size(), " mutants:\n");
  for (const SourceTotal& source : matrix.sources) {
    absl::StrAppendFormat(&text, "  %-12s %4d  %5.1f %%  (%d cases, %.1f s)\n",
                          source.name, source.killed,
                          KilledPercent(matrix, source), source.cases,
                          source.seconds);
  }
  for (const MutantResult& mutant : matrix.mutants) {
    if (!mutant.Survived()) continue;
    absl::StrAppend(&text, "survived: ", mutant.fault.operator_name, " ",
                    mutant.fault.name, " (", mutant.fault.description,
                    "): no case tells it from the original\n");
  }
  absl::StrAppend(&text, matrix.SurvivorCount(), " survived every source\n");
  return text;
}

std::string MatrixToJson(const KillMatrix& matrix, uint64_t seed) {
  nlohmann::ordered_json json;
  json["schema"] = "mutants/1";
  json["seed"] = seed;
  json["survivors"] = matrix.SurvivorCount();
  json["sources"] = nlohmann::ordered_json::array();
  for (const SourceTotal& source : matrix.sources) {
    json["sources"].push_back({{"name", source.name},
                               {"cases", source.cases},
                               {"killed", source.killed},
                               {"percent", KilledPercent(matrix, source)},
                               {"seconds", source.seconds}});
  }
  json["mutants"] = nlohmann::ordered_json::array();
  for (const MutantResult& mutant : matrix.mutants) {
    nlohmann::ordered_json kills;
    for (size_t i = 0; i < mutant.kills.size(); ++i) {
      nlohmann::ordered_json& kill = kills[matrix.sources[i].name];
      if (mutant.kills[i]) kill = *mutant.kills[i];
    }
    json["mutants"].push_back({{"operator", mutant.fault.operator_name},
                               {"name", mutant.fault.name},
                               {"description", mutant.fault.description},
                               {"kills", std::move(kills)}});
  }
  return json.dump(1) + "\n";
}

}  // namespace qconform::harness
