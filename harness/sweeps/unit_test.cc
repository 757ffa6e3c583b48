#include "harness/sweeps/unit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "harness/sweeps/float_ordering.h"

namespace qconform::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(UnitTest, StepsAreFilledByHalving) {
  for (const size_t count : {0, 1, 2, 3, 100, 1000}) {
    std::vector<int> output(count + 1, -1);
    int evaluations = 0;
    FillSteps(
        [&](int64_t x) {
          ++evaluations;
          return x < 40 ? 1 : x < 41 ? 2 : 7;
        },
        0, count, output.data());
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(output[i], i < 40 ? 1 : i < 41 ? 2 : 7);
    }
    EXPECT_EQ(output[count], -1);
    EXPECT_LT(evaluations, 40);
  }
}

TEST(UnitTest, IntervalsAreMerged) {
  const std::vector<Interval> merged =
      Merge({{10, 20}, {0, 3}, {4, 5}, {15, 30}, {40, 40}});
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (const Interval& interval : merged) {
    ends.emplace_back(interval.first, interval.last);
  }
  EXPECT_THAT(ends, ElementsAre(Pair(0, 5), Pair(10, 30), Pair(40, 40)));
}

TEST(UnitTest, PatternsStayOnTheirSideOfZero) {
  const Interval interval = PatternsAround(-0x1p-149f, 5);
  EXPECT_EQ(interval.first, 0x80000000);
  EXPECT_EQ(interval.last, 0x80000006);
}

TEST(UnitTest, OraclesThatDisagreeAreNoticed) {
  const Subjects none;
  std::atomic<bool> stop{false};
  UnitContext context(none, stop, [](uint64_t) {});
  context.SpotCheck(AddCall({}, 1, 2), 3);
  EXPECT_TRUE(context.report().disagreements.empty());
  context.SpotCheck(AddCall({}, 1, 2), 4);
  ASSERT_EQ(context.report().disagreements.size(), 1u);
  EXPECT_THAT(context.report().disagreements[0], HasSubstr("0x1p+2"));
  AddSetting rejected;
  rejected.a_scale = 0;
  context.SpotCheck(AddCall(rejected, 1, 2), 3);
  EXPECT_EQ(context.report().disagreements.size(), 2u);
}

}  // namespace
}  // namespace qconform::harness
