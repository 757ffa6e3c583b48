#include "harness/commands/common.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/candidates/builtin.h"
#include "harness/candidates/golden_binary32.h"
#include "harness/commands/mutant_candidate.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

// '*' any characters, '?' one; iterative, so that no pattern takes exponential
// time.
bool MatchesGlob(const std::string& pattern, const std::string& text) {
  size_t p = 0;
  size_t star = std::string::npos;
  size_t resume = 0;
  for (size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() &&
               (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

}  // namespace

ExitCode ReportBadInput(const absl::Status& status) {
  std::cerr << "qconform: " << std::string(status.message()) << "\n";
  return kBadInput;
}

absl::Status CheckWritable(const std::string& option, const std::string& path) {
  if (path.empty() || std::ofstream(path, std::ios::app)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", option, "=", path, ": cannot be written"));
}

absl::Status CheckApart(
    const std::vector<std::pair<std::string, std::string>>& outputs,
    const std::vector<std::string>& inputs) {
  namespace fs = std::filesystem;
  std::error_code error;
  // Who has a file, by its path without links.
  std::map<fs::path, std::string> owners;
  for (const std::string& path : inputs) {
    if (!path.empty()) owners[fs::weakly_canonical(path, error)] = "read";
  }
  for (const auto& [option, path] : outputs) {
    if (path.empty()) continue;
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) continue;
    const auto [owner, added] =
        owners.insert({fs::weakly_canonical(path, error),
                       absl::StrCat("written as --", option)});
    if (added) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", option, "=", path, ": the same file is ",
                     owner->second, "; another one is needed"));
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(
    const std::vector<std::pair<std::string, std::string>>& outputs,
    const std::vector<std::string>& inputs) {
  absl::Status status = CheckApart(outputs, inputs);
  for (const auto& [option, path] : outputs) {
    if (status.ok()) status = CheckWritable(option, path);
  }
  return status;
}

bool WriteOutput(const std::string& option, const std::string& path,
                 absl::FunctionRef<std::string()> text) {
  if (path.empty() || (std::ofstream(path) << text() << std::flush)) {
    return true;
  }
  std::cerr << "qconform: --" << option << "=" << path << ": writing failed\n";
  return false;
}

std::vector<std::string> CandidateNames() {
  return {"builtin", "golden-binary32"};
}

absl::StatusOr<std::unique_ptr<Candidate>> FindCandidate(
    const std::string& name) {
  if (IsMutantName(name)) return MakeMutantCandidate(name);
  if (name == "builtin") return std::make_unique<BuiltinCandidate>();
  if (name == "golden-binary32") {
    return std::make_unique<GoldenBinary32Candidate>();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--candidate=", name,
      " is unknown; known: ", absl::StrJoin(CandidateNames(), ", ")));
}

absl::StatusOr<std::vector<VectorFile>> ReadInput(
    const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": no such file or folder"));
    }
  }
  absl::StatusOr<std::vector<VectorFile>> files = ReadVectorFiles(paths);
  if (!files.ok()) return files;
  for (const VectorFile& file : *files) {
    for (const TestCase& test_case : file.cases) {
      const absl::Status status = spec::Validate(test_case.arguments);
      if (absl::IsNotFound(status)) {
        return absl::InvalidArgumentError(absl::StrCat(
            file.path, ": case ", test_case.id, ": ", status.message()));
      }
    }
  }
  return files;
}

bool MatchesFilter(const std::string& filter, const TestCase& test_case) {
  const std::string name =
      absl::StrCat(test_case.arguments.operator_name, "/", test_case.id);
  if (filter.find_first_of("*?/") != std::string::npos) {
    return MatchesGlob(filter, name);
  }
  return absl::StrContains(name, filter);
}

std::string CorpusHash(const std::vector<VectorFile>& files) {
  std::vector<std::string> texts;
  for (const VectorFile& file : files) texts.push_back(FormatVectorFile(file));
  std::sort(texts.begin(), texts.end());
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::string& text : texts) {
    for (const char c : text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
  }
  return absl::StrFormat("fnv1a64:%016x", hash);
}

}  // namespace qconform::harness
