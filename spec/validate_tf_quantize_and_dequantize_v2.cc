#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "spec/validate.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

// TQ-06, and TQ-12 for the arithmetic of TensorFlow.
absl::Status CheckBits(const Arguments& arguments) {
  const int64_t bits = IntAttribute(arguments, "num_bits");
  if (!BoolAttribute(arguments, "signed_input")) return absl::OkStatus();
  if (bits > 61) {
    return Reject("num_bits", absl::StrCat("is ", bits),
                  "1..61 if signed_input is true (TQ-06)");
  }
  if (bits == 1 && BoolAttribute(arguments, "narrow_range")) {
    return Reject("num_bits", "is 1",
                  "2..61 if signed_input and narrow_range are true (TQ-06)");
  }
  if (bits == 1 && arguments.options.arithmetic == "tensorflow") {
    return Reject("num_bits", "is 1",
                  "2..61 if signed_input is true and the arithmetic is "
                  "tensorflow (TQ-12)");
  }
  return absl::OkStatus();
}

// TQ-05, TQ-07
absl::Status CheckRange(const Arguments& arguments) {
  if (!BoolAttribute(arguments, "range_given")) return absl::OkStatus();
  for (const char* name : {"input_min", "input_max"}) {
    const double value = ReadReal(arguments.inputs.at(name), 0);
    if (!std::isfinite(value)) {
      return Reject(name, absl::StrCat("is ", value),
                    "finite values if range_given is true (TQ-07)");
    }
  }
  const double low = ReadReal(arguments.inputs.at("input_min"), 0);
  const double high = ReadReal(arguments.inputs.at("input_max"), 0);
  if (low > high) {
    return Reject("input_min", absl::StrCat("is ", low),
                  absl::StrCat("at most input_max, which is ", high,
                               ", if range_given is true (TQ-07)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateTfQuantizeAndDequantizeV2(const OperatorSpec& spec,
                                               const Arguments& arguments) {
  const std::string& arithmetic = arguments.options.arithmetic;
  if (arithmetic != "exact" && arithmetic != "tensorflow") {
    return Reject("arithmetic", absl::StrCat("is \"", arithmetic, "\""),
                  "\"exact\", \"tensorflow\"");
  }
  absl::Status status = CheckRequiredTensors(spec, arguments);
  if (status.ok()) status = CheckTypes(spec, arguments);
  if (status.ok()) status = CheckRanks(spec, arguments);
  if (status.ok()) status = CheckLayouts(spec, arguments);
  if (status.ok()) status = CheckAttributes(spec, arguments);
  if (status.ok()) status = CheckShapes(spec, arguments, /*padded_rank=*/0);
  if (status.ok()) status = CheckBits(arguments);
  if (status.ok()) status = CheckRange(arguments);
  return status;
}

}  // namespace qconform::spec
