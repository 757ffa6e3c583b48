// The options of qconform gate --speed, and what it does.

#ifndef QCONFORM_HARNESS_COMMANDS_GATE_SPEED_H_
#define QCONFORM_HARNESS_COMMANDS_GATE_SPEED_H_

#include <string>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "harness/results/model.h"

namespace qconform::harness {

struct SpeedFlags {
  bool on = false;
  std::string baseline;  // programs
  std::string program;
  std::string filter;
  std::string json;
  double threshold_percent = 3;
  double false_alarm = 0.01;
  int rounds = 15;
  int pairs = 7;
};

void AddSpeedOptions(CLI::App& command, SpeedFlags& flags);

// Finds what is wrong with the options before anything runs, and fills in the
// program's default.
absl::Status PrepareSpeed(SpeedFlags& flags);

// Measures, prints the table, writes the file asked for. Adds to the results as
// RunSpeedStage does; false if the file cannot be written.
bool MeasureSpeedForGate(const SpeedFlags& flags, bool quiet,
                         RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_GATE_SPEED_H_
