#include "reference/arithmetic/enclosure.h"

#include <algorithm>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"

namespace qconform::reference {
namespace {

using End = Enclosure::End;
using Real = Enclosure::Real;

Real AnyValue() {
  Real any;
  any.any = true;
  return any;
}

// Moves an end outward by 2^-23 * abs(end) + 2^-149; one that reaches 2^128
// becomes infinite (AR-02).
void MoveOutward(End& end, int direction) {
  static const auto* const kRelative = new mpq_class(PowerOfTwo(-23));
  static const auto* const kAbsolute = new mpq_class(PowerOfTwo(-149));
  static const auto* const kLimit = new mpq_class(PowerOfTwo(128));
  if (end.infinite != 0) return;
  const mpq_class distance =
      UnreducedSum(UnreducedProduct(*kRelative, abs(end.value)), *kAbsolute);
  end.value =
      UnreducedSum(end.value, direction < 0 ? mpq_class(-distance) : distance);
  if (abs(end.value) >= *kLimit) end.infinite = sgn(end.value);
}

// What AR-02 makes of an operation's exact result. `points`: the operands are
// points, and for a division the divisor is a power of two.
Real AfterOperation(Real exact, bool points) {
  if (points && exact.IsPoint() && IsBinary32(exact.low.value)) return exact;
  MoveOutward(exact.low, -1);
  MoveOutward(exact.high, +1);
  return exact;
}

End Sum(const End& a, const End& b) {
  if (a.infinite != 0 || b.infinite != 0) {
    return {0, a.infinite != 0 ? a.infinite : b.infinite};
  }
  return {UnreducedSum(a.value, b.value), 0};
}

End Product(const End& a, const End& b) {
  if (a.infinite != 0 || b.infinite != 0) return {0, a.Sign() * b.Sign()};
  return {UnreducedProduct(a.value, b.value), 0};
}

End Quotient(const End& a, const End& b) {
  if (a.infinite != 0) return {0, a.infinite * b.Sign()};
  if (b.infinite != 0) return {0, 0};
  return {UnreducedQuotient(a.value, b.value), 0};
}

// The interval from the least to the greatest of what `operation` gives for the
// ends: right for operations that are monotone in each operand.
template <class Operation>
Real FromEnds(const Real& a, const Real& b, Operation operation) {
  const auto between = [](const End& end, const Real& other, auto apply) {
    const End first = apply(end, other.low);
    if (other.IsPoint()) return Real{first, first, false};
    const End second = apply(end, other.high);
    return second < first ? Real{second, first, false}
                          : Real{first, second, false};
  };
  const Real from_low = between(a.low, b, operation);
  if (a.IsPoint()) return from_low;
  const Real from_high = between(a.high, b, operation);
  return {std::min(from_low.low, from_high.low),
          std::max(from_low.high, from_high.high), false};
}

int64_t ClampEnd(const End& end, int64_t low, int64_t high) {
  if (end < End{low, 0}) return low;
  if (End{high, 0} < end) return high;
  return end.value.get_num().get_si();
}

ValueSet ToFormat(const Real& value, const BinaryFormat& format) {
  if (value.any) return {0, 0, /*any=*/true};
  const auto rounded = [&format](const End& end) {
    return end.infinite != 0
               ? end.infinite * std::numeric_limits<double>::infinity()
               : RoundToFormat(end.value, format).value;
  };
  return {rounded(value.low), rounded(value.high), false};
}

std::string EndText(const End& end) {
  constexpr int kDigits = 15;
  if (end.infinite != 0) return end.infinite < 0 ? "-inf" : "inf";
  return DecimalText(end.value, kDigits);
}

}  // namespace

Real operator+(const Real& a, const Real& b) {
  if (a.any || b.any) return AnyValue();
  // inf - inf.
  if ((a.high.infinite > 0 && b.low.infinite < 0) ||
      (a.low.infinite < 0 && b.high.infinite > 0)) {
    return AnyValue();
  }
  return AfterOperation({Sum(a.low, b.low), Sum(a.high, b.high), false},
                        a.IsPoint() && b.IsPoint());
}

Real operator*(const Real& a, const Real& b) {
  if (a.any || b.any) return AnyValue();
  // 0 * inf.
  if ((a.Holds0() && b.HoldsInfinity()) || (a.HoldsInfinity() && b.Holds0())) {
    return AnyValue();
  }
  return AfterOperation(FromEnds(a, b, Product), a.IsPoint() && b.IsPoint());
}

Real operator/(const Real& a, const Real& b) {
  if (a.any || b.any || b.Holds0()) return AnyValue();
  // inf / inf, which is inf * 0.
  if (a.HoldsInfinity() && b.HoldsInfinity()) return AnyValue();
  return AfterOperation(
      FromEnds(a, b, Quotient),
      a.IsPoint() && b.IsPoint() && IsPowerOfTwo(b.low.value));
}

Enclosure::Rounded operator+(Enclosure::Rounded a, int64_t b) {
  a.low.value += b;
  a.high.value += b;
  return a;
}

Enclosure::Integer operator*(const Enclosure::Integer& a, int64_t b) {
  Enclosure::Integer product(0);
  product.low = std::min(a.low * b, a.high * b);
  product.high = std::max(a.low * b, a.high * b);
  product.any = a.any;
  return product;
}

Enclosure::Integer& operator+=(Enclosure::Integer& a,
                               const Enclosure::Integer& b) {
  // The sum of sets is its hull (AR-02).
  a.low += b.low;
  a.high += b.high;
  a.any = a.any || b.any;
  return a;
}

Real Enclosure::FromFloat(double value) {
  return {{mpq_class(value), 0}, {mpq_class(value), 0}, false};
}

Real Enclosure::FromInteger(int64_t value) {
  return FromInteger(Integer(value));
}

Real Enclosure::FromInteger(const Rounded& value) {
  if (value.any) return AnyValue();
  return AfterOperation({value.low, value.high, false}, /*points=*/true);
}

Real Enclosure::FromInteger(const Integer& value) {
  if (value.any) return AnyValue();
  return AfterOperation({{value.low, 0}, {value.high, 0}, false},
                        /*points=*/true);
}

Real Enclosure::Abs(const Real& value) {
  if (value.any) return AnyValue();
  const auto magnitude = [](const End& end) -> End {
    return {abs(end.value), end.infinite != 0 ? 1 : 0};
  };
  const auto ends = std::minmax({magnitude(value.low), magnitude(value.high)});
  return {value.Holds0() ? End{} : ends.first, ends.second, false};
}

Real Enclosure::Min(const Real& a, const Real& b) {
  if (a.any || b.any) return AnyValue();
  return {std::min(a.low, b.low), std::min(a.high, b.high), false};
}

Real Enclosure::Max(const Real& a, const Real& b) {
  if (a.any || b.any) return AnyValue();
  return {std::max(a.low, b.low), std::max(a.high, b.high), false};
}

Enclosure::Rounded Enclosure::Round(const Real& value, Rounding rounding,
                                    int64_t /*added_next*/) {
  // round() is monotone: between the ends every integer is reached.
  const auto rounded = [rounding](const End& end) -> End {
    if (end.infinite != 0) return end;
    return {mpq_class(RoundToInteger(end.value, rounding)), 0};
  };
  return {rounded(value.low), rounded(value.high), value.any};
}

Enclosure::Integer Enclosure::Clamp(const Rounded& value, int64_t low,
                                    int64_t high) {
  Integer result(0);
  result.low = ClampEnd(value.low, low, high);
  result.high = ClampEnd(value.high, low, high);
  result.any = value.any;
  return result;
}

ValueSet Enclosure::ToOutput(const Integer& value) {
  return {static_cast<double>(value.low), static_cast<double>(value.high),
          value.any};
}

ValueSet Enclosure::ToFloat16(const Real& value) {
  return ToFormat(value, kBinary16);
}

ValueSet Enclosure::ToFloat32(const Real& value) {
  return ToFormat(value, kBinary32);
}

std::string Describe(const Enclosure::Real& value) {
  if (value.any) return "any value";
  if (value.IsPoint()) return EndText(value.low);
  return absl::StrCat("[", EndText(value.low), ", ", EndText(value.high), "]");
}

std::string Describe(const Enclosure::Rounded& value) {
  if (value.any) return "any value";
  const auto text = [](const End& end) {
    return end.infinite != 0 ? EndText(end) : end.value.get_str();
  };
  const std::string low = text(value.low);
  const std::string high = text(value.high);
  if (low == high) return low;
  return absl::StrCat("{", low, " .. ", high, "}");
}

std::string Describe(const Enclosure::Integer& value) {
  if (value.any) return "any value";
  if (value.low == value.high) return absl::StrCat(value.low);
  return absl::StrCat("{", value.low, " .. ", value.high, "}");
}

}  // namespace qconform::reference
