#include "harness/results/model.h"

#include <bit>

namespace qconform::harness {

void Histogram::Add(int64_t difference) {
  constexpr int64_t kExact = 255;
  int64_t low = difference;
  int64_t high = difference;
  if (difference > kExact || difference < -kExact) {
    const uint64_t magnitude =
        static_cast<uint64_t>(difference < 0 ? -difference : difference);
    low = static_cast<int64_t>(std::bit_floor(magnitude));
    high = 2 * low - 1;
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
