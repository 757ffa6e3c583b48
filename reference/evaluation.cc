#include "reference/evaluation.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace qconform::reference {
namespace {

// Rows of more terms than this are traced in extracts.
constexpr size_t kTermsTracedInFull = 32;

}  // namespace

GoldenElement ElementOf(const std::optional<ValueSet>& exact,
                        const ExactFacts& facts) {
  GoldenElement element;
  element.written = exact.has_value();
  if (exact) element.exact = exact->low;
  element.tie = facts.tie;
  element.output_tie = facts.output_tie;
  element.output_tie_decides = facts.output_tie_decides;
  element.clamped_low = facts.clamped_low;
  element.clamped_high = facts.clamped_high;
  element.tie_distance = facts.TieDistanceOfLastRounding();
  return element;
}

void SetEnclosure(const ValueSet& enclosure, GoldenElement& element) {
  element.enclosure_low = enclosure.low;
  element.enclosure_high = enclosure.high;
  element.enclosure_any = enclosure.any;
}

std::vector<TraceStep> JoinTraces(const std::vector<TraceLine>& exact,
                                  const std::vector<TraceLine>& binary32,
                                  const std::vector<TraceLine>& enclosure) {
  // The last step of a term is the integer it contributes.
  std::set<int64_t> terms;
  std::set<int64_t> alike;
  for (size_t i = 0; i < exact.size(); ++i) {
    const int64_t term = exact[i].term;
    if (term < 0) continue;
    terms.insert(term);
    if (exact[i].value == binary32[i].value &&
        exact[i].value == enclosure[i].value) {
      alike.insert(term);
    } else {
      alike.erase(term);
    }
  }
  std::vector<TraceStep> steps;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (terms.size() > kTermsTracedInFull && alike.contains(exact[i].term)) {
      continue;
    }
    std::string line = exact[i].line;
    if (exact[i].term >= 0) absl::StrAppend(&line, ", k = ", exact[i].term);
    steps.push_back({exact[i].clause, std::move(line), exact[i].value,
                     binary32[i].value, enclosure[i].value});
  }
  return steps;
}

Exact ExactWith(RoundingVariant variant) {
  switch (variant) {
    case RoundingVariant::kHalfAway:
      return Exact::WithRounding(Rounding::kHalfAway);
    case RoundingVariant::kHalfUp:
      return Exact::WithRounding(Rounding::kHalfUp);
    case RoundingVariant::kHalfEven:
      return Exact::WithRounding(Rounding::kHalfEven);
    case RoundingVariant::kTruncate:
      return Exact::WithRounding(Rounding::kTruncate);
    case RoundingVariant::kZeroPointBeforeRounding:
      break;
  }
  return Exact::WithZeroPointBeforeRounding();
}

std::string RoundingVariantName(RoundingVariant variant) {
  switch (variant) {
    case RoundingVariant::kHalfAway:
      return "half away";
    case RoundingVariant::kHalfUp:
      return "half up";
    case RoundingVariant::kHalfEven:
      return "half even";
    case RoundingVariant::kTruncate:
      return "truncate";
    case RoundingVariant::kZeroPointBeforeRounding:
      break;
  }
  return "zero point before rounding";
}

}  // namespace qconform::reference
