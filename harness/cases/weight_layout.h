// Where the weight of the grouped matrix multiply stores its elements.

#ifndef QCONFORM_HARNESS_CASES_WEIGHT_LAYOUT_H_
#define QCONFORM_HARNESS_CASES_WEIGHT_LAYOUT_H_

#include <cstdint>
#include <vector>

#include "spec/arguments.h"

namespace qconform::harness {

struct WeightLayout {
  bool fractal = false;    // FRACTAL_NZ
  bool transposed = true;  // transposeWeight: n before k
  int64_t n = 0;
  int64_t k = 0;

  std::vector<int64_t> Sizes(int64_t groups) const {
    const int64_t rows = transposed ? n : k;
    const int64_t lanes = transposed ? k : n;
    if (!fractal) return {groups, rows, lanes};
    return {groups, (lanes + 31) / 32, rows / 16, 16, 32};
  }

  // Of the element of group, column n and row k (AG-08, AG-09).
  int64_t Offset(int64_t group, int64_t column, int64_t i) const {
    const int64_t rows = transposed ? n : k;
    const int64_t lanes = transposed ? k : n;
    const int64_t row = transposed ? column : i;
    const int64_t lane = transposed ? i : column;
    if (!fractal) return (group * rows + row) * lanes + lane;
    const int64_t block =
        (group * ((lanes + 31) / 32) + lane / 32) * (rows / 16) + row / 16;
    return block * 512 + row % 16 * 32 + lane % 32;
  }
};

// The layout of the weight of a valid call that is not empty.
WeightLayout LayoutOfWeight(const spec::Arguments& arguments);

// Another layout for the same weight. In padding lanes stands `padding`. The
// attribute and the option that go with it are changed too.
void ChangeWeightLayout(spec::Arguments& arguments, const WeightLayout& layout,
                        int8_t padding);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_WEIGHT_LAYOUT_H_
