// Decides from paired measurements which benchmarks a change made slower.
//
// One round of measurements gives one number for each benchmark: the logarithm
// of new time over old time, both taken from programs that were started for
// this round alone. Rounds are independent of each other, so the signed-rank
// test holds; where code happens to lie in memory, which differs between two
// starts, is part of what it sees as chance.

#ifndef QCONFORM_HARNESS_SPEED_JUDGE_SPEED_H_
#define QCONFORM_HARNESS_SPEED_JUDGE_SPEED_H_

#include <cstddef>
#include <string>
#include <vector>

namespace qconform::harness {

struct SpeedSettings {
  // What may be lost: 0.03 accepts new times up to 1.03 of the old ones.
  double threshold = 0.03;
  // Chance that a gate fails although nothing is slower than that: over all
  // benchmarks together (Holm's correction).
  double false_alarm = 0.01;
};

struct SpeedSamples {
  std::string benchmark;
  std::vector<double> log_ratios;  // of new over old time, one per round
};

struct SpeedRow {
  std::string benchmark;
  double ratio = 1;              // median of new over old time
  double p_value = 1;            // of "not slower than the threshold"
  double corrected_p_value = 1;  // for the number of benchmarks
  bool slower = false;
  // New over old time that would have been found in nine of ten runs, judged by
  // the scatter seen here; 0 if not even twice the time would, or not
  // estimated.
  double detectable_ratio = 0;
};

// Slower is a benchmark whose time grew by more than the threshold beyond
// doubt: its corrected p-value is at most settings.false_alarm.
std::vector<SpeedRow> JudgeSpeed(const std::vector<SpeedSamples>& samples,
                                 const SpeedSettings& settings);

// Fills in detectable_ratio: of 200 simulated runs, each of rounds drawn from
// those seen, nine in ten find that ratio. Takes some 10 ms per benchmark.
void EstimateDetectableRatios(const std::vector<SpeedSamples>& samples,
                              const SpeedSettings& settings,
                              std::vector<SpeedRow>& rows);

// With fewer rounds no benchmark could ever be found slower.
int FewestRounds(size_t benchmarks, double false_alarm);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_JUDGE_SPEED_H_
