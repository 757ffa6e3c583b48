// The checks of QuantizeAndDequantizeV2.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "spec/valid_calls.h"

namespace qconform::spec {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr DataType kF32 = DataType::kFloat32;

// TQ-13
TEST(ValidateTest, QuantizeTypesAndShapes) {
  ExpectFaults(
      ValidQuantize(),
      {{"no input", Drop("input"), "input is missing"},
       {"no minimum", Drop("input_min"), "input_min is missing"},
       {"no maximum", Drop("input_max"), "input_max is missing"},
       {"no output", [](Arguments& call) { call.outputs.clear(); },
        "output is missing"},
       {"float16", Give("input", Filled(DataType::kFloat16, {2, 3}, 1)),
        "input has type float16; allowed: float32"},
       {"float64 output", Output(Described(DataType::kFloat64, {2, 3})),
        "output has type float64; allowed: float32"},
       {"minimum of rank 1", Give("input_min", Filled(kF32, {1}, 0)),
        "input_min has rank 1; allowed: 0"},
       {"sizes", Output(Described(kF32, {3, 2})),
        "output has sizes {3, 2}; allowed: {2, 3}"},
       {"rank", Output(Described(kF32, {6})),
        "output has sizes {6}; allowed: {2, 3}"},
       {"strides", Give("input", Filled(kF32, {2, 3}, 0, {{4, 1}})),
        "input has strides {4, 1}; allowed: only the contiguous ones, {3, 1}"},
       {"output strides", Output(Described(kF32, {2, 3}, {{1, 2}})),
        "output has strides {1, 2}"},
       {"negative size", Output(Described(kF32, {-2, -3})),
        "output: size -2 is negative"},
       {"arithmetic",
        [](Arguments& call) { call.options.arithmetic = "binary32"; },
        "arithmetic is \"binary32\"; allowed: \"exact\", \"tensorflow\""}});
  const auto sizes = [](std::vector<int64_t> sizes) {
    return [sizes](Arguments& call) {
      call.inputs["input"] = Filled(kF32, sizes, 1);
      call.outputs["output"] = Described(kF32, sizes);
    };
  };
  ExpectAccepted(
      ValidQuantize(),
      {{"rank 0", sizes({}), ""},
       {"rank 12", sizes(std::vector<int64_t>(12, 1)), ""},
       {"empty", sizes({3, 0, kMax}), ""},  // TQ-09
       {"packed strides", Output(Described(kF32, {2, 3}, {{3, 1}})), ""},
       {"strides of nothing",
        [](Arguments& call) {
          call.inputs["input"] = Filled(kF32, {0, 3}, 1, {{9, 9}});
          call.outputs["output"] = Described(kF32, {0, 3});
        },
        ""}});
}

// TQ-06, TQ-10, TQ-12
TEST(ValidateTest, QuantizeAttributes) {
  ExpectFaults(
      ValidQuantize(),
      {{"0 bits", Set("num_bits", int64_t{0}), "num_bits is 0; allowed: 1..62"},
       {"signed 62", Set("num_bits", int64_t{62}),
        "num_bits is 62; allowed: 1..61 if signed_input is true"},
       {"63 bits", Set("num_bits", int64_t{63}),
        "num_bits is 63; allowed: 1..62"},
       {"least", Set("num_bits", -kMax - 1), "num_bits is -922"},
       {"signed narrow 1-bit",
        [](Arguments& call) {
          call.attributes["num_bits"] = int64_t{1};
          call.attributes["narrow_range"] = true;
        },
        "num_bits is 1; allowed: 2..61 if signed_input and narrow_range"},
       {"signed 1-bit as TensorFlow",
        [](Arguments& call) {
          call.attributes["num_bits"] = int64_t{1};
          call.options.arithmetic = "tensorflow";
        },
        "(TQ-12)"},
       {"round_mode", Set("round_mode", std::string("HALF_AWAY")),
        "round_mode is \"HALF_AWAY\"; allowed: \"HALF_TO_EVEN\", \"HALF_UP\""},
       {"bits as text", Set("num_bits", std::string("8")),
        "num_bits is \"8\", a string; allowed: an int"},
       {"bool as int", Set("signed_input", int64_t{1}),
        "signed_input is 1, an int; allowed: a bool"},
       {"mode as bool", Set("round_mode", true),
        "round_mode is true, a bool; allowed: a string"}});
  ExpectAccepted(
      ValidQuantize(),
      {{"signed 1", Set("num_bits", int64_t{1}), ""},
       {"signed 61", Set("num_bits", int64_t{61}), ""},
       {"half up", Set("round_mode", std::string("HALF_UP")), ""},
       {"unsigned 62",
        [](Arguments& call) {
          call.attributes["signed_input"] = false;
          call.attributes["num_bits"] = int64_t{62};
        },
        ""},
       {"unsigned narrow 1-bit as TensorFlow",
        [](Arguments& call) {
          call.attributes["signed_input"] = false;
          call.attributes["narrow_range"] = true;
          call.attributes["num_bits"] = int64_t{1};
          call.options.arithmetic = "tensorflow";
        },
        ""},
       {"no attribute", [](Arguments& call) { call.attributes.clear(); }, ""}});
}

// TQ-05, TQ-07
TEST(ValidateTest, QuantizeRange) {
  const auto range = [](double low, double high) {
    return [low, high](Arguments& call) {
      WriteReal(call.inputs["input_min"], 0, low);
      WriteReal(call.inputs["input_max"], 0, high);
    };
  };
  const std::vector<Fault> bad = {
      {"nan minimum", range(std::nan(""), 1), "input_min is nan"},
      {"nan maximum", range(-1, std::nan("")), "input_max is nan"},
      {"infinite", range(-INFINITY, 1), "input_min is -inf"},
      {"infinite maximum", range(-1, INFINITY),
       "input_max is inf; allowed: finite values"},
      {"reversed", range(1, -1),
       "input_min is 1; allowed: at most input_max, which is -1"}};
  ExpectFaults(ValidQuantize(), bad);
  Arguments unsigned_call = ValidQuantize();
  unsigned_call.attributes["signed_input"] = false;
  ExpectFaults(unsigned_call, bad);
  Arguments measured = ValidQuantize();
  measured.attributes["range_given"] = false;
  ExpectAccepted(measured, bad);
  ExpectAccepted(ValidQuantize(), {{"equal", range(1, 1), ""},
                                   {"zeros", range(0, -0.0), ""},
                                   {"all negative", range(-2, -1), ""}});
}

}  // namespace
}  // namespace qconform::spec
