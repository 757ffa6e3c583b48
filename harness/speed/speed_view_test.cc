#include "harness/speed/speed_view.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using testing::HasSubstr;

const std::vector<SpeedRow> kRows = {
    {"add", 1.0, 0.5, 1, false, 1.041},
    {"matmul/64", 1.25, 0.0001, 0.0002, true, 0},
};
const std::vector<SpeedSamples> kSamples = {{"add", {0, std::log(2.0)}},
                                            {"matmul/64", {std::log(1.25), 0}}};

TEST(SpeedViewTest, SaysWhatIsSlower) {
  EXPECT_EQ(DescribeSlower(kRows[1], {}),
            "matmul/64 takes +25.0 % of time; +3.0 % is allowed (p = 0.0001, "
            "corrected 0.0002)");
}

TEST(SpeedViewTest, TableShowsEveryBenchmarkAndWhatCouldBeSeen) {
  const std::string table = SpeedTable(kRows, kSamples, {});
  EXPECT_THAT(table, HasSubstr("add          +0.0 %          1  +4.1 %\n"));
  EXPECT_THAT(table,
              HasSubstr("matmul/64   +25.0 %     0.0002  more than +100 %  "
                        "SLOWER\n"));
  EXPECT_THAT(table, HasSubstr("2 rounds; fails when a benchmark takes more "
                               "than +3.0 % of time"));
  EXPECT_THAT(table, HasSubstr("in every benchmark: more than +100 % "
                               "(matmul/64)"));
  EXPECT_THAT(SpeedTable({}, {}, {}), HasSubstr("benchmark"));
}

TEST(SpeedViewTest, JsonHoldsAllRounds) {
  const auto json = nlohmann::json::parse(SpeedJson(kRows, kSamples, {}));
  EXPECT_EQ(json["schema"], "speed-comparison/1");
  EXPECT_EQ(json["threshold"], 0.03);
  ASSERT_EQ(json["benchmarks"].size(), 2u);
  EXPECT_EQ(json["benchmarks"][0]["rounds"][0], 1.0);
  EXPECT_NEAR(json["benchmarks"][0]["rounds"][1].get<double>(), 2, 1e-12);
  EXPECT_EQ(json["benchmarks"][0]["detectable_ratio"], 1.041);
  EXPECT_TRUE(json["benchmarks"][1]["detectable_ratio"].is_null());
  EXPECT_EQ(json["benchmarks"][1]["slower"], true);
}

}  // namespace
}  // namespace qconform::harness
