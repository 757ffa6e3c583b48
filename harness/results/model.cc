#include "harness/results/model.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace qconform::harness {

void Histogram::Add(int64_t difference) {
  constexpr int64_t kExact = 255;
  int64_t low = difference;
  int64_t high = difference;
  if (difference > kExact || difference < -kExact) {
    // Whatever the difference, no step of this overflows.
    const int64_t magnitude =
        difference >= 0
            ? difference
            : -std::max(difference, -std::numeric_limits<int64_t>::max());
    low =
        static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(magnitude)));
    high = low + (low - 1);
    if (difference < 0) {
      const int64_t far_end = -high;
      high = -low;
      low = far_end;
    }
  }
  Bucket& bucket = buckets_[low];
  bucket.low = low;
  bucket.high = high;
  ++bucket.count;
}

void Histogram::Add(const Bucket& bucket) {
  Bucket& own = buckets_[bucket.low];
  own.low = bucket.low;
  own.high = bucket.high;
  own.count += bucket.count;
}

std::vector<Histogram::Bucket> Histogram::Buckets() const {
  std::vector<Bucket> buckets;
  for (const auto& [low, bucket] : buckets_) buckets.push_back(bucket);
  return buckets;
}

std::string ClauseResult::Outcome() const {
  if (cases == 0) return "not covered";
  if (failed > 0) return "failed";
  return passed == cases ? "passed" : "incomplete";
}

int64_t CountCases(const RunResults& results, CaseStatus status) {
  int64_t count = 0;
  for (const Group& group : results.groups) {
    const auto found = group.cases.find(status);
    if (found != group.cases.end()) count += found->second;
  }
  return count;
}

}  // namespace qconform::harness
