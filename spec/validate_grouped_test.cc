// The checks of aclnnQuantGroupedMatmulDequant: which status, and in which
// order (AG-12).

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/valid_calls.h"
#include "spec/validate.h"

namespace qconform::spec {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr DataType kF16 = DataType::kFloat16;
constexpr DataType kF32 = DataType::kFloat32;
constexpr DataType kI8 = DataType::kInt8;
constexpr DataType kI64 = DataType::kInt64;

void ExpectGroupedFaults(int aclnn_status, const std::vector<Fault>& faults) {
  ExpectFaults(ValidGrouped(), faults, absl::StatusCode::kInvalidArgument,
               aclnn_status);
}

Change Groups(std::vector<int64_t> ends) {
  return [ends](Arguments& call) {
    for (size_t i = 0; i < ends.size(); ++i) {
      WriteInteger(call.inputs["groupList"], static_cast<int64_t>(i), ends[i]);
    }
  };
}
Change Write(const std::string& name, int64_t offset, double value) {
  return [name, offset, value](Arguments& call) {
    WriteReal(call.inputs[name], offset, value);
  };
}
Tensor Nz(std::vector<int64_t> sizes) {
  Tensor tensor = Filled(kI8, std::move(sizes), 1);
  tensor.desc.format = TensorFormat::kFractalNz;
  return tensor;
}
const Change kTransposeFalse = [](Arguments& call) {
  call.attributes["transposeWeight"] = false;
};
const Change kBias = Give("biasOptional", Filled(kF32, {16}, 0));
const Change kBadType = Give("smoothScaleOptional", Filled(kF32, {32}, 1));
const Change kEmpty = Give("groupList", Filled(kI64, {0}, 0));
const Change kBadShape = Give("weightScale", Filled(kF32, {2, 32}, 1));

TEST(ValidateGroupedTest, NullPointers) {
  ExpectGroupedFaults(
      161001,
      {{"x", Drop("x"), "x is missing; allowed: it is required"},
       {"weight", Drop("weight"), "weight is missing"},
       {"weightScale", Drop("weightScale"), "weightScale is missing"},
       {"groupList", Drop("groupList"), "groupList is missing"},
       {"out", [](Arguments& call) { call.outputs.clear(); }, "out is missing"},
       {"xQuantMode", [](Arguments& call) { call.attributes.clear(); },
        "xQuantMode is missing"},
       {"bias", kBias, "biasOptional is given; allowed: only its absence"},
       {"offset", Give("xOffsetOptional", Filled(kF32, {3}, 0)),
        "xOffsetOptional is given"}});
}

TEST(ValidateGroupedTest, Types) {
  ExpectGroupedFaults(
      161002,
      {{"x", Give("x", Filled(kF32, {3, 32}, 1)),
        "x has type float32; allowed: float16"},
       {"weight", Give("weight", Filled(DataType::kUint8, {2, 16, 32}, 1)),
        "weight has type uint8; allowed: int8"},
       {"weightScale", Give("weightScale", Filled(kF16, {2, 16}, 1)),
        "weightScale has type float16; allowed: float32"},
       {"groupList", Give("groupList", Filled(DataType::kInt32, {2}, 1)),
        "groupList has type int32; allowed: int64"},
       {"xScale", Give("xScaleOptional", Filled(kF16, {3}, 1)),
        "xScaleOptional has type float16"},
       {"smooth", kBadType,
        "smoothScaleOptional has type float32; allowed: float16"},
       {"out", Output(Described(kF32, {3, 16})), "out has type float32"}});
}

TEST(ValidateGroupedTest, Shapes) {
  ExpectGroupedFaults(
      161002,
      {{"x rank", Give("x", Filled(kF16, {3, 32, 1}, 1)),
        "x has rank 3; allowed: 2"},
       {"k", Give("x", Filled(kF16, {3, 24}, 1)),
        "x has k = 24; allowed: multiples of 16 (AG-10)"},
       {"n", Output(Described(kF16, {3, 17})),
        "out has n = 17; allowed: multiples of 16 (AG-10)"},
       {"k differs", Give("x", Filled(kF16, {3, 48}, 1)),
        "weight has sizes {2, 16, 32}; allowed: {2, 16, 48}, (g,n,k)"},
       {"weight not transposed", Give("weight", Filled(kI8, {2, 32, 16}, 1)),
        "weight has sizes {2, 32, 16}; allowed: {2, 16, 32}"},
       {"weight rank", Give("weight", Filled(kI8, {2, 16, 32, 1}, 1)),
        "weight has sizes {2, 16, 32, 1}"},
       {"NZ sizes as ND", Give("weight", Filled(kI8, {2, 1, 1, 16, 32}, 1)),
        "allowed: {2, 16, 32}"},
       {"ND sizes as NZ", Give("weight", Nz({2, 16, 32})),
        "allowed: {2, 1, 1, 16, 32}, (g, ceil(k/32), n/16, 16, 32)"},
       {"weightScale", kBadShape,
        "weightScale has sizes {2, 32}; allowed: {2, 16}"},
       {"groups", Give("groupList", Filled(kI64, {3}, 1)),
        "weight has sizes {2, 16, 32}; allowed: {3, 16, 32}"},
       {"out rows", Output(Described(kF16, {2, 16})),
        "out has sizes {2, 16}; allowed: {3, 16}, (m,n)"},
       {"smooth", Give("smoothScaleOptional", Filled(kF16, {16}, 1)),
        "smoothScaleOptional has sizes {16}; allowed: {32}, (k)"},
       {"pertoken", Give("xScaleOptional", Filled(kF32, {1}, 1)),
        "xScaleOptional has sizes {1}; allowed: {3}, (m) for pertoken"},
       {"pertensor",
        [](Arguments& call) {
          call.attributes["xQuantMode"] = std::string("pertensor");
        },
        "xScaleOptional has sizes {3}; allowed: {1}, (1) for pertensor"},
       {"format of x",
        [](Arguments& call) {
          call.inputs["x"].desc.format = TensorFormat::kFractalNz;
        },
        "x has format FRACTAL_NZ; allowed: ND"},
       {"negative", Output(Described(kF16, {-3, 16})),
        "out: size -3 is negative"},
       {"huge", Output(Described(kF16, {kMax, 16})),
        "out: the product of the sizes exceeds"},
       {"huge n", Output(Described(kF16, {1, kMax - 15})),
        "weight has sizes {2, 16, 32}; allowed: {2, 9223372036854775792, 32}"},
       {"huge k",
        [](Arguments& call) {
          call.inputs["x"] = Filled(kF16, {1, kMax - 15}, 1, {{0, 0}});
          call.inputs["weight"] = Nz({2, 1, 1, 16, 32});
        },
        "allowed: {2, 288230376151711744, 1, 16, 32}"}});
}

// AG-07
TEST(ValidateGroupedTest, Attributes) {
  ExpectGroupedFaults(
      161002,
      {{"mode",
        [](Arguments& call) {
          call.attributes["xQuantMode"] = std::string("perchannel");
        },
        "xQuantMode is \"perchannel\"; allowed: \"pertoken\", \"pertensor\""},
       {"mode type",
        [](Arguments& call) { call.attributes["xQuantMode"] = int64_t{1}; },
        "xQuantMode is 1, an int; allowed: a string"},
       {"transposeWeight type",
        [](Arguments& call) {
          call.attributes["transposeWeight"] = int64_t{0};
        },
        "transposeWeight is 0, an int; allowed: a bool"},
       {"dynamic pertensor",
        [](Arguments& call) {
          call.inputs.erase("xScaleOptional");
          call.attributes["xQuantMode"] = std::string("pertensor");
        },
        "xQuantMode is \"pertensor\" without xScaleOptional; allowed: "
        "\"pertoken\""}});
}

// AG-13
TEST(ValidateGroupedTest, Strides) {
  ExpectGroupedFaults(
      161002,
      {{"weight", Give("weight", Filled(kI8, {2, 16, 32}, 1, {{512, 1, 16}})),
        "weight has strides {512, 1, 16}; allowed: only the contiguous ones, "
        "{512, 32, 1}"},
       {"out", Output(Described(kF16, {3, 16}, {{17, 1}})),
        "out has strides {17, 1}"},
       {"negative", Output(Described(kF16, {3, 16}, {{-16, 1}})),
        "out: stride -16 is negative"}});
  Arguments call = ValidGrouped();
  call.inputs["x"] = Filled(kF16, {3, 32}, 1, {{40, 1}});
  call.inputs["weightScale"] = Filled(kF32, {2, 16}, 1, {{0, 2}});
  call.inputs["groupList"] = Filled(kI64, {2}, 3, {{3}});
  call.inputs["xScaleOptional"] = Filled(kF32, {3}, 1, {{0}});
  call.inputs["smoothScaleOptional"] = Filled(kF16, {32}, 1, {{2}});
  call.inputs["weight"].desc.strides = {512, 32, 1};
  EXPECT_TRUE(Validate(call).ok()) << Validate(call);
  // Only elements count, not what lies between them.
  WriteInteger(call.inputs["groupList"], 1, -7);
  WriteReal(call.inputs["weightScale"], 1, INFINITY);
  EXPECT_TRUE(Validate(call).ok()) << Validate(call);
}

// AG-04, AG-05
TEST(ValidateGroupedTest, Values) {
  ExpectGroupedFaults(
      161002,
      {{"xScale", Write("xScaleOptional", 2, std::nan("")),
        "xScaleOptional holds nan at storage offset 2; allowed: finite"},
       {"weightScale", Write("weightScale", 31, INFINITY),
        "weightScale holds inf at storage offset 31"},
       {"smooth", Write("smoothScaleOptional", 31, -INFINITY),
        "smoothScaleOptional holds -inf"},
       {"negative", Groups({-1, 3}),
        "groupList holds -1 at storage offset 0; allowed: 0..3"},
       {"decreasing", Groups({2, 1}),
        "groupList holds 1 at storage offset 1; allowed: 2..3"},
       {"beyond m", Groups({1, 4}),
        "groupList holds 4 at storage offset 1; allowed: 1..3"},
       {"least", Groups({-kMax - 1, 3}), "groupList holds -922"}});
  for (const std::vector<int64_t>& ends : std::vector<std::vector<int64_t>>{
           {0, 0}, {0, 3}, {3, 3}, {1, 1}, {1, 2}}) {
    Arguments call = ValidGrouped();
    Groups(ends)(call);
    Write("x", 0, std::nan(""))(call);
    Write("x", 1, INFINITY)(call);
    Write("weightScale", 0, 0)(call);
    Write("xScaleOptional", 0, -0.5)(call);
    EXPECT_TRUE(Validate(call).ok()) << Validate(call);
  }
}

// AG-08, AG-09
TEST(ValidateGroupedTest, WeightLayouts) {
  const auto accepts = [](const Tensor& weight, int64_t n, int64_t k,
                          bool transposed) {
    Arguments call = ValidGrouped();
    call.inputs["weight"] = weight;
    call.inputs["x"] = Filled(kF16, {3, k}, 1);
    call.inputs["weightScale"] = Filled(kF32, {2, n}, 1);
    call.inputs.erase("smoothScaleOptional");
    call.outputs["out"] = Described(kF16, {3, n});
    call.attributes["transposeWeight"] = transposed;
    call.options.allow_transpose_weight_false = true;
    const absl::Status status = Validate(call);
    EXPECT_TRUE(status.ok() || AclnnStatus(status) == 161002) << status;
    return status.ok();
  };
  EXPECT_TRUE(accepts(Filled(kI8, {2, 48, 16}, 1), 48, 16, true));
  EXPECT_FALSE(accepts(Filled(kI8, {2, 48, 16}, 1), 48, 16, false));
  EXPECT_TRUE(accepts(Filled(kI8, {2, 16, 48}, 1), 48, 16, false));
  EXPECT_TRUE(accepts(Nz({2, 2, 5, 16, 32}), 80, 48, true));
  EXPECT_FALSE(accepts(Nz({2, 2, 5, 16, 32}), 80, 48, false));
  EXPECT_TRUE(accepts(Nz({2, 3, 3, 16, 32}), 80, 48, false));
  EXPECT_FALSE(accepts(Nz({2, 3, 3, 16, 32}), 112, 48, false));
  EXPECT_FALSE(accepts(Nz({2, 2, 5, 32, 16}), 80, 48, true));
}

// AG-12: of two faults the earlier one decides.
TEST(ValidateGroupedTest, OrderOfTheChecks) {
  const struct {
    const char* title;
    std::vector<Change> changes;
    int aclnn_status;  // 0: success
    const char* message;
  } rows[] = {
      {"transposeWeight false before a missing tensor",
       {kTransposeFalse, Drop("x"), kBias},
       161002,
       "transposeWeight is false"},
      {"a missing tensor before a given bias",
       {kBias, Drop("weight")},
       161001,
       "weight is missing"},
      {"a missing mode before a given bias",
       {kBias, [](Arguments& call) { call.attributes.clear(); }},
       161001,
       "xQuantMode is missing"},
      {"a given bias before types",
       {kBadType, kBias},
       161001,
       "biasOptional is given"},
      {"types before an empty tensor",
       {kEmpty, kBadType},
       161002,
       "smoothScaleOptional has type"},
      {"an empty tensor before shapes", {kBadShape, kEmpty}, 0, ""},
      {"an empty tensor before contiguity",
       {kEmpty, Output(Described(kF16, {3, 16}, {{20, 1}}))},
       0,
       ""},
      {"an empty tensor before attributes",
       {kEmpty,
        [](Arguments& call) {
          call.attributes["xQuantMode"] = std::string("none");
        }},
       0,
       ""},
      {"an empty tensor before values",
       {kEmpty, Write("weightScale", 0, std::nan(""))},
       0,
       ""},
      {"shapes before values",
       {kBadShape, Groups({-1, 3})},
       161002,
       "weightScale has sizes"},
      {"a bad type of a mode is an attribute",
       {kEmpty, [](Arguments& call) { call.attributes["xQuantMode"] = true; }},
       0,
       ""},
  };
  for (const auto& row : rows) {
    Arguments call = ValidGrouped();
    for (const Change& change : row.changes) change(call);
    const absl::Status status = Validate(call);
    EXPECT_EQ(AclnnStatus(status).value_or(0), row.aclnn_status) << row.title;
    EXPECT_EQ(status.ok(), row.aclnn_status == 0) << row.title << status;
    EXPECT_EQ(IsEmptyCall(call) && status.ok(), row.aclnn_status == 0)
        << row.title;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.message))
        << row.title;
  }
}

// AG-11
TEST(ValidateGroupedTest, EachEmptyTensorSucceeds) {
  EXPECT_FALSE(IsEmptyCall(ValidGrouped()));
  const Fault rows[] = {
      {"m = 0", Give("x", Filled(kF16, {0, 32}, 1)), ""},
      {"k = 0", Give("x", Filled(kF16, {3, 0}, 1)), ""},
      {"no group", Give("weight", Filled(kI8, {0, 16, 32}, 1)), ""},
      {"no column", Give("weightScale", Filled(kF32, {2, 0}, 1)), ""},
      {"no end", kEmpty, ""},
      {"empty of another rank", Give("x", Filled(kF16, {0}, 1)), ""}};
  for (const Fault& row : rows) {
    Arguments call = ValidGrouped();
    row.make(call);
    EXPECT_TRUE(Validate(call).ok()) << row.title << Validate(call);
    EXPECT_TRUE(IsEmptyCall(call)) << row.title;
  }
  // An empty optional tensor is not one of them.
  ExpectGroupedFaults(161002,
                      {{"xScale", Give("xScaleOptional", Filled(kF32, {0}, 1)),
                        "xScaleOptional has sizes {0}"}});
}

TEST(ValidateGroupedTest, UnknownNamesAndBadStorageAreNoCall) {
  Arguments call = ValidGrouped();
  call.attributes["transpose"] = true;
  EXPECT_EQ(Validate(call).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(AclnnStatus(Validate(call)), std::nullopt);
  call = ValidGrouped();
  call.inputs["weight"].storage.pop_back();
  EXPECT_EQ(Validate(call).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AclnnStatus(Validate(call)), std::nullopt);
}

}  // namespace
}  // namespace qconform::spec
