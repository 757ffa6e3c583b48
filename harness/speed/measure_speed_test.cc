#include "harness/speed/measure_speed.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Notes what is asked, and takes the time it is told to.
class Recorded final : public Stopwatch {
 public:
  Recorded(std::string name, std::vector<std::string> benchmarks, double time,
           std::vector<std::string>& log)
      : name_(std::move(name)),
        benchmarks_(std::move(benchmarks)),
        time_(time),
        log_(log) {
    log_.push_back("start " + name_);
  }
  absl::StatusOr<std::vector<std::string>> Benchmarks() override {
    return benchmarks_;
  }
  absl::StatusOr<double> Measure(const std::string& benchmark) override {
    log_.push_back(name_ + " " + benchmark);
    return time_;
  }

 private:
  std::string name_;
  std::vector<std::string> benchmarks_;
  double time_;
  std::vector<std::string>& log_;
};

class MeasureSpeedTest : public testing::Test {
 protected:
  StartStopwatch Make(const std::string& name, double time,
                      std::vector<std::string> benchmarks = {"add", "matmul"}) {
    return [=, this]() -> absl::StatusOr<std::unique_ptr<Stopwatch>> {
      return std::make_unique<Recorded>(name, benchmarks, time, log_);
    };
  }
  std::vector<std::string> log_;
};

TEST_F(MeasureSpeedTest, TakesTurns) {
  MeasureOptions options;
  options.filter = "add";
  options.rounds = 2;
  options.pairs = 3;
  SpeedSettings settings;
  settings.false_alarm = 0.25;
  int last = 0;
  options.progress = [&](int done, int total) {
    last = done;
    EXPECT_EQ(total, 2);
  };
  const auto samples =
      MeasureSpeed(Make("old", 10), Make("new", 15), settings, options);
  ASSERT_TRUE(samples.ok()) << samples.status();
  ASSERT_EQ(samples->size(), 1u);
  EXPECT_EQ((*samples)[0].benchmark, "add");
  EXPECT_THAT((*samples)[0].log_ratios,
              ElementsAre(std::log(1.5), std::log(1.5)));
  EXPECT_EQ(last, 2);
  EXPECT_THAT(log_,
              ElementsAre("start old", "start new",  //
                          "old add", "new add", "new add", "old add", "old add",
                          "new add",                 //
                          "start new", "start old",  //
                          "old add", "new add", "new add", "old add", "old add",
                          "new add"));
}

TEST_F(MeasureSpeedTest, ABenchmarkThatOnlyOneHasIsAnError) {
  const auto samples =
      MeasureSpeed(Make("old", 1), Make("new", 1, {"add"}), {}, {});
  EXPECT_EQ(samples.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(samples.status().message()), HasSubstr("matmul"));
}

TEST_F(MeasureSpeedTest, AFilterThatMatchesNothingIsAnError) {
  MeasureOptions options;
  options.filter = "divide";
  const auto samples =
      MeasureSpeed(Make("old", 1), Make("new", 1), {}, options);
  EXPECT_EQ(samples.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(samples.status().message()), HasSubstr("divide"));
}

// Two benchmarks at 0.01 need 2^-n <= 0.005, so 8.
TEST_F(MeasureSpeedTest, RoundsThatCannotShowAnythingAreAnError) {
  MeasureOptions options;
  options.rounds = 7;
  const auto samples =
      MeasureSpeed(Make("old", 1), Make("new", 1), {}, options);
  EXPECT_EQ(samples.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(samples.status().message()),
              HasSubstr("at least 8 are needed"));
  options.rounds = 8;
  EXPECT_TRUE(MeasureSpeed(Make("old", 1), Make("new", 1), {}, options).ok());
  options.rounds = 0;
  EXPECT_EQ(
      MeasureSpeed(Make("old", 1), Make("new", 1), {}, options).status().code(),
      absl::StatusCode::kInvalidArgument);
}

TEST_F(MeasureSpeedTest, TimesMustBePositiveAndFinite) {
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()}) {
    const auto samples =
        MeasureSpeed(Make("old", 1), Make("new", time), {}, {});
    EXPECT_EQ(samples.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(samples.status().message()),
                HasSubstr("positive and finite"));
  }
}

TEST_F(MeasureSpeedTest, EndsWhenInterrupted) {
  MeasureOptions options;
  options.interrupted = [] { return true; };
  EXPECT_EQ(
      MeasureSpeed(Make("old", 1), Make("new", 1), {}, options).status().code(),
      absl::StatusCode::kCancelled);
}

TEST_F(MeasureSpeedTest, AProgramThatDoesNotStartIsAnError) {
  const StartStopwatch fails =
      []() -> absl::StatusOr<std::unique_ptr<Stopwatch>> {
    return absl::NotFoundError("no such program");
  };
  EXPECT_EQ(MeasureSpeed(fails, Make("new", 1), {}, {}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace qconform::harness
