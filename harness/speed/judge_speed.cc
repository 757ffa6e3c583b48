#include "harness/speed/judge_speed.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "harness/speed/median.h"
#include "harness/speed/signed_rank.h"

namespace qconform::harness {
namespace {

double PValue(std::vector<double> log_ratios, double threshold) {
  for (double& value : log_ratios) value -= std::log1p(threshold);
  return SignedRankPValue(log_ratios);
}

// The share of simulated runs in which this slowdown is found: rounds are drawn
// from those seen, freed of their median and with a sign by chance.
double Power(const std::vector<double>& log_ratios, double slowdown,
             double threshold, double p_limit) {
  constexpr int kRuns = 200;
  const double median = Median(log_ratios);
  std::mt19937 random(1);  // the same verdict for the same measurements
  int found = 0;
  std::vector<double> drawn(log_ratios.size());
  for (int run = 0; run < kRuns; ++run) {
    for (double& value : drawn) {
      const uint32_t bits = random();
      const double residual =
          log_ratios[(bits >> 1) % log_ratios.size()] - median;
      value = std::log(slowdown) + (bits % 2 == 0 ? residual : -residual);
    }
    if (PValue(drawn, threshold) <= p_limit) ++found;
  }
  return static_cast<double>(found) / kRuns;
}

// Power grows with the slowdown, so halving finds the least one that is enough.
double DetectableRatio(const std::vector<double>& log_ratios, double threshold,
                       double p_limit) {
  constexpr double kEnough = 0.9;
  double low = 1 + threshold, high = 2;
  if (log_ratios.empty() ||
      Power(log_ratios, high, threshold, p_limit) < kEnough) {
    return 0;
  }
  while (high - low > 0.001) {
    const double middle = (low + high) / 2;
    if (Power(log_ratios, middle, threshold, p_limit) >= kEnough) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

}  // namespace

std::vector<SpeedRow> JudgeSpeed(const std::vector<SpeedSamples>& samples,
                                 const SpeedSettings& settings) {
  std::vector<SpeedRow> rows;
  for (const SpeedSamples& sample : samples) {
    SpeedRow& row = rows.emplace_back();
    row.benchmark = sample.benchmark;
    row.ratio = std::exp(Median(sample.log_ratios));
    row.p_value = PValue(sample.log_ratios, settings.threshold);
  }
  std::vector<size_t> order(rows.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return rows[a].p_value < rows[b].p_value;
  });
  double largest = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    SpeedRow& row = rows[order[i]];
    const auto still_open = static_cast<double>(order.size() - i);
    largest = std::max(largest, std::min(1.0, still_open * row.p_value));
    row.corrected_p_value = largest;
    row.slower = largest <= settings.false_alarm;
  }
  return rows;
}

void EstimateDetectableRatios(const std::vector<SpeedSamples>& samples,
                              const SpeedSettings& settings,
                              std::vector<SpeedRow>& rows) {
  // The strictest step of Holm's correction.
  const double p_limit =
      settings.false_alarm / static_cast<double>(samples.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].detectable_ratio =
        DetectableRatio(samples[i].log_ratios, settings.threshold, p_limit);
  }
}

int FewestRounds(size_t benchmarks, double false_alarm) {
  // Of n rounds the least p-value is 2^-n.
  return static_cast<int>(
      std::ceil(std::log2(static_cast<double>(benchmarks) / false_alarm)));
}

}  // namespace qconform::harness
