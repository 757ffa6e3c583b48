// Implementations known to be wrong, by name: for proving that a run can fail.

#ifndef QCONFORM_HARNESS_COMMANDS_MUTANT_CANDIDATE_H_
#define QCONFORM_HARNESS_COMMANDS_MUTANT_CANDIDATE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"

namespace qconform::harness {

// Whether a name of a candidate begins with "mutant:".
bool IsMutantName(const std::string& name);
// The operator of a mutant that has no other; else empty.
std::string OperatorOfMutant(const std::string& name);

// "mutant:<operator>/<fault>": the scalar model of the one operator with the
// fault; without a fault ("mutant:<operator>/") it is right.
// "mutant:<operator>/<fault>@<target>": the production kernels on all their
// targets, but for this operator on this target. kInvalidArgument, naming what
// there is, for all else.
absl::StatusOr<std::unique_ptr<Candidate>> MakeMutantCandidate(
    const std::string& name);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_MUTANT_CANDIDATE_H_
