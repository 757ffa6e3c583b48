// Benchmarks on request, as harness/speed/process_stopwatch.h describes it.

#ifndef QCONFORM_HARNESS_BENCHMARKS_SERVE_H_
#define QCONFORM_HARNESS_BENCHMARKS_SERVE_H_

#include <vector>

#include "harness/benchmarks/problems.h"

namespace qconform::harness {

// Answers lines on standard input until it ends; measures our implementation
// alone. Returns the exit code.
int Serve(const std::vector<NamedProblem>& problems);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_SERVE_H_
