#include "harness/gate/speed_stage.h"

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/speed/speed_view.h"

namespace qconform::harness {

void RunSpeedStage(const StartStopwatch& baseline,
                   const StartStopwatch& candidate, SpeedStage& stage,
                   RunResults& results) {
  const auto start = std::chrono::steady_clock::now();
  StageResult result;
  result.operator_name = "speed";
  result.name = "time against the baseline";
  auto samples =
      MeasureSpeed(baseline, candidate, stage.settings, stage.measure);
  if (samples.ok()) {
    stage.samples = *std::move(samples);
    stage.rows = JudgeSpeed(stage.samples, stage.settings);
    EstimateDetectableRatios(stage.samples, stage.settings, stage.rows);
    result.executed = static_cast<int64_t>(stage.rows.size());
    for (const SpeedRow& row : stage.rows) {
      StageResult::Target& target = result.targets.emplace_back();
      target.target = row.benchmark;
      if (!row.slower) continue;
      target.failed = 1;
      target.status = CaseStatus::kFailed;
      target.reason = DescribeSlower(row, stage.settings);
      result.failures.push_back(target.reason);
    }
  } else {
    const std::string message(samples.status().message());
    switch (samples.status().code()) {
      case absl::StatusCode::kCancelled:
        results.stopped = "interrupted";
        break;
      case absl::StatusCode::kFailedPrecondition:
      case absl::StatusCode::kInvalidArgument:
        result.distrust.push_back(message);
        break;
      default:
        results.broken.push_back(absl::StrCat("speed: ", message));
    }
  }
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  results.stages.push_back(std::move(result));
}

}  // namespace qconform::harness
