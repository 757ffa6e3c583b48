#include "harness/commands/gate_speed.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "harness/commands/arguments.h"
#include "harness/commands/common.h"
#include "harness/gate/speed_stage.h"
#include "harness/progress/interruption.h"
#include "harness/progress/progress.h"
#include "harness/speed/process_stopwatch.h"
#include "harness/speed/speed_view.h"

namespace qconform::harness {
namespace {

StartStopwatch Program(const std::string& path) {
  return [path] { return StartProcessStopwatch({path, "--serve"}); };
}

absl::Status CheckProgram(const std::string& option, const std::string& path) {
  if (access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      option, "=", path,
      ": no program that can be started; it must answer \"list\" and "
      "\"measure NAME\" when called with --serve, as qconform_bench does"));
}

}  // namespace

void AddSpeedOptions(CLI::App& command, SpeedFlags& flags) {
  CLI::Option* baseline = command.add_option(
      "--speed-baseline", flags.baseline,
      "qconform_bench as it was before the change, or any program that answers "
      "like it");
  CLI::Option* on =
      command
          .add_flag("--speed", flags.on,
                    "Also hold the speed to that of another build: both are "
                    "measured in turn, and what got slower beyond doubt fails")
          ->needs(baseline);
  baseline->needs(on);
  const auto add = [&](const std::string& name, auto& value,
                       const std::string& text) {
    return command.add_option(name, value, text)->needs(on);
  };
  add("--speed-program", flags.program,
      "The same of the change (default: qconform_bench beside this program)");
  add("--speed-filter", flags.filter,
      "Only benchmarks whose name contains this");
  add("--speed-threshold", flags.threshold_percent,
      "Per cent of time that may be lost (default 3)")
      ->check(NumberWithin(0, 1000));
  add("--speed-false-alarm", flags.false_alarm,
      "Chance that a gate fails by chance alone (default 0.01)")
      ->check(NumberWithin(1e-9, 0.5));
  add("--speed-rounds", flags.rounds,
      "Independent measurements, each with programs started anew (default 15)")
      ->check(CLI::Range(1, 1000));
  add("--speed-pairs", flags.pairs,
      "Measurements of each program in a round (default 7)")
      ->check(CLI::Range(1, 1000));
  add("--speed-json", flags.json, "Write the comparison to this file");
}

absl::Status PrepareSpeed(SpeedFlags& flags) {
  if (!flags.on) return absl::OkStatus();
  if (flags.program.empty()) {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    flags.program = self.parent_path() / "qconform_bench";
  }
  absl::Status status = CheckProgram("--speed-baseline", flags.baseline);
  if (status.ok()) status = CheckProgram("--speed-program", flags.program);
  return status;
}

bool MeasureSpeedForGate(const SpeedFlags& flags, bool quiet,
                         RunResults& results) {
  SpeedStage stage;
  stage.settings.threshold = flags.threshold_percent / 100;
  stage.settings.false_alarm = flags.false_alarm;
  stage.measure.filter = flags.filter;
  stage.measure.rounds = flags.rounds;
  stage.measure.pairs = flags.pairs;
  stage.measure.interrupted = Interrupted;
  Progress progress("rounds", ChooseProgressStyle(quiet));
  stage.measure.progress = [&progress](int done, int total) {
    progress.Update(static_cast<uint64_t>(done), static_cast<uint64_t>(total));
  };
  RunSpeedStage(Program(flags.baseline), Program(flags.program), stage,
                results);
  progress.Finish();
  if (stage.rows.empty()) return true;
  std::cout << SpeedTable(stage.rows, stage.samples, stage.settings) << "\n";
  return WriteOutput("speed-json", flags.json, [&stage] {
    return SpeedJson(stage.rows, stage.samples, stage.settings);
  });
}

}  // namespace qconform::harness
