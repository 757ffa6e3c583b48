#include "harness/commands/mutants_metamorphic.h"

#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/hard_cases.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "harness/judge/expectation.h"
#include "harness/judge/properties.h"

namespace qconform::harness {
namespace {

// Each case takes two executions of a slow model for each mutant that survives
// it, and no property needs a long sum.
constexpr int64_t kMostWork = 20'000;

}  // namespace

MetamorphicCases::MetamorphicCases(const std::string& operator_name,
                                   int64_t count, uint64_t seed) {
  RandomSource random(seed);
  const std::vector<std::string> properties = PropertyNames(operator_name);
  for (int64_t i = 0; std::ssize(cases_) < count; ++i) {
    Case made;
    made.property = properties[static_cast<size_t>(i) % properties.size()];
    made.id = absl::StrCat(made.property, "-", i);
    if (made.property == "failed-call") {
      made.arguments = RandomArguments(operator_name, random);
    } else {
      made.arguments = random.OneIn(2)
                           ? RandomHardArguments(operator_name, random)
                           : RandomValidArguments(operator_name, random);
    }
    made.seed = random.Next();
    if (!OutputsFit(made.arguments) ||
        EstimateWork(made.arguments) > kMostWork) {
      continue;
    }
    cases_.push_back(std::move(made));
  }
}

absl::StatusOr<std::optional<std::string>> MetamorphicCases::FirstKill(
    Candidate& candidate) {
  ExecutionOptions options;
  options.target = candidate.Targets()[0];
  for (Case& each : cases_) {
    RandomSource random(each.seed);
    const PropertyOutcome outcome = CheckProperty(each.property, each.arguments,
                                                  candidate, options, random);
    if (!outcome.violation.empty()) return each.id;
    if (!tried_) each.applies = outcome.applies;
  }
  tried_ = true;
  std::erase_if(cases_, [](const Case& each) { return !each.applies; });
  return std::nullopt;
}

}  // namespace qconform::harness
