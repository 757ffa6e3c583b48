// Counts how hard the inputs of a run were, so that a green run on easy inputs
// does not pass for proof: ties and their neighbours, both clamps, extremes of
// types and zero points, vector tails, types, ranks, layouts, groups.
//
// Counters of fixed names are listed in quotas.cc; those of a family carry the
// value seen: "types:uint8+int8->uint8", "rank:4", "layout:FRACTAL_NZ",
// "attribute:round_mode=HALF_UP", "option:feature_level=2_1",
// "kind:tie-neighbours" (of generated cases).

#ifndef QCONFORM_HARNESS_JUDGE_QUOTAS_H_
#define QCONFORM_HARNESS_JUDGE_QUOTAS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/judge/expectation.h"

namespace qconform::harness {

// Minimum, or count, per operator and counter.
using CounterTable = std::map<std::string, std::map<std::string, int64_t>>;

// "uint8+int8->uint8": types of the data tensors and of the output.
std::string TypesLabel(const spec::Arguments& arguments);

// Adds what one case contributes, whatever the targets.
void CountInputQuality(const Expectation& expectation, CounterTable& counters);

// {"schema": "quotas/1", "quotas": {"<operator>": {"<counter>": <minimum>}}}.
// kInvalidArgument, naming the place, for anything else: an unknown operator or
// counter would be a quota that nobody enforces.
absl::StatusOr<CounterTable> ParseQuotas(const std::string& path,
                                         const std::string& json);
absl::StatusOr<CounterTable> ReadQuotas(const std::string& path);

struct Quota {
  std::string operator_name;
  std::string counter;
  int64_t count = 0;
  int64_t minimum = 0;  // 0: counted only
  bool Met() const { return count >= minimum; }
};

// Counts beside minimums, in the order of their names; a counter that only one
// of the two knows is there too.
std::vector<Quota> CompareWithQuotas(const CounterTable& counters,
                                     const CounterTable& minimums);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_QUOTAS_H_
