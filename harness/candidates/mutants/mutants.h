// Mutants: one scalar model per operator with an enumeration of the faults that
// real implementations had. Each fault makes a candidate that the harness must
// tell from a right one; a fault that no case kills is a hole in the cases.
//
// The models share nothing with the production kernels. Without a fault they
// are right in every element, which a test holds against the second oracle.

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_MUTANTS_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_MUTANTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"

namespace qconform::harness::mutants {

struct Fault {
  std::string operator_name;
  std::string name;         // "half-away"; unique within the operator
  std::string description;  // what an implementation with it does wrong
};

// Every fault of every operator, in the order of operators and enumerations.
const std::vector<Fault>& AllFaults();

// The scalar model of one operator with one fault; an empty name is the
// original. kNotFound if there is no such operator or fault. It accepts and
// rejects as spec::Validate says unless the fault is about that; it has one
// target, "scalar".
absl::StatusOr<std::unique_ptr<Candidate>> MakeMutant(
    const std::string& operator_name, const std::string& fault_name);

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_MUTANTS_H_
