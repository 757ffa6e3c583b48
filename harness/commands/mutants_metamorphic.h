// The source of cases that needs no oracle: calls, each with a property that
// relates what a candidate makes of it to what it makes of a changed one.

#ifndef QCONFORM_HARNESS_COMMANDS_MUTANTS_METAMORPHIC_H_
#define QCONFORM_HARNESS_COMMANDS_MUTANTS_METAMORPHIC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/commands/mutants_matrix.h"
#include "spec/arguments.h"

namespace qconform::harness {

// Calls of one operator with its properties in turn (harness/judge/properties.h
// says which there are). A case is named by its property and number,
// "split-group-17". One seed gives the same cases everywhere.
//
// A fault that treats alike what a property holds to be alike, as most faults
// of rounding do, breaks none.
class MetamorphicCases : public CaseSource {
 public:
  MetamorphicCases(const std::string& operator_name, int64_t count,
                   uint64_t seed);

  // Those of which the first candidate has shown that they say something: a
  // property need not apply to every call. The others are not run again.
  size_t CaseCount() const override { return cases_.size(); }

  // The case of the first property that does not hold.
  absl::StatusOr<std::optional<std::string>> FirstKill(
      Candidate& candidate) override;

 private:
  struct Case {
    std::string id;
    std::string property;
    spec::Arguments arguments;
    uint64_t seed = 0;  // of the change that the property makes
    bool applies = true;
  };

  std::vector<Case> cases_;
  bool tried_ = false;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_MUTANTS_METAMORPHIC_H_
