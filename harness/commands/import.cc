// qconform import: test vectors from other projects' tests.

#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/import_onnx.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"

namespace qconform::harness {
namespace {

struct ImportFlags {
  std::vector<std::string> folders;
  std::string output;
  std::string release = "onnx";
};

void PrintReport(const ImportReport& report) {
  for (const VectorFile& file : report.files) {
    std::cout << "imported " << file.cases.size() << " cases of "
              << file.operator_name << "\n";
  }
  size_t not_mapped = 0;
  for (const auto& [name, tests] : report.not_mapped) {
    not_mapped += tests.size();
  }
  std::cout << "not mapped: " << not_mapped << " tests of "
            << report.not_mapped.size() << " ONNX operators\n";
  for (const auto& [name, tests] : report.not_mapped) {
    std::cout << "  " << name << " (" << tests.size()
              << "): " << absl::StrJoin(tests, ", ") << "\n";
  }
  for (const RefusedNodeTest& refused : report.refused) {
    std::cout << "refused: " << refused.test << ": " << refused.reason << "\n";
  }
}

ExitCode RunImport(const ImportFlags& flags) {
  absl::StatusOr<ImportReport> report =
      ImportOnnxNodeTests(flags.folders, flags.release);
  if (!report.ok()) return ReportBadInput(report.status());
  PrintReport(*report);
  if (report->files.size() != 1) {
    std::cerr << "qconform: import: " << report->files.size()
              << " files of vectors came out, --output takes one; nothing "
                 "written\n";
    return report->files.empty() ? kUntrustworthy : kBadInput;
  }
  if (!(std::ofstream(flags.output)
        << FormatVectorFile(report->files[0]) << std::flush)) {
    return ReportBadInput(absl::InvalidArgumentError(
        absl::StrCat("--output=", flags.output, ": cannot be written")));
  }
  return kConforms;
}

}  // namespace

void AddImportCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "import", "Make test vectors from other projects' tests.");
  command->require_subcommand(1);
  CLI::App* onnx = command->add_subcommand(
      "onnx-node-test",
      "ONNX backend node tests: folders with model.onnx, input_*.pb and "
      "output_*.pb. QLinearMatMul becomes the DML matrix multiply; other "
      "operators are counted and named.");
  const auto flags = std::make_shared<ImportFlags>();
  onnx->add_option("folders", flags->folders,
                   "Folders of node tests, or folders that hold some")
      ->required();
  onnx->add_option("--output", flags->output, "The file of vectors to write")
      ->required();
  onnx->add_option("--release", flags->release,
                   "Where the tests come from, for each case's source: "
                   "\"onnx 1.12\"");
  onnx->callback([flags, &exit_code] { exit_code = RunImport(*flags); });
}

}  // namespace qconform::harness
