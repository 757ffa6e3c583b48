#include "harness/speed/measure_speed.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/speed/median.h"

namespace qconform::harness {
namespace {

absl::StatusOr<std::set<std::string>> Chosen(Stopwatch& stopwatch,
                                             const std::string& filter) {
  const auto names = stopwatch.Benchmarks();
  if (!names.ok()) return names.status();
  std::set<std::string> chosen;
  for (const std::string& name : *names) {
    if (absl::StrContains(name, filter)) chosen.insert(name);
  }
  return chosen;
}

absl::Status CheckSameBenchmarks(const std::set<std::string>& baseline,
                                 const std::set<std::string>& candidate,
                                 const std::string& filter) {
  if (candidate.empty() && baseline.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("no benchmark contains \"", filter, "\" in its name"));
  }
  if (candidate == baseline) return absl::OkStatus();
  std::vector<std::string> alone;
  std::set_symmetric_difference(baseline.begin(), baseline.end(),
                                candidate.begin(), candidate.end(),
                                std::back_inserter(alone));
  return absl::FailedPreconditionError(
      absl::StrCat("only one of the two programs has these benchmarks, so they "
                   "cannot be compared: ",
                   absl::StrJoin(alone, ", ")));
}

// The median over pairs of the logarithm of candidate over baseline.
absl::StatusOr<double> MeasurePairs(Stopwatch& baseline, Stopwatch& candidate,
                                    const std::string& name, int pairs) {
  std::vector<double> log_ratios;
  for (int pair = 0; pair < pairs; ++pair) {
    double nanoseconds[2];
    for (const int turn : {0, 1}) {
      const bool is_candidate = (turn + pair) % 2 == 1;
      Stopwatch& stopwatch = is_candidate ? candidate : baseline;
      const absl::StatusOr<double> time = stopwatch.Measure(name);
      if (!time.ok()) return time.status();
      if (!(*time > 0) || !std::isfinite(*time)) {
        return absl::FailedPreconditionError(absl::StrCat(
            name, " took ", *time, " ns; a time must be positive and finite"));
      }
      nanoseconds[is_candidate ? 1 : 0] = *time;
    }
    log_ratios.push_back(std::log(nanoseconds[1] / nanoseconds[0]));
  }
  return Median(std::move(log_ratios));
}

}  // namespace

absl::StatusOr<std::vector<SpeedSamples>> MeasureSpeed(
    const StartStopwatch& baseline, const StartStopwatch& candidate,
    const SpeedSettings& settings, const MeasureOptions& options) {
  if (options.rounds < 1 || options.pairs < 1) {
    return absl::InvalidArgumentError("rounds and pairs must be positive");
  }
  std::vector<SpeedSamples> samples;
  for (int round = 0; round < options.rounds; ++round) {
    std::unique_ptr<Stopwatch> stopwatches[2];
    std::set<std::string> names[2];
    for (const int which : {round % 2, 1 - round % 2}) {
      auto started = which == 0 ? baseline() : candidate();
      if (!started.ok()) return started.status();
      stopwatches[which] = *std::move(started);
      auto chosen = Chosen(*stopwatches[which], options.filter);
      if (!chosen.ok()) return chosen.status();
      names[which] = *std::move(chosen);
    }
    const absl::Status same =
        CheckSameBenchmarks(names[0], names[1], options.filter);
    if (!same.ok()) return same;
    if (round == 0) {
      const int fewest = FewestRounds(names[0].size(), settings.false_alarm);
      if (options.rounds < fewest) {
        return absl::InvalidArgumentError(absl::StrCat(
            options.rounds, " rounds of ", names[0].size(),
            " benchmarks could never show a slowdown at a false alarm rate of ",
            settings.false_alarm, "; at least ", fewest, " are needed"));
      }
      for (const std::string& name : names[0]) samples.push_back({name, {}});
    }
    for (SpeedSamples& sample : samples) {
      if (options.interrupted && options.interrupted()) {
        return absl::CancelledError("interrupted");
      }
      const absl::StatusOr<double> log_ratio = MeasurePairs(
          *stopwatches[0], *stopwatches[1], sample.benchmark, options.pairs);
      if (!log_ratio.ok()) return log_ratio.status();
      sample.log_ratios.push_back(*log_ratio);
    }
    if (options.progress) options.progress(round + 1, options.rounds);
  }
  return samples;
}

}  // namespace qconform::harness
