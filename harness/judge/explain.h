// Explains one element of one case to a person: the document line by line, what
// the value is and how near to a tie, what the usual faults would have given,
// and what each target gives.

#ifndef QCONFORM_HARNESS_JUDGE_EXPLAIN_H_
#define QCONFORM_HARNESS_JUDGE_EXPLAIN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"

namespace qconform::harness {

// "5", or one number per axis as "1,2", to the position in row-major order.
// kInvalidArgument says what is allowed.
absl::StatusOr<int64_t> ParseElement(const std::string& text,
                                     const spec::TensorDesc& desc);

// A case that must be rejected is explained by the rejections. kInvalidArgument
// if the element does not exist; kInternal: the harness broke.
absl::StatusOr<std::string> Explain(const TestCase& test_case,
                                    const std::string& element,
                                    Candidate& candidate);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_EXPLAIN_H_
