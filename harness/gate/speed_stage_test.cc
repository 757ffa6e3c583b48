#include "harness/gate/speed_stage.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Its times are what it is told; "copy" takes as long in every program.
class Steady final : public Stopwatch {
 public:
  explicit Steady(double add) : add_(add) {}
  absl::StatusOr<std::vector<std::string>> Benchmarks() override {
    if (add_ < 0) return absl::UnavailableError("it has ended");
    return std::vector<std::string>{"add", "copy"};
  }
  absl::StatusOr<double> Measure(const std::string& benchmark) override {
    return benchmark == "add" ? add_ : 10.0;
  }

 private:
  double add_;
};

StartStopwatch Taking(double add) {
  return [add]() -> absl::StatusOr<std::unique_ptr<Stopwatch>> {
    return std::make_unique<Steady>(add);
  };
}

TEST(SpeedStageTest, FailsOnceForEachBenchmarkThatGotSlower) {
  SpeedStage stage;
  RunResults results;
  RunSpeedStage(Taking(10), Taking(11), stage, results);
  ASSERT_EQ(results.stages.size(), 1u);
  EXPECT_EQ(results.stages[0].operator_name, "speed");
  EXPECT_EQ(results.stages[0].executed, 2);
  EXPECT_EQ(results.stages[0].Failed(), 1);
  EXPECT_THAT(results.stages[0].TargetsThat(CaseStatus::kFailed),
              ElementsAre("add"));
  EXPECT_THAT(results.stages[0].TargetsThat(CaseStatus::kPassed),
              ElementsAre("copy"));
  EXPECT_THAT(results.stages[0].failures,
              ElementsAre(HasSubstr("add takes +10.0 % of time")));
  EXPECT_EQ(stage.rows.size(), 2u);
  EXPECT_EQ(stage.samples[0].log_ratios.size(), 15u);
}

TEST(SpeedStageTest, PassesWhatIsFasterOrWithinTheThreshold) {
  for (const double time : {5.0, 10.0, 10.2}) {
    SpeedStage stage;
    RunResults results;
    RunSpeedStage(Taking(10), Taking(time), stage, results);
    ASSERT_EQ(results.stages.size(), 1u);
    EXPECT_EQ(results.stages[0].Failed(), 0) << time;
  }
}

TEST(SpeedStageTest, WhatCannotBeComparedIsNoSuccess) {
  SpeedStage stage;
  stage.measure.rounds = 3;
  RunResults results;
  RunSpeedStage(Taking(10), Taking(10), stage, results);
  ASSERT_EQ(results.stages.size(), 1u);
  EXPECT_EQ(results.stages[0].executed, 0);
  EXPECT_THAT(results.stages[0].distrust,
              ElementsAre(HasSubstr("could never show")));

  stage = {};
  results = {};
  RunSpeedStage(Taking(10), Taking(-1), stage, results);
  EXPECT_THAT(results.broken, ElementsAre("speed: it has ended"));

  stage = {};
  stage.measure.interrupted = [] { return true; };
  results = {};
  RunSpeedStage(Taking(10), Taking(10), stage, results);
  EXPECT_EQ(results.stopped, "interrupted");
}

}  // namespace
}  // namespace qconform::harness
