#include "harness/cases/random_source.h"

namespace qconform::harness {

uint64_t RandomSource::Next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

int64_t RandomSource::Between(int64_t low, int64_t high) {
  // Unsigned, because the span of the two may exceed int64; the whole range
  // has a span of 2^64, which is 0 here.
  const uint64_t span =
      static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const uint64_t random = Next();
  return static_cast<int64_t>(static_cast<uint64_t>(low) +
                              (span == 0 ? random : random % span));
}

}  // namespace qconform::harness
