// How one number of a tensor is spelt in a test vector.

#ifndef QCONFORM_HARNESS_CASES_VALUE_TEXT_H_
#define QCONFORM_HARNESS_CASES_VALUE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "harness/cases/json_reader.h"
#include "spec/tensor.h"

namespace qconform::harness {

// The shortest C hex-float spelling, "0x1.8p+1" ("-0x0p+0" for minus zero), or
// "nan", "inf", "-inf"; without quotes.
std::string HexFloat(double value);

// A float is a C hex-float string, "nan", "inf", "-inf", or a JSON number; it
// must be exact in the type. The error says what was found, what is allowed
// and, for a number between two values of the type, how the nearest is spelt.
absl::StatusOr<double> ParseReal(const JsonValue& value, spec::DataType type);

// An integer is a JSON number without fraction or exponent within the type.
absl::StatusOr<int64_t> ParseInteger(const JsonValue& value,
                                     spec::DataType type);

// Ends of an integer type.
int64_t MinimumOf(spec::DataType type);
int64_t MaximumOf(spec::DataType type);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_VALUE_TEXT_H_
