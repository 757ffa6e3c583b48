// Vectors of float16 to and from float32; see float16.h. Included once per
// target.

#if defined(QCONFORM_OPTIMIZED_FLOAT16_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QCONFORM_OPTIMIZED_FLOAT16_INL_H_
#undef QCONFORM_OPTIMIZED_FLOAT16_INL_H_
#else
#define QCONFORM_OPTIMIZED_FLOAT16_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

// Float16 bits, zero-extended to 32 bits, to float32.
template <class DF, class DU = hwy::HWY_NAMESPACE::RebindToUnsigned<DF>>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DF> Float16BitsToFloat32(
    DF df, hwy::HWY_NAMESPACE::Vec<DU> bits) {
  namespace hn = hwy::HWY_NAMESPACE;
  const DU du;
  const hn::RebindToSigned<DF> di;
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFu));
  const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
  // Comparisons are signed, which every target has; magnitudes fit.
  const auto signed_magnitude = hn::BitCast(di, magnitude);
  const auto is_subnormal = hn::Lt(signed_magnitude, hn::Set(di, 0x0400));
  const auto is_special = hn::Gt(signed_magnitude, hn::Set(di, 0x7BFF));
  const auto bias = hn::Set(du, 112u << 23);
  const auto special_bias =
      hn::IfThenElseZero(hn::RebindMask(du, is_special), bias);
  const auto normal =
      hn::Add(hn::Add(hn::ShiftLeft<13>(magnitude), bias), special_bias);
  const auto subnormal =
      hn::Mul(hn::ConvertTo(df, signed_magnitude), hn::Set(df, 0x1p-24f));
  const auto value = hn::IfThenElse(hn::RebindMask(df, is_subnormal), subnormal,
                                    hn::BitCast(df, normal));
  return hn::Or(value, hn::BitCast(df, sign));
}

// Float32 to float16 bits, zero-extended to 32 bits.
template <class DF, class DU = hwy::HWY_NAMESPACE::RebindToUnsigned<DF>>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DU> Float32ToFloat16Bits(
    DF df, hwy::HWY_NAMESPACE::Vec<DF> value) {
  namespace hn = hwy::HWY_NAMESPACE;
  const DU du;
  const hn::RebindToSigned<DF> di;
  const auto bits = hn::BitCast(du, value);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFu));
  const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
  const auto signed_magnitude = hn::BitCast(di, magnitude);

  const auto nan =
      hn::Or(hn::Set(du, 0x7E00u),
             hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x01FFu)));
  // See float16.h for why the addition rounds to the grid of subnormals.
  const auto half = hn::Set(df, 0.5f);
  const auto subnormal =
      hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(df, magnitude), half)),
              hn::BitCast(du, half));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto rounded = hn::ShiftRight<13>(
      hn::Add(hn::Add(magnitude, odd), hn::Set(du, 0x0FFFu - (112u << 23))));
  const auto normal =
      hn::BitCast(du, hn::Min(hn::BitCast(di, rounded), hn::Set(di, 0x7C00)));

  const auto is_nan = hn::Gt(signed_magnitude, hn::Set(di, 0x7F800000));
  const auto is_subnormal = hn::Lt(signed_magnitude, hn::Set(di, 0x38800000));
  const auto number =
      hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
  return hn::Or(hn::IfThenElse(hn::RebindMask(du, is_nan), nan, number), sign);
}

// Loads Lanes(df) float16 from any address.
template <class DF>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<DF> LoadFloat16(DF df,
                                                   const uint16_t* from) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToUnsigned<DF> du;
  const hn::Rebind<uint16_t, DF> du16;
  return Float16BitsToFloat32(df, hn::PromoteTo(du, hn::LoadU(du16, from)));
}

// Rounds and stores Lanes(df) float16 to any address.
template <class DF>
HWY_INLINE void StoreFloat16(DF df, hwy::HWY_NAMESPACE::Vec<DF> value,
                             uint16_t* to) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::RebindToSigned<DF> di;
  const hn::Rebind<uint16_t, DF> du16;
  // The saturation of this demotion never acts: the bits are below 65536.
  hn::StoreU(
      hn::DemoteTo(du16, hn::BitCast(di, Float32ToFloat16Bits(df, value))),
      du16, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
