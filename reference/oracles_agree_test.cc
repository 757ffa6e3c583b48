// Two golden models that share no code must agree in every status, every
// element and every written flag: the first in rationals (golden.h), the second
// in wide integers (second_oracle.h). Where they differ, the clauses say which
// is wrong.

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "reference/golden.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/operator_spec.h"
#include "spec/validate.h"

namespace qconform::reference {
namespace {

struct Counts {
  int accepted = 0;
  int rejected = 0;
  int64_t elements = 0;
  int64_t ties = 0;
  int64_t unwritten = 0;
};

// NaN equals NaN (AR-07), -0 equals 0 (AR-06).
bool Same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

void ExpectAgreement(const spec::Arguments& arguments, uint64_t seed,
                     Counts& counts) {
  const absl::StatusOr<GoldenResult> first =
      Evaluate(arguments, GoldenRequest{.enclosure = false, .binary32 = false});
  const absl::StatusOr<second_oracle::Result> second =
      second_oracle::Evaluate(arguments);
  ASSERT_EQ(first.status(), second.status()) << "seed " << seed;
  ASSERT_EQ(first.status(), spec::Validate(arguments)) << "seed " << seed;
  if (!first.ok()) {
    ++counts.rejected;
    return;
  }
  ++counts.accepted;
  ASSERT_EQ(first->elements.size(), second->values.size()) << "seed " << seed;
  ASSERT_EQ(first->elements.size(), second->written.size()) << "seed " << seed;
  for (size_t i = 0; i < first->elements.size(); ++i) {
    const GoldenElement& element = first->elements[i];
    ++counts.elements;
    ASSERT_EQ(element.written, second->written[i])
        << "seed " << seed << " element " << i;
    if (!element.written) {
      ++counts.unwritten;
      continue;
    }
    if (element.tie) ++counts.ties;
    ASSERT_TRUE(Same(element.exact, second->values[i]))
        << "seed " << seed << " element " << i << ": first " << element.exact
        << ", second " << second->values[i];
  }
}

// Moves some float32 inputs by one unit in the last place: off exact ties, to
// the float beside them. Zeros stay, infinities cannot arise from the finite
// values by moving the bits down.
void MoveByOneUlp(spec::Arguments& arguments, harness::RandomSource& random) {
  for (auto& [name, tensor] : arguments.inputs) {
    if (tensor.desc.type != spec::DataType::kFloat32 || !random.OneIn(2)) {
      continue;
    }
    const int64_t count = *spec::StorageElementCount(tensor.desc);
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t bits = std::bit_cast<uint32_t>(
          static_cast<float>(spec::ReadReal(tensor, i)));
      if ((bits & 0x7fffffff) < 2 || (bits & 0x7fffffff) >= 0x7f800000) {
        continue;
      }
      spec::WriteReal(tensor, i, std::bit_cast<float>(bits - 1));
    }
  }
}

class OraclesAgree : public testing::TestWithParam<std::string> {};

TEST_P(OraclesAgree, OnRandomValidCalls) {
  Counts counts;
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    harness::RandomSource random(seed);
    spec::Arguments arguments =
        harness::RandomValidArguments(GetParam(), random);
    ExpectAgreement(arguments, seed, counts);
    if (HasFatalFailure()) return;
    MoveByOneUlp(arguments, random);
    ExpectAgreement(arguments, seed, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(counts.accepted, 1000);
  EXPECT_GT(counts.elements, 20000);
  EXPECT_GT(counts.ties, 100);
  if (GetParam() == "aclnn_quant_grouped_matmul_dequant") {
    EXPECT_GT(counts.unwritten, 100);
  }
}

TEST_P(OraclesAgree, OnRandomValidAndInvalidCalls) {
  Counts counts;
  for (uint64_t seed = 1'000'001; seed <= 1'001'500; ++seed) {
    harness::RandomSource random(seed);
    ExpectAgreement(harness::RandomArguments(GetParam(), random), seed, counts);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(counts.accepted, 400);
  EXPECT_GT(counts.rejected, 400);
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    names.push_back(spec.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Operators, OraclesAgree,
                         testing::ValuesIn(OperatorNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace qconform::reference
