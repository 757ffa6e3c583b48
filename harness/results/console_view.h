// The results as text for a terminal or a log.

#ifndef QCONFORM_HARNESS_RESULTS_CONSOLE_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_CONSOLE_VIEW_H_

#include <string>

#include "harness/results/model.h"

namespace qconform::harness {

// `text` as one word of a shell command line.
std::string ShellQuote(const std::string& text);

// One line per wrong element or failed case, each followed by the command that
// repeats it.
std::string FormatFailures(const RunResults& results);

// What ran: operators by targets with counts, quotas, verdict.
std::string FormatSummary(const RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_CONSOLE_VIEW_H_
