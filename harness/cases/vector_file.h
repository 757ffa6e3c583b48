// Reads and writes files of test vectors (spec/schema/test_vector.schema.json).

#ifndef QCONFORM_HARNESS_CASES_VECTOR_FILE_H_
#define QCONFORM_HARNESS_CASES_VECTOR_FILE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/cases/test_case.h"

namespace qconform::harness {

struct VectorFile {
  std::string path;
  std::string operator_name;
  std::vector<TestCase> cases;
};

// kInvalidArgument with file, case id, JSON place and what is allowed, for
// anything that is no vector file. Never crashes.
absl::StatusOr<VectorFile> ParseVectorFile(const std::string& path,
                                           const std::string& json);
absl::StatusOr<VectorFile> ReadVectorFile(const std::string& path);

// All *.json below each path (a file or a folder), in the order of their names.
// Folders named "schema" are no exception: whatever is not a vector file is an
// error. Ids must be unique within an operator over all files.
absl::StatusOr<std::vector<VectorFile>> ReadVectorFiles(
    const std::vector<std::string>& paths);

// The files that ReadVectorFiles reads; a file that several paths reach is
// listed once. kInvalidArgument for a path that is not there.
absl::StatusOr<std::vector<std::string>> FindVectorFiles(
    const std::vector<std::string>& paths);

// The bytes of a file or pipe; kInvalidArgument if it cannot be read, as
// folders and devices cannot.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

// The one canonical spelling; parsing it gives the same cases.
std::string FormatVectorFile(const VectorFile& file);

// False for calls that contradict themselves, with a stride too many or sizes
// that no memory holds: no operator sees them, and no file can tell them.
bool CanBeWritten(const TestCase& test_case);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_VECTOR_FILE_H_
