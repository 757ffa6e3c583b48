#include "harness/cases/shrink.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/cases/hard_cases.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "harness/cases/shrink_shape.h"
#include "harness/cases/weight_layout.h"
#include "rapidcheck/gtest.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {

// A call as RapidCheck makes and shrinks it.
struct AnyCall {
  spec::Arguments arguments;
};

void showValue(const AnyCall& call, std::ostream& stream) {
  stream << call.arguments.operator_name << " of complexity "
         << Complexity(call.arguments);
}

}  // namespace qconform::harness

namespace rc {

template <>
struct Arbitrary<qconform::harness::AnyCall> {
  static Gen<qconform::harness::AnyCall> arbitrary() {
    using qconform::harness::AnyCall;
    namespace harness = qconform::harness;
    return [](const Random& seed, int) {
      Random source = seed;
      harness::RandomSource random(source.next());
      const auto& operators = qconform::spec::AllOperators();
      const std::string& name = random.Pick(operators).name;
      AnyCall call;
      call.arguments = random.OneIn(2)
                           ? harness::RandomArguments(name, random)
                           : harness::RandomHardArguments(name, random);
      return shrinkable::shrinkRecur(call, [](const AnyCall& larger) {
        const auto steps = harness::ShrinkSteps(larger.arguments);
        return seq::map(
            seq::filter(seq::map(seq::fromContainer(steps),
                                 [=](const harness::ShrinkStep& step) {
                                   AnyCall smaller;
                                   if (!harness::TryStep(step, larger.arguments,
                                                         smaller.arguments)) {
                                     smaller.arguments.operator_name = "";
                                   }
                                   return smaller;
                                 }),
                        [](const AnyCall& smaller) {
                          return !smaller.arguments.operator_name.empty();
                        }),
            [](AnyCall smaller) { return smaller; });
      });
    };
  }
};

}  // namespace rc

namespace qconform::harness {
namespace {

int64_t Elements(const spec::Arguments& arguments) {
  int64_t count = 0;
  for (const auto& [name, tensor] : arguments.inputs) {
    count += spec::ElementCount(tensor.desc).value_or(0);
  }
  return count;
}

// Every step keeps validity and the agreement of storage and description, and
// makes the call simpler.
RC_GTEST_PROP(ShrinkStepsTest, KeepCallsWellFormed, (const AnyCall& call)) {
  RandomSource random(7);
  const bool valid = spec::Validate(call.arguments).ok();
  const std::vector<ShrinkStep> steps = ShrinkSteps(call.arguments);
  for (int i = 0; i < 20; ++i) {
    spec::Arguments smaller;
    if (!TryStep(random.Pick(steps), call.arguments, smaller)) continue;
    RC_ASSERT(spec::Validate(smaller).ok() == valid);
    RC_ASSERT(Complexity(smaller) < Complexity(call.arguments));
    for (const auto& [name, tensor] : smaller.inputs) {
      const auto count = spec::StorageElementCount(tensor.desc);
      if (!count.ok()) continue;
      RC_ASSERT(tensor.storage.size() ==
                static_cast<size_t>(*count) * spec::ByteSize(tensor.desc.type));
    }
  }
}

// A group list may hold any int64, the smallest included.
TEST(ShrinkStepsTest, ComparesTheExtremesOfInt64) {
  const std::string name = "aclnn_quant_grouped_matmul_dequant";
  spec::Arguments smallest;
  spec::Arguments small;
  for (uint64_t seed = 0; smallest.operator_name.empty(); ++seed) {
    RandomSource random(seed);
    const spec::Arguments call = HardCase(name, "groups", random);
    if (call.inputs.at("groupList").storage.empty()) continue;
    smallest = small = call;
  }
  spec::WriteInteger(smallest.inputs.at("groupList"), 0,
                     std::numeric_limits<int64_t>::min());
  spec::WriteInteger(small.inputs.at("groupList"), 0, -1);
  EXPECT_GT(Complexity(smallest), Complexity(small));
  spec::WriteInteger(smallest.inputs.at("groupList"), 0,
                     std::numeric_limits<int64_t>::max());
  EXPECT_GT(Complexity(smallest), Complexity(small));
}

// Cutting rows leaves the others' results alone.
RC_GTEST_PROP(CutTest, LeavesOtherElementsAlone, (const AnyCall& call)) {
  const spec::Arguments& whole = call.arguments;
  RC_PRE(spec::Validate(whole).ok());
  RC_PRE(!spec::IsEmptyCall(whole));
  // A measured range depends on all elements.
  const bool measured = whole.inputs.contains("input") &&
                        !spec::BoolAttribute(whole, "range_given");
  RC_PRE(!measured);
  const auto before = reference::second_oracle::Evaluate(whole);
  RC_ASSERT(before.ok());
  const std::vector<int64_t>& sizes = whole.outputs.begin()->second.sizes;
  for (const SharedAxis& axis : SharedAxes(whole)) {
    const std::string& output = whole.outputs.begin()->first;
    size_t from_end = 0;
    for (const auto& [name, place] : axis.tensors) {
      if (name == output) from_end = place;
    }
    if (from_end == 0 || axis.size < 2 * axis.granularity) continue;
    const int64_t begin = axis.granularity;
    spec::Arguments part = whole;
    Cut(part, axis, begin, axis.size - begin);
    const auto after = reference::second_oracle::Evaluate(part);
    RC_ASSERT(after.ok());
    // Row-major positions before and after differ in this axis alone.
    int64_t inner = 1;
    for (size_t i = 1; i < from_end; ++i) inner *= sizes[sizes.size() - i];
    for (size_t i = 0; i < after->values.size(); ++i) {
      const auto element = static_cast<int64_t>(i);
      const int64_t kept = axis.size - begin;
      const int64_t outer = element / inner / kept;
      const int64_t index = element / inner % kept + begin;
      const auto source = static_cast<size_t>(
          (outer * axis.size + index) * inner + element % inner);
      RC_ASSERT(after->written[i] == before->written[source]);
      if (!after->written[i]) continue;
      RC_ASSERT((after->values[i] == before->values[source] ||
                 (std::isnan(after->values[i]) &&
                  std::isnan(before->values[source]))));
    }
  }
}

TEST(WeightLayoutTest, EveryLayoutHoldsTheSameWeight) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    RandomSource random(seed);
    spec::Arguments call = HardCase("aclnn_quant_grouped_matmul_dequant",
                                    "padding-along-k", random);
    const auto expected = reference::second_oracle::Evaluate(call);
    ASSERT_TRUE(expected.ok());
    for (const bool fractal : {false, true}) {
      for (const bool transposed : {false, true}) {
        WeightLayout layout = LayoutOfWeight(call);
        layout.fractal = fractal;
        layout.transposed = transposed;
        ChangeWeightLayout(call, layout, 99);
        const auto result = reference::second_oracle::Evaluate(call);
        ASSERT_TRUE(result.ok()) << result.status();
        for (size_t i = 0; i < result->values.size(); ++i) {
          ASSERT_EQ(result->written[i], expected->written[i]);
          ASSERT_TRUE(!result->written[i] ||
                      result->values[i] == expected->values[i] ||
                      std::isnan(result->values[i]));
        }
      }
    }
  }
}

// One culprit among many elements is all that is left.
TEST(ShrinkTest, FindsTheOneElementThatMatters) {
  RandomSource random(3);
  spec::Arguments call;
  do {
    call = HardCase("dml_element_wise_quantized_linear_add", "ties", random);
  } while (Elements(call) < 100);
  const auto fails = [](const spec::Arguments& arguments) {
    const spec::Tensor& a = arguments.inputs.at("ATensor");
    for (int64_t i = 0; i < *spec::ElementCount(a.desc); ++i) {
      const int64_t value =
          spec::ReadInteger(a, spec::StorageOffset(a.desc, i));
      if (value >= 5 || value <= -5) return true;
    }
    return false;
  };
  ASSERT_TRUE(fails(call));
  const spec::Arguments small = Shrink(call, fails);
  EXPECT_TRUE(fails(small));
  EXPECT_TRUE(spec::Validate(small).ok());
  const spec::Tensor& a = small.inputs.at("ATensor");
  EXPECT_EQ(a.desc.sizes, (std::vector<int64_t>{1}));
  EXPECT_EQ(std::abs(spec::ReadInteger(a, 0)), 5);
  // Nothing that is optional is left, and all scales are 1.
  EXPECT_EQ(small.inputs.size(), 5u);
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    EXPECT_EQ(spec::ReadReal(small.inputs.at(name), 0), 1) << name;
  }
  EXPECT_TRUE(small.attributes.empty());
}

TEST(ShrinkTest, KeepsWhatMustBeRejectedRejected) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    int shrunk = 0;
    for (uint64_t seed = 0; shrunk < 3; ++seed) {
      RandomSource random(seed);
      const spec::Arguments call = RandomArguments(spec.name, random);
      if (spec::Validate(call).ok()) continue;
      ++shrunk;
      const spec::Arguments small = Shrink(
          call, [](const spec::Arguments&) { return true; }, /*budget=*/60);
      EXPECT_FALSE(spec::Validate(small).ok());
      EXPECT_LE(Complexity(small), Complexity(call));
    }
  }
}

TEST(ShrinkTest, AsksNoMoreThanItMay) {
  RandomSource random(1);
  const spec::Arguments call =
      HardCase("tf_quantize_and_dequantize_v2", "ties", random);
  int asked = 0;
  const spec::Arguments same = Shrink(
      call,
      [&](const spec::Arguments&) {
        ++asked;
        return false;
      },
      /*budget=*/10);
  EXPECT_EQ(asked, 10);
  EXPECT_TRUE(same == call);
}

}  // namespace
}  // namespace qconform::harness
