// What the generators of hard cases share. Only for hard_cases*.cc.

#ifndef QCONFORM_HARNESS_CASES_HARD_CASES_PARTS_H_
#define QCONFORM_HARNESS_CASES_HARD_CASES_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cases/packed_tensor.h"
#include "harness/cases/random_source.h"
#include "spec/arguments.h"

namespace qconform::harness::hard {

struct Kind {
  std::string name;
  int weight;  // how often RandomHardArguments takes it
  spec::Arguments (*make)(RandomSource& random);
};

std::vector<Kind> AddKinds();
std::vector<Kind> MatrixMultiplyKinds();
std::vector<Kind> GroupedMatmulKinds();
std::vector<Kind> QuantizeAndDequantizeKinds();

// The same elements at strides that give each its own address; random bytes
// between them.
void Restride(spec::Tensor& tensor, RandomSource& random);

// The float `steps` representable values above (below, if negative).
double StepFloat(double value, int steps);

// A size along which kernels vectorize: any remainder of 64 lanes.
int64_t VectorSize(RandomSource& random);

// mantissa * 2^exponent as a float; must be exact and finite.
double Scale(int64_t mantissa, int exponent);

// An odd number of at most `bits` bits, of either sign if `sign`.
int64_t RandomOdd(int bits, bool sign, RandomSource& random);

// The exponents of scales: ordinary, or such that mantissas of up to 24 bits
// are subnormal, or near the end of float.
int RandomExponent(RandomSource& random);

}  // namespace qconform::harness::hard

#endif  // QCONFORM_HARNESS_CASES_HARD_CASES_PARTS_H_
