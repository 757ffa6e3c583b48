// Whole small domains of the operators as cases for the mutants: each operator
// under a few settings of scales, zero points or attributes.

#ifndef QCONFORM_HARNESS_COMMANDS_MUTANTS_SWEEP_H_
#define QCONFORM_HARNESS_COMMANDS_MUTANTS_SWEEP_H_

#include <string>
#include <vector>

#include "harness/cases/test_case.h"

namespace qconform::harness {

// Valid calls without frozen data. Per setting, in calls of about a thousand
// elements:
//   add                      all 65,536 pairs of bytes
//   matrix multiply          the same pairs as products with K = 1: every
//                            accumulator that one k can give
//   grouped matrix multiply  all 65,536 float16 values of x, with weights that
//                            show each quantized value
//   quantize and dequantize  65,536 floats: the upper halves of all bit
//                            patterns, or a fine grid around 0
// The operator must be one of spec::AllOperators.
std::vector<TestCase> MutantSweep(const std::string& operator_name);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_MUTANTS_SWEEP_H_
