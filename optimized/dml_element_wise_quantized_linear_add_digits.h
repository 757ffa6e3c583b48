// The add of contiguous bytes in 16-bit integers: the fastest kernels, for
// scales with which a plan can prove them right. Internal to
// dml_element_wise_quantized_linear_add.h.
//
// With a and b as signed bytes (a flip of bits makes them so, and takes the
// sign of a negative ratio of scales with it), the value before rounding is
//
//   W = a * rA + b * rB + c, in units of 2^-F
//
// where rA and rB are |sA / sY| and |sB / sY| as integers of F fraction bits.
// rA, rB and c are cut into up to four digits of 7 or 8 bits, so that each
// digit's share, a * dA + b * dB + dC, fits int16; the shares are joined from
// the lowest by shifts, and a floor of a floor is exact: the kernel computes
// floor(W / 2^F), clamped, for any W. That this is the rounded value for every
// pair of bytes is proven when the plan is made, in one of four ways: the
// ratios are exact in F bits; or no W comes nearer to a multiple of 2^F than
// the ratios' errors reach; or the few that come near one are tried; or all
// 65,536 pairs are.
//
// Kernels with a rule for ties compute floor((W + bit) / 2^F), where `bit` is 1
// if floor(W / 2^F) has not the parity of the output zero point. Their c puts
// ties where all fraction bits of W are ones, down to a certain digit, and no
// other value there: half to even (AR-03).

#ifndef QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DIGITS_H_
#define QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DIGITS_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"

namespace qconform::optimized::linear_add {

// By number of digits, and by the digit down to which ties are all ones.
enum class DigitKernel : uint8_t {
  kThree,
  kFour,
  kOneTies,
  kThreeTiesInFirst,
  kThreeTies,
  kFourTies
};
inline constexpr size_t kDigitKernels = 6;

// What the kernels take. Digits stand highest first.
struct Digits {
  DigitKernel kernel = DigitKernel::kThree;
  uint8_t a_flip = 0;
  uint8_t b_flip = 0;
  uint8_t output_flip = 0;
  bool output_zero_point_is_odd = false;
  // Output goes past the caches: worth it where they could not hold it.
  bool streams = false;
  uint8_t a[4] = {};
  uint8_t b[4] = {};
  int16_t c[4] = {};
  // 2^(16 - shift): the high half of a product with it is the shifted value.
  // Between digit i and i + 1; and after the highest.
  int16_t join[3] = {};
  int16_t last = 0;
};

using DigitRow = void (*)(const Digits& digits, const uint8_t* a,
                          const uint8_t* b, size_t count, uint8_t* output);

// Numbers start + a * a_step + b * b_step modulo 2^32, for a and b from -128 to
// 127.
struct AllSums {
  uint32_t a_step;
  uint32_t b_step;
  uint32_t start;
};

// The kernels of one SIMD target.
struct DigitTable {
  DigitRow rows[kDigitKernels];  // by DigitKernel
  // Stores (a + 128) * 256 + b + 128 for each pair whose number lies in
  // [-limit, limit) modulo 2^32, up to `capacity` of them. Returns how many
  // there are, or a number above `capacity` if more.
  size_t (*find_near_zero)(const AllSums& sums, uint32_t limit, size_t capacity,
                           uint16_t* pairs);
};

// Those of the best target that is enabled now.
const DigitTable& DispatchDigits();

// Digits that can be proven within a microsecond, if there are: for scales that
// serve one call. `parameters` are those of ChooseParameters. Allocates
// nothing.
std::optional<Digits> QuickDigits(const Parameters& parameters,
                                  const DigitTable& table);

// Searches more widely, for fewer digits too: within some ten microseconds, or,
// if it may try all pairs where nothing else proves digits, within about a
// millisecond. `truth` is a kernel of which it is known that it is right with
// `parameters`.
std::optional<Digits> SearchDigits(const Parameters& parameters,
                                   const DigitTable& table, Row truth,
                                   bool tries_pairs);

}  // namespace qconform::optimized::linear_add

#endif  // QCONFORM_OPTIMIZED_DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD_DIGITS_H_
