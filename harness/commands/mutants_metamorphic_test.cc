#include "harness/commands/mutants_metamorphic.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/candidates/mutants/mutants.h"
#include "harness/judge/fake_candidate.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

std::unique_ptr<Candidate> Mutant(const std::string& operator_name,
                                  const std::string& fault) {
  absl::StatusOr<std::unique_ptr<Candidate>> mutant =
      mutants::MakeMutant(operator_name, fault);
  EXPECT_TRUE(mutant.ok()) << mutant.status();
  return *std::move(mutant);
}

// The property that the first kill names; empty without one.
std::string KillingProperty(MetamorphicCases& source, Candidate& candidate) {
  const absl::StatusOr<std::optional<std::string>> kill =
      source.FirstKill(candidate);
  EXPECT_TRUE(kill.ok());
  if (!kill->has_value()) return "";
  return (*kill)->substr(0, (*kill)->find_last_of('-'));
}

// For each fault, all properties that it can break: what it does changes with
// nothing else that a property changes.
TEST(MetamorphicCasesTest, KillsWhatAPropertyMustSee) {
  const struct {
    const char* operator_name;
    const char* fault;
    std::set<std::string> properties;
  } rows[] = {
      // The scale stays behind when its row moves.
      {kMatmul, "a-scale-of-next-row", {"permute-rows"}},
      {kMatmul, "a-zero-point-of-first-row", {"permute-rows"}},
      {kMatmul, "b-zero-point-of-first-column", {"permute-columns"}},
      // Another column is the last one; a permutation of rows keeps it.
      {kMatmul, "last-column-dropped", {"permute-columns"}},
      // Rows that move are packed.
      {kMatmul, "strides-ignored", {"stride-form", "permute-rows"}},
      {kAdd, "a-scale-for-both", {"swap-operands"}},
      {kAdd, "b-zero-point-ignored", {"swap-operands"}},
      {kAdd, "last-element-dropped", {"permute-rows"}},
      // Rows of no group change places with the one that is written.
      {kGrouped, "boundary-off-by-one", {"permute-rows"}},
      {kGrouped, "nan-poisons-all", {"permute-rows"}},
      // After a split of group 0, the second group has its weights.
      {kGrouped, "first-end-ignored", {"split-group"}},
      {kGrouped, "empty-group-skips-weight", {"split-group"}},
      // Rows also move across the ends that it takes for those of groups.
      {kGrouped, "counts-for-ends", {"split-group", "permute-rows"}},
      {kGrouped, "padding-read", {"weight-layout"}},
      // What it reads beside the weights depends on the groups behind.
      {kGrouped,
       "group-stride-without-padding",
       {"weight-layout", "split-group"}},
      {kGrouped, "epsilon-in-scale", {"scale-together"}},
      {kQuantize, "last-element-not-measured", {"permute-rows"}},
      // Outputs that do not grow with the data are not on its grid either.
      {kQuantize, "quantized-value-written", {"scale-together", "idempotent"}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.operator_name) + " " + row.fault);
    MetamorphicCases source(row.operator_name, 1500, 1);
    const std::string property =
        KillingProperty(source, *Mutant(row.operator_name, row.fault));
    EXPECT_TRUE(row.properties.contains(property)) << property;
  }
}

// A function of the real value, however wrong, has every property that rests on
// real arithmetic; so has one that treats all elements alike.
TEST(MetamorphicCasesTest, ConsistentFaultsBreakNone) {
  for (const auto& [operator_name, fault] :
       {std::pair{kAdd, "half-away"}, std::pair{kMatmul, "wrap"},
        std::pair{kGrouped, "half-up"}, std::pair{kQuantize, "half-away"}}) {
    MetamorphicCases source(operator_name, 200, 1);
    EXPECT_EQ(KillingProperty(source, *Mutant(operator_name, fault)), "")
        << operator_name << " " << fault;
  }
}

TEST(MetamorphicCasesTest, OriginalsHaveEveryPropertyThatApplies) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    SCOPED_TRACE(spec.name);
    MetamorphicCases source(spec.name, 200, 3);
    EXPECT_EQ(source.CaseCount(), 200);
    const std::unique_ptr<Candidate> original = Mutant(spec.name, "");
    EXPECT_EQ(KillingProperty(source, *original), "");
    // Those that say nothing are gone: half of the calls that must fail do
    // not, and some properties need more than one row.
    const size_t applying = source.CaseCount();
    EXPECT_LT(applying, 200);
    EXPECT_GT(applying, 80);
    EXPECT_EQ(KillingProperty(source, *original), "");
    EXPECT_EQ(source.CaseCount(), applying);
  }
}

TEST(MetamorphicCasesTest, OneSeedGivesTheSameCases) {
  const std::unique_ptr<Candidate> mutant =
      Mutant(kAdd, "b-read-with-the-type-of-a");
  std::set<std::string> kills;
  for (const uint64_t seed : {5, 5, 6, 7, 8, 9}) {
    MetamorphicCases source(kAdd, 300, seed);
    const auto kill = source.FirstKill(*mutant);
    ASSERT_TRUE(kill.ok() && kill->has_value());
    kills.insert(**kill);
    EXPECT_TRUE(seed != 5 || kills.size() == 1);
  }
  EXPECT_GT(kills.size(), 1);
}

// Faults that no mutant has.
TEST(MetamorphicCasesTest, SeesThreadsAndWritesOfFailedCalls) {
  for (const auto& [fault, property] :
       {std::pair{FakeFault::kWrongWithThreads, "execution"},
        std::pair{FakeFault::kWritesThenRejects, "failed-call"}}) {
    FakeCandidate candidate(fault);
    MetamorphicCases source(kAdd, 60, 1);
    EXPECT_EQ(KillingProperty(source, candidate), property);
  }
}

}  // namespace
}  // namespace qconform::harness
