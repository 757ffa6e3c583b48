#include "harness/judge/targets.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

TEST(TargetsTest, TheMachineHasTheEmulationAndSomethingBetter) {
  const std::vector<std::string> targets = MachineTargets();
  EXPECT_THAT(targets, ::testing::Contains("EMU128"));
  EXPECT_EQ(targets.back(), "EMU128");
#if defined(__x86_64__)
  EXPECT_THAT(targets, ::testing::Contains("SSE4"));
#endif
  for (const std::string& target : targets) {
    EXPECT_TRUE(IsHighwayTarget(target)) << target;
  }
}

TEST(TargetsTest, KnowsTargetsOfOtherMachines) {
  EXPECT_TRUE(IsHighwayTarget("NEON"));
  EXPECT_TRUE(IsHighwayTarget("AVX3_DL"));
  EXPECT_FALSE(IsHighwayTarget("AVX9"));
  EXPECT_FALSE(IsHighwayTarget("avx2"));
  EXPECT_FALSE(IsHighwayTarget(""));
}

}  // namespace
}  // namespace qconform::harness
