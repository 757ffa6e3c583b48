// How a golden text is run over a whole output, or over one element with a
// trace. Each operator offers
//   class Call        the operands of a call, read from its tensors;
//   Evaluator<A>      with Element(element, math, trace): the value of one
//                     element in one arithmetic, or nothing if the operator
//                     must not write it. `math` is fresh for each element.

#ifndef QCONFORM_REFERENCE_EVALUATION_H_
#define QCONFORM_REFERENCE_EVALUATION_H_

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/golden.h"
#include "reference/trace.h"

namespace qconform::reference {

// The exact value and the facts of its evaluation; an element that is not
// written if there is no value.
GoldenElement ElementOf(const std::optional<ValueSet>& exact,
                        const ExactFacts& facts);
void SetEnclosure(const ValueSet& enclosure, GoldenElement& element);

// Puts the three columns of a trace side by side. Where a row has many like
// terms, those are left out that are the same integer in all arithmetics.
std::vector<TraceStep> JoinTraces(const std::vector<TraceLine>& exact,
                                  const std::vector<TraceLine>& binary32,
                                  const std::vector<TraceLine>& enclosure);

Exact ExactWith(RoundingVariant variant);

template <template <class> class Evaluator, class Call>
std::vector<GoldenElement> EvaluateElements(const Call& call, int64_t count,
                                            const GoldenRequest& request) {
  Evaluator<Exact> in_exact(call);
  Evaluator<Binary32> in_binary32(call);
  Evaluator<Enclosure> in_enclosure(call);
  Trace no_trace;
  std::vector<GoldenElement> elements;
  elements.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    Exact exact;
    const auto value = in_exact.Element(i, exact, no_trace);
    GoldenElement element = ElementOf(value, exact.facts);
    if (value && request.binary32) {
      Binary32 binary32;
      element.binary32 = in_binary32.Element(i, binary32, no_trace)->low;
    }
    if (value && request.enclosure) {
      Enclosure enclosure;
      SetEnclosure(*in_enclosure.Element(i, enclosure, no_trace), element);
    }
    elements.push_back(element);
  }
  return elements;
}

// Fills what ties and clamps decide, of operators that round once for each
// element.
template <template <class> class Evaluator, class Call>
void NoteDecisions(const Call& call, std::vector<GoldenElement>& elements) {
  Evaluator<Exact> evaluator(call);
  Trace no_trace;
  for (size_t i = 0; i < elements.size(); ++i) {
    GoldenElement& element = elements[i];
    const auto changes_with = [&](Exact math) {
      const double other =
          evaluator.Element(static_cast<int64_t>(i), math, no_trace)->low;
      return other != element.exact &&
             !(std::isnan(other) && std::isnan(element.exact));
    };
    if (element.tie) {
      element.deciding_ties =
          changes_with(Exact::WithRounding(Rounding::kHalfEven)) ||
          changes_with(Exact::WithRounding(Rounding::kHalfAway));
    }
    if ((element.clamped_low || element.clamped_high) &&
        changes_with(Exact::WithoutClamps())) {
      element.deciding_clamps_low = element.clamped_low;
      element.deciding_clamps_high = element.clamped_high;
    }
  }
}

template <template <class> class Evaluator, class Call>
ElementTrace TraceOneElement(const Call& call, int64_t i,
                             const std::vector<RoundingVariant>& variants) {
  std::vector<TraceLine> exact_lines;
  std::vector<TraceLine> binary32_lines;
  std::vector<TraceLine> enclosure_lines;
  Trace exact_trace(&exact_lines);
  Trace binary32_trace(&binary32_lines);
  Trace enclosure_trace(&enclosure_lines);
  Exact exact;
  Binary32 binary32;
  Enclosure enclosure;
  const auto value = Evaluator<Exact>(call).Element(i, exact, exact_trace);
  const auto in_binary32 =
      Evaluator<Binary32>(call).Element(i, binary32, binary32_trace);
  const auto in_enclosure =
      Evaluator<Enclosure>(call).Element(i, enclosure, enclosure_trace);

  ElementTrace result;
  result.steps = JoinTraces(exact_lines, binary32_lines, enclosure_lines);
  result.element = ElementOf(value, exact.facts);
  result.tie_distance = exact.facts.TieDistanceInWords();
  if (!value) return result;
  result.element.binary32 = in_binary32->low;
  SetEnclosure(*in_enclosure, result.element);
  for (const RoundingVariant variant : variants) {
    Exact math = ExactWith(variant);
    Trace no_trace;
    result.variants[variant] =
        Evaluator<Exact>(call).Element(i, math, no_trace)->low;
  }
  return result;
}

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_EVALUATION_H_
