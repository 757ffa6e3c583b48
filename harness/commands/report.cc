// qconform report: results, whenever and wherever they were made, as a page or
// a file for a CI server.

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/vector_file.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/results/comparison.h"
#include "harness/results/console_view.h"
#include "harness/results/html_view.h"
#include "harness/results/json_view.h"
#include "harness/results/junit_view.h"
#include "harness/results/markdown_view.h"
#include "harness/results/merge.h"

namespace qconform::harness {
namespace {

struct ReportFlags {
  std::vector<std::string> paths;
  std::string html;
  std::string junit;
  std::string markdown;
  std::string json;
  std::string compare;
  std::string mutants;
  std::string speed;
};

// The text of a file; empty if there is no path.
absl::StatusOr<std::string> ReadOptional(const std::string& path) {
  if (path.empty()) return std::string();
  return ReadTextFile(path);
}

absl::Status Write(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::cout << text << std::flush;
    return absl::OkStatus();
  }
  if (std::ofstream(path, std::ios::binary) << text << std::flush) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(path, ": cannot be written"));
}

// Before anything is written: one bad path must not leave some of the files.
absl::Status CheckOutputs(const ReportFlags& flags) {
  const std::vector<std::pair<std::string, std::string>> outputs = {
      {"html", flags.html},
      {"junit", flags.junit},
      {"markdown", flags.markdown},
      {"json", flags.json}};
  std::vector<std::string> inputs = flags.paths;
  inputs.insert(inputs.end(), {flags.compare, flags.mutants, flags.speed});
  absl::Status status = CheckApart(outputs, inputs);
  for (const auto& [option, path] : outputs) {
    if (status.ok() && path != "-") status = CheckWritable(option, path);
  }
  return status;
}

absl::Status MakeReport(const ReportFlags& flags) {
  absl::StatusOr<RunResults> results = ReadAndMergeResults(flags.paths);
  if (!results.ok()) return results.status();
  std::optional<Comparison> comparison;
  if (!flags.compare.empty()) {
    absl::StatusOr<RunResults> older = ReadResults(flags.compare);
    if (!older.ok()) return older.status();
    comparison = CompareResults(*older, *results);
  }
  HtmlExtras extras;
  extras.comparison = comparison ? &*comparison : nullptr;
  for (const auto& [path, text] : {std::pair(&flags.mutants, &extras.mutants),
                                   std::pair(&flags.speed, &extras.speed)}) {
    absl::StatusOr<std::string> read = ReadOptional(*path);
    if (!read.ok()) return read.status();
    if (!path->empty()) {
      absl::Status status = CheckExtra(*path, *read);
      if (!status.ok()) return status;
    }
    *text = *std::move(read);
  }
  if (absl::Status status = CheckOutputs(flags); !status.ok()) return status;
  std::vector<std::pair<std::string, std::string>> files;
  if (!flags.html.empty()) {
    files.push_back({flags.html, ToHtml(*results, extras)});
  }
  if (!flags.junit.empty()) files.push_back({flags.junit, ToJunit(*results)});
  if (!flags.markdown.empty()) {
    files.push_back({flags.markdown, ToMarkdown(*results, extras.comparison)});
  }
  if (!flags.json.empty()) files.push_back({flags.json, ToJson(*results)});
  for (const auto& [path, text] : files) {
    absl::Status status = Write(path, text);
    if (!status.ok()) return status;
  }
  if (files.empty())
    std::cout << FormatFailures(*results) << FormatSummary(*results);
  return absl::OkStatus();
}

ExitCode RunReport(const ReportFlags& flags) {
  const absl::Status status = MakeReport(flags);
  return status.ok() ? kConforms : ReportBadInput(status);
}

}  // namespace

void AddReportCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "report",
      "Show results that qconform wrote with --json, as text or in the formats "
      "asked for (\"-\" is standard output).\nExit code: 0 whatever the "
      "results say, 2 if they cannot be read, merged or written.");
  const auto flags = std::make_shared<ReportFlags>();
  command
      ->add_option("results", flags->paths,
                   "Results; several are merged as shards of one run")
      ->required();
  CLI::Option* html = command->add_option(
      "--html", flags->html, "Write one self-contained page to this file");
  command->add_option("--junit", flags->junit, "Write JUnit XML to this file");
  command->add_option("--markdown", flags->markdown,
                      "Write Markdown to this file");
  command->add_option("--json", flags->json,
                      "Write the merged results to this file");
  command->add_option("--compare", flags->compare,
                      "Older results: show what changed since");
  command
      ->add_option("--mutants", flags->mutants,
                   "Show the kill matrix of this file in the page "
                   "(qconform mutants --json)")
      ->needs(html);
  command
      ->add_option("--speed", flags->speed,
                   "Show the measurements of this file in the page "
                   "(qconform_bench --json)")
      ->needs(html);
  command->callback([flags, &exit_code] { exit_code = RunReport(*flags); });
}

}  // namespace qconform::harness
