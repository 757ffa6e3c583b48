// The middle of measured times: what disturbs a few of them does not move it.

#ifndef QCONFORM_HARNESS_SPEED_MEDIAN_H_
#define QCONFORM_HARNESS_SPEED_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <vector>

namespace qconform::harness {

// The mean of the middle two of an even number; 0 of none.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle]
                                : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SPEED_MEDIAN_H_
