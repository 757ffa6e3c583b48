// A test vector in memory: one call, and what must come of it.

#ifndef QCONFORM_HARNESS_CASES_TEST_CASE_H_
#define QCONFORM_HARNESS_CASES_TEST_CASE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/arguments.h"

namespace qconform::harness {

// The frozen expectation of one output.
struct ExpectedOutput {
  spec::Tensor
      tensor;  // storage as expected; bytes of elements that must stay are zero
  std::vector<bool>
      must_stay;  // per storage element: written as null in the vector

  friend bool operator==(const ExpectedOutput&,
                         const ExpectedOutput&) = default;
};

// What a call that must be rejected returns.
struct ExpectedError {
  std::string status;  // absl code in lower case, "invalid_argument"; empty if
                       // only the aclnn status is given
  std::optional<int> aclnn_status;  // 161001 or 161002
  friend bool operator==(const ExpectedError&, const ExpectedError&) = default;
};

struct TestCase {
  std::string id;
  std::string title;
  std::string source;
  std::vector<std::string> clauses;
  spec::Arguments arguments;
  std::map<std::string, ExpectedOutput>
      expected;  // only outputs whose data the vector gives
  std::optional<ExpectedError> error;
  std::string
      file;  // the path the case was read from; empty for generated cases
  // Tensors whose data the vector gives as {"repeat": ..} or {"random": ..}:
  // the JSON text of it, so that the writer keeps it.
  std::map<std::string, std::string> generated_data;

  friend bool operator==(const TestCase&, const TestCase&) = default;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_TEST_CASE_H_
