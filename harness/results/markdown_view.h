// The results as Markdown, for a CI job's summary or a comment.

#ifndef QCONFORM_HARNESS_RESULTS_MARKDOWN_VIEW_H_
#define QCONFORM_HARNESS_RESULTS_MARKDOWN_VIEW_H_

#include <string>

#include "harness/results/comparison.h"
#include "harness/results/model.h"

namespace qconform::harness {

// `text` within a line of Markdown or a table's cell: nothing in it is taken
// for markup.
std::string EscapeMarkdown(const std::string& text);
// `text` as inline code, whatever backticks and bars it holds.
std::string CodeSpan(const std::string& text);

// Verdict, operators by targets, what was not run, the first failures with the
// command that repeats each, clause coverage, what the results are bound to.
// Stays below 64 KiB but for the names of targets and operators. `comparison`
// may be null.
std::string ToMarkdown(const RunResults& results,
                       const Comparison* comparison = nullptr);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_MARKDOWN_VIEW_H_
