// Unsigned integers of more than 64 bits, for comparisons that no machine word
// can hold. Nothing here rounds or overflows silently: the widths are proved
// where the functions are used.

#ifndef QCONFORM_REFERENCE_SECOND_ORACLE_WIDE_INTEGER_H_
#define QCONFORM_REFERENCE_SECOND_ORACLE_WIDE_INTEGER_H_

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

namespace qconform::reference::second_oracle {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

// Bits up to the highest one that is set: 0 for 0, 1 for 1, 3 for 4.
inline int BitLength(Uint128 value) {
  const uint64_t high = static_cast<uint64_t>(value >> 64);
  if (high != 0) return 128 - std::countl_zero(high);
  return 64 - std::countl_zero(static_cast<uint64_t>(value));
}

// 384 bits hold every sum of the quantized add on one grid: the terms reach
// 2^137, the scale has bits down to 2^-149, and the quotient needs 11 bits
// more.
class Uint384 {
 public:
  Uint384() = default;

  // value * 2^shift, 0 <= shift; the result must fit.
  Uint384(Uint128 value, int shift) {
    const int limb = shift / 64;
    const int bits = shift % 64;
    const uint64_t low = static_cast<uint64_t>(value);
    const uint64_t high = static_cast<uint64_t>(value >> 64);
    limbs_[limb] = low << bits;
    // A shift by 64 is undefined, so whole limbs are a case of their own.
    SetLimb(limb + 1, bits == 0 ? high : (low >> (64 - bits)) | (high << bits));
    SetLimb(limb + 2, bits == 0 ? 0 : high >> (64 - bits));
  }

  friend bool operator==(const Uint384&, const Uint384&) = default;

  friend std::strong_ordering operator<=>(const Uint384& a, const Uint384& b) {
    for (int i = kLimbs - 1; i > 0; --i) {
      if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] <=> b.limbs_[i];
    }
    return a.limbs_[0] <=> b.limbs_[0];
  }

  Uint384& operator+=(const Uint384& other) {
    Uint128 carry = 0;
    for (int i = 0; i < kLimbs; ++i) {
      carry += static_cast<Uint128>(limbs_[i]) + other.limbs_[i];
      limbs_[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    return *this;
  }

  // other must not exceed *this.
  Uint384& operator-=(const Uint384& other) {
    uint64_t borrow = 0;
    for (int i = 0; i < kLimbs; ++i) {
      const Uint128 subtrahend = static_cast<Uint128>(other.limbs_[i]) + borrow;
      borrow = limbs_[i] < subtrahend ? 1 : 0;
      limbs_[i] -= static_cast<uint64_t>(subtrahend);
    }
    return *this;
  }

  void Halve() {
    for (int i = 0; i + 1 < kLimbs; ++i) {
      limbs_[i] = (limbs_[i] >> 1) | (limbs_[i + 1] << 63);
    }
    limbs_[kLimbs - 1] >>= 1;
  }

 private:
  static constexpr int kLimbs = 6;

  void SetLimb(int limb, uint64_t value) {
    if (value != 0) limbs_.at(limb) = value;
  }

  std::array<uint64_t, kLimbs> limbs_{};  // least significant first
};

}  // namespace qconform::reference::second_oracle

#endif  // QCONFORM_REFERENCE_SECOND_ORACLE_WIDE_INTEGER_H_
