// The built-in add against the spec's validation and the second oracle.

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/agreement_test_util.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

constexpr char kOperator[] = "dml_element_wise_quantized_linear_add";

spec::Tensor MakeTensor(spec::DataType type, std::vector<int64_t> sizes) {
  spec::Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = std::move(sizes);
  tensor.storage.resize(
      static_cast<size_t>(spec::ElementCount(tensor.desc).value()) *
      spec::ByteSize(type));
  return tensor;
}

spec::Tensor MakeScale(float value) {
  spec::Tensor tensor = MakeTensor(spec::DataType::kFloat32, {1, 1, 1});
  spec::WriteReal(tensor, 0, value);
  return tensor;
}

// Every pair of bytes in each of four rows: large enough for every choice that
// a plan makes by size.
spec::Arguments AllPairs(float a_scale, float b_scale, float output_scale) {
  spec::Arguments call;
  call.operator_name = kOperator;
  spec::Tensor& a = call.inputs["ATensor"] =
      MakeTensor(spec::DataType::kUint8, {4, 256, 256});
  spec::Tensor& b = call.inputs["BTensor"] =
      MakeTensor(spec::DataType::kInt8, {4, 256, 256});
  for (size_t i = 0; i < a.storage.size(); ++i) {
    a.storage[i] = static_cast<std::byte>(i >> 8);
    b.storage[i] = static_cast<std::byte>(i);
  }
  call.inputs["AScaleTensor"] = MakeScale(a_scale);
  call.inputs["BScaleTensor"] = MakeScale(b_scale);
  call.inputs["OutputScaleTensor"] = MakeScale(output_scale);
  spec::Tensor& zero_point = call.inputs["OutputZeroPointTensor"] =
      MakeTensor(spec::DataType::kInt8, {1, 1, 1});
  spec::WriteInteger(zero_point, 0, -5);
  call.outputs["OutputTensor"].type = spec::DataType::kInt8;
  call.outputs["OutputTensor"].sizes = {4, 256, 256};
  return call;
}

TEST(BuiltinAddTest, AllPairs) {
  const float scales[][3] = {{1, 1, 2},
                             {1, 1, 6},
                             {0.1f, 0.3f, 0.2f},
                             {0.7f, 0.3f, 1.1f},
                             {1, -0x1p-60f, 2},
                             {0x1p-149f, 0x1p-149f, 0x1p-148f},
                             {0x1p120f, 0x1.8p119f, 0x1.000002p121f},
                             {-0.3f, 0.4f, -0.5f}};
  uint64_t variation = 0;
  for (const auto& [a, b, output] : scales) {
    SCOPED_TRACE(testing::Message() << a << ", " << b << ", " << output);
    EXPECT_TRUE(ExpectAgreement(AllPairs(a, b, output), ++variation));
  }
}

TEST(BuiltinAddTest, AcceptsAndRejectsWhatTheSpecSays) {
  ExpectAgreementOnRandomCalls(kOperator, 4000);
}

}  // namespace
}  // namespace qconform::harness
