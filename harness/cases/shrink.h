// Makes a failing call small enough for a person to check by hand: shape first,
// then values towards simple ones, scales towards powers of two, optional
// tensors, strides and attributes towards the defaults.

#ifndef QCONFORM_HARNESS_CASES_SHRINK_H_
#define QCONFORM_HARNESS_CASES_SHRINK_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "spec/arguments.h"

namespace qconform::harness {

// How far a call is from the simplest: counts elements, strides, optional
// tensors, and how hard the numbers are to calculate with. Every step of
// shrinking makes it smaller, so that shrinking ends.
int64_t Complexity(const spec::Arguments& arguments);

// A change towards simplicity; may turn out to change nothing or to make the
// call invalid.
using ShrinkStep = std::function<void(spec::Arguments&)>;

// All steps that may be tried on the call, those that cut most first.
std::vector<ShrinkStep> ShrinkSteps(const spec::Arguments& arguments);

// What one step makes of the call: simpler, and valid exactly if the call is.
// False if it is not.
bool TryStep(const ShrinkStep& step, const spec::Arguments& arguments,
             spec::Arguments& result);

// The simplest call found for which `still_fails` holds; it is asked at most
// `budget` times. `arguments` must fail.
spec::Arguments Shrink(
    spec::Arguments arguments,
    const std::function<bool(const spec::Arguments&)>& still_fails,
    int budget = 4000);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_SHRINK_H_
