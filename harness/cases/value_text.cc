#include "harness/cases/value_text.h"

#include <cmath>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/charconv.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace qconform::harness {
namespace {

using Kind = JsonValue::Kind;

// The nearest value of the type, ties to even.
double RoundToType(double value, spec::DataType type) {
  switch (type) {
    case spec::DataType::kFloat16:
      return spec::Float16ToDouble(spec::DoubleToFloat16(value));
    case spec::DataType::kFloat32:
      return static_cast<float>(value);
    default:
      return value;
  }
}

// A number without sign as digits without leading and trailing zeros, and the
// power of the base that its last digit counts.
struct Digits {
  std::string significand;
  int64_t exponent = 0;
  friend bool operator==(const Digits&, const Digits&) = default;
};

// `text` is [digits][.digits][marker[sign]digits]; nothing else may stand
// there. The exponent counts powers of two for hex digits (4 a digit), else of
// ten.
std::optional<Digits> ReadDigits(const std::string& text, bool hex) {
  Digits result;
  const int64_t digit_weight = hex ? 4 : 1;
  const char marker = hex ? 'p' : 'e';
  size_t i = 0;
  bool fraction = false;
  bool any = false;
  for (; i < text.size(); ++i) {
    const char c = absl::ascii_tolower(text[i]);
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (hex ? absl::ascii_isxdigit(c) : absl::ascii_isdigit(c)) {
      any = true;
      result.significand.push_back(c);
      if (fraction) result.exponent -= digit_weight;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (i < text.size()) {
    if (absl::ascii_tolower(text[i]) != marker) return std::nullopt;
    std::string power = text.substr(i + 1);
    if (!power.empty() && power[0] == '+') power.erase(0, 1);
    const bool minus = !power.empty() && power[0] == '-';
    if (minus) power.erase(0, 1);
    if (power.empty() || power.size() > 9) return std::nullopt;
    int64_t value = 0;
    for (const char c : power) {
      if (!absl::ascii_isdigit(c)) return std::nullopt;
      value = value * 10 + (c - '0');
    }
    result.exponent += minus ? -value : value;
  } else if (hex) {
    return std::nullopt;  // a C hex-float always has its exponent
  }
  while (!result.significand.empty() && result.significand.back() == '0') {
    result.significand.pop_back();
    result.exponent += digit_weight;
  }
  result.significand.erase(0, result.significand.find_first_not_of('0'));
  if (result.significand.empty()) result.exponent = 0;
  return result;
}

// True if the decimal spelling names exactly this double: the longest decimal
// expansion of a double has 767 significant digits.
bool IsExactDecimal(const Digits& digits, double value) {
  const std::string full = absl::StrFormat("%.770e", std::fabs(value));
  return ReadDigits(full, false) == digits;
}

// The same for hex digits, which need no more than the double's own spelling.
bool IsExactHex(const Digits& digits, double value) {
  if (digits.significand.empty()) return value == 0;
  if (digits.significand.size() > 15) return false;
  uint64_t significand = 0;
  for (const char c : digits.significand) {
    significand =
        significand * 16 + (absl::ascii_isdigit(c) ? c - '0' : c - 'a' + 10);
  }
  if (std::isinf(value) || value == 0) return false;
  // A value of 60 bits that is no double differs from every double, also when
  // both are scaled into the range of integers.
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  auto scaled = static_cast<uint64_t>(std::ldexp(fraction, 53));
  int64_t scaled_exponent = exponent - 53;
  while (scaled % 2 == 0) {
    scaled /= 2;
    ++scaled_exponent;
  }
  int64_t significand_exponent = digits.exponent;
  while (significand % 2 == 0) {
    significand /= 2;
    ++significand_exponent;
  }
  return scaled == significand && scaled_exponent == significand_exponent;
}

absl::Status NoSuchValue(const JsonValue& found, spec::DataType type) {
  return absl::InvalidArgumentError(absl::StrCat(
      "found ", found.Describe(), "; a ", spec::DataTypeName(type),
      " is a C hex-float string such as \"0x1.8p-1\", \"nan\", \"inf\", "
      "\"-inf\", or a number that is exact in the type"));
}

absl::StatusOr<double> CheckExact(const JsonValue& found, bool exact_double,
                                  double nearest, spec::DataType type) {
  const double rounded = RoundToType(nearest, type);
  if (exact_double && rounded == nearest) return nearest;
  return absl::InvalidArgumentError(
      absl::StrCat("found ", found.Describe(), ", which is not exact in ",
                   spec::DataTypeName(type), "; the nearest value is spelt \"",
                   HexFloat(rounded), "\""));
}

double FromChars(const std::string& text, absl::chars_format format) {
  double value = 0;
  const auto result =
      absl::from_chars(text.data(), text.data() + text.size(), value, format);
  // Beyond the largest double, from_chars leaves the largest one and says so.
  if (result.ec == std::errc::result_out_of_range && std::fabs(value) > 1) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  return value;
}

absl::StatusOr<double> ParseRealString(const JsonValue& value,
                                       spec::DataType type) {
  const std::string& text = value.text;
  const double infinity = std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return infinity;
  if (text == "-inf") return -infinity;
  const bool negative = !text.empty() && text[0] == '-';
  std::string rest = negative ? text.substr(1) : text;
  const bool hex =
      rest.size() > 2 && rest[0] == '0' && absl::ascii_tolower(rest[1]) == 'x';
  if (hex) rest.erase(0, 2);
  const std::optional<Digits> digits = ReadDigits(rest, hex);
  if (!digits.has_value()) return NoSuchValue(value, type);
  const double magnitude = FromChars(
      rest, hex ? absl::chars_format::hex : absl::chars_format::general);
  // A decimal string is never taken, since it invites values that are not
  // exact, but the reader learns how it is spelt.
  const bool exact = hex && IsExactHex(*digits, magnitude);
  if (!hex) {
    return absl::InvalidArgumentError(absl::StrCat(
        "found ", value.Describe(), "; a ", spec::DataTypeName(type),
        " in a string is a C hex-float, here \"",
        HexFloat(RoundToType(negative ? -magnitude : magnitude, type)), "\""));
  }
  return CheckExact(value, exact, negative ? -magnitude : magnitude, type);
}

absl::StatusOr<double> ParseRealNumber(const JsonValue& value,
                                       spec::DataType type) {
  const std::string text = value.Describe();
  const std::string& spelling = value.kind == Kind::kReal ? value.text : text;
  if (spelling == "-0") return -0.0;
  const double nearest = FromChars(spelling, absl::chars_format::general);
  const std::optional<Digits> digits =
      ReadDigits(spelling[0] == '-' ? spelling.substr(1) : spelling, false);
  const bool exact = digits.has_value() && IsExactDecimal(*digits, nearest);
  return CheckExact(value, exact, nearest, type);
}

}  // namespace

std::string HexFloat(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return absl::StrCat(sign, "inf");
  if (value == 0) return absl::StrCat(sign, "0x0p+0");
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  // One leading bit, then 52 bits as 13 hex digits.
  const auto bits = static_cast<uint64_t>(std::ldexp(fraction, 53));
  std::string digits =
      absl::StrFormat("%013x", bits & ((uint64_t{1} << 52) - 1));
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
  return absl::StrFormat("%s0x1%s%sp%+d", sign, digits.empty() ? "" : ".",
                         digits, exponent - 1);
}

absl::StatusOr<double> ParseReal(const JsonValue& value, spec::DataType type) {
  switch (value.kind) {
    case Kind::kString:
      return ParseRealString(value, type);
    case Kind::kUnsigned:
    case Kind::kNegative:
    case Kind::kReal:
      return ParseRealNumber(value, type);
    default:
      return NoSuchValue(value, type);
  }
}

absl::StatusOr<int64_t> ParseInteger(const JsonValue& value,
                                     spec::DataType type) {
  const int64_t minimum = MinimumOf(type);
  const int64_t maximum = MaximumOf(type);
  if (value.kind == Kind::kUnsigned &&
      value.unsigned_value <= static_cast<uint64_t>(maximum)) {
    return static_cast<int64_t>(value.unsigned_value);
  }
  if (value.kind == Kind::kNegative && value.negative_value >= minimum) {
    return value.negative_value;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "found ", value.Describe(), "; the type ", spec::DataTypeName(type),
      " holds integers from ", minimum, " to ", maximum));
}

int64_t MinimumOf(spec::DataType type) {
  switch (type) {
    case spec::DataType::kInt8:
      return std::numeric_limits<int8_t>::min();
    case spec::DataType::kInt16:
      return std::numeric_limits<int16_t>::min();
    case spec::DataType::kInt32:
      return std::numeric_limits<int32_t>::min();
    case spec::DataType::kInt64:
      return std::numeric_limits<int64_t>::min();
    default:
      return 0;
  }
}

int64_t MaximumOf(spec::DataType type) {
  switch (type) {
    case spec::DataType::kUint8:
      return std::numeric_limits<uint8_t>::max();
    case spec::DataType::kInt8:
      return std::numeric_limits<int8_t>::max();
    case spec::DataType::kInt16:
      return std::numeric_limits<int16_t>::max();
    case spec::DataType::kInt32:
      return std::numeric_limits<int32_t>::max();
    default:
      return std::numeric_limits<int64_t>::max();
  }
}

}  // namespace qconform::harness
