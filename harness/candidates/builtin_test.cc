#include "harness/candidates/builtin.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/valid_calls.h"

namespace qconform::harness {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::byte kPoison{0x77};

OutputStorage MatmulOutput() {
  return {{"OutputTensor", std::vector<std::byte>(30, kPoison)}};
}

TEST(BuiltinCandidateTest, TargetsAreThoseOfTheMachine) {
  const std::vector<std::string> targets = BuiltinCandidate().Targets();
  EXPECT_EQ(std::set<std::string>(targets.begin(), targets.end()).size(),
            targets.size());
  EXPECT_THAT(targets, Contains("EMU128"));
#ifdef __x86_64__
  const auto expect = [&](bool supported, const std::string& name) {
    EXPECT_EQ(testing::Matches(Contains(name))(targets), supported) << name;
  };
  expect(__builtin_cpu_supports("ssse3"), "SSSE3");
  expect(__builtin_cpu_supports("sse4.2"), "SSE4");
  expect(__builtin_cpu_supports("avx2"), "AVX2");
  expect(__builtin_cpu_supports("avx512bw"), "AVX3");
  expect(__builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("avx512bitalg") &&
             __builtin_cpu_supports("avx512vbmi2"),
         "AVX3_DL");
#endif
}

TEST(BuiltinCandidateTest, RunsOnEveryTarget) {
  const spec::Arguments call = spec::ValidMatmul();
  BuiltinCandidate candidate;
  EXPECT_EQ(candidate.Name(), "builtin");
  for (const std::string& target : candidate.Targets()) {
    for (bool constants_in_plan : {false, true}) {
      ExecutionOptions options;
      options.target = target;
      options.threads = 2;
      options.misalignment = 7;
      options.constants_in_plan = constants_in_plan;
      OutputStorage outputs = MatmulOutput();
      const Execution execution = candidate.Execute(call, options, outputs);
      EXPECT_EQ(execution.outcome, ExecutionOutcome::kCompleted)
          << execution.message;
      // (7 - 255) * (-3 + 128) times four, a positive limit: scales 0.5 * -2
      // over the smallest float.
      EXPECT_THAT(outputs["OutputTensor"], testing::Each(std::byte{255}));
    }
  }
}

TEST(BuiltinCandidateTest, RejectionsCarryTheirStatus) {
  spec::Arguments call = spec::ValidMatmul();
  spec::WriteReal(call.inputs["AScaleTensor"], 1, 0);
  ExecutionOptions options;
  options.target = "EMU128";
  for (bool constants_in_plan : {false, true}) {
    options.constants_in_plan = constants_in_plan;
    OutputStorage outputs = MatmulOutput();
    const Execution execution =
        BuiltinCandidate().Execute(call, options, outputs);
    EXPECT_EQ(execution.outcome, ExecutionOutcome::kRejected);
    EXPECT_EQ(execution.status, "invalid_argument");
    EXPECT_EQ(execution.aclnn_status, std::nullopt);
    EXPECT_THAT(execution.message, HasSubstr("AScaleTensor: element 1 is 0"));
    EXPECT_EQ(outputs, MatmulOutput());
  }
}

TEST(BuiltinCandidateTest, UnknownOperatorsAndTargetsAreUnsupported) {
  spec::Arguments call = spec::ValidMatmul();
  OutputStorage outputs = MatmulOutput();
  ExecutionOptions options;
  options.target = "MMX";
  Execution execution = BuiltinCandidate().Execute(call, options, outputs);
  EXPECT_EQ(execution.outcome, ExecutionOutcome::kUnsupported);
  EXPECT_EQ(execution.message, "no SIMD target MMX on this machine");
  options.target = "EMU128";
  call.operator_name = "softmax";
  execution = BuiltinCandidate().Execute(call, options, outputs);
  EXPECT_EQ(execution.outcome, ExecutionOutcome::kUnsupported);
  EXPECT_EQ(execution.message, "no built-in kernel for softmax");
  EXPECT_EQ(outputs, MatmulOutput());
}

TEST(BuiltinCallTest, DescribesWhatIsGiven) {
  spec::Arguments call = spec::ValidMatmul();
  call.inputs["BTensor"].desc.strides = {40, 20, 5, 1};
  call.inputs["AScaleTensor"].desc.format = spec::TensorFormat::kFractalNz;
  call.inputs.erase("BZeroPointTensor");
  const ExecutionOptions options;
  // Without storage for the output.
  const BuiltinCall built(call, options, {});
  EXPECT_EQ(built.Desc("BZeroPointTensor"), nullptr);
  EXPECT_EQ(built.Input("BZeroPointTensor"), nullptr);
  EXPECT_EQ(built.Output("OutputTensor"), nullptr);
  EXPECT_EQ(built.Desc("BTensor")->sizes, (optimized::Dimensions{1, 2, 4, 5}));
  EXPECT_EQ(built.Desc("BTensor")->strides,
            (optimized::Dimensions{40, 20, 5, 1}));
  EXPECT_EQ(built.Desc("AScaleTensor")->layout,
            optimized::TensorLayout::kFractalNz);
  OutputStorage outputs = MatmulOutput();
  built.CopyOutputs(outputs);
  EXPECT_EQ(outputs, MatmulOutput());
}

TEST(BuiltinCallTest, TypesKeepTheirMeaning) {
  const std::pair<spec::DataType, optimized::ElementType> kTypes[] = {
      {spec::DataType::kUint8, optimized::ElementType::kUint8},
      {spec::DataType::kInt8, optimized::ElementType::kInt8},
      {spec::DataType::kInt16, optimized::ElementType::kInt16},
      {spec::DataType::kInt32, optimized::ElementType::kInt32},
      {spec::DataType::kInt64, optimized::ElementType::kInt64},
      {spec::DataType::kFloat16, optimized::ElementType::kFloat16},
      {spec::DataType::kFloat32, optimized::ElementType::kFloat32},
      {spec::DataType::kFloat64, optimized::ElementType::kFloat64},
  };
  const ExecutionOptions options;
  for (const auto& [from, to] : kTypes) {
    spec::Arguments call;
    call.inputs["x"] = spec::Filled(from, {3}, 1);
    EXPECT_EQ(BuiltinCall(call, options, {}).Desc("x")->type, to);
  }
}

TEST(BuiltinCallTest, SeesWritesIntoInputsAndGuards) {
  const spec::Arguments call = spec::ValidMatmul();
  const ExecutionOptions options;
  OutputStorage outputs = MatmulOutput();
  {
    BuiltinCall built(call, options, outputs);
    EXPECT_EQ(built.FindDamage(), std::nullopt);
    static_cast<std::byte*>(built.Output("OutputTensor"))[29] = std::byte{1};
    EXPECT_EQ(built.FindDamage(), std::nullopt);
    built.CopyOutputs(outputs);
    EXPECT_EQ(outputs["OutputTensor"][29], std::byte{1});
  }
  {
    BuiltinCall built(call, options, outputs);
    const_cast<std::byte*>(static_cast<const std::byte*>(
        built.Input("BTensor")))[0] ^= std::byte{1};
    EXPECT_EQ(built.FindDamage(), "wrote into the input BTensor");
  }
}

TEST(GuardedBuffersTest, AlignmentAndDamage) {
  for (size_t misalignment : {0, 1, 2, 7, 63, 64, 70}) {
    for (size_t element_size : {1, 2, 4, 8}) {
      GuardedBuffers buffers(misalignment);
      std::byte* data = buffers.Allocate("x", 24, element_size);
      const size_t wanted = misalignment % 64 / element_size * element_size;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, wanted);
      for (size_t i = 0; i < 24; ++i) data[i] = std::byte{1};
      EXPECT_EQ(buffers.FindDamage(), std::nullopt);
    }
  }
  for (ptrdiff_t place : {-128, -1, 24, 151}) {
    GuardedBuffers buffers(3);
    buffers.Allocate("first", 10, 1);
    std::byte* data = buffers.Allocate("second", 24, 4);
    // Lifts AddressSanitizer's own watch, which would end the program.
    EXPECT_EQ(buffers.FindDamage(), std::nullopt);
    data[place] = std::byte{0};
    EXPECT_EQ(buffers.FindDamage(), "second");
  }
}

}  // namespace
}  // namespace qconform::harness
