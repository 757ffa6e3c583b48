// The random part of a gate: always the same cases for the same seed, so that a
// gate never fails by chance.

#ifndef QCONFORM_HARNESS_GATE_GENERATED_CASES_H_
#define QCONFORM_HARNESS_GATE_GENERATED_CASES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/cases/test_case.h"
#include "harness/cases/vector_file.h"
#include "harness/results/model.h"

namespace qconform::harness {

// The first `count` cases of a fuzz run of the operator but for those that no
// file of vectors can hold (calls that contradict themselves), with ids
// "generated-<seed>-<index>"; their source is the command that repeats and
// shrinks one. `file` becomes their file: where a failing one is going to be
// saved. `interrupted` ends it early; may be empty.
std::vector<TestCase> GenerateCases(
    const std::string& operator_name, uint64_t seed, int64_t count,
    const std::string& file, const std::function<bool()>& interrupted = {});

// What a gate runs one by one.
struct GateCases {
  GateCases() = default;
  // `all` points into the files.
  GateCases(const GateCases&) = delete;
  GateCases& operator=(const GateCases&) = delete;
  GateCases(GateCases&&) = default;
  GateCases& operator=(GateCases&&) = default;

  std::vector<VectorFile> files;
  std::vector<VectorFile> generated;  // one per operator of the files
  std::vector<const TestCase*> all;   // of the files, then the generated ones
  std::set<std::string> operators;
};

// Adds `count` generated cases for each operator of the files. The path of the
// generated ones is a file in `folder`, which need not be there.
GateCases CollectCases(std::vector<VectorFile> files, uint64_t seed,
                       int64_t count, const std::string& folder,
                       const std::function<bool()>& interrupted = {});

// Those generated cases that failed, crashed or timed out, as files of vectors
// that repeat them; files without any are left out.
std::vector<VectorFile> FailedGenerated(const GateCases& cases,
                                        const RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_GENERATED_CASES_H_
