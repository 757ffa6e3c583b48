#include "harness/commands/mutants_matrix.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "harness/commands/mutants_sweep.h"
#include "nlohmann/json.hpp"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";

// Kills candidates of certain names.
class NamedKills : public CaseSource {
 public:
  explicit NamedKills(std::set<std::string> names) : names_(std::move(names)) {}
  size_t CaseCount() const override { return 7; }
  absl::StatusOr<std::optional<std::string>> FirstKill(
      Candidate& candidate) override {
    if (!names_.contains(candidate.Name())) return std::nullopt;
    return "the case with a name that is far too long for a column";
  }

 private:
  std::set<std::string> names_;
};

class Broken : public CaseSource {
 public:
  size_t CaseCount() const override { return 1; }
  absl::StatusOr<std::optional<std::string>> FirstKill(
      Candidate& /*candidate*/) override {
    return absl::InternalError("the judge broke");
  }
};

std::vector<mutants::Fault> TwoFaults() {
  return {{kAdd, "half-away", "rounds halves away from zero"},
          {kAdd, "truncate", "drops the fraction"}};
}

std::vector<NamedSource> Sources(std::set<std::string> first,
                                 std::set<std::string> second) {
  std::vector<NamedSource> sources;
  sources.push_back({"one", std::make_unique<NamedKills>(std::move(first))});
  sources.push_back({"two", std::make_unique<NamedKills>(std::move(second))});
  return sources;
}

TEST(MutantsMatrixTest, TellsKillsFromSurvivors) {
  const auto matrix = FillKillMatrix(
      kAdd, Sources({"mutant half-away"}, {"mutant half-away"}), TwoFaults());
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->SurvivorCount(), 1);
  EXPECT_FALSE(matrix->mutants[0].Survived());
  EXPECT_TRUE(matrix->mutants[1].Survived());
  EXPECT_EQ(matrix->sources[0].killed, 1);
  EXPECT_EQ(matrix->sources[0].cases, 7);
  EXPECT_EQ(KilledPercent(*matrix, matrix->sources[0]), 50);
  EXPECT_EQ(KilledPercent(KillMatrix(), SourceTotal()), 0);
  const std::string text = FormatMatrix(*matrix);
  EXPECT_THAT(text, HasSubstr("survived: dml_element_wise_quantized_linear_add "
                              "truncate (drops the fraction)"));
  EXPECT_THAT(text, HasSubstr("1 survived every source"));
  EXPECT_THAT(text, HasSubstr("the case with a name t..."));
  const auto json = nlohmann::json::parse(MatrixToJson(*matrix, 5));
  EXPECT_EQ(json["schema"], "mutants/1");
  EXPECT_EQ(json["seed"], 5);
  EXPECT_EQ(json["survivors"], 1);
  EXPECT_EQ(json["sources"][1]["percent"], 50);
  EXPECT_TRUE(json["mutants"][1]["kills"]["one"].is_null());
  EXPECT_EQ(json["mutants"][0]["kills"]["two"],
            "the case with a name that is far too long for a column");
}

TEST(MutantsMatrixTest, OneSourceIsEnoughToKill) {
  const auto matrix = FillKillMatrix(
      kAdd, Sources({"mutant half-away"}, {"mutant truncate"}), TwoFaults());
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->SurvivorCount(), 0);
  EXPECT_THAT(FormatMatrix(*matrix), Not(HasSubstr("survived:")));
}

TEST(MutantsMatrixTest, AddsMatricesOfSeveralOperators) {
  KillMatrix whole;
  for (int i = 0; i < 2; ++i) {
    auto part =
        FillKillMatrix(kAdd, Sources({"mutant truncate"}, {}), TwoFaults());
    ASSERT_TRUE(part.ok()) << part.status();
    AppendMatrix(*std::move(part), whole);
  }
  EXPECT_EQ(whole.mutants.size(), 4);
  EXPECT_EQ(whole.sources[0].killed, 2);
  EXPECT_EQ(whole.sources[0].cases, 14);
  EXPECT_EQ(whole.SurvivorCount(), 2);
}

TEST(MutantsMatrixTest, AnOriginalThatFailsProvesNothing) {
  const auto matrix =
      FillKillMatrix(kAdd, Sources({}, {"original"}), TwoFaults());
  EXPECT_EQ(matrix.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(matrix.status().message()), HasSubstr("two case"));
}

TEST(MutantsMatrixTest, PassesOnWhatBreaks) {
  std::vector<NamedSource> sources;
  sources.push_back({"broken", std::make_unique<Broken>()});
  EXPECT_EQ(FillKillMatrix(kAdd, std::move(sources), {}).status().message(),
            "the judge broke");
  EXPECT_EQ(FillKillMatrix("no_such_operator", {}, {}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(FillKillMatrix(kAdd, Sources({}, {}), {{kAdd, "no-fault", ""}})
                .status()
                .code(),
            absl::StatusCode::kNotFound);
}

TEST(MutantsMatrixTest, OneSeedGivesTheSameRandomCases) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    const std::vector<TestCase> cases = RandomCases(spec.name, 40, 3);
    EXPECT_EQ(cases.size(), 40);
    EXPECT_EQ(cases, RandomCases(spec.name, 40, 3));
    EXPECT_NE(cases, RandomCases(spec.name, 40, 4));
  }
}

TEST(MutantsMatrixTest, RandomCasesKillAMutant) {
  ListedCases source(RandomCases(kAdd, 100, 1));
  EXPECT_EQ(source.CaseCount(), 100);
  const auto original = mutants::MakeMutant(kAdd, "");
  const auto mutant = mutants::MakeMutant(kAdd, "b-subtracted");
  EXPECT_EQ(*source.FirstKill(**original), std::nullopt);
  EXPECT_NE(*source.FirstKill(**mutant), std::nullopt);
}

TEST(MutantsSweepTest, EveryCallIsValid) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    const std::vector<TestCase> cases = MutantSweep(spec.name);
    EXPECT_GE(cases.size(), 128);
    for (const TestCase& test_case : cases) {
      const absl::Status status = spec::Validate(test_case.arguments);
      ASSERT_TRUE(status.ok()) << spec.name << " " << test_case.id << status;
    }
  }
}

TEST(MutantsSweepTest, EverySettingOfTheAddHasAllPairs) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  for (const TestCase& test_case : MutantSweep(kAdd)) {
    if (!test_case.id.starts_with("setting-3-")) continue;
    const spec::Tensor& a = test_case.arguments.inputs.at("ATensor");
    const spec::Tensor& b = test_case.arguments.inputs.at("BTensor");
    for (int64_t i = 0; i < *spec::ElementCount(a.desc); ++i) {
      pairs.insert({spec::ReadInteger(a, i), spec::ReadInteger(b, i)});
    }
  }
  EXPECT_EQ(pairs.size(), 65536);
}

}  // namespace
}  // namespace qconform::harness
