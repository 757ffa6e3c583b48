#include "harness/results/counterexample.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/shrink.h"
#include "harness/judge/expectation.h"

namespace qconform::harness {
namespace {

// Calls tried for one counterexample.
constexpr int kBudget = 500;
// Above it the second oracle stands in, which is faster.
constexpr int64_t kGoldenLimit = 20'000;

TestCase WithArguments(const TestCase& test_case, spec::Arguments arguments) {
  TestCase other;
  other.id = absl::StrCat(test_case.id, "-simplified");
  other.title =
      absl::StrCat("simplified from ", test_case.id, ": ", test_case.title);
  other.source = test_case.source;
  other.clauses = test_case.clauses;
  other.arguments = std::move(arguments);
  return other;
}

bool Fails(const TestCase& test_case, Candidate& candidate,
           const CounterexampleOptions& options) {
  absl::StatusOr<Expectation> expectation =
      Expectation::Make(test_case, kGoldenLimit);
  if (!expectation.ok()) return false;
  const absl::StatusOr<CaseVerdict> verdict =
      JudgeOnTarget(*expectation, candidate, options.target, options.level,
                    options.vary, options.threads);
  return verdict.ok() && verdict->status == CaseStatus::kFailed;
}

void AddExpected(TestCase& test_case) {
  const absl::StatusOr<Expectation> expectation = Expectation::Make(test_case);
  if (!expectation.ok() || expectation->elements().empty()) return;
  const std::string& name = expectation->output_name();
  const spec::TensorDesc& desc = test_case.arguments.outputs.at(name);
  const auto count =
      static_cast<size_t>(spec::StorageElementCount(desc).value());
  ExpectedOutput expected;
  expected.tensor.desc = desc;
  expected.tensor.storage.resize(count * spec::ByteSize(desc.type));
  expected.must_stay.assign(count, true);
  const std::vector<Expectation::Element>& elements = expectation->elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].must_stay) continue;
    const int64_t offset = spec::StorageOffset(desc, static_cast<int64_t>(i));
    spec::WriteReal(expected.tensor, offset, elements[i].value);
    expected.must_stay[static_cast<size_t>(offset)] = false;
  }
  test_case.expected[name] = std::move(expected);
}

}  // namespace

TestCase SimplifiedCase(const TestCase& test_case, Candidate& candidate,
                        const CounterexampleOptions& options) {
  if (test_case.error ||
      EstimateWork(test_case.arguments) > Expectation::kDefaultGoldenLimit) {
    return test_case;
  }
  const auto fails = [&](const spec::Arguments& arguments) {
    return Fails(WithArguments(test_case, arguments), candidate, options);
  };
  if (!fails(test_case.arguments)) return test_case;
  spec::Arguments simple = Shrink(test_case.arguments, fails, kBudget);
  if (simple == test_case.arguments) return test_case;
  TestCase simplified = WithArguments(test_case, std::move(simple));
  AddExpected(simplified);
  return simplified;
}

}  // namespace qconform::harness
