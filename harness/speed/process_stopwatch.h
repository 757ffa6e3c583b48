// A benchmark program that is asked over its standard input and output, one
// line each. What it must answer:
//   list            a JSON array of the names of its benchmarks
//   measure NAME    {"nanoseconds": time of one execution, measured as well as
//                   it can within some hundredths of a second}
// or {"error": "why not"} to either. `qconform_bench --serve` is one.

#ifndef QCONFORM_HARNESS_SPEED_PROCESS_STOPWATCH_H_
#define QCONFORM_HARNESS_SPEED_PROCESS_STOPWATCH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "harness/speed/measure_speed.h"

namespace qconform::harness {

// Errors name the program. `patience` is how long one answer may take.
absl::StatusOr<std::unique_ptr<Stopwatch>> StartProcessStopwatch(
    const std::vector<std::string>& command,
    absl::Duration patience = absl::Minutes(1));

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_PROCESS_STOPWATCH_H_
