// Random numbers that are the same on every machine and with every compiler:
// the distributions of the standard library are not.

#ifndef QCONFORM_HARNESS_CASES_RANDOM_SOURCE_H_
#define QCONFORM_HARNESS_CASES_RANDOM_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace qconform::harness {

// The generator splitmix64.
class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : state_(seed) {}

  uint64_t Next();

  // low..high, ends included; low <= high. The slight preference for small
  // values that the remainder brings does not matter here.
  int64_t Between(int64_t low, int64_t high);

  // True in one of `n` cases.
  bool OneIn(int64_t n) { return Between(1, n) == 1; }

  // One of the items, of which there is at least one.
  template <typename Item>
  const Item& Pick(const std::vector<Item>& items) {
    return items[static_cast<size_t>(
        Between(0, static_cast<int64_t>(items.size()) - 1))];
  }
  template <typename Item>
  Item Pick(std::initializer_list<Item> items) {
    return *(items.begin() +
             Between(0, static_cast<int64_t>(items.size()) - 1));
  }

 private:
  uint64_t state_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_RANDOM_SOURCE_H_
