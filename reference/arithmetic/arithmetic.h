// What the golden texts compute with. Each operator document is written once,
// as a template over one of three arithmetics:
//   Exact      rational numbers, rounded once, into the output type (AR-01);
//   Binary32   every operation rounded to float, in the order written;
//   Enclosure  intervals that hold whatever a float implementation may get to
//              (AR-02).
// All three offer what the concept below names and nothing else, so a text
// cannot tell them apart.

#ifndef QCONFORM_REFERENCE_ARITHMETIC_ARITHMETIC_H_
#define QCONFORM_REFERENCE_ARITHMETIC_ARITHMETIC_H_

#include <concepts>
#include <cstdint>

namespace qconform::reference {

// Ways to turn a real number into an integer. AR-03 knows the first two; the
// others are faults of implementations that `explain` compares with.
enum class Rounding { kHalfEven, kHalfUp, kHalfAway, kTruncate };

// What an arithmetic says an output element may be: for Exact and Binary32 a
// single value (`low` == `high`, or both NaN), for Enclosure a closed set, or
// every value and NaN if `any`.
struct ValueSet {
  double low = 0;
  double high = 0;
  bool any = false;

  static ValueSet Point(double value) { return {value, value, false}; }
};

// Real     a real number.
// Rounded  what round() gave: an integer without bounds.
// Integer  an integer within the bounds of clamp(), or a sum of such.
template <class A>
concept Arithmetic = requires(A math, typename A::Real real,
                              typename A::Rounded rounded,
                              typename A::Integer integer, double given,
                              int64_t number) {
  // A finite datum of a float tensor: exact in every arithmetic.
  { math.FromFloat(given) } -> std::same_as<typename A::Real>;
  // The conversion of an integer to a real is an operation like any other.
  { math.FromInteger(number) } -> std::same_as<typename A::Real>;
  { math.FromInteger(rounded) } -> std::same_as<typename A::Real>;
  { math.FromInteger(integer) } -> std::same_as<typename A::Real>;
  { real* real } -> std::convertible_to<typename A::Real>;
  { real / real } -> std::convertible_to<typename A::Real>;
  { real + real } -> std::convertible_to<typename A::Real>;
  { math.Abs(real) } -> std::same_as<typename A::Real>;
  { math.Min(real, real) } -> std::same_as<typename A::Real>;
  { math.Max(real, real) } -> std::same_as<typename A::Real>;
  { math.Clamp(real, real, real) } -> std::same_as<typename A::Real>;
  // round(). The last argument tells which integer the text adds next; only
  // the variant of Exact that adds it too early looks at it.
  {
    math.Round(real, Rounding::kHalfEven, number)
    } -> std::same_as<typename A::Rounded>;
  // The way it rounds where the text says the given one.
  { math.RoundingFor(Rounding::kHalfEven) } -> std::same_as<Rounding>;
  // Integer steps (AR-04): nothing wraps, nothing widens.
  { rounded + number } -> std::convertible_to<typename A::Rounded>;
  { math.Clamp(rounded, number, number) } -> std::same_as<typename A::Integer>;
  {typename A::Integer(number)};
  {integer += integer * number};
  // For a value that the text clamps without computing it: an infinity.
  {math.NoteClamped(given < 0)};
  // The conversion to the output type.
  { math.ToOutput(integer) } -> std::same_as<ValueSet>;
  { math.ToFloat16(real) } -> std::same_as<ValueSet>;
  { math.ToFloat32(real) } -> std::same_as<ValueSet>;
};

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_ARITHMETIC_ARITHMETIC_H_
