#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/builtin.h"
#include "harness/candidates/golden_binary32.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/cases/vector_file.h"
#include "harness/commands/fuzz_cases.h"
#include "harness/commands/fuzz_engine.h"
#include "harness/judge/expectation.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

FuzzOptions OptionsFor(const std::string& operator_name,
                       const Candidate& candidate, int64_t cases) {
  FuzzOptions options;
  options.operators = {operator_name};
  options.cases = cases;
  options.seed = 1;
  options.targets = candidate.Targets();
  return options;
}

FuzzReport FuzzMutant(const std::string& operator_name,
                      const std::string& fault, const std::string& save = "") {
  const auto mutant = mutants::MakeMutant(operator_name, fault);
  EXPECT_TRUE(mutant.ok()) << mutant.status();
  FuzzOptions options = OptionsFor(operator_name, **mutant, 300);
  options.fail_fast = true;
  options.save = save;
  return RunFuzz(**mutant, options);
}

TEST(FuzzCasesTest, TheSameOnEveryMachine) {
  const std::map<std::string, uint64_t> expected = {
      {kGrouped, 10628402182817437744u},
      {kAdd, 12754838705786109073u},
      {kMatmul, 9947831536674807113u},
      {kQuantize, 12294156858652410115u}};
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    const auto original = mutants::MakeMutant(spec.name, "");
    ASSERT_TRUE(original.ok());
    const FuzzReport report =
        RunFuzz(**original, OptionsFor(spec.name, **original, 60));
    ASSERT_EQ(report.statistics.size(), 1u);
    EXPECT_EQ(report.statistics[0].hash,
              expected.contains(spec.name) ? expected.at(spec.name) : 0)
        << spec.name;
    EXPECT_TRUE(report.failures.empty());
    EXPECT_TRUE(report.broken.empty());
  }
}

// Descriptions beyond all memory are among them and do no harm.
TEST(FuzzTest, HugeDescriptionsAreRejected) {
  const auto original = mutants::MakeMutant(kGrouped, "");
  ASSERT_TRUE(original.ok());
  FuzzOptions options = OptionsFor(kGrouped, **original, 1000);
  options.seed = 11;
  EXPECT_TRUE(RunFuzz(**original, options).failures.empty());
}

// A case does not depend on those before it, and cases differ.
TEST(FuzzCasesTest, EachIsToBeHadAlone) {
  std::set<std::string> kinds;
  std::set<std::string> properties;
  bool varied = false;
  for (int64_t index = 0; index < 300; ++index) {
    const FuzzCase one = MakeFuzzCase(kAdd, 5, index);
    ASSERT_TRUE(one.arguments == MakeFuzzCase(kAdd, 5, index).arguments);
    ASSERT_FALSE(one.arguments == MakeFuzzCase(kAdd, 6, index).arguments);
    ASSERT_FALSE(one.arguments == MakeFuzzCase(kAdd, 5, index + 1).arguments);
    kinds.insert(one.kind);
    properties.insert(one.property);
    varied |= one.threads > 1 && one.misalignment > 0 && !one.constants_in_plan;
  }
  EXPECT_EQ(kinds.size(), 8u);  // random, faulty and six kinds of hard cases
  EXPECT_EQ(properties.size(), 7u);  // none and six properties
  EXPECT_TRUE(varied);
}

TEST(FuzzTest, TheKernelsPassOnEveryTarget) {
  BuiltinCandidate candidate;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    const FuzzReport report =
        RunFuzz(candidate, OptionsFor(spec.name, candidate, 40));
    EXPECT_EQ(report.failures.size(), 0u);
    for (const FuzzFailure& failure : report.failures) {
      ADD_FAILURE() << failure.operator_name << " case " << failure.index
                    << ": " << failure.message;
    }
    EXPECT_EQ(report.run_targets.size(), candidate.Targets().size());
    EXPECT_GT(report.statistics[0].golden, 0);
    EXPECT_GT(report.statistics[0].properties, 0);
    EXPECT_GT(report.statistics[0].rejections, 0);
  }
}

// A counterexample that a person can check by hand: it still fails, and a right
// implementation passes it.
TEST(FuzzTest, AFailureShrinksToAHandfulOfElements) {
  for (const auto& [operator_name, fault, most] :
       std::vector<std::tuple<std::string, std::string, int64_t>>{
           {kAdd, "half-away", 9},
           {kAdd, "zero-point-before-rounding", 9},
           {kMatmul, "half-away", 8},
           {kMatmul, "output-zero-point-ignored", 9},
           {kQuantize, "half-up-always", 5},
           // k and n are at least 16: a weight of 256, a row and a column.
           {kGrouped, "half-away", 310}}) {
    SCOPED_TRACE(operator_name + "/" + fault);
    const FuzzReport report = FuzzMutant(operator_name, fault);
    ASSERT_EQ(report.failures.size(), 1u);
    const FuzzFailure& failure = report.failures[0];
    EXPECT_LE(failure.elements_after, most);
    EXPECT_LT(failure.elements_after, failure.elements_before);
    EXPECT_NE(failure.message, "");
    const TestCase test_case = ToTestCase(failure, 1);
    auto expectation = Expectation::Make(test_case);
    ASSERT_TRUE(expectation.ok()) << expectation.status();
    // The vector's data is the golden model's too.
    EXPECT_EQ(expectation->disagreement(), "");
    ExecutionOptions options;
    options.target = "scalar";
    for (const bool faulty : {true, false}) {
      const auto candidate =
          mutants::MakeMutant(operator_name, faulty ? fault : "");
      const auto verdict =
          Judge(*expectation,
                ExecuteOnPoison(**candidate, test_case.arguments, options),
                Level::kExact);
      ASSERT_TRUE(verdict.ok());
      EXPECT_EQ(verdict->status == CaseStatus::kPassed, !faulty);
    }
  }
}

TEST(FuzzTest, AFailureIsSavedAsAVector) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "fuzz_regressions";
  std::filesystem::remove_all(folder);
  const FuzzReport report = FuzzMutant(kAdd, "half-away", folder.string());
  ASSERT_EQ(report.failures.size(), 1u);
  const auto file = ReadVectorFile(report.failures[0].file);
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->cases.size(), 1u);
  const TestCase& saved = file->cases[0];
  EXPECT_TRUE(saved.arguments == report.failures[0].arguments);
  EXPECT_NE(saved.title, "");
  EXPECT_NE(saved.source, "");
  EXPECT_FALSE(saved.clauses.empty());
  EXPECT_FALSE(saved.expected.empty());
  std::filesystem::remove_all(folder);
}

TEST(FuzzTest, ASaveThatFailsIsBroken) {
  const FuzzReport report =
      FuzzMutant(kAdd, "half-away", "/proc/no such folder");
  EXPECT_EQ(report.broken.size(), 1u);
  EXPECT_EQ(report.failures.size(), 1u);
}

TEST(FuzzTest, ARejectionThatIsMissingIsFound) {
  const FuzzReport report = FuzzMutant(kAdd, "accepts-zero-scale");
  ASSERT_EQ(report.failures.size(), 1u);
  EXPECT_TRUE(ToTestCase(report.failures[0], 1).error.has_value());
  EXPECT_LE(report.failures[0].elements_after, 9);
}

TEST(FuzzTest, StopsWhenToldTo) {
  BuiltinCandidate candidate;
  FuzzOptions options = OptionsFor(kAdd, candidate, 0);
  options.seconds = 0.05;
  EXPECT_GT(RunFuzz(candidate, options).statistics[0].cases, 0);
  options.seconds = 0;
  std::set<std::string> announced;
  options.announce = [&](const std::string&, int64_t, const std::string& t) {
    announced.insert(t);
  };
  options.progress = [](int64_t done, int64_t) { return done < 3; };
  EXPECT_EQ(RunFuzz(candidate, options).statistics[0].cases, 3);
  EXPECT_EQ(announced.size(), candidate.Targets().size());
}

TEST(FuzzTest, AnOperatorThatIsUnsupportedIsToldOnce) {
  const auto mutant = mutants::MakeMutant(kAdd, "");
  const FuzzReport report =
      RunFuzz(**mutant, OptionsFor(kMatmul, **mutant, 20));
  EXPECT_EQ(report.distrust.size(), 1u);
  EXPECT_TRUE(report.run_targets.empty());
  EXPECT_TRUE(report.failures.empty());
}

// What float arithmetic gives lies within the enclosure, and is not exact.
TEST(FuzzTest, TheGoldenTextInFloatPassesAtItsLevelAlone) {
  GoldenBinary32Candidate candidate;
  FuzzOptions options = OptionsFor(kAdd, candidate, 60);
  options.level = Level::kBinary32;
  EXPECT_TRUE(RunFuzz(candidate, options).failures.empty());
  options.level = Level::kExact;
  options.shrink = false;
  options.max_failures = 1;
  EXPECT_EQ(RunFuzz(candidate, options).failures.size(), 1u);
}

}  // namespace
}  // namespace qconform::harness
