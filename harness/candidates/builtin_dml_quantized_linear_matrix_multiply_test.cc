#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "harness/candidates/agreement_test_util.h"
#include "harness/candidates/builtin.h"
#include "harness/cases/random_source.h"
#include "spec/arguments.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

constexpr char kOperator[] = "dml_quantized_linear_matrix_multiply";

spec::Tensor MakeTensor(spec::DataType type, std::vector<int64_t> sizes,
                        RandomSource& random) {
  spec::Tensor tensor;
  tensor.desc.type = type;
  tensor.desc.sizes = std::move(sizes);
  const int64_t count = spec::ElementCount(tensor.desc).value();
  tensor.storage.resize(static_cast<size_t>(count) * spec::ByteSize(type));
  for (int64_t i = 0; i < count; ++i) {
    if (type == spec::DataType::kFloat32) {
      const double mantissa =
          1.0 + static_cast<double>(random.Between(0, (1 << 23) - 1)) * 0x1p-23;
      // Powers of two half of the time: they make ties.
      spec::WriteReal(tensor, i,
                      std::ldexp(random.OneIn(2) ? 1.0 : mantissa,
                                 static_cast<int>(random.Between(-3, 1))));
    } else {
      const int64_t low = type == spec::DataType::kInt8 ? -128 : 0;
      spec::WriteInteger(tensor, i,
                         random.OneIn(4) ? random.Pick({low, low + 255})
                                         : random.Between(low, low + 255));
    }
  }
  return tensor;
}

struct Shape {
  int64_t m, k, n;
};

// `types`: signedness of A, B and Output in its bits. `granularity`: which
// parameters are per row or per column.
spec::Arguments MakeCall(const Shape& shape, int types, int granularity,
                         RandomSource& random) {
  const auto type = [&](int bit) {
    return (types >> bit & 1) != 0 ? spec::DataType::kInt8
                                   : spec::DataType::kUint8;
  };
  const auto rows = [&](int bit) -> std::vector<int64_t> {
    return {(granularity >> bit & 1) != 0 ? shape.m : 1, 1};
  };
  const auto columns = [&](int bit) -> std::vector<int64_t> {
    return {1, (granularity >> bit & 1) != 0 ? shape.n : 1};
  };
  constexpr auto kFloat32 = spec::DataType::kFloat32;
  spec::Arguments call;
  call.operator_name = kOperator;
  auto& in = call.inputs;
  in["ATensor"] = MakeTensor(type(0), {shape.m, shape.k}, random);
  in["BTensor"] = MakeTensor(type(1), {shape.k, shape.n}, random);
  in["AScaleTensor"] = MakeTensor(kFloat32, rows(0), random);
  in["AZeroPointTensor"] = MakeTensor(type(0), rows(1), random);
  in["BScaleTensor"] = MakeTensor(kFloat32, columns(2), random);
  in["BZeroPointTensor"] = MakeTensor(type(1), columns(3), random);
  in["OutputScaleTensor"] = MakeTensor(kFloat32, rows(4), random);
  in["OutputZeroPointTensor"] = MakeTensor(type(2), rows(5), random);
  // Sums of random products grow with the root of K.
  spec::Tensor& scale = in["OutputScaleTensor"];
  for (int64_t i = 0; i < spec::ElementCount(scale.desc).value(); ++i) {
    spec::WriteReal(scale, i,
                    std::ldexp(spec::ReadReal(scale, i),
                               6 + static_cast<int>(std::log2(shape.k)) / 2));
  }
  call.outputs["OutputTensor"].type = type(2);
  call.outputs["OutputTensor"].sizes = {shape.m, shape.n};
  return call;
}

TEST(BuiltinMatmulTest, EveryTypeAndGranularity) {
  RandomSource random(1);
  for (int types = 0; types < 8; ++types) {
    for (int granularity = 0; granularity < 64; ++granularity) {
      const Shape shape = {random.Between(1, 14), random.Between(1, 40),
                           random.Between(1, 40)};
      SCOPED_TRACE(testing::Message()
                   << "types " << types << ", granularity " << granularity);
      ASSERT_TRUE(ExpectAgreement(MakeCall(shape, types, granularity, random),
                                  random.Next()));
      if (HasFailure()) return;
    }
  }
}

TEST(BuiltinMatmulTest, LargeShapes) {
  RandomSource random(2);
  for (const Shape& shape :
       {Shape{37, 333, 129}, {1, 1000, 600}, {100, 70, 40}, {3, 40000, 5}}) {
    ASSERT_TRUE(ExpectAgreement(MakeCall(shape, 5, 63, random), random.Next()));
    ASSERT_TRUE(ExpectAgreement(MakeCall(shape, 2, 0, random), random.Next()));
  }
}

TEST(BuiltinMatmulTest, AcceptsAndRejectsWhatTheSpecSays) {
  ExpectAgreementOnRandomCalls(kOperator, 4000);
}

}  // namespace
}  // namespace qconform::harness
