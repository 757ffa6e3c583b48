#include "harness/cases/random_arguments.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/cases/random_values.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";
constexpr char kGrouped[] = "aclnn_quant_grouped_matmul_dequant";
constexpr char kQuantize[] = "tf_quantize_and_dequantize_v2";

// Published outputs of splitmix64 for this seed.
TEST(RandomSourceTest, IsSplitmix64) {
  RandomSource random(1234567);
  for (const uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
        4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(random.Next(), expected);
  }
}

TEST(RandomSourceTest, BetweenReachesBothEndsAndNothingElse) {
  RandomSource random(1);
  std::set<int64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.Between(-3, 3));
  EXPECT_EQ(seen, (std::set<int64_t>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(random.Between(5, 5), 5);
  // The widest range is no division by zero, and both signs occur.
  std::set<bool> signs;
  for (int i = 0; i < 100; ++i) {
    signs.insert(random.Between(std::numeric_limits<int64_t>::min(),
                                std::numeric_limits<int64_t>::max()) < 0);
  }
  EXPECT_EQ(signs.size(), 2u);
}

TEST(RandomValuesTest, OutputStridesNeverOverlap) {
  RandomSource random(2);
  bool tight = false;
  for (int i = 0; i < 2000; ++i) {
    spec::TensorDesc desc;
    for (int64_t rank = random.Between(0, 4); rank > 0; --rank) {
      desc.sizes.push_back(random.Between(1, 4));
    }
    desc.strides = RandomStrides(desc.sizes, /*is_output=*/true, random);
    std::set<int64_t> offsets;
    const int64_t count = *spec::ElementCount(desc);
    for (int64_t e = 0; e < count; ++e) {
      offsets.insert(spec::StorageOffset(desc, e));
    }
    ASSERT_EQ(static_cast<int64_t>(offsets.size()), count);
    tight = tight || (count > 1 && *spec::StorageElementCount(desc) == count);
  }
  EXPECT_TRUE(tight);
}

TEST(RandomValuesTest, ScalesAreFiniteAndNotZero) {
  RandomSource random(3);
  bool negative = false, subnormal = false, huge = false;
  for (int i = 0; i < 20000; ++i) {
    const ScaleStyle style = RandomScaleStyle(random);
    const double scale = RandomScale(
        style, random.Pick({1.0, 0x1p-140, 0x1p-160, 0x1p127, 0x1p200}),
        random);
    ASSERT_TRUE(std::isfinite(scale) && scale != 0);
    ASSERT_EQ(static_cast<double>(static_cast<float>(scale)), scale);
    negative = negative || scale < 0;
    subnormal = subnormal || std::fabs(scale) < 0x1p-126;
    huge = huge || std::fabs(scale) >= 0x1p120;
    ASSERT_TRUE(std::isfinite(RandomFiniteFloat32(random)));
    ASSERT_TRUE(std::isfinite(RandomFiniteFloat16(random)));
  }
  EXPECT_TRUE(negative && subnormal && huge);
}

// What the valid calls of one operator had.
struct Seen {
  std::map<std::string, std::set<std::string>> values;
  void Note(const std::string& kind, const std::string& value) {
    values[kind].insert(value);
  }
};

void NoteTensor(const std::string& name, const spec::TensorDesc& desc,
                Seen& seen) {
  seen.Note(absl::StrCat(name, " type"), spec::DataTypeName(desc.type));
  seen.Note(absl::StrCat(name, " rank"), absl::StrCat(desc.sizes.size()));
  seen.Note(absl::StrCat(name, " format"), spec::TensorFormatName(desc.format));
  seen.Note(absl::StrCat(name, " strides"),
            desc.strides.has_value() ? "given" : "packed");
  if (!desc.sizes.empty()) {
    seen.Note(absl::StrCat(name, " remainder"),
              absl::StrCat(desc.sizes.back() % 64));
  }
}

Seen Survey(const std::string& operator_name, int calls) {
  Seen seen;
  RandomSource random(7);
  const spec::OperatorSpec& spec = *spec::FindOperator(operator_name);
  for (int i = 0; i < calls; ++i) {
    const spec::Arguments call = RandomValidArguments(operator_name, random);
    const absl::Status status = spec::Validate(call);
    EXPECT_TRUE(status.ok()) << "call " << i << ": " << status;
    if (!status.ok()) break;
    for (const spec::TensorSpec& tensor : spec.tensors) {
      const auto input = call.inputs.find(tensor.name);
      const auto output = call.outputs.find(tensor.name);
      if (input != call.inputs.end()) {
        NoteTensor(tensor.name, input->second.desc, seen);
      } else if (output != call.outputs.end()) {
        NoteTensor(tensor.name, output->second, seen);
      } else {
        seen.Note(absl::StrCat(tensor.name, " absent"), "yes");
      }
    }
    for (const spec::AttributeSpec& attribute : spec.attributes) {
      const auto given = call.attributes.find(attribute.name);
      std::string text = "absent";
      if (given != call.attributes.end()) {
        if (const auto* b = std::get_if<bool>(&given->second)) {
          text = *b ? "true" : "false";
        } else if (const auto* n = std::get_if<int64_t>(&given->second)) {
          text = absl::StrCat(*n);
        } else {
          text = std::get<std::string>(given->second);
        }
      }
      seen.Note(attribute.name, text);
    }
    seen.Note("feature_level", call.options.feature_level);
    seen.Note("arithmetic", call.options.arithmetic);
    seen.Note("empty", spec::IsEmptyCall(call) ? "yes" : "no");
  }
  // Whatever the spec allows of types, ranks, formats, strides and absence.
  for (const spec::TensorSpec& tensor : spec.tensors) {
    if (tensor.must_be_absent) {
      EXPECT_EQ(seen.values.count(absl::StrCat(tensor.name, " type")), 0u);
      continue;
    }
    EXPECT_EQ(seen.values[absl::StrCat(tensor.name, " type")].size(),
              tensor.types.size())
        << tensor.name;
    EXPECT_EQ(seen.values[absl::StrCat(tensor.name, " format")].size(),
              tensor.formats.size())
        << tensor.name;
    EXPECT_EQ(seen.values[absl::StrCat(tensor.name, " strides")].size(),
              tensor.strides_allowed ? 2u : 1u)
        << tensor.name;
    EXPECT_EQ(seen.values[absl::StrCat(tensor.name, " absent")].size(),
              tensor.optional ? 1u : 0u)
        << tensor.name;
    if (tensor.max_rank < 10 && tensor.name != "weight") {
      EXPECT_EQ(seen.values[absl::StrCat(tensor.name, " rank")].size(),
                static_cast<size_t>(tensor.max_rank - tensor.min_rank + 1))
          << tensor.name;
    }
  }
  return seen;
}

TEST(RandomValidArgumentsTest, MatrixMultiply) {
  Seen seen = Survey(kMatmul, 5000);
  EXPECT_EQ(seen.values["feature_level"].size(), 2u);
  EXPECT_EQ(seen.values["ATensor remainder"].size(), 64u);
  EXPECT_EQ(seen.values["OutputTensor remainder"].size(), 64u);
}

TEST(RandomValidArgumentsTest, Add) {
  Seen seen = Survey(kAdd, 5000);
  EXPECT_EQ(seen.values["OutputTensor remainder"].size(), 64u);
}

TEST(RandomValidArgumentsTest, GroupedMatmul) {
  Seen seen = Survey(kGrouped, 5000);
  EXPECT_EQ(seen.values["weight rank"], (std::set<std::string>{"3", "5"}));
  EXPECT_EQ(seen.values["xQuantMode"],
            (std::set<std::string>{"pertensor", "pertoken"}));
  EXPECT_EQ(seen.values["transposeWeight"],
            (std::set<std::string>{"absent", "false", "true"}));
  EXPECT_EQ(seen.values["empty"].size(), 2u);
  EXPECT_EQ(seen.values["x remainder"],
            (std::set<std::string>{"0", "16", "32", "48"}));
}

TEST(RandomValidArgumentsTest, QuantizeAndDequantize) {
  Seen seen = Survey(kQuantize, 5000);
  EXPECT_EQ(seen.values["arithmetic"].size(), 2u);
  EXPECT_EQ(seen.values["empty"].size(), 2u);
  EXPECT_EQ(seen.values["num_bits"].size(), 63u);  // 1..62 and the default
  EXPECT_EQ(seen.values["round_mode"].size(), 3u);
  EXPECT_EQ(seen.values["signed_input"].size(), 3u);
  EXPECT_EQ(seen.values["range_given"].size(), 3u);
  EXPECT_EQ(seen.values["narrow_range"].size(), 3u);
  EXPECT_EQ(seen.values["input rank"].size(), 6u);
  EXPECT_EQ(seen.values["input remainder"].size(), 64u);
}

TEST(RandomArgumentsTest, TheSameSeedGivesTheSameCalls) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    RandomSource first(11), second(11), third(12);
    bool differs = false;
    for (int i = 0; i < 200; ++i) {
      const spec::Arguments call = RandomArguments(spec.name, first);
      ASSERT_TRUE(call == RandomArguments(spec.name, second)) << spec.name;
      differs = differs || !(call == RandomArguments(spec.name, third));
    }
    EXPECT_TRUE(differs);
  }
}

// The state after fixed calls, so that a difference between machines or
// compilers is noticed.
TEST(RandomArgumentsTest, TheSameOnEveryMachine) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](uint64_t value) {
    hash = (hash ^ value) * 0x100000001b3;
  };
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    RandomSource random(2024);
    for (int i = 0; i < 50; ++i) {
      const spec::Arguments call = RandomArguments(spec.name, random);
      for (const auto& [name, tensor] : call.inputs) {
        for (const int64_t size : tensor.desc.sizes) {
          mix(static_cast<uint64_t>(size));
        }
        // Values, not bytes: their order is the machine's.
        if (!spec::StorageElementCount(tensor.desc).ok()) continue;
        const int64_t count = *spec::ElementCount(tensor.desc);
        for (int64_t e = 0; e < count; ++e) {
          const int64_t offset = spec::StorageOffset(tensor.desc, e);
          if (!spec::IsFloat(tensor.desc.type)) {
            mix(static_cast<uint64_t>(spec::ReadInteger(tensor, offset)));
            continue;
          }
          const double value = spec::ReadReal(tensor, offset);
          mix(std::isnan(value) ? 1 : std::bit_cast<uint64_t>(value));
        }
      }
    }
    mix(random.Next());
  }
  EXPECT_EQ(hash, 13026317279328140138u);
}

TEST(RandomArgumentsTest, ValidAndRefusedCallsWithStorageThatFits) {
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    RandomSource random(5);
    int valid = 0;
    std::set<std::string> named;
    std::set<int> aclnn;
    constexpr int kCalls = 5000;
    for (int i = 0; i < kCalls; ++i) {
      const spec::Arguments call = RandomArguments(spec.name, random);
      for (const auto& [name, tensor] : call.inputs) {
        const auto count = spec::StorageElementCount(tensor.desc);
        ASSERT_EQ(tensor.storage.size(),
                  count.ok() ? static_cast<size_t>(*count) *
                                   spec::ByteSize(tensor.desc.type)
                             : 0u);
      }
      const absl::Status status = spec::Validate(call);
      if (status.ok()) {
        ++valid;
        continue;
      }
      ASSERT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
      const std::string message(status.message());
      named.insert(message.substr(0, message.find_first_of(" :")));
      aclnn.insert(spec::AclnnStatus(status).value_or(0));
    }
    EXPECT_THAT(valid, AllOf(Ge(kCalls / 4), Le(kCalls * 3 / 4))) << spec.name;
    // Every tensor has been at fault.
    for (const spec::TensorSpec& tensor : spec.tensors) {
      EXPECT_EQ(named.count(tensor.name), 1u) << tensor.name;
    }
    if (spec.name == kGrouped) {
      EXPECT_EQ(aclnn, (std::set<int>{161001, 161002}));
      EXPECT_EQ(named.count("xQuantMode"), 1u);
      EXPECT_EQ(named.count("transposeWeight"), 1u);
    }
    if (spec.name == kQuantize) {
      EXPECT_EQ(named.count("num_bits"), 1u);
      EXPECT_EQ(named.count("round_mode"), 1u);
    }
  }
}

}  // namespace
}  // namespace qconform::harness
