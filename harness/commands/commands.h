// The sub-commands of qconform, each in a file of its own. Each function adds
// its sub-command to the application; when the command line names it, it runs
// during parsing and leaves the program's exit code.

#ifndef QCONFORM_HARNESS_COMMANDS_COMMANDS_H_
#define QCONFORM_HARNESS_COMMANDS_COMMANDS_H_

#include "CLI/CLI.hpp"
#include "harness/results/model.h"

namespace qconform::harness {

void AddRunCommand(CLI::App& app, ExitCode& exit_code);
void AddGateCommand(CLI::App& app, ExitCode& exit_code);
void AddMergeCommand(CLI::App& app, ExitCode& exit_code);
void AddExplainCommand(CLI::App& app, ExitCode& exit_code);
void AddListCommand(CLI::App& app, ExitCode& exit_code);
void AddReportCommand(CLI::App& app, ExitCode& exit_code);
void AddFormatCommand(CLI::App& app, ExitCode& exit_code);
void AddFuzzCommand(CLI::App& app, ExitCode& exit_code);
void AddImportCommand(CLI::App& app, ExitCode& exit_code);
void AddSweepCommand(CLI::App& app, ExitCode& exit_code);
void AddMutantsCommand(CLI::App& app, ExitCode& exit_code);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_COMMANDS_H_
