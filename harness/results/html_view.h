// The results as one HTML page that needs nothing else: no network, no library.

#ifndef QCONFORM_HARNESS_RESULTS_HTML_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_HTML_VIEW_H_

#include <string>

#include "absl/status/status.h"
#include "harness/results/comparison.h"
#include "harness/results/model.h"

namespace qconform::harness {

// What a page may show beside the results.
struct HtmlExtras {
  const Comparison* comparison = nullptr;
  std::string mutants;  // JSON text of a kill matrix; empty: none
  std::string speed;    // JSON text of a benchmark result; empty: none
};

// Whether `json` may be one of the extras: JSON of no more than 2 MB.
// kInvalidArgument with the path else.
absl::Status CheckExtra(const std::string& path, const std::string& json);

// The page's size is bounded whatever the number of cases: it holds the groups'
// counts, thinned samples and the first failures, not every case.
std::string ToHtml(const RunResults& results, const HtmlExtras& extras = {});

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_HTML_VIEW_H_
