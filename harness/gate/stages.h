// The parts of a gate that are not lists of cases.

#ifndef QCONFORM_HARNESS_GATE_STAGES_H_
#define QCONFORM_HARNESS_GATE_STAGES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "harness/results/model.h"

namespace qconform::harness {

// Of an operator, in the order in which they run: "property:swap-operands",
// "sweep:add". No id of a test vector holds a colon.
std::vector<std::string> StageNames(const std::string& operator_name);

struct StageOptions {
  std::set<std::string> operators;
  std::vector<std::string> targets;
  uint64_t seed = 1;
  int threads = 1;
  // The production kernels: then steps are swept that no call shows alone.
  bool builtin = false;
  uint64_t sweep_sample = 1;  // sweep about one unit in so many
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<bool()> interrupted;
};

// Tries the elementwise steps of the operators on breakpoints, ends and random
// pieces of their domains, each result held to the exact one (so level exact
// only): one stage per sweep. One that fails is run again on each target by
// itself, so that it is known which of them fail. Other implementations than
// the production kernels are swept as far as their operators are elementwise.
// Adds to the results' stages, to `broken` where oracles disagree, and sets
// `stopped` if interrupted.
void RunSweepStages(const StageOptions& options, Candidate& candidate,
                    RunResults& results);

// Checks what needs no oracle: of the cases that must succeed, each on each
// target in a changed form whose outputs follow from the first ones
// (harness/judge/properties.h). One stage per operator and property. Adds to
// the results' stages and sets `stopped` if interrupted.
void RunPropertyStages(const StageOptions& options,
                       const std::vector<const TestCase*>& cases,
                       Candidate& candidate, RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_STAGES_H_
