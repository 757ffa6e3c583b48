// The built-in quantize-and-dequantize against the spec's validation and the
// second oracle.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/agreement_test_util.h"
#include "harness/candidates/builtin.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

constexpr char kOperator[] = "tf_quantize_and_dequantize_v2";

spec::Tensor MakeTensor(std::vector<int64_t> sizes,
                        const std::vector<double>& values) {
  spec::Tensor tensor;
  tensor.desc.type = spec::DataType::kFloat32;
  tensor.desc.sizes = std::move(sizes);
  tensor.storage.resize(values.size() * sizeof(float));
  for (size_t i = 0; i < values.size(); ++i) {
    spec::WriteReal(tensor, static_cast<int64_t>(i), values[i]);
  }
  return tensor;
}

spec::Arguments MakeCall(int64_t count, double min, double max) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(std::ldexp(static_cast<double>(i * 7919 % 65521), -13) -
                     4);
  }
  spec::Arguments call;
  call.operator_name = kOperator;
  call.inputs["input"] = MakeTensor({count}, values);
  call.inputs["input_min"] = MakeTensor({}, {min});
  call.inputs["input_max"] = MakeTensor({}, {max});
  call.outputs["output"] = call.inputs["input"].desc;
  return call;
}

// Long enough for several pieces and threads, in every kernel.
TEST(BuiltinQuantizeAndDequantizeTest, LongTensors) {
  uint64_t variation = 0;
  for (const int64_t bits : {8, 24, 40}) {
    for (const bool range_given : {false, true}) {
      for (const char* arithmetic : {"exact", "tensorflow"}) {
        SCOPED_TRACE(testing::Message() << bits << " bits, " << arithmetic);
        spec::Arguments call = MakeCall(100003, -3.3, 2.9);
        call.attributes["num_bits"] = bits;
        call.attributes["range_given"] = range_given;
        call.options.arithmetic = arithmetic;
        EXPECT_TRUE(ExpectAgreement(call, ++variation));
      }
    }
  }
}

TEST(BuiltinQuantizeAndDequantizeTest, RejectsMalformedCalls) {
  BuiltinCandidate candidate;
  ExecutionOptions options;
  options.target = candidate.Targets().front();
  OutputStorage outputs;
  outputs["output"].resize(3 * sizeof(float));
  spec::Arguments call = MakeCall(3, 0, 1);
  call.options.arithmetic = "approximate";
  Execution execution = candidate.Execute(call, options, outputs);
  EXPECT_EQ(execution.outcome, ExecutionOutcome::kRejected);
  EXPECT_EQ(execution.status, "invalid_argument");
  EXPECT_NE(execution.message.find("approximate"), std::string::npos);

  call = MakeCall(3, 0, 1);
  call.attributes["num_bits"] = std::string("8");
  execution = candidate.Execute(call, options, outputs);
  EXPECT_EQ(execution.outcome, ExecutionOutcome::kRejected);
  EXPECT_EQ(execution.status, "invalid_argument");
  EXPECT_NE(execution.message.find("num_bits"), std::string::npos);
}

TEST(BuiltinQuantizeAndDequantizeTest, AcceptsAndRejectsWhatTheSpecSays) {
  ExpectAgreementOnRandomCalls(kOperator, 4000);
}

}  // namespace
}  // namespace qconform::harness
