// qconform list: operators, clauses, candidates, targets, cases.

#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/judge/targets.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

struct ListFlags {
  std::vector<std::string> paths;
  bool cases = false;
  bool clauses = false;
};

void ListClauses() {
  // Those of all operators stand in each operator's list.
  std::set<std::string> seen;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    for (const spec::Clause& clause : spec.clauses) {
      if (!seen.insert(clause.id).second) continue;
      std::cout << clause.id << "  " << clause.question << ": " << clause.text
                << "\n";
    }
  }
}

void ListProgram() {
  std::cout << "operators:\n";
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    std::cout << "  " << spec.name << "  " << spec.title << "\n";
  }
  std::cout << "candidates:\n";
  for (const std::string& name : CandidateNames()) {
    std::cout << "  " << name << "  "
              << absl::StrJoin((*FindCandidate(name))->Targets(), " ") << "\n";
  }
  std::cout << "SIMD targets of this machine:\n  "
            << absl::StrJoin(MachineTargets(), " ") << "\n";
}

absl::Status ListCases(const std::vector<std::string>& paths) {
  absl::StatusOr<std::vector<VectorFile>> files = ReadInput(paths);
  if (!files.ok()) return files.status();
  for (const VectorFile& file : *files) {
    for (const TestCase& test_case : file.cases) {
      std::cout << test_case.arguments.operator_name << "/" << test_case.id
                << "  " << test_case.title << "  ["
                << absl::StrJoin(test_case.clauses, " ") << "]  " << file.path
                << "\n";
    }
  }
  return absl::OkStatus();
}

ExitCode RunList(const ListFlags& flags) {
  if (flags.cases != !flags.paths.empty()) {
    return ReportBadInput(absl::InvalidArgumentError(
        "list: --cases and the paths of test vectors go together"));
  }
  if (flags.cases) {
    if (absl::Status status = ListCases(flags.paths); !status.ok()) {
      return ReportBadInput(status);
    }
  } else if (flags.clauses) {
    ListClauses();
  } else {
    ListProgram();
  }
  return kConforms;
}

}  // namespace

void AddListCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "list",
      "List operators, candidates and targets; with --clauses the clauses of "
      "the specs, with --cases the cases of files or folders.");
  const auto flags = std::make_shared<ListFlags>();
  command->add_option("paths", flags->paths,
                      "With --cases: files of test vectors, or folders");
  command->add_flag("--cases", flags->cases, "List the cases of the paths");
  command->add_flag("--clauses", flags->clauses,
                    "List the clauses: what the documents say, or what was "
                    "decided where they are silent");
  command->callback([flags, &exit_code] { exit_code = RunList(*flags); });
}

}  // namespace qconform::harness
