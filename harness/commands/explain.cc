// qconform explain: one element of one case, document line by document line.

#include "harness/judge/explain.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"

namespace qconform::harness {
namespace {

struct ExplainFlags {
  std::string path;
  std::string id;
  std::string element = "0";
  std::string candidate = "builtin";
};

absl::StatusOr<std::string> MakeExplanation(const ExplainFlags& flags) {
  const absl::StatusOr<std::unique_ptr<Candidate>> candidate =
      FindCandidate(flags.candidate);
  if (!candidate.ok()) return candidate.status();
  absl::StatusOr<std::vector<VectorFile>> files = ReadInput({flags.path});
  if (!files.ok()) return files.status();
  const TestCase* found = nullptr;
  for (const VectorFile& file : *files) {
    for (const TestCase& test_case : file.cases) {
      const std::string full =
          absl::StrCat(test_case.arguments.operator_name, "/", test_case.id);
      if (flags.id != test_case.id && flags.id != full) continue;
      if (found != nullptr) {
        return absl::InvalidArgumentError(absl::StrCat(
            "--case=", flags.id, " names several cases; give operator/id"));
      }
      found = &test_case;
    }
  }
  if (found == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(flags.path, ": no case ", flags.id, "; qconform list ",
                     flags.path, " --cases shows what there is"));
  }
  return Explain(*found, flags.element, **candidate);
}

ExitCode RunExplain(const ExplainFlags& flags) {
  const absl::StatusOr<std::string> text = MakeExplanation(flags);
  if (text.ok()) {
    std::cout << *text << std::flush;
    return kConforms;
  }
  const ExitCode code = ReportBadInput(text.status());
  return absl::IsInternal(text.status()) ? kBroken : code;
}

}  // namespace

void AddExplainCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "explain",
      "Explain one element of one case: the document line by line, the exact "
      "value, the distance to a tie, other roundings, and every target.");
  const auto flags = std::make_shared<ExplainFlags>();
  command->add_option("path", flags->path, "File of test vectors, or a folder")
      ->required();
  command->add_option("--case", flags->id, "The case: id or operator/id")
      ->required();
  command->add_option("--element", flags->element,
                      "The output's element: its number in row-major order "
                      "(default 0), or one number per axis: 1,2");
  command->add_option("--candidate", flags->candidate,
                      "Implementation to ask: builtin (default) or "
                      "golden-binary32");
  command->callback([flags, &exit_code] { exit_code = RunExplain(*flags); });
}

}  // namespace qconform::harness
