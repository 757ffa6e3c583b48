// qconform run: test vectors through the golden model and a candidate.

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/run_setup.h"
#include "harness/progress/interruption.h"
#include "harness/results/console_view.h"
#include "harness/results/json_view.h"

namespace qconform::harness {
namespace {

struct RunFlags {
  SetupFlags setup;
  std::vector<std::string> paths;
  std::string json;
  std::string quotas;
  std::string filter;
  std::string shard;
};

// "2/5"
absl::StatusOr<std::optional<Shard>> ParseShard(const std::string& text) {
  if (text.empty()) return std::optional<Shard>();
  constexpr int kMaxShards = 10000;
  const size_t slash = text.find('/');
  Shard shard;
  if (slash == std::string::npos ||
      !absl::SimpleAtoi(text.substr(0, slash), &shard.index) ||
      !absl::SimpleAtoi(text.substr(slash + 1), &shard.count) ||
      shard.index < 1 || shard.index > shard.count ||
      shard.count > kMaxShards) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--shard=", text, " must be I/N with 1 <= I <= N <= ", kMaxShards));
  }
  return std::optional<Shard>(shard);
}

struct Prepared {
  Setup setup;
  std::vector<VectorFile> files;
  std::optional<Shard> shard;
};

// Everything that can be wrong with the command line or the input is found
// here, before the first case runs.
absl::StatusOr<Prepared> Prepare(const RunFlags& flags) {
  Prepared prepared;
  absl::StatusOr<Setup> setup = MakeSetup(flags.setup);
  if (!setup.ok()) return setup.status();
  prepared.setup = *std::move(setup);
  absl::StatusOr<std::optional<Shard>> shard = ParseShard(flags.shard);
  if (!shard.ok()) return shard.status();
  prepared.shard = *shard;
  if (!flags.quotas.empty()) {
    absl::StatusOr<CounterTable> minimums = ReadQuotas(flags.quotas);
    if (!minimums.ok()) return minimums.status();
    prepared.setup.options.minimums = *std::move(minimums);
    prepared.setup.options.enforce_quotas = true;
  }
  absl::StatusOr<std::vector<VectorFile>> files = ReadInput(flags.paths);
  if (!files.ok()) return files.status();
  prepared.files = *std::move(files);
  std::vector<std::string> inputs = {flags.quotas};
  for (const VectorFile& file : prepared.files) inputs.push_back(file.path);
  const absl::Status status = CheckOutputs({{"json", flags.json}}, inputs);
  if (!status.ok()) return status;
  return prepared;
}

ExitCode Run(const RunFlags& flags) {
  CatchInterruption();  // reading may take long, too
  absl::StatusOr<Prepared> prepared = Prepare(flags);
  if (!prepared.ok()) return ReportBadInput(prepared.status());
  RunResults results = BeginResults();
  results.filter = flags.filter;
  results.paths = flags.paths;
  results.shard = prepared->shard;
  results.corpus_hash = CorpusHash(prepared->files);
  std::vector<const TestCase*> cases;
  int64_t selected = 0;
  for (const VectorFile& file : prepared->files) {
    for (const TestCase& test_case : file.cases) {
      ++results.corpus_cases;
      if (!MatchesFilter(flags.filter, test_case)) continue;
      // In turn: neighbours in a file often take equally long.
      const int64_t turn = selected++;
      if (results.shard &&
          turn % results.shard->count != results.shard->index - 1) {
        continue;
      }
      cases.push_back(&test_case);
    }
  }
  RunWithProgress(cases, flags.setup, prepared->setup, results);
  std::cout << FormatFailures(results) << FormatSummary(results) << std::flush;
  if (!WriteOutput("json", flags.json, [&] { return ToJson(results); })) {
    return kBroken;
  }
  return results.exit_code;
}

}  // namespace

void AddRunCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run",
      "Run test vectors through the golden model and an implementation, and "
      "judge every element.\nExit code: 0 conforms, 1 does not, 2 bad usage or "
      "input, 3 something broke, 4 the run proves too little.");
  const auto flags = std::make_shared<RunFlags>();
  command
      ->add_option("paths", flags->paths,
                   "Files of test vectors, or folders that hold some")
      ->required();
  AddSetupOptions(*command, flags->setup);
  command->add_option("--json", flags->json,
                      "Write the results to this file "
                      "(spec/schema/results.schema.json)");
  command->add_option("--quotas", flags->quotas,
                      "Enforce the minimum counts of this file; fewer: exit "
                      "code 4");
  command->add_option("--filter", flags->filter,
                      "Run only cases whose operator/id contains this text; "
                      "with * ? or / it is a pattern for all of operator/id");
  command->add_option("--shard", flags->shard,
                      "I/N: run only the I-th of N parts of the cases; "
                      "qconform merge puts their results together");
  command->callback([flags, &exit_code] { exit_code = Run(*flags); });
}

}  // namespace qconform::harness
