// Cuts calls along their axes. Only for shrinking and properties.

#ifndef QCONFORM_HARNESS_CASES_SHRINK_SHAPE_H_
#define QCONFORM_HARNESS_CASES_SHRINK_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spec/arguments.h"

namespace qconform::harness {

// An axis that several tensors share: "M", "K", "N" of a matrix multiply.
struct SharedAxis {
  std::string name;
  int64_t size = 0;
  int64_t granularity = 1;  // sizes must be multiples of it
  // Tensors that have it, with their axis counted from the last as 1. A tensor
  // whose size there is 1 while the axis is longer holds one value for all.
  std::vector<std::pair<std::string, size_t>> tensors;
};

// Of a valid call that is not empty.
std::vector<SharedAxis> SharedAxes(const spec::Arguments& arguments);

// The tensor with `indices` of an axis, in that order, packed.
spec::Tensor Select(const spec::Tensor& tensor, size_t axis,
                    const std::vector<int64_t>& indices);

// Keeps `count` positions of the axis from `begin` on, in every tensor, the
// weight and the group list included. Strides of inputs are kept.
void Cut(spec::Arguments& arguments, const SharedAxis& axis, int64_t begin,
         int64_t count);

// The same elements without strides.
void Pack(spec::Tensor& tensor);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_SHRINK_SHAPE_H_
