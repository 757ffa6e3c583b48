// qconform format: test vectors in their one canonical spelling.

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/cases/format_files.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"

namespace qconform::harness {
namespace {

struct FormatFlags {
  std::vector<std::string> paths;
  bool check = false;
};

ExitCode RunFormat(const FormatFlags& flags) {
  // Reads everything first and names a path that does not exist.
  if (const auto files = ReadInput(flags.paths); !files.ok()) {
    return ReportBadInput(files.status());
  }
  const absl::StatusOr<std::vector<std::string>> changed =
      FormatFiles(flags.paths, flags.check);
  if (!changed.ok()) return ReportBadInput(changed.status());
  for (const std::string& path : *changed) {
    std::cout << (flags.check ? "not in canonical spelling: " : "formatted: ")
              << path << "\n";
  }
  return flags.check && !changed->empty() ? kDoesNotConform : kConforms;
}

}  // namespace

void AddFormatCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "format", "Rewrite files of test vectors in their canonical spelling.");
  const auto flags = std::make_shared<FormatFlags>();
  command
      ->add_option("paths", flags->paths,
                   "Files of test vectors, or folders that hold some")
      ->required();
  command->add_flag("--check", flags->check,
                    "Write nothing; exit code 1 if a file is spelled another "
                    "way");
  command->callback([flags, &exit_code] { exit_code = RunFormat(*flags); });
}

}  // namespace qconform::harness
