#include "spec/validate.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/valid_calls.h"
#include "spec/validate_rules.h"

namespace qconform::spec {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kU8 = DataType::kUint8;
constexpr DataType kI8 = DataType::kInt8;

// Each fault alone turns `valid` into a call that is refused.
void ExpectFaults(const Arguments& valid, const std::vector<Fault>& faults,
                  absl::StatusCode code = absl::StatusCode::kInvalidArgument) {
  ASSERT_TRUE(Validate(valid).ok()) << Validate(valid);
  for (const Fault& fault : faults) {
    Arguments call = valid;
    fault.make(call);
    const absl::Status status = Validate(call);
    EXPECT_EQ(status.code(), code) << fault.title << ": " << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(fault.message))
        << fault.title;
    EXPECT_EQ(AclnnStatus(status), std::nullopt) << fault.title;
  }
}

// Each change leaves the call valid.
void ExpectAccepted(const Arguments& valid, const std::vector<Fault>& changes) {
  for (const Fault& change : changes) {
    Arguments call = valid;
    change.make(call);
    EXPECT_TRUE(Validate(call).ok()) << change.title << ": " << Validate(call);
  }
}

// A change of one input's or output's description without its data.
std::function<void(Arguments&)> Give(const std::string& name, Tensor tensor) {
  return [name, tensor](Arguments& call) { call.inputs[name] = tensor; };
}
std::function<void(Arguments&)> Output(TensorDesc desc) {
  return [desc](Arguments& call) { call.outputs.begin()->second = desc; };
}
std::function<void(Arguments&)> Drop(const std::string& name) {
  return [name](Arguments& call) { call.inputs.erase(name); };
}
std::function<void(Arguments&)> Set(const std::string& name,
                                    Attribute attribute) {
  return
      [name, attribute](Arguments& call) { call.attributes[name] = attribute; };
}
// Everything fits but the storage, which is left empty.
Tensor Unbacked(DataType type, std::vector<int64_t> sizes,
                std::optional<std::vector<int64_t>> strides = std::nullopt) {
  Tensor tensor;
  tensor.desc = Described(type, std::move(sizes), std::move(strides));
  return tensor;
}

TEST(ValidateTest, NamesThatNobodyKnows) {
  Arguments call;
  call.operator_name = "dml_gemm";
  EXPECT_EQ(Validate(call).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Validate(call).message()),
              HasSubstr("no operator \"dml_gemm\"; allowed: "
                        "aclnn_quant_grouped_matmul_dequant, dml_"));
  EXPECT_FALSE(IsEmptyCall(call));

  const auto kNotFound = absl::StatusCode::kNotFound;
  ExpectFaults(ValidAdd(),
               {{"unknown input", Give("CTensor", Filled(kU8, {1}, 0)),
                 "has no input \"CTensor\"; allowed: ATensor, AScaleTensor"},
                {"output as input", Give("OutputTensor", Filled(kU8, {1}, 0)),
                 "has no input \"OutputTensor\""},
                {"input as output",
                 [](Arguments& call) {
                   call.outputs["ATensor"] = Described(kU8, {2, 3});
                 },
                 "has no output \"ATensor\"; allowed: OutputTensor"},
                {"unknown output",
                 [](Arguments& call) {
                   call.outputs["Y"] = Described(kU8, {2, 3});
                 },
                 "has no output \"Y\""},
                {"unknown attribute", Set("axis", int64_t{1}),
                 "has no attribute \"axis\""},
                {"feature level",
                 [](Arguments& call) { call.options.feature_level = "2_1"; },
                 "has no option \"feature_level\""},
                {"transposeWeight option",
                 [](Arguments& call) {
                   call.options.allow_transpose_weight_false = true;
                 },
                 "has no option \"allow_transpose_weight_false\""}},
               kNotFound);
  ExpectFaults(
      ValidMatmul(),
      {{"arithmetic",
        [](Arguments& call) { call.options.arithmetic = "tensorflow"; },
        "has no option \"arithmetic\"; allowed: feature_level"}},
      kNotFound);
  ExpectFaults(ValidQuantize(),
               {{"attribute", Set("axis", int64_t{1}),
                 "has no attribute \"axis\"; allowed: signed_input, num_bits"}},
               kNotFound);
}

TEST(ValidateTest, StorageThatDoesNotFit) {
  const auto resize = [](const std::string& name, int change) {
    return [name, change](Arguments& call) {
      auto& storage = call.inputs[name].storage;
      storage.resize(storage.size() + static_cast<size_t>(change));
    };
  };
  ExpectFaults(
      ValidAdd(),
      {{"short", resize("ATensor", -1),
        "ATensor has 5 bytes of storage; allowed: 6 elements of 1 bytes"},
       {"long", resize("BTensor", 1), "BTensor has 7 bytes"},
       {"part of an element", resize("AScaleTensor", 1),
        "AScaleTensor has 5 bytes of storage; allowed: 1 elements of 4"},
       {"empty", Give("OutputScaleTensor", Unbacked(kF32, {1, 1})),
        "OutputScaleTensor has 0 bytes"},
       {"far more than memory", Give("AScaleTensor", Unbacked(kF32, {kMax, 1})),
        "allowed: 9223372036854775807 elements of 4 bytes"},
       {"strides past the data",
        Give("ATensor", Unbacked(kU8, {2, 3}, {{kMax - 5, 1}})),
        "ATensor has 0 bytes"}});
}

TEST(ValidateTest, RequiredAndOptionalTensors) {
  for (const Arguments& valid : {ValidMatmul(), ValidAdd()}) {
    for (const char* name : {"ATensor", "AScaleTensor", "BTensor",
                             "BScaleTensor", "OutputScaleTensor"}) {
      ExpectFaults(valid, {{name, Drop(name),
                            std::string(name) + " is missing; allowed: it is "
                                                "required"}});
    }
    ExpectFaults(valid,
                 {{"no output", [](Arguments& call) { call.outputs.clear(); },
                   "OutputTensor is missing"}});
    // QM-06
    ExpectAccepted(valid, {{"no zA", Drop("AZeroPointTensor"), ""},
                           {"no zB", Drop("BZeroPointTensor"), ""},
                           {"no zY", Drop("OutputZeroPointTensor"), ""}});
  }
}

// QM-04, QM-09
TEST(ValidateTest, DmlTypes) {
  for (const Arguments& valid : {ValidMatmul(), ValidAdd()}) {
    const std::vector<int64_t> sizes = valid.inputs.at("ATensor").desc.sizes;
    const std::vector<int64_t> one(sizes.size(), 1);
    ExpectFaults(
        valid, {{"A int32", Give("ATensor", Filled(DataType::kInt32, sizes, 0)),
                 "ATensor has type int32; allowed: int8, uint8"},
                {"scale float16",
                 Give("BScaleTensor", Filled(DataType::kFloat16, one, 1)),
                 "BScaleTensor has type float16; allowed: float32"},
                {"zA", Give("AZeroPointTensor", Filled(kI8, one, 1)),
                 "AZeroPointTensor has type int8; allowed: uint8, the type of "
                 "ATensor"},
                {"zB", Give("BZeroPointTensor", Filled(kU8, one, 1)),
                 "BZeroPointTensor has type uint8; allowed: int8, the type of "
                 "BTensor"},
                {"zY", Give("OutputZeroPointTensor", Filled(kI8, one, 1)),
                 "OutputZeroPointTensor has type int8; allowed: uint8"},
                {"output int32",
                 [](Arguments& call) {
                   call.outputs["OutputTensor"].type = DataType::kInt32;
                 },
                 "OutputTensor has type int32; allowed: int8, uint8"},
                {"format",
                 [](Arguments& call) {
                   call.inputs["BTensor"].desc.format =
                       TensorFormat::kFractalNz;
                 },
                 "BTensor has format FRACTAL_NZ; allowed: ND"}});
    for (int signs = 0; signs < 8; ++signs) {
      Arguments call = valid;
      call.inputs["ATensor"].desc.type = (signs & 1) != 0 ? kI8 : kU8;
      call.inputs["BTensor"].desc.type = (signs & 2) != 0 ? kI8 : kU8;
      call.outputs["OutputTensor"].type = (signs & 4) != 0 ? kI8 : kU8;
      call.inputs["AZeroPointTensor"].desc.type =
          call.inputs["ATensor"].desc.type;
      call.inputs["BZeroPointTensor"].desc.type =
          call.inputs["BTensor"].desc.type;
      call.inputs["OutputZeroPointTensor"].desc.type =
          call.outputs["OutputTensor"].type;
      EXPECT_TRUE(Validate(call).ok()) << signs << Validate(call);
    }
  }
}

// AR-08
TEST(ValidateTest, DmlScaleValues) {
  for (const Arguments& valid : {ValidMatmul(), ValidAdd()}) {
    for (const char* name :
         {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
      const int64_t last = *StorageElementCount(valid.inputs.at(name).desc) - 1;
      const auto write = [&](double value) {
        return [name, last, value](Arguments& call) {
          WriteReal(call.inputs[name], last, value);
        };
      };
      const std::string start = std::string(name) + " holds ";
      ExpectFaults(valid, {{"zero", write(0), start + "0 at storage offset"},
                           {"minus zero", write(-0.0), start + "-0"},
                           {"nan", write(std::nan("")), start + "nan"},
                           {"inf", write(INFINITY), start + "inf"},
                           {"-inf", write(-INFINITY),
                            "allowed: finite scales other than 0 (AR-08)"}});
      ExpectAccepted(valid, {{"negative", write(-1), ""},
                             {"subnormal", write(0x1p-149), ""},
                             {"largest", write(0x1.fffffep127), ""}});
    }
  }
  // What lies between the elements of a strided scale is no scale.
  Arguments call = ValidMatmul();
  call.inputs["AScaleTensor"] = Filled(kF32, {1, 1, 3, 1}, 1, {{0, 0, 2, 9}});
  WriteReal(call.inputs["AScaleTensor"], 1, 0);
  EXPECT_TRUE(Validate(call).ok());
  WriteReal(call.inputs["AScaleTensor"], 4, 0);
  EXPECT_FALSE(Validate(call).ok());
}

// QM-02
TEST(ValidateTest, MatmulGranularity) {
  ExpectFaults(
      ValidMatmul(),
      {{"scale per batch", Give("AScaleTensor", Filled(kF32, {1, 2, 1, 1}, 1)),
        "AScaleTensor has sizes {1, 2, 1, 1}; allowed: {1, 1, 1, 1} or {1, 1, "
        "3, 1}"},
       {"A per column", Give("AScaleTensor", Filled(kF32, {1, 1, 1, 4}, 1)),
        "AScaleTensor has sizes"},
       {"A row count", Give("AZeroPointTensor", Filled(kU8, {1, 1, 2, 1}, 1)),
        "AZeroPointTensor has sizes {1, 1, 2, 1}"},
       {"B per row", Give("BScaleTensor", Filled(kF32, {1, 1, 4, 1}, 1)),
        "BScaleTensor has sizes {1, 1, 4, 1}; allowed: {1, 1, 1, 1} or {1, 1, "
        "1, 5}"},
       {"output per column",
        Give("OutputScaleTensor", Filled(kF32, {1, 1, 1, 5}, 1)),
        "OutputScaleTensor has sizes"},
       {"zero points of the output",
        Give("OutputZeroPointTensor", Filled(kU8, {1, 2, 3, 1}, 1)),
        "OutputZeroPointTensor has sizes"}});
}

TEST(ValidateTest, MatmulSizes) {
  ExpectFaults(
      ValidMatmul(),
      {{"K", Give("BTensor", Filled(kI8, {1, 2, 3, 5}, 1)),
        "BTensor has sizes {1, 2, 3, 5}; allowed: {1, 2, 4, N}"},
       {"batch by size 1", Give("BTensor", Filled(kI8, {1, 1, 4, 5}, 1)),
        "BTensor has sizes {1, 1, 4, 5}"},
       {"output", Output(Described(kU8, {1, 2, 5, 3})),
        "OutputTensor has sizes {1, 2, 5, 3}; allowed: {1, 2, 3, 5}"},
       {"K of 0",
        [](Arguments& call) {
          call.inputs["ATensor"] = Filled(kU8, {1, 2, 3, 0}, 0);
          call.inputs["BTensor"] = Filled(kI8, {1, 2, 0, 5}, 0);
        },
        "ATensor has sizes {1, 2, 3, 0}, 0 elements; allowed: no size of 0"},
       {"negative", Give("ATensor", Unbacked(kU8, {1, 2, 3, -4})),
        "ATensor: size -4 is negative"},
       {"2^32 elements by stride 0",
        Give("ATensor", Filled(kU8, {65536, 65536, 1, 1}, 1, {{0, 0, 0, 0}})),
        "4294967296 elements; allowed: no size of 0, at most 2^32 - 1"},
       {"2^64 elements",
        Give("ATensor",
             Unbacked(kU8, {4294967296, 4294967296, 1, 1}, {{0, 0, 0, 0}})),
        "ATensor: the product of the sizes exceeds"},
       {"output of 2^32", Output(Described(kU8, {65536, 65536, 1, 1})),
        "OutputTensor has sizes {65536, 65536, 1, 1}, 4294967296 elements"}});
  // One less is legal: 4294967295 = 65535 * 65537.
  Arguments call = ValidMatmul();
  call.inputs["ATensor"] = Filled(kU8, {65535, 65537, 1, 1}, 1, {{0, 0, 0, 0}});
  call.inputs["BTensor"] = Filled(kI8, {65535, 65537, 1, 1}, 1, {{0, 0, 0, 0}});
  call.outputs["OutputTensor"] = Described(kU8, {65535, 65537, 1, 1});
  for (auto& [name, tensor] : call.inputs) {
    if (name == "ATensor" || name == "BTensor") continue;
    tensor = Filled(tensor.desc.type, {1, 1, 1, 1}, 1);
  }
  EXPECT_TRUE(Validate(call).ok()) << Validate(call);
}

// QM-03
TEST(ValidateTest, MatmulRanks) {
  const auto rank2 = [](Arguments& call) {
    call.inputs["ATensor"] = Filled(kU8, {3, 4}, 1);
    call.inputs["BTensor"] = Filled(kI8, {4, 5}, 1);
    call.outputs["OutputTensor"] = Described(kU8, {3, 5});
  };
  const auto scales_of_rank_1 = [](Arguments& call) {
    for (const char* name :
         {"AScaleTensor", "OutputScaleTensor", "BScaleTensor"}) {
      call.inputs[name] = Filled(kF32, {1}, 1);
    }
    for (const char* name : {"AZeroPointTensor", "OutputZeroPointTensor"}) {
      call.inputs[name] = Filled(kU8, {1}, 1);
    }
    call.inputs["BZeroPointTensor"] = Filled(kI8, {5}, 1);
  };
  ExpectAccepted(ValidMatmul(), {{"rank 2, scales of rank 4", rank2, ""},
                                 {"scales of rank 1", scales_of_rank_1, ""}});
  ExpectFaults(
      ValidMatmul(),
      {{"A rank 3", Give("ATensor", Filled(kU8, {2, 3, 4}, 1)),
        "BTensor has rank 4; allowed: 3, the rank of ATensor"},
       {"A rank 1", Give("ATensor", Filled(kU8, {4}, 1)),
        "ATensor has rank 1; allowed: 2..4"},
       {"A rank 5", Give("ATensor", Filled(kU8, {1, 1, 2, 3, 4}, 1)),
        "ATensor has rank 5"},
       {"scale rank 0", Give("AScaleTensor", Filled(kF32, {}, 1)),
        "AScaleTensor has rank 0; allowed: 1..4"},
       {"scale rank 5", Give("AScaleTensor", Filled(kF32, {1, 1, 1, 1, 1}, 1)),
        "AScaleTensor has rank 5"},
       {"one zero point of rank 1",
        Give("BZeroPointTensor", Filled(kI8, {5}, 1)),
        "BZeroPointTensor has rank 1; allowed: 4, the rank of AScaleTensor"},
       {"output rank 2", Output(Described(kU8, {3, 5})),
        "OutputTensor has rank 2; allowed: 4"},
       {"feature level",
        [](Arguments& call) { call.options.feature_level = "5_0"; },
        "feature_level is \"5_0\"; allowed: \"2_1\", \"4_0\""}});
  // A list of M scales is per column, not per row.
  Arguments call = ValidMatmul();
  scales_of_rank_1(call);
  call.inputs["AScaleTensor"] = Filled(kF32, {3}, 1);
  EXPECT_THAT(std::string(Validate(call).message()),
              HasSubstr("AScaleTensor has sizes {3}; allowed: {1, 1, 1, 1} or "
                        "{1, 1, 3, 1}, where leading 1s"));

  Arguments old = ValidMatmul();
  old.options.feature_level = "2_1";
  ExpectAccepted(old, {{"rank 4", [](Arguments&) {}, ""}});
  ExpectFaults(
      old,
      {{"rank 2", rank2, "ATensor has rank 2; allowed: 4 at feature level 2_1"},
       {"scales of rank 1", scales_of_rank_1,
        "AScaleTensor has rank 1; allowed: 4 at feature level 2_1"}});
}

// QM-08
TEST(ValidateTest, DmlStrides) {
  ExpectAccepted(
      ValidMatmul(),
      {{"inputs broadcast and pad",
        [](Arguments& call) {
          call.inputs["ATensor"] =
              Filled(kU8, {1, 2, 3, 4}, 1, {{5, 0, 10, 2}});
          call.inputs["BTensor"] = Filled(kI8, {1, 2, 4, 5}, 1, {{0, 0, 0, 0}});
          call.inputs["BScaleTensor"] =
              Filled(kF32, {1, 1, 1, 5}, 1, {{0, 0, 0, 0}});
        },
        ""},
       {"inputs overlap themselves",
        Give("ATensor", Filled(kU8, {1, 2, 3, 4}, 1, {{1, 1, 1, 1}})), ""},
       {"output padded", Output(Described(kU8, {1, 2, 3, 5}, {{0, 90, 8, 1}})),
        ""},
       {"output transposed",
        Output(Described(kU8, {1, 2, 3, 5}, {{7, 15, 1, 3}})), ""},
       {"axes of one element do not matter",
        Output(Described(kU8, {1, 2, 3, 5}, {{0, 15, 5, 1}})), ""}});
  ExpectFaults(
      ValidMatmul(),
      {{"output stride 0",
        Output(Described(kU8, {1, 2, 3, 5}, {{30, 0, 5, 1}})),
        "OutputTensor has strides {30, 0, 5, 1} for sizes {1, 2, 3, 5}; "
        "allowed: strides by which no two elements share an address; stride 0 "
        "must exceed 0"},
       {"rows overlap", Output(Described(kU8, {1, 2, 3, 5}, {{30, 15, 4, 1}})),
        "stride 4 must exceed 4"},
       {"channels overlap",
        Output(Described(kU8, {1, 2, 3, 5}, {{30, 14, 5, 1}})),
        "stride 14 must exceed 14"},
       {"equal strides", Output(Described(kU8, {1, 2, 3, 5}, {{0, 90, 1, 1}})),
        "stride 1 must exceed 2"},
       {"negative",
        Give("ATensor", Unbacked(kU8, {1, 2, 3, 4}, {{24, 12, -4, 1}})),
        "ATensor: stride -4 is negative; allowed: 0 and above"},
       {"too few", Output(Described(kU8, {1, 2, 3, 5}, {{5, 1}})),
        "OutputTensor: 2 strides for 4 sizes"},
       {"beyond 64 bits",
        Output(Described(kU8, {1, 2, 3, 5}, {{0, kMax, kMax / 4, 1}})),
        "OutputTensor: the storage that the strides span exceeds"}});
  ExpectFaults(ValidAdd(),
               {{"rows overlap", Output(Described(kU8, {2, 3}, {{2, 1}})),
                 "stride 2 must exceed 2 (QM-08)"}});
  ExpectAccepted(
      ValidAdd(),
      {{"transposed", Output(Described(kU8, {2, 3}, {{1, 2}})), ""},
       {"broadcast B", Give("BTensor", Filled(kI8, {2, 3}, 1, {{0, 1}})), ""}});
}

// QA-02, QM-07
TEST(ValidateTest, AddRanksAndSizes) {
  ExpectFaults(
      ValidAdd(),
      {{"scale rank", Give("AScaleTensor", Filled(kF32, {1}, 1)),
        "AScaleTensor has rank 1; allowed: 2, the rank of ATensor"},
       {"output rank", Output(Described(kU8, {1, 2, 3})),
        "OutputTensor has rank 3; allowed: 2"},
       {"rank 0", Give("ATensor", Filled(kU8, {}, 1)),
        "ATensor has rank 0; allowed: 1..8"},
       {"rank 9", Give("ATensor", Filled(kU8, {1, 1, 1, 1, 1, 1, 1, 2, 3}, 1)),
        "ATensor has rank 9"},
       {"B sizes", Give("BTensor", Filled(kI8, {2, 1}, 1)),
        "BTensor has sizes {2, 1}; allowed: {2, 3}"},
       {"output sizes", Output(Described(kU8, {3, 2})),
        "OutputTensor has sizes {3, 2}; allowed: {2, 3}"},
       {"two scales", Give("OutputScaleTensor", Filled(kF32, {1, 2}, 1)),
        "OutputScaleTensor has sizes {1, 2}; allowed: {1...}"},
       {"empty",
        [](Arguments& call) {
          call.inputs["ATensor"] = Filled(kU8, {0, 3}, 1);
          call.inputs["BTensor"] = Filled(kI8, {0, 3}, 1);
          call.outputs["OutputTensor"] = Described(kU8, {0, 3});
        },
        "ATensor has sizes {0, 3}, 0 elements"},
       {"huge output", Output(Described(kU8, {kMax, 1})),
        "OutputTensor has sizes {9223372036854775807, 1}"}});
  Arguments call = ValidAdd();
  for (auto& [name, tensor] : call.inputs) {
    const bool whole = name == "ATensor" || name == "BTensor";
    tensor = Filled(tensor.desc.type, {1, 1, 1, 1, 1, 1, 1, whole ? 7 : 1}, 1);
  }
  call.outputs["OutputTensor"].sizes = {1, 1, 1, 1, 1, 1, 1, 7};
  EXPECT_TRUE(Validate(call).ok()) << Validate(call);
}

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

TEST(AttributeTest, GivenOrDefault) {
  Arguments call = ValidQuantize();
  EXPECT_EQ(IntAttribute(call, "num_bits"), 8);
  EXPECT_TRUE(BoolAttribute(call, "signed_input"));
  EXPECT_TRUE(BoolAttribute(call, "range_given"));
  EXPECT_EQ(StringAttribute(call, "round_mode"), "HALF_TO_EVEN");
  call.attributes["num_bits"] = int64_t{5};
  EXPECT_EQ(IntAttribute(call, "num_bits"), 5);
}

TEST(IsEmptyCallTest, OnlyWhereEmptyTensorsAreLegal) {
  EXPECT_FALSE(IsEmptyCall(ValidAdd()));
  EXPECT_FALSE(IsEmptyCall(ValidQuantize()));
  Arguments call = ValidQuantize();
  call.inputs["input"].desc.sizes = {4, 0};
  EXPECT_TRUE(IsEmptyCall(call));
  call.inputs["input"].desc.sizes = {0, -1};
  EXPECT_FALSE(IsEmptyCall(call));
  call.inputs.erase("input");
  EXPECT_FALSE(IsEmptyCall(call));
}

TEST(AclnnStatusTest, OnlyAPayloadOfDigits) {
  absl::Status status = absl::InvalidArgumentError("no");
  EXPECT_EQ(AclnnStatus(status), std::nullopt);
  status.SetPayload(kAclnnStatusPayload, absl::Cord("many"));
  EXPECT_EQ(AclnnStatus(status), std::nullopt);
  status.SetPayload(kAclnnStatusPayload, absl::Cord("161001"));
  EXPECT_EQ(AclnnStatus(status), 161001);
  EXPECT_EQ(AclnnStatus(absl::OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace qconform::spec
