// The style and the script of the page, as part of the program;
// embed_page.cmake writes the definitions from the files beside this header.

#ifndef QCONFORM_HARNESS_RESULTS_HTML_PAGE_H_
#define QCONFORM_HARNESS_RESULTS_HTML_PAGE_H_

namespace qconform::harness {

extern const char kPageStyle[];
extern const char kPageScript[];

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_HTML_PAGE_H_
