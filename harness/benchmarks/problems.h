// Which problems are measured.

#ifndef QCONFORM_HARNESS_BENCHMARKS_PROBLEMS_H_
#define QCONFORM_HARNESS_BENCHMARKS_PROBLEMS_H_

#include <functional>
#include <string>
#include <vector>

#include "harness/benchmarks/problem.h"

namespace qconform::harness {

// A problem whose data are made when it is wanted.
struct NamedProblem {
  std::string name;
  std::function<Problem()> make;
};

// Everything that is compared with peers.
std::vector<NamedProblem> AllProblems();

// A few that reach each kernel and take a moment, for comparing two builds.
std::vector<NamedProblem> GateProblems();

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_PROBLEMS_H_
