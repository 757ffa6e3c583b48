// The canonical spelling of test vector files, on disk.

#ifndef QCONFORM_HARNESS_CASES_FORMAT_FILES_H_
#define QCONFORM_HARNESS_CASES_FORMAT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace qconform::harness {

// Rewrites each file of test vectors below the paths (as ReadVectorFiles finds
// them) in its canonical spelling and returns the files whose spelling was
// another. With `check` nothing is written. All files are read before the first
// is written; anything that is no vector file is kInvalidArgument.
absl::StatusOr<std::vector<std::string>> FormatFiles(
    const std::vector<std::string>& paths, bool check);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_FORMAT_FILES_H_
