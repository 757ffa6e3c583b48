// Properties that need no oracle: what a change of the call must do to the
// outputs, by the documents alone. They see faults that an oracle shares.
//
//   permute-rows        permuting rows (elements, where there are no rows)
//                       with their parameters permutes the outputs
//   permute-columns     likewise the columns of B
//   split-group         a group split in two gives the same rows
//   scale-together      the same power of two on A's (for the add also B's) and
//                       the output's scale changes nothing; on x and, inverted,
//                       on the weight's scale neither; on data and range of
//                       quantize-and-dequantize it multiplies the outputs
//   swap-operands       A and B of the add
//   stride-form         inputs and outputs in another layout
//   weight-layout       ND or FRACTAL_NZ, transposed or not
//   execution           threads, alignment, constants given to Plan or Run
//   monotone            quantize-and-dequantize does not change the order
//   idempotent          and does nothing to its own outputs
//   failed-call         a rejected call writes nothing
//
// Each applies only where it is provable in exact arithmetic with one rounding:
// `monotone`, `idempotent` and the scaling of quantize-and-dequantize to the
// arithmetic "exact", since TensorFlow's products and quotients may leave the
// range of float; scaling only while every scaled number stays a normal float
// (of outputs: those that do are compared); `idempotent` with a given range of
// at most 20 bits and units of normal floats, where a second quantization
// cannot lie half a unit off the first.

#ifndef QCONFORM_HARNESS_JUDGE_PROPERTIES_H_
#define QCONFORM_HARNESS_JUDGE_PROPERTIES_H_

#include <string>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/cases/random_source.h"
#include "spec/arguments.h"

namespace qconform::harness {

// Names of the properties that an operator has.
std::vector<std::string> PropertyNames(const std::string& operator_name);

struct PropertyOutcome {
  bool applies = false;   // the property says something about this call
  std::string violation;  // empty: it holds
};

// Executes the call and a changed one; `random` chooses the change.
PropertyOutcome CheckProperty(const std::string& property,
                              const spec::Arguments& arguments,
                              Candidate& candidate,
                              const ExecutionOptions& options,
                              RandomSource& random);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_PROPERTIES_H_
