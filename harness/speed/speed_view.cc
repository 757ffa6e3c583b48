#include "harness/speed/speed_view.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::ordered_json;

std::string Percent(double ratio) {
  return absl::StrFormat("%+.1f %%", (ratio - 1) * 100);
}

std::string Detectable(const SpeedRow& row) {
  return row.detectable_ratio == 0 ? "more than +100 %"
                                   : Percent(row.detectable_ratio);
}

// Where not even twice the time is seen counts as infinite.
double ForOrder(const SpeedRow& row) {
  return row.detectable_ratio == 0 ? HUGE_VAL : row.detectable_ratio;
}

}  // namespace

std::string DescribeSlower(const SpeedRow& row, const SpeedSettings& settings) {
  return absl::StrFormat(
      "%s takes %s of time; %s is allowed (p = %.2g, corrected %.2g)",
      row.benchmark, Percent(row.ratio), Percent(1 + settings.threshold),
      row.p_value, row.corrected_p_value);
}

std::string SpeedTable(const std::vector<SpeedRow>& rows,
                       const std::vector<SpeedSamples>& samples,
                       const SpeedSettings& settings) {
  size_t width = 9;
  for (const SpeedRow& row : rows) {
    width = std::max(width, row.benchmark.size());
  }
  const int padded = static_cast<int>(width);
  std::string text =
      absl::StrFormat("%-*s  %8s  %9s  %s\n", padded, "benchmark", "time", "p",
                      "found in 9 of 10 runs from");
  for (const SpeedRow& row : rows) {
    absl::StrAppend(
        &text,
        absl::StrFormat("%-*s  %8s  %9.2g  %s%s\n", padded, row.benchmark,
                        Percent(row.ratio), row.corrected_p_value,
                        Detectable(row), row.slower ? "  SLOWER" : ""));
  }
  const auto worst = std::max_element(rows.begin(), rows.end(),
                                      [](const SpeedRow& a, const SpeedRow& b) {
                                        return ForOrder(a) < ForOrder(b);
                                      });
  if (worst == rows.end()) return text;
  absl::StrAppend(
      &text,
      absl::StrFormat(
          "%d rounds; fails when a benchmark takes more than %s of time, with "
          "a chance of at most %g that chance alone made it fail.\n"
          "The smallest slowdown found with a probability of 0.9 in every "
          "benchmark: %s (%s).\n",
          samples.front().log_ratios.size(), Percent(1 + settings.threshold),
          settings.false_alarm, Detectable(*worst), worst->benchmark));
  return text;
}

std::string SpeedJson(const std::vector<SpeedRow>& rows,
                      const std::vector<SpeedSamples>& samples,
                      const SpeedSettings& settings) {
  Json benchmarks = Json::array();
  for (size_t i = 0; i < rows.size(); ++i) {
    const SpeedRow& row = rows[i];
    Json rounds = Json::array();
    for (const double value : samples[i].log_ratios) {
      rounds.push_back(std::exp(value));
    }
    benchmarks.push_back(
        {{"benchmark", row.benchmark},
         {"ratio", row.ratio},
         {"p_value", row.p_value},
         {"corrected_p_value", row.corrected_p_value},
         {"slower", row.slower},
         {"detectable_ratio", row.detectable_ratio == 0
                                  ? Json(nullptr)
                                  : Json(row.detectable_ratio)},
         {"rounds", std::move(rounds)}});
  }
  const Json document = {{"schema", "speed-comparison/1"},
                         {"threshold", settings.threshold},
                         {"false_alarm", settings.false_alarm},
                         {"benchmarks", std::move(benchmarks)}};
  return document.dump(1) + "\n";
}

}  // namespace qconform::harness
