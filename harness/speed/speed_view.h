// A comparison of speeds as text, and as JSON for other tools.

#ifndef QCONFORM_HARNESS_SPEED_SPEED_VIEW_H_
#define QCONFORM_HARNESS_SPEED_SPEED_VIEW_H_

#include <string>
#include <vector>

#include "harness/speed/judge_speed.h"

namespace qconform::harness {

// One line: what is slower, by how much and how surely.
std::string DescribeSlower(const SpeedRow& row, const SpeedSettings& settings);

// A line for each benchmark and two that say what the comparison could see.
std::string SpeedTable(const std::vector<SpeedRow>& rows,
                       const std::vector<SpeedSamples>& samples,
                       const SpeedSettings& settings);

// Schema "speed-comparison/1": settings, and for each benchmark its row and the
// ratios of all rounds.
std::string SpeedJson(const std::vector<SpeedRow>& rows,
                      const std::vector<SpeedSamples>& samples,
                      const SpeedSettings& settings);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_SPEED_VIEW_H_
