// qconform merge: the results of the shards of one run as one.

#include "harness/results/merge.h"

#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/results/console_view.h"
#include "harness/results/json_view.h"

namespace qconform::harness {
namespace {

struct MergeFlags {
  std::vector<std::string> paths;
  std::string json;
};

ExitCode RunMerge(const MergeFlags& flags) {
  const absl::Status status = CheckOutputs({{"json", flags.json}}, flags.paths);
  const absl::StatusOr<RunResults> results =
      status.ok() ? ReadAndMergeResults(flags.paths) : status;
  if (!results.ok()) return ReportBadInput(results.status());
  std::cout << FormatFailures(*results) << FormatSummary(*results)
            << std::flush;
  if (!WriteOutput("json", flags.json, [&] { return ToJson(*results); })) {
    return kBroken;
  }
  return results->exit_code;
}

}  // namespace

void AddMergeCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "merge",
      "Put the results of qconform run --shard=I/N together. A missing shard "
      "means that the whole proves too little.\nExit code: that of the whole "
      "run; 2 if the results are not shards of one run.");
  const auto flags = std::make_shared<MergeFlags>();
  command->add_option("results", flags->paths, "Results written with --json")
      ->required();
  command->add_option("--json", flags->json,
                      "Write the merged results to this file");
  command->callback([flags, &exit_code] { exit_code = RunMerge(*flags); });
}

}  // namespace qconform::harness
