#include "optimized/requantize.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "optimized/requantize.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/requantize-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

RequantizeFunction* RequantizeTarget() { return &Requantize<true>; }

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qconform::optimized {
namespace {

// 1/2 less the filter's bound, and the two settings that switch it.
constexpr float kFilter = 0.5f - 0x1.05p-14f;
constexpr float kNeverDecide = 1.0f;
constexpr float kAlwaysDecide = -1.0f;

// A float that is not 0 is an odd integer of `significant` bits times
// 2^lowest_exponent.
struct Bits {
  int significant;
  int lowest_exponent;
};

Bits BitsOf(float value) {
  int exponent = 0;
  const double fraction = std::frexp(double{value}, &exponent);
  auto integer = static_cast<uint32_t>(std::abs(fraction) * 0x1p24);
  Bits bits = {24, exponent - 24};
  while (integer % 2 == 0) {
    integer /= 2;
    --bits.significant;
    ++bits.lowest_exponent;
  }
  return bits;
}

}  // namespace

HWY_EXPORT(RequantizeTarget);

RequantizeFunction* ChooseRequantize() {
  return HWY_DYNAMIC_DISPATCH(RequantizeTarget)();
}

ColumnScaleSummary SummarizeColumnScales(const float* b_scales, size_t count) {
  ColumnScaleSummary summary;
  summary.lowest_exponent = std::numeric_limits<int>::max();
  for (size_t i = 0; i < count; ++i) {
    const Bits bits = BitsOf(b_scales[i]);
    summary.largest = std::max(summary.largest, std::abs(double{b_scales[i]}));
    summary.significant = std::max(summary.significant, bits.significant);
    summary.lowest_exponent =
        std::min(summary.lowest_exponent, bits.lowest_exponent);
  }
  return summary;
}

RequantizeRow MakeRequantizeRow(float a_scale, float output_scale,
                                int32_t zero_point,
                                const ColumnScaleSummary& columns) {
  RequantizeRow row;
  // The decision wants a positive output scale.
  row.a_scale = output_scale < 0 ? -double{a_scale} : double{a_scale};
  row.output_scale = std::abs(double{output_scale});
  row.zero_point = zero_point;
  const double factor = row.a_scale / row.output_scale;
  const double magnitude = std::abs(factor);
  // Up to 2^110 the ratio times 2^16 is a float, too.
  if (magnitude < 0x1p-126 || magnitude > 0x1p110 ||
      magnitude * columns.largest > 0x1p110) {
    row.factor = 0;
    row.threshold = kAlwaysDecide;
    return row;
  }
  // Rounded twice at worst: by less than 2^-24 + 2^-52, far within what the
  // bound leaves.
  row.factor = static_cast<float>(factor);
  row.threshold = kFilter;
  const Bits bits = BitsOf(row.factor);
  if (double{row.factor} * row.output_scale == row.a_scale &&
      bits.significant + columns.significant <= 24 &&
      bits.lowest_exponent + columns.lowest_exponent >= -15) {
    row.threshold = kNeverDecide;
  }
  return row;
}

}  // namespace qconform::optimized
#endif  // HWY_ONCE
