#include "harness/speed/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace qconform::harness {

double SignedRankPValue(const std::vector<double>& differences) {
  const size_t count = differences.size();
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::fabs(differences[a]) < std::fabs(differences[b]);
  });
  // Twice the ranks, so that shared ones are integers.
  std::vector<size_t> ranks(count);
  for (size_t begin = 0; begin < count;) {
    size_t end = begin + 1;
    while (end < count && std::fabs(differences[order[end]]) ==
                              std::fabs(differences[order[begin]])) {
      ++end;
    }
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = begin + 1 + end;
    begin = end;
  }
  size_t observed = 0;
  for (size_t i = 0; i < count; ++i) {
    if (differences[i] > 0) observed += ranks[i];
  }
  // probability[s]: that the positive ranks sum up to s, when every sign is
  // thrown like a coin.
  std::vector<double> probability(count * (count + 1) + 1, 0.0);
  probability[0] = 1;
  for (const size_t rank : ranks) {
    for (size_t sum = probability.size(); sum-- > 0;) {
      const double without = sum >= rank ? probability[sum - rank] : 0.0;
      probability[sum] = (probability[sum] + without) / 2;
    }
  }
  return std::accumulate(probability.begin() + static_cast<ptrdiff_t>(observed),
                         probability.end(), 0.0);
}

}  // namespace qconform::harness
