// Files and folders for vector_file.h.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {

absl::StatusOr<VectorFile> ReadVectorFile(const std::string& path) {
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseVectorFile(path, *text);
}

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status =
      std::filesystem::status(path, error);
  // Some devices, such as /dev/zero, never end. Pipes do.
  const bool is_file = !std::filesystem::is_directory(status) &&
                       !std::filesystem::is_character_file(status) &&
                       !std::filesystem::is_block_file(status);
  std::ifstream stream;
  if (is_file) stream.open(path, std::ios::binary);
  if (!stream.is_open()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": found nothing that can be read; a file is needed"));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

absl::StatusOr<std::vector<std::string>> FindVectorFiles(
    const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    std::error_code error;
    std::vector<std::string> below;
    if (fs::is_directory(path, error)) {
      fs::recursive_directory_iterator entry(path, error);
      for (; !error && entry != fs::end(entry); entry.increment(error)) {
        if (entry->path().extension() == ".json") {
          below.push_back(entry->path().string());
        }
      }
    } else if (fs::exists(path, error)) {
      below.push_back(path);
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": found nothing; a file or folder of test vectors is needed"));
    }
    if (error) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", error.message()));
    }
    std::sort(below.begin(), below.end());
    for (const std::string& file : below) {
      const std::string canonical = fs::weakly_canonical(file, error).string();
      if (seen.insert(canonical).second) files.push_back(file);
    }
  }
  return files;
}

absl::StatusOr<std::vector<VectorFile>> ReadVectorFiles(
    const std::vector<std::string>& paths) {
  const absl::StatusOr<std::vector<std::string>> names = FindVectorFiles(paths);
  if (!names.ok()) return names.status();
  std::vector<VectorFile> files;
  // By operator and id, the file that has it.
  std::map<std::pair<std::string, std::string>, std::string> ids;
  for (const std::string& name : *names) {
    absl::StatusOr<VectorFile> file = ReadVectorFile(name);
    if (!file.ok()) return file.status();
    for (const TestCase& test_case : file->cases) {
      const auto [place, is_new] =
          ids.insert({{file->operator_name, test_case.id}, name});
      if (!is_new) {
        return absl::InvalidArgumentError(absl::StrCat(
            name, ": case \"", test_case.id, "\": found the id in ",
            place->second, " too; ids are unique within an operator"));
      }
    }
    files.push_back(*std::move(file));
  }
  return files;
}

}  // namespace qconform::harness
