#include "harness/speed/judge_speed.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

// Rounds of a program that takes `ratio` of the old time, measured with this
// relative scatter.
std::vector<double> Rounds(double ratio, double scatter, int count,
                           uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> rounds;
  for (int i = 0; i < count; ++i) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += std::ldexp(random(), -32);
    rounds.push_back(std::log(ratio) + scatter * sum);
  }
  return rounds;
}

TEST(JudgeSpeedTest, FindsTheOneThatGotSlower) {
  std::vector<SpeedSamples> samples;
  for (uint32_t i = 0; i < 10; ++i) {
    samples.push_back({"kernel " + std::to_string(i),
                       Rounds(i == 4 ? 1.10 : 1.0, 0.01, 14, i)});
  }
  const std::vector<SpeedRow> rows = JudgeSpeed(samples, {});
  ASSERT_EQ(rows.size(), 10u);
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].benchmark, samples[i].benchmark);
    EXPECT_EQ(rows[i].slower, i == 4) << i;
    EXPECT_NEAR(rows[i].ratio, i == 4 ? 1.10 : 1.0, 0.012);
  }
  EXPECT_EQ(rows[4].p_value, std::ldexp(1.0, -14));
  EXPECT_EQ(rows[4].corrected_p_value, 10 * std::ldexp(1.0, -14));
}

// Two percent are real, and accepted.
TEST(JudgeSpeedTest, AcceptsWhatStaysBelowTheThreshold) {
  const std::vector<SpeedRow> rows =
      JudgeSpeed({{"kernel", Rounds(1.02, 0.001, 30, 1)}}, {});
  EXPECT_FALSE(rows[0].slower);
  SpeedSettings strict;
  strict.threshold = 0.01;
  EXPECT_TRUE(
      JudgeSpeed({{"kernel", Rounds(1.02, 0.001, 30, 1)}}, strict)[0].slower);
}

// The corrected p-values of 0.01 and 0.04 are 2 * 0.01 and 1 * 0.04.
TEST(JudgeSpeedTest, CorrectsForTheNumberOfBenchmarks) {
  const SpeedSettings settings = {0, 0.03};
  // n = 10: ranks but the 5 and the 10 give 0.0098 and 0.0420.
  const std::vector<double> stronger = {1, 2, 3, 4, -5, 6, 7, 8, 9, 10};
  const std::vector<double> weaker = {1, 2, 3, 4, 5, 6, 7, 8, 9, -10};
  const std::vector<SpeedRow> rows =
      JudgeSpeed({{"weaker", weaker}, {"stronger", stronger}}, settings);
  EXPECT_EQ(rows[0].corrected_p_value, rows[0].p_value);
  EXPECT_EQ(rows[1].corrected_p_value, 2 * rows[1].p_value);
  EXPECT_FALSE(rows[0].slower);
  EXPECT_TRUE(rows[1].slower);
  // A third one without any doubt raises both; values never fall in order.
  const std::vector<SpeedRow> three = JudgeSpeed(
      {{"weaker", weaker}, {"stronger", stronger}, {"same", {-1, -2}}},
      settings);
  EXPECT_EQ(three[1].corrected_p_value, 3 * three[1].p_value);
  EXPECT_EQ(three[0].corrected_p_value, 2 * three[0].p_value);
  EXPECT_FALSE(three[1].slower == three[0].slower);
  EXPECT_EQ(three[2].corrected_p_value, 1);
}

// A thousand gates without a change: at most one in a hundred may fail, all
// benchmarks taken together, even with the threshold at 0.
TEST(JudgeSpeedTest, FalseAlarmsAreAsRareAsPromised) {
  SpeedSettings settings;
  settings.threshold = 0;
  settings.false_alarm = 0.05;
  int alarms = 0;
  std::mt19937 random(7);
  for (int gate = 0; gate < 1000; ++gate) {
    std::vector<SpeedSamples> samples;
    for (int i = 0; i < 5; ++i) {
      samples.push_back({"", Rounds(1, 0.02, 8, random())});
    }
    bool alarm = false;
    for (const SpeedRow& row : JudgeSpeed(samples, settings)) {
      alarm |= row.slower;
    }
    alarms += alarm;
  }
  // 50 expected at most; 3.5 standard deviations of the binomial above.
  EXPECT_LE(alarms, 75);
  EXPECT_GE(alarms, 1);  // and the test can fail at all
}

TEST(JudgeSpeedTest, DetectableRatioGrowsWithTheScatter) {
  const auto detectable = [](double scatter, int rounds) {
    const std::vector<SpeedSamples> samples = {
        {"", Rounds(1, scatter, rounds, 3)}};
    std::vector<SpeedRow> rows = JudgeSpeed(samples, {});
    EXPECT_EQ(rows[0].detectable_ratio, 0);
    EstimateDetectableRatios(samples, {}, rows);
    return rows[0].detectable_ratio;
  };
  EXPECT_GT(detectable(0.002, 14), 1.03);
  EXPECT_LT(detectable(0.002, 14), 1.04);
  EXPECT_GT(detectable(0.02, 14), detectable(0.005, 14));
  EXPECT_LT(detectable(0.02, 40), detectable(0.02, 14));
  // Six rounds give 1/64 at best, which is more than 0.01.
  EXPECT_EQ(detectable(0.002, 6), 0);
}

TEST(JudgeSpeedTest, FewestRoundsCanJustFail) {
  EXPECT_EQ(FewestRounds(1, 0.01), 7);    // 2^-7 = 0.0078
  EXPECT_EQ(FewestRounds(16, 0.01), 11);  // 16 * 2^-11 = 0.0078
  EXPECT_EQ(FewestRounds(1, 0.25), 2);
  const std::vector<double> slow(7, 1.0);
  EXPECT_TRUE(JudgeSpeed({{"", slow}}, {})[0].slower);
  EXPECT_FALSE(JudgeSpeed({{"", std::vector<double>(6, 1.0)}}, {})[0].slower);
}

TEST(JudgeSpeedTest, NothingToJudge) {
  EXPECT_TRUE(JudgeSpeed({}, {}).empty());
  EXPECT_FALSE(JudgeSpeed({{"none", {}}}, {})[0].slower);
}

}  // namespace
}  // namespace qconform::harness
