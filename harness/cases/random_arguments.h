// Random calls of the operators, driven by their specs: types, ranks,
// granularity, strides, layouts, attributes and options all occur, with values
// biased to the hard ones (random_values.h). Shapes are small, but the sizes
// along which kernels vectorize leave every remainder. One seed gives the same
// call on every machine.

#ifndef QCONFORM_HARNESS_CASES_RANDOM_ARGUMENTS_H_
#define QCONFORM_HARNESS_CASES_RANDOM_ARGUMENTS_H_

#include <cstdint>
#include <string>

#include "harness/cases/random_source.h"
#include "spec/arguments.h"

namespace qconform::harness {

// A call that spec::Validate accepts. The operator must be one of
// spec::AllOperators.
spec::Arguments RandomValidArguments(const std::string& operator_name,
                                     RandomSource& random);

// Half of the calls are valid, the others have one or two faults or at least
// changes: a type, rank, size, stride, scale, group list, missing or extra
// tensor, attribute, option. Names are always known, attributes have the right
// kind, and the storage always fits its description, so that every such call
// can be handed to an implementation.
spec::Arguments RandomArguments(const std::string& operator_name,
                                RandomSource& random);

// Makes one such change.
void BreakArguments(spec::Arguments& arguments, RandomSource& random);

// Whether each output's storage can be made and has at most so many elements: a
// call with a fault, or an empty one, may describe any.
bool OutputsFit(const spec::Arguments& arguments,
                int64_t most_elements = int64_t{1} << 20);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_RANDOM_ARGUMENTS_H_
