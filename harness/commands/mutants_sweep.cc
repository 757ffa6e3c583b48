#include "harness/commands/mutants_sweep.h"

#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/packed_tensor.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

using spec::DataType;

spec::Tensor Make(DataType type, std::vector<int64_t> sizes,
                  const std::function<double(int64_t)>& value) {
  std::vector<double> values(
      static_cast<size_t>(*spec::ElementCount(PackedDesc(type, sizes))));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = value(static_cast<int64_t>(i));
  }
  return PackedTensor(type, std::move(sizes), values);
}

spec::Tensor Constant(DataType type, std::vector<int64_t> sizes, double value) {
  return Make(type, std::move(sizes), [value](int64_t) { return value; });
}

// The two operators of DirectML take the same parameters.
struct DmlSetting {
  DataType a_type, b_type, y_type;
  float a_scale, b_scale, y_scale;
  int a_zero, b_zero, y_zero;
};

constexpr DataType kU8 = DataType::kUint8;
constexpr DataType kI8 = DataType::kInt8;

const DmlSetting kAddSettings[] = {
    {kU8, kI8, kU8, 0.37f, 0.19f, 0.52f, 128, -5, 130},
    // Every odd sum is a tie, and the zero point is odd.
    {kI8, kI8, kI8, 0.5f, 0.5f, 1, 3, -128, 1},
    {kU8, kU8, kI8, 0.75f, -1, 0.5f, 0, 255, -128},
    {kI8, kU8, kU8, 0x1p-130f, 0x1.8p-129f, 0x1p-128f, -7, 9, 254},
};

const DmlSetting kMatMulSettings[] = {
    {kU8, kI8, kU8, 0.05f, 0.04f, 0.37f, 128, -5, 130},
    // Every odd multiple of 64 is a tie, and the zero point is odd.
    {kI8, kI8, kI8, 0x1p-3f, 0x1p-3f, 2, 3, -128, 1},
    {kU8, kU8, kI8, 1024, -1024, 1, 0, 255, -128},
    {kI8, kU8, kU8, 0x1p-140f, 3, 0x1p-132f, -7, 9, 254},
};

constexpr int64_t kRows = 4;  // values of A in one call, with all values of B

// Element i of ATensor or BTensor.
double ByteValue(DataType type, int64_t i) {
  return static_cast<double>(type == kI8 ? i - 128 : i);
}

void SetParameters(const DmlSetting& setting, const std::vector<int64_t>& sizes,
                   spec::Arguments& arguments) {
  const auto set = [&](const std::string& tensor, DataType type, float scale,
                       int zero) {
    arguments.inputs[tensor + "ScaleTensor"] =
        Constant(DataType::kFloat32, sizes, scale);
    arguments.inputs[tensor + "ZeroPointTensor"] = Constant(type, sizes, zero);
  };
  set("A", setting.a_type, setting.a_scale, setting.a_zero);
  set("B", setting.b_type, setting.b_scale, setting.b_zero);
  set("Output", setting.y_type, setting.y_scale, setting.y_zero);
}

spec::Arguments AddCall(const DmlSetting& setting, int64_t first) {
  spec::Arguments arguments;
  arguments.inputs["ATensor"] = Make(
      setting.a_type, {kRows, 256},
      [&](int64_t i) { return ByteValue(setting.a_type, first + i / 256); });
  arguments.inputs["BTensor"] =
      Make(setting.b_type, {kRows, 256},
           [&](int64_t i) { return ByteValue(setting.b_type, i % 256); });
  SetParameters(setting, {1, 1}, arguments);
  arguments.outputs["OutputTensor"] = PackedDesc(setting.y_type, {kRows, 256});
  return arguments;
}

spec::Arguments MatMulCall(const DmlSetting& setting, int64_t first) {
  spec::Arguments arguments;
  arguments.inputs["ATensor"] =
      Make(setting.a_type, {1, 1, kRows, 1},
           [&](int64_t i) { return ByteValue(setting.a_type, first + i); });
  arguments.inputs["BTensor"] =
      Make(setting.b_type, {1, 1, 1, 256},
           [&](int64_t i) { return ByteValue(setting.b_type, i); });
  SetParameters(setting, {1, 1, 1, 1}, arguments);
  arguments.outputs["OutputTensor"] =
      PackedDesc(setting.y_type, {1, 1, kRows, 256});
  return arguments;
}

constexpr int64_t kTokens = 64;  // rows of x in one call
constexpr int64_t kDepth = 16;   // the least that the operator takes

// Values far apart share a row, so that a row has small ones beside its
// maximum: element k of row r is bit pattern r + 4096 * k.
spec::Arguments GroupedCall(bool is_static, int64_t first) {
  spec::Arguments arguments;
  arguments.attributes["xQuantMode"] =
      std::string(is_static ? "pertensor" : "pertoken");
  arguments.inputs["x"] =
      Make(DataType::kFloat16, {kTokens, kDepth}, [&](int64_t i) {
        return spec::Float16ToDouble(
            static_cast<uint16_t>(first + i / kDepth + i % kDepth * 4096));
      });
  // Column n shows quantized element n, in the second group threefold.
  const auto weight = [](int64_t group, int64_t n, int64_t k) {
    return n == k ? 1.0 + 2.0 * static_cast<double>(group) : 0.0;
  };
  if (is_static) {
    // FRACTAL_NZ, whose rows of 16 are padded to 32: garbage.
    spec::Tensor tensor =
        Make(DataType::kInt8, {2, 1, 1, 16, 32}, [&](int64_t i) {
          return i % 32 < 16 ? weight(i / 512, i / 32 % 16, i % 32) : 77;
        });
    tensor.desc.format = spec::TensorFormat::kFractalNz;
    arguments.inputs["weight"] = std::move(tensor);
    arguments.inputs["xScaleOptional"] =
        Constant(DataType::kFloat32, {1}, 0.0625);
    arguments.inputs["smoothScaleOptional"] =
        Make(DataType::kFloat16, {kDepth},
             [](int64_t i) { return 0.25 + static_cast<double>(i) / 8; });
  } else {
    arguments.inputs["weight"] =
        Make(DataType::kInt8, {2, kDepth, kDepth}, [&](int64_t i) {
          return weight(i / 256, i / kDepth % kDepth, i % kDepth);
        });
  }
  arguments.inputs["weightScale"] =
      Make(DataType::kFloat32, {2, kDepth},
           [](int64_t i) { return 1 + static_cast<double>(i) / 64; });
  arguments.inputs["groupList"] = Make(DataType::kInt64, {2}, [](int64_t i) {
    return static_cast<double>((i + 1) * kTokens / 2);
  });
  arguments.outputs["out"] = PackedDesc(DataType::kFloat16, {kTokens, kDepth});
  return arguments;
}

struct QuantizeSetting {
  bool is_signed;
  int bits;
  bool range_given;
  const char* round_mode;
  bool narrow;
  const char* arithmetic;
  float low, high;
  bool all_exponents;  // the upper halves of all bit patterns; else a grid
};

const QuantizeSetting kQuantizeSettings[] = {
    {true, 8, true, "HALF_TO_EVEN", false, "exact", -1, 1, true},
    {false, 8, true, "HALF_UP", true, "exact", 0, 3, false},
    {true, 4, true, "HALF_UP", true, "tensorflow", -2, 3, false},
    {true, 8, false, "HALF_UP", false, "exact", 0, 0, false},
    {false, 16, false, "HALF_TO_EVEN", false, "tensorflow", 0, 0, true},
    // A scale factor of 1: every half is a tie.
    {true, 3, true, "HALF_TO_EVEN", true, "exact", -3, 3, false},
};

constexpr int64_t kFloats = 1024;  // elements in one call

spec::Arguments QuantizeCall(const QuantizeSetting& setting, int64_t first) {
  spec::Arguments arguments;
  arguments.attributes["signed_input"] = setting.is_signed;
  arguments.attributes["num_bits"] = int64_t{setting.bits};
  arguments.attributes["range_given"] = setting.range_given;
  arguments.attributes["round_mode"] = std::string(setting.round_mode);
  arguments.attributes["narrow_range"] = setting.narrow;
  arguments.options.arithmetic = setting.arithmetic;
  arguments.inputs["input"] =
      Make(DataType::kFloat32, {kFloats}, [&](int64_t i) -> double {
        if (!setting.all_exponents) {
          return static_cast<double>(first + i - 32768) / 4096;
        }
        return std::bit_cast<float>(static_cast<uint32_t>(first + i) << 16);
      });
  arguments.inputs["input_min"] = Constant(DataType::kFloat32, {}, setting.low);
  arguments.inputs["input_max"] =
      Constant(DataType::kFloat32, {}, setting.high);
  arguments.outputs["output"] = PackedDesc(DataType::kFloat32, {kFloats});
  return arguments;
}

// `call(first)` for every first value of a domain of `size`.
void AddCases(const std::string& operator_name, const std::string& setting,
              int64_t size, int64_t step,
              const std::function<spec::Arguments(int64_t)>& call,
              std::vector<TestCase>& cases) {
  for (int64_t first = 0; first < size; first += step) {
    TestCase test_case;
    test_case.id = absl::StrCat(setting, "-from-", first);
    test_case.title = "a part of a whole domain";
    test_case.arguments = call(first);
    test_case.arguments.operator_name = operator_name;
    cases.push_back(std::move(test_case));
  }
}

}  // namespace

std::vector<TestCase> MutantSweep(const std::string& operator_name) {
  std::vector<TestCase> cases;
  int number = 0;
  const auto add = [&](int64_t size, int64_t step,
                       const std::function<spec::Arguments(int64_t)>& call) {
    AddCases(operator_name, absl::StrCat("setting-", ++number), size, step,
             call, cases);
  };
  if (operator_name == "dml_element_wise_quantized_linear_add") {
    for (const DmlSetting& setting : kAddSettings) {
      add(256, kRows, [&](int64_t first) { return AddCall(setting, first); });
    }
  } else if (operator_name == "dml_quantized_linear_matrix_multiply") {
    for (const DmlSetting& setting : kMatMulSettings) {
      add(256, kRows,
          [&](int64_t first) { return MatMulCall(setting, first); });
    }
  } else if (operator_name == "aclnn_quant_grouped_matmul_dequant") {
    for (const bool is_static : {false, true}) {
      add(4096, kTokens,
          [&](int64_t first) { return GroupedCall(is_static, first); });
    }
  } else {
    for (const QuantizeSetting& setting : kQuantizeSettings) {
      add(65536, kFloats,
          [&](int64_t first) { return QuantizeCall(setting, first); });
    }
  }
  return cases;
}

}  // namespace qconform::harness
