// Wall time of everything that is measured.

#ifndef QCONFORM_HARNESS_BENCHMARKS_CLOCK_H_
#define QCONFORM_HARNESS_BENCHMARKS_CLOCK_H_

#include <chrono>

namespace qconform::harness {

inline double NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_CLOCK_H_
