// How far two values of an output's type lie apart. Integers differ by their
// signed difference, floats by signed units in the last place of their own
// format: the number of representable values one must step over to get from the
// expected value to the one found.
//
// Stepping counts through zero and through powers of two, where the spacing
// changes, as through any other value: the value after the largest finite
// number is infinity, -0 and +0 are one value (AR-06). NaN equals NaN whatever
// its payload (AR-07); NaN against a number has no distance and is a category
// of its own.

#ifndef QCONFORM_HARNESS_JUDGE_COMPARE_H_
#define QCONFORM_HARNESS_JUDGE_COMPARE_H_

#include <cstdint>
#include <string>

#include "spec/tensor.h"

namespace qconform::harness {

struct Difference {
  bool nan_mismatch = false;  // exactly one of the two is NaN
  int64_t steps = 0;          // found - expected; 0 if nan_mismatch

  bool IsEqual() const { return !nan_mismatch && steps == 0; }
  friend bool operator==(const Difference&, const Difference&) = default;
};

// Position of a value on the line of all values of its type: consecutive values
// have consecutive positions, zero has position 0. `value` must be exact in
// `type` and not NaN; `type` an integer of at most 32 bits, float16 or float32.
int64_t OrderedPosition(spec::DataType type, double value);

Difference Compare(spec::DataType type, double expected, double found);

// "77", "0x1.8p+1 (3)", "nan", "-inf": for people, exact for machines.
std::string FormatValue(spec::DataType type, double value);

// "difference +1", "-3 ULP", "NaN against a number".
std::string FormatDifference(spec::DataType type, const Difference& difference);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_COMPARE_H_
