// The results as JUnit XML, which every CI server reads.

#ifndef QCONFORM_HARNESS_RESULTS_JUNIT_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_JUNIT_VIEW_H_

#include <string>

#include "harness/results/model.h"

namespace qconform::harness {

// `text` for an XML attribute or element: markup escaped, and what XML cannot
// hold (control characters, broken UTF-8) replaced by U+FFFD.
std::string EscapeXml(const std::string& text);

// One test suite per operator and target; its attributes count as the model
// does: failures are failed and unexpected-pass; errors crashed, timed-out and
// mistrusted; skipped unsupported and expected-failure. Passed cases that the
// model does not list are counted, not listed. A last suite, "the run itself",
// has one test case that errs if the run is broken or mistrusted: a CI server
// must not show such a run as green.
std::string ToJunit(const RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_JUNIT_VIEW_H_
