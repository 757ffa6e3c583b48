#include "harness/benchmarks/problems.h"

#include <cstdint>
#include <utility>

namespace qconform::harness {
namespace {

using spec::DataType;

}  // namespace

std::vector<Problem> AllProblems() {
  std::vector<Problem> problems;
  const DataType u8 = DataType::kUint8, s8 = DataType::kInt8;
  const std::pair<DataType, DataType> types[] = {
      {u8, u8}, {u8, s8}, {s8, s8}, {s8, u8}};
  const MatMulShape shapes[] = {
      {64, 64, 64},     {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024},
      {128, 768, 3072}, {37, 333, 129},  {1, 4096, 4096}};
  const auto full = WeightDistribution::kFullRange;
  for (const MatMulShape& shape : shapes) {
    for (const auto& [a, b] : types) {
      problems.push_back(MakeMatMul(shape, a, b, a, full, true, 1));
    }
  }
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    for (const auto weights : {WeightDistribution::kGaussianPerTensor,
                               WeightDistribution::kGaussianPerColumn}) {
      problems.push_back(MakeMatMul(shape, u8, s8, u8, weights, true, 1));
    }
  }
  for (const MatMulShape& shape : {shapes[2], shapes[6]}) {
    for (const auto& [a, b] : types) {
      problems.push_back(MakeMatMul(shape, a, b, a, full, false, 1));
    }
  }
  for (const auto& [a, b] : types) {
    problems.push_back(MakeMatMul(shapes[3], a, b, a, full, true, 2));
  }
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    problems.push_back(MakeMatMulOfTies(shape));
  }
  problems.push_back(MakeGroupedMatMul(8, 1, 1024, 4096));
  problems.push_back(MakeGroupedMatMul(8, 4, 2048, 2048));
  problems.push_back(MakeGroupedMatMul(8, 32, 1024, 2048));
  problems.push_back(MakeGroupedMatMul(4, 128, 768, 3072));
  for (const int64_t elements : {int64_t{1} << 20, int64_t{1} << 24}) {
    for (const DataType type : {u8, s8}) {
      for (const bool ties : {false, true}) {
        for (uint64_t seed = 1; seed <= 20; ++seed) {
          problems.push_back(MakeAdd(elements, type, seed, ties));
        }
      }
    }
    problems.push_back(MakeQuantizeAndDequantize(elements));
  }
  return problems;
}

std::vector<Problem> GateProblems() {
  const DataType u8 = DataType::kUint8, s8 = DataType::kInt8;
  const auto full = WeightDistribution::kFullRange;
  const auto gaussian = WeightDistribution::kGaussianPerTensor;
  std::vector<Problem> problems;
  problems.push_back(MakeMatMul({64, 64, 64}, u8, s8, u8, full, true, 1));
  problems.push_back(MakeMatMul({256, 256, 256}, u8, s8, u8, full, true, 1));
  problems.push_back(MakeMatMul({256, 256, 256}, s8, s8, s8, full, true, 1));
  problems.push_back(
      MakeMatMul({256, 256, 256}, u8, s8, u8, gaussian, true, 1));
  problems.push_back(MakeMatMul({256, 256, 256}, u8, u8, u8, full, false, 1));
  problems.push_back(MakeMatMul({1, 1024, 1024}, u8, s8, u8, full, true, 1));
  problems.push_back(MakeGroupedMatMul(8, 4, 512, 512));
  problems.push_back(MakeAdd(int64_t{1} << 18, u8, 1, false));
  problems.push_back(MakeAdd(int64_t{1} << 18, s8, 1, true));
  problems.push_back(MakeQuantizeAndDequantize(int64_t{1} << 18));
  return problems;
}

}  // namespace qconform::harness
