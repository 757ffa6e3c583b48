// The golden model: what each operator document says, evaluated in exact
// rational arithmetic and rounded once (AR-01), beside what the same text gives
// in binary32 and what a float implementation may give (the enclosure, AR-02).

#ifndef QCONFORM_REFERENCE_GOLDEN_H_
#define QCONFORM_REFERENCE_GOLDEN_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/arguments.h"

namespace qconform::reference {

// Every output type (uint8, int8, float16, float32) is exact in double, so
// values are doubles; NaN and infinities included.
struct GoldenElement {
  bool written = true;  // false: the operator must leave this element as it was
                        // (AG-05, AG-11)
  double exact = 0;     // the truth

  // Filled if asked for: the set of values the enclosure allows, ends included;
  // `any` admits every value and NaN.
  double enclosure_low = 0;
  double enclosure_high = 0;
  bool enclosure_any = false;

  // Filled if asked for: every operation rounded to float in the order written.
  // NaN also where NaN reached round() (AR-02).
  double binary32 = 0;

  // Facts about the exact evaluation that quotas and reports count.
  bool tie = false;  // the document's round() met an exact tie (for Ascend: in
                     // the quantization of any x of the row)
  bool output_tie =
      false;  // the conversion to a float output type met an exact tie
  bool clamped_low = false;
  bool clamped_high = false;

  // Filled if asked for, by Evaluate alone: how many ties and clamps decide an
  // output. A tie does where the document's rule, half to even and half away
  // from zero do not all give the same, a clamp where its absence shows. Each
  // rounding counts once: one that many elements share (Ascend: an x serves its
  // whole row) at the first of them that it decides.
  int32_t deciding_ties = 0;
  int32_t deciding_clamps_low = 0;
  int32_t deciding_clamps_high = 0;
  // Of the conversion to a float output type: to even differs from away.
  bool output_tie_decides = false;

  // Distance of the last rounding's argument from its nearest tie, in units in
  // the last place of what it rounds to: 0 is a tie, 1/2 the middle between two
  // ties. NaN where nothing is rounded.
  double tie_distance = 0;
};

struct GoldenResult {
  std::string output_name;
  std::vector<GoldenElement>
      elements;  // row-major over the output's sizes, whatever its strides
};

struct GoldenRequest {
  bool enclosure = true;
  bool binary32 = true;
  bool decisions = true;
};

// Evaluates a call. Returns exactly the status of spec::Validate if that is not
// OK, and kResourceExhausted for more than 2^24 output elements.
absl::StatusOr<GoldenResult> Evaluate(const spec::Arguments& arguments,
                                      const GoldenRequest& request = {});

// What the golden text would give with another way of rounding: the usual
// faults of implementations.
enum class RoundingVariant {
  kHalfAway,
  kHalfUp,
  kHalfEven,
  kTruncate,
  kZeroPointBeforeRounding
};
std::string RoundingVariantName(RoundingVariant variant);

// One line of the document for one element.
struct TraceStep {
  std::string clause;     // "QA-01"
  std::string line;       // "AValue = (A - AZeroPoint) * AScale"
  std::string exact;      // rational and decimal, "77/2 = 38.5"
  std::string binary32;   // hex float and decimal
  std::string enclosure;  // "[38.4999, 38.5001]" or "{38, 39}"
};

struct ElementTrace {
  std::vector<TraceStep> steps;
  GoldenElement element;
  std::string tie_distance;  // the exact distance to the nearest tie, rational
                             // and decimal, in words for a person
  std::map<RoundingVariant, double>
      variants;  // those that the operator has a place for
};

// `element` counts the output's elements in row-major order. kOutOfRange if
// there is no such element.
absl::StatusOr<ElementTrace> TraceElement(const spec::Arguments& arguments,
                                          int64_t element);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_GOLDEN_H_
