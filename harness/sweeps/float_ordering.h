// Runs over float inputs: consecutive bit patterns, batches of scattered ones,
// and the comparison of float outputs.

#ifndef QCONFORM_HARNESS_SWEEPS_FLOAT_ORDERING_H_
#define QCONFORM_HARNESS_SWEEPS_FLOAT_ORDERING_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/cases/random_source.h"
#include "harness/sweeps/unit.h"

namespace qconform::harness {

inline constexpr uint64_t kFloatPatterns = uint64_t{1} << 32;

inline float FloatOf(int64_t pattern) {
  return std::bit_cast<float>(static_cast<uint32_t>(pattern));
}
inline int64_t PatternOf(float value) { return std::bit_cast<uint32_t>(value); }

// Whether a chunk that begins here holds infinity or NaN; chunks are aligned,
// so that no other chunk does, and within the others floats are ordered.
inline bool IsSpecialPattern(int64_t pattern) {
  return (pattern & 0x7F800000) == 0x7F800000;
}

// -0 equals +0 (AR-06), NaN equals NaN (AR-07).
inline bool SameFloat(float a, float b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// Patterns within `radius` of a float, on its side of zero.
inline Interval PatternsAround(float value, int64_t radius) {
  const int64_t sign = PatternOf(value) & 0x80000000;
  const int64_t magnitude = PatternOf(value) & 0x7FFFFFFF;
  return {sign + std::max<int64_t>(magnitude - radius, 0),
          sign + std::min<int64_t>(magnitude + radius, 0x7FFFFFFF)};
}

// Zeros and subnormals, the edges of the normal numbers, infinities, NaN of
// both kinds and signs, and random chunks.
inline std::vector<Interval> SpecialPatterns(RandomSource& source, int chunks) {
  std::vector<Interval> intervals;
  for (const int64_t sign : {int64_t{0}, int64_t{0x80000000}}) {
    for (const int64_t center :
         {0x00000000, 0x00800000, 0x3F800000, 0x7F800000, 0x7FC00000}) {
      intervals.push_back(
          {sign + std::max(center - 32, 0L), sign + center + 32});
    }
    intervals.push_back({sign + 0x7FFFFFC0, sign + 0x7FFFFFFF});
  }
  for (int i = 0; i < chunks; ++i) {
    const int64_t first = source.Between(0, int64_t{kFloatPatterns} - 1024);
    intervals.push_back({first, first + 1023});
  }
  return intervals;
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_FLOAT_ORDERING_H_
