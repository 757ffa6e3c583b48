// The part of a gate that holds the speed of a build to that of another one.

#ifndef QCONFORM_HARNESS_GATE_SPEED_STAGE_H_
#define QCONFORM_HARNESS_GATE_SPEED_STAGE_H_

#include <vector>

#include "harness/results/model.h"
#include "harness/speed/judge_speed.h"
#include "harness/speed/measure_speed.h"

namespace qconform::harness {

struct SpeedStage {
  SpeedSettings settings;
  MeasureOptions measure;
  std::vector<SpeedSamples> samples;
  std::vector<SpeedRow> rows;
};

// Measures both programs in turn, keeps what was measured in `stage` and adds
// a stage to the results, in which the benchmarks stand where SIMD targets
// stand elsewhere: those that got slower failed. What could not be compared
// makes the stage mistrusted (programs with different benchmarks, too few
// rounds); a program that fails is broken, and an interruption sets `stopped`.
void RunSpeedStage(const StartStopwatch& baseline,
                   const StartStopwatch& candidate, SpeedStage& stage,
                   RunResults& results);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_GATE_SPEED_STAGE_H_
