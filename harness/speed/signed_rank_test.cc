#include "harness/speed/signed_rank.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

// Of the 2^n ways to throw the signs only one has all ranks.
TEST(SignedRankTest, AllPositiveIsTheRarestOutcome) {
  std::vector<double> differences;
  for (int n = 1; n <= 20; ++n) {
    differences.push_back(0.25 * n);
    EXPECT_EQ(SignedRankPValue(differences), std::ldexp(1.0, -n));
  }
}

TEST(SignedRankTest, NothingSpeaksForAnythingWithoutPositives) {
  EXPECT_EQ(SignedRankPValue({}), 1);
  EXPECT_EQ(SignedRankPValue({-1, -2, -3}), 1);
  EXPECT_EQ(SignedRankPValue({0, 0, 0}), 1);
}

// Ranks 1, 2, 3 of which 3 is negative: 1 + 2 = 3. Sums of at least 3 come from
// {3}, {1,2}, {1,3}, {2,3}, {1,2,3}: 5 of 8.
TEST(SignedRankTest, CountsTheSumsThatAreAsLarge) {
  EXPECT_EQ(SignedRankPValue({1, 2, -3}), 0.625);
  // Only {3} is negative in size order: {2,3} and {1,2,3} reach 5.
  EXPECT_EQ(SignedRankPValue({-1, 2, 3}), 0.25);
  // The order of the differences does not matter.
  EXPECT_EQ(SignedRankPValue({3, -1, 2}), 0.25);
}

// Two equal sizes share rank 1.5: sums 0, 1.5 twice, 3; with the third, of rank
// 3: 3, 4.5 twice, 6. At least 4.5 are 3 of 8.
TEST(SignedRankTest, EqualSizesShareTheirRanks) {
  EXPECT_EQ(SignedRankPValue({1, -1, 2}), 0.375);
}

TEST(SignedRankTest, ZerosCountAsNegative) {
  // As {-1, 2, 3}.
  EXPECT_EQ(SignedRankPValue({0, 2, 3}), 0.25);
}

// The table's critical values for n = 10, one-sided: P(W+ >= 45) = 0.0420,
// P(W+ >= 50) = 0.0098. Ranks 1 to 10 sum up to 55.
TEST(SignedRankTest, AgreesWithPublishedTables) {
  std::vector<double> differences = {1, 2, 3, 4, 5, 6, 7, 8, 9, -10};
  EXPECT_NEAR(SignedRankPValue(differences), 0.0420, 0.00005);
  differences = {1, 2, 3, 4, -5, 6, 7, 8, 9, 10};
  EXPECT_NEAR(SignedRankPValue(differences), 0.0098, 0.00005);
}

}  // namespace
}  // namespace qconform::harness
