// Text of unknown origin, made fit for a format.

#ifndef QCONFORM_HARNESS_RESULTS_TEXT_SAFETY_H_
#define QCONFORM_HARNESS_RESULTS_TEXT_SAFETY_H_

#include <cstddef>
#include <string>

namespace qconform::harness {

// `text` as valid UTF-8 without control characters but tab and newline: each
// byte that is neither becomes U+FFFD.
std::string CleanText(const std::string& text);

// At most `size` bytes, cut between characters, with "..." if cut.
std::string CutText(const std::string& text, size_t size);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_TEXT_SAFETY_H_
