// The elementwise operators of the production library on one SIMD target, in
// every way in which a plan may compute them: through plans, and through those
// kernels that a plan of sizes that a sweep can afford does not come to.

#ifndef QCONFORM_HARNESS_SWEEPS_BUILTIN_ELEMENTWISE_H_
#define QCONFORM_HARNESS_SWEEPS_BUILTIN_ELEMENTWISE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/sweeps/settings.h"
#include "harness/sweeps/subject.h"
#include "optimized/dml_element_wise_quantized_linear_add_digits.h"
#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"
#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

namespace qconform::harness {

// Plans for many elements search longer for a fast kernel; the fewer elements,
// the more a plan makes do with what it need not search for. Variants:
//   "plan of N"     in calls of N elements
//   "kernel K"      the one that fits the scales
//   "last resort"   the one that is right for all, if that is another
//   "digits K"      what a search finds, and "quick digits K" what a short one
//                   does, writing past the caches as for tensors that these
//                   cannot hold
//   "product"       if all pairs prove it right, as a plan tries
class BuiltinAdd {
 public:
  explicit BuiltinAdd(int64_t target);

  absl::StatusOr<std::vector<Variant<AddFunction>>> Variants(
      const AddSetting& setting) const;

 private:
  int64_t target_;
  const optimized::linear_add::KernelTable* kernels_;
  const optimized::linear_add::DigitTable* digits_;
};

// Variants: "plan", and "past the caches" where a plan for a tensor that these
// cannot hold writes in another way.
class BuiltinQuantizeAndDequantize {
 public:
  explicit BuiltinQuantizeAndDequantize(int64_t target);

  absl::StatusOr<std::vector<Variant<QuantizeAndDequantizeFunction>>> Variants(
      const QuantizeAndDequantizeSetting& setting) const;

 private:
  int64_t target_;
  const optimized::quantize_and_dequantize::KernelTable* kernels_;
};

// What the kernels get for a setting.
optimized::linear_add::Parameters KernelParameters(const AddSetting& setting);
optimized::quantize_and_dequantize::Parameters KernelParameters(
    const QuantizeAndDequantizeSetting& setting);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_BUILTIN_ELEMENTWISE_H_
