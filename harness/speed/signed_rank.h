// Wilcoxon's signed-rank test, one-sided and exact.

#ifndef QCONFORM_HARNESS_SPEED_SIGNED_RANK_H_
#define QCONFORM_HARNESS_SPEED_SIGNED_RANK_H_

#include <vector>

namespace qconform::harness {

// How probable it is, for independent differences that are symmetric about 0,
// that the ranks of the positive ones sum up to as much as here or more. Equal
// sizes share the mean of their ranks; zeros count as negative, which can only
// raise the value. 1 for no differences; never below 2^-n.
double SignedRankPValue(const std::vector<double>& differences);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_SIGNED_RANK_H_
