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
