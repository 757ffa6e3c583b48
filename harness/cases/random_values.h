// Values for random tensors, biased to the hard ones: ends of the types, exact
// ties, powers of two, scales near the ends of float.

#ifndef QCONFORM_HARNESS_CASES_RANDOM_VALUES_H_
#define QCONFORM_HARNESS_CASES_RANDOM_VALUES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/cases/random_source.h"
#include "spec/tensor.h"

namespace qconform::harness {

// Storage for the description: random bytes everywhere, then `value()` for each
// element in row-major order. What lies between the elements stays random. The
// description must be one whose storage can be counted.
spec::Tensor FillReal(const spec::TensorDesc& desc, RandomSource& random,
                      const std::function<double()>& value);
spec::Tensor FillInteger(const spec::TensorDesc& desc, RandomSource& random,
                         const std::function<int64_t()>& value);

// A quantized tensor of int8 or uint8: the whole range, mostly its ends, or a
// few values around `center`.
spec::Tensor RandomQuantized(const spec::TensorDesc& desc, int64_t center,
                             RandomSource& random);

// A zero point of int8 or uint8: its ends, the middle, beside them, anything.
int64_t RandomZeroPoint(spec::DataType type, RandomSource& random);

// Strides of a layout with axes in any order and padding between them, so that
// no two elements share an address; for an input also broadcast axes and
// elements that overlap.
std::vector<int64_t> RandomStrides(const std::vector<int64_t>& sizes,
                                   bool is_output, RandomSource& random);

enum class ScaleStyle {
  kPowerOfTwo,  // products and quotients are exact: ties are common
  kOrdinary,    // any mantissa, moderate exponents
  kAwkward,     // subnormal, huge, or one unit beside a power of two
};
ScaleStyle RandomScaleStyle(RandomSource& random);

// A finite float that is not 0, in the given style near `magnitude` (the
// awkward style takes no notice of it); negative now and then.
double RandomScale(ScaleStyle style, double magnitude, RandomSource& random);

// A finite float of any bit pattern.
double RandomFiniteFloat32(RandomSource& random);
double RandomFiniteFloat16(RandomSource& random);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_RANDOM_VALUES_H_
