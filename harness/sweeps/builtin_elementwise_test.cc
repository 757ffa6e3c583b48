#include "harness/sweeps/builtin_elementwise.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "harness/judge/targets.h"
#include "harness/sweeps/settings.h"
#include "harness/sweeps/subject.h"

namespace qconform::harness {
namespace {

using testing::Contains;
using testing::Key;
using testing::Pair;

// How many settings of the short form reach each way of adding.
TEST(BuiltinElementwiseTest, TheAddIsReachedInEveryWayOnEveryTarget) {
  const auto subjects = BuiltinSubjects(MachineTargets());
  ASSERT_EQ(subjects.size(), MachineTargets().size());
  const std::vector<AddSetting> settings = AddSettings(1, 160);
  const int count = static_cast<int>(settings.size());
  for (const auto& subject : subjects) {
    SCOPED_TRACE(subject->Target());
    std::map<std::string, int> reached;
    for (const AddSetting& setting : settings) {
      const auto variants = subject->Add(setting);
      ASSERT_TRUE(variants.ok()) << variants.status();
      for (const auto& variant : *variants) ++reached[variant.name];
    }
    for (const char* plan : {"plan of 65536", "plan of 512", "plan of 32"}) {
      EXPECT_THAT(reached, Contains(Pair(plan, count)));
    }
    for (int kernel = 0; kernel < 4; ++kernel) {
      EXPECT_THAT(reached, Contains(Key("kernel " + std::to_string(kernel))));
    }
    // A short look finds exact ratios and such as lead nowhere near a tie; a
    // search without trials also such as lead near few.
    for (const char* name : {"last resort", "product", "quick digits 1",
                             "quick digits 2", "digits without trials 0"}) {
      EXPECT_THAT(reached, Contains(Key(name)));
    }
    for (size_t k = 0; k < optimized::linear_add::kDigitKernels; ++k) {
      EXPECT_THAT(reached, Contains(Key("digits " + std::to_string(k))));
    }
  }
}

// All but the kernel for a measured range that is not finite.
TEST(BuiltinElementwiseTest, QuantizeAndDequantizeReachesEveryKernel) {
  using optimized::quantize_and_dequantize::FloatRounding;
  using optimized::quantize_and_dequantize::Kernel;
  std::map<std::pair<Kernel, bool>, int> reached;
  std::map<FloatRounding, int> roundings;
  std::vector<QuantizeAndDequantizeSetting> settings =
      QuantizeAndDequantizeSettings(/*every_range=*/true);
  for (QuantizeAndDequantizeSetting setting : settings) {
    const auto parameters = KernelParameters(setting);
    ++reached[{parameters.kernel, setting.half_up}];
    if (parameters.kernel == Kernel::kFloat) ++roundings[parameters.rounding];
    setting.tensorflow = true;
    ++reached[{KernelParameters(setting).kernel, setting.half_up}];
  }
  for (const Kernel kernel : {Kernel::kZero, Kernel::kFloat, Kernel::kExact,
                              Kernel::kWide, Kernel::kTensorFlow}) {
    for (const bool half_up : {false, true}) {
      EXPECT_THAT(reached, Contains(Key(std::pair(kernel, half_up))));
    }
  }
  for (const FloatRounding rounding :
       {FloatRounding::kEitherWay, FloatRounding::kOneWay,
        FloatRounding::kFloatProduct}) {
    EXPECT_THAT(roundings, Contains(Key(rounding)));
  }
  // Narrow values of 11 bits still fit the float kernel, others of 11 do not.
  QuantizeAndDequantizeSetting setting;
  setting.input_min = -1;
  setting.input_max = 1;
  setting.num_bits = 11;
  EXPECT_EQ(KernelParameters(setting).kernel, Kernel::kExact);
  setting.narrow_range = true;
  EXPECT_EQ(KernelParameters(setting).kernel, Kernel::kFloat);
}

TEST(BuiltinElementwiseTest, WhatAPlanRejectsIsAnError) {
  const auto subjects = BuiltinSubjects({MachineTargets().front()});
  AddSetting add;
  add.output_scale = 0;
  EXPECT_EQ(subjects[0]->Add(add).status().code(),
            absl::StatusCode::kInvalidArgument);
  QuantizeAndDequantizeSetting quantize;
  quantize.input_min = 1;
  EXPECT_EQ(subjects[0]->QuantizeAndDequantize(quantize).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace qconform::harness
