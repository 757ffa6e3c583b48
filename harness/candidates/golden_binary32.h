// The golden model's own text in binary32 as an implementation under test: what
// a plain float implementation of the documents gives. Shows what the level
// binary32 admits, and that the level exact can fail.

#ifndef QCONFORM_HARNESS_CANDIDATES_GOLDEN_BINARY32_H_
#define QCONFORM_HARNESS_CANDIDATES_GOLDEN_BINARY32_H_

#include <string>
#include <vector>

#include "harness/candidates/candidate.h"

namespace qconform::harness {

// Has one target, "golden". Where NaN reached round() an integer output gets 0,
// as a conversion to an integer commonly gives.
class GoldenBinary32Candidate : public Candidate {
 public:
  std::string Name() const override { return "golden-binary32"; }
  std::vector<std::string> Targets() const override { return {"golden"}; }
  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_GOLDEN_BINARY32_H_
