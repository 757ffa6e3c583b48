#include "harness/cases/format_files.h"

#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {

absl::StatusOr<std::vector<std::string>> FormatFiles(
    const std::vector<std::string>& paths, bool check) {
  const absl::StatusOr<std::vector<std::string>> names = FindVectorFiles(paths);
  if (!names.ok()) return names.status();
  std::vector<std::string> changed;
  std::vector<std::string> texts;
  for (const std::string& name : *names) {
    const absl::StatusOr<std::string> text = ReadTextFile(name);
    if (!text.ok()) return text.status();
    const absl::StatusOr<VectorFile> file = ParseVectorFile(name, *text);
    if (!file.ok()) return file.status();
    std::string canonical = FormatVectorFile(*file);
    if (canonical == *text) continue;
    changed.push_back(name);
    texts.push_back(std::move(canonical));
  }
  if (check) return changed;
  for (size_t i = 0; i < changed.size(); ++i) {
    std::ofstream stream(changed[i], std::ios::binary | std::ios::trunc);
    stream << texts[i];
    stream.close();
    if (!stream) {
      return absl::InvalidArgumentError(
          absl::StrCat(changed[i], ": cannot be written"));
    }
  }
  return changed;
}

}  // namespace qconform::harness
