// Times two programs in turn, so that what disturbs a machine disturbs both.

#ifndef QCONFORM_HARNESS_SPEED_MEASURE_SPEED_H_
#define QCONFORM_HARNESS_SPEED_MEASURE_SPEED_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/speed/judge_speed.h"

namespace qconform::harness {

// A running program that executes benchmarks.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  // The names of its benchmarks.
  virtual absl::StatusOr<std::vector<std::string>> Benchmarks() = 0;
  // Nanoseconds of one execution.
  virtual absl::StatusOr<double> Measure(const std::string& benchmark) = 0;
};

using StartStopwatch =
    std::function<absl::StatusOr<std::unique_ptr<Stopwatch>>()>;

struct MeasureOptions {
  std::string filter;  // only benchmarks whose name contains this
  int rounds = 15;     // both programs are started anew for each
  int pairs = 7;       // measurements of each program in a round
  std::function<void(int done, int total)> progress;  // rounds
  std::function<bool()> interrupted;
};

// One sample per round: the median over its pairs. Within a pair the two follow
// each other directly; which comes first changes from pair to pair.
// kFailedPrecondition if the programs have no benchmark in common with the
// filter or one lacks a benchmark of the other (what did not run has failed),
// kInvalidArgument if the rounds are too few to find anything at the settings'
// false alarm rate, kCancelled if interrupted, else the error of the program.
absl::StatusOr<std::vector<SpeedSamples>> MeasureSpeed(
    const StartStopwatch& baseline, const StartStopwatch& candidate,
    const SpeedSettings& settings, const MeasureOptions& options);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_MEASURE_SPEED_H_
