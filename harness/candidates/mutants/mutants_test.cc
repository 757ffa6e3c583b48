#include "harness/candidates/mutants/mutants.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/cases/hard_cases.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/vector_file.h"
#include "harness/judge/expectation.h"
#include "harness/judge/verdict.h"
#include "qconform_source_dir.h"
#include "spec/validate.h"

namespace qconform::harness::mutants {
namespace {

// The second oracle takes every call: no amount of work is below this limit.
constexpr int64_t kSecondOracleAlways = -1;

const std::set<std::string>& Operators() {
  static const auto& operators = *[] {
    auto* names = new std::set<std::string>;
    for (const Fault& fault : AllFaults()) names->insert(fault.operator_name);
    return names;
  }();
  return operators;
}

// All of testdata, then random calls, by operator.
class Cases {
 public:
  static const std::vector<TestCase>& Of(const std::string& operator_name) {
    static const auto& all = *new Cases;
    return all.cases_.at(operator_name);
  }

 private:
  Cases() {
    const auto files = ReadVectorFiles({QCONFORM_SOURCE_DIR "/testdata"});
    if (!files.ok()) throw std::runtime_error(files.status().ToString());
    for (const VectorFile& file : *files) {
      for (const TestCase& test_case : file.cases) {
        cases_[file.operator_name].push_back(test_case);
      }
    }
    for (const std::string& name : Operators()) {
      RandomSource random(1);
      for (int i = 0; i < 1000; ++i) {
        TestCase test_case;
        test_case.id = absl::StrCat("random-", i);
        test_case.arguments = i % 2 == 1 ? RandomHardArguments(name, random)
                                         : RandomArguments(name, random);
        if (!OutputsFit(test_case.arguments)) continue;
        if (const auto status = spec::Validate(test_case.arguments);
            !status.ok()) {
          test_case.error = ErrorOf(status);
        }
        cases_[name].push_back(std::move(test_case));
      }
    }
  }

  std::map<std::string, std::vector<TestCase>> cases_;
};

// Both for the original and for its mutants: what must come of each case.
std::vector<Expectation>& Expectations(const std::string& operator_name) {
  static auto& all = *new std::map<std::string, std::vector<Expectation>>;
  std::vector<Expectation>& expectations = all[operator_name];
  if (expectations.empty()) {
    for (const TestCase& test_case : Cases::Of(operator_name)) {
      auto expectation = Expectation::Make(test_case, kSecondOracleAlways);
      if (!expectation.ok()) {
        throw std::runtime_error(expectation.status().ToString());
      }
      expectations.push_back(*std::move(expectation));
    }
  }
  return expectations;
}

bool Passes(Expectation& expectation, Candidate& candidate) {
  const auto verdict =
      JudgeOnTarget(expectation, candidate, "scalar", Level::kExact, false, 1);
  if (!verdict.ok()) throw std::runtime_error(verdict.status().ToString());
  return verdict->status == CaseStatus::kPassed;
}

TEST(MutantsTest, CatalogueIsLargeAndItsNamesAreUnique) {
  EXPECT_GE(AllFaults().size(), 40);
  EXPECT_EQ(Operators().size(), 4);
  std::set<std::pair<std::string, std::string>> seen;
  for (const Fault& fault : AllFaults()) {
    EXPECT_TRUE(seen.insert({fault.operator_name, fault.name}).second)
        << fault.operator_name << " " << fault.name;
    EXPECT_FALSE(fault.name.empty());
    EXPECT_FALSE(fault.description.empty());
  }
}

TEST(MutantsTest, UnknownNamesAreNotFound) {
  EXPECT_EQ(MakeMutant("no_such_operator", "").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(
      MakeMutant(AllFaults()[0].operator_name, "no-such-fault").status().code(),
      absl::StatusCode::kNotFound);
}

TEST(MutantsTest, OtherOperatorsAndTargetsAreUnsupported) {
  const auto original = MakeMutant("tf_quantize_and_dequantize_v2", "");
  ASSERT_TRUE(original.ok());
  EXPECT_EQ((*original)->Name(), "original");
  const TestCase& add = Cases::Of("dml_element_wise_quantized_linear_add")[0];
  OutputStorage outputs = PoisonedOutputs(add.arguments, false);
  EXPECT_EQ((*original)
                ->Execute(add.arguments, {.target = "scalar"}, outputs)
                .outcome,
            ExecutionOutcome::kUnsupported);
  const TestCase& own = Cases::Of("tf_quantize_and_dequantize_v2")[0];
  outputs = PoisonedOutputs(own.arguments, false);
  EXPECT_EQ(
      (*original)->Execute(own.arguments, {.target = "AVX2"}, outputs).outcome,
      ExecutionOutcome::kUnsupported);
}

class ModelTest : public testing::TestWithParam<std::string> {};

TEST_P(ModelTest, WithoutFaultItEqualsTheSecondOracle) {
  const auto original = MakeMutant(GetParam(), "");
  ASSERT_TRUE(original.ok());
  int wrong = 0;
  for (Expectation& expectation : Expectations(GetParam())) {
    if (Passes(expectation, **original)) continue;
    const auto verdict = JudgeOnTarget(expectation, **original, "scalar",
                                       Level::kExact, false, 1);
    ADD_FAILURE() << expectation.test_case().id << ": " << verdict->reason;
    for (const ElementOutcome& outcome : verdict->elements) {
      ADD_FAILURE() << "element " << outcome.element << " is " << outcome.found
                    << ", expected " << outcome.expected << " "
                    << ElementFaultName(outcome.fault);
      break;
    }
    if (++wrong == 5) break;
  }
}

TEST_P(ModelTest, EachFaultMakesADifference) {
  for (const Fault& fault : AllFaults()) {
    if (fault.operator_name != GetParam()) continue;
    const auto mutant = MakeMutant(fault.operator_name, fault.name);
    ASSERT_TRUE(mutant.ok());
    EXPECT_EQ((*mutant)->Name(), "mutant " + fault.name);
    bool differs = false;
    for (Expectation& expectation : Expectations(GetParam())) {
      differs = !Passes(expectation, **mutant);
      if (differs) break;
    }
    EXPECT_TRUE(differs) << fault.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Mutants, ModelTest, testing::ValuesIn(Operators()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace qconform::harness::mutants
