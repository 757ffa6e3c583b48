// qconform: a conformance harness for quantized neural-network kernels.

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "harness/commands/arguments.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/results/build_info.h"

namespace {

using qconform::harness::ExitCode;

int Main(int argc, char** argv) {
  CLI::App app(
      "qconform: holds quantized neural-network kernels against a golden model "
      "written from their documents.",
      "qconform");
  ExitCode exit_code = qconform::harness::kConforms;
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", "qconform " + qconform::harness::GetBuildInfo().version +
                       ", commit " + qconform::harness::GetBuildInfo().commit);
  qconform::harness::AddRunCommand(app, exit_code);
  qconform::harness::AddGateCommand(app, exit_code);
  qconform::harness::AddMergeCommand(app, exit_code);
  qconform::harness::AddExplainCommand(app, exit_code);
  qconform::harness::AddListCommand(app, exit_code);
  qconform::harness::AddReportCommand(app, exit_code);
  qconform::harness::AddFormatCommand(app, exit_code);
  qconform::harness::AddFuzzCommand(app, exit_code);
  qconform::harness::AddImportCommand(app, exit_code);
  qconform::harness::AddSweepCommand(app, exit_code);
  qconform::harness::AddMutantsCommand(app, exit_code);
  qconform::harness::RequireValues(app);
  const absl::Status words = qconform::harness::CheckWords(
      app, std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  if (!words.ok()) return qconform::harness::ReportBadInput(words);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // CLI11's own codes mean nothing here; --help is no error.
    return app.exit(error) == 0 ? qconform::harness::kConforms
                                : qconform::harness::kBadInput;
  }
  // What a full disk lost must not pass for a report.
  if (!std::cout.flush() && exit_code != qconform::harness::kBadInput) {
    std::cerr << "qconform: standard output: writing failed\n";
    return qconform::harness::kBroken;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "qconform: broken: " << error.what() << "\n";
    return qconform::harness::kBroken;
  }
}
