// Small valid calls, one per operator, for tests to change in one place.

#ifndef QCONFORM_SPEC_VALID_CALLS_H_
#define QCONFORM_SPEC_VALID_CALLS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "spec/arguments.h"

namespace qconform::spec {

// A tensor of `type` with as much storage as the sizes and strides ask for,
// every element `value`.
Tensor Filled(DataType type, std::vector<int64_t> sizes, double value,
              std::optional<std::vector<int64_t>> strides = std::nullopt);

TensorDesc Described(
    DataType type, std::vector<int64_t> sizes,
    std::optional<std::vector<int64_t>> strides = std::nullopt);

// A is {1,2,3,4} uint8, per row; B {1,2,4,5} int8, per column; Output {1,2,3,5}
// uint8, per row. All zero points are given.
Arguments ValidMatmul();

// Sizes {2,3}: uint8 + int8 = uint8, with all zero points.
Arguments ValidAdd();

// m = 3, k = 32, n = 16, g = 2, ND, transposed, pertoken with a given scale and
// a smooth scale.
Arguments ValidGrouped();

// Input {2,3}, range [-1, 1] given.
Arguments ValidQuantize();

// A change of one thing in a call.
using Change = std::function<void(Arguments&)>;

Change Give(const std::string& name, Tensor tensor);
Change Drop(const std::string& name);
Change Set(const std::string& name, Attribute attribute);
// Describes the operator's only output.
Change Output(TensorDesc desc);

// One fault of an otherwise valid call, and what the answer says.
struct Fault {
  std::string title;
  Change make;
  std::string message;  // a part of it
};

// Each fault alone turns `valid` into a call that is refused with this code and
// this aclnn status.
void ExpectFaults(const Arguments& valid, const std::vector<Fault>& faults,
                  absl::StatusCode code = absl::StatusCode::kInvalidArgument,
                  std::optional<int> aclnn_status = std::nullopt);

// Each change leaves the call valid.
void ExpectAccepted(const Arguments& valid, const std::vector<Fault>& changes);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_VALID_CALLS_H_
