#include "harness/benchmarks/problems.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace qconform::harness {
namespace {

using spec::DataType;

}  // namespace

std::vector<NamedProblem> AllProblems() {
  std::vector<NamedProblem> problems;
  const auto matmul = [&](const MatMulShape& shape, DataType a, DataType b,
                          WeightDistribution weights, bool constant_weight,
                          int threads) {
    problems.push_back(
        {MatMulName(shape, a, b, weights, constant_weight, threads), [=] {
           return MakeMatMul(shape, a, b, a, weights, constant_weight, threads);
         }});
  };
  const DataType u8 = DataType::kUint8, s8 = DataType::kInt8;
  const std::pair<DataType, DataType> types[] = {
      {u8, u8}, {u8, s8}, {s8, s8}, {s8, u8}};
  const MatMulShape shapes[] = {
      {64, 64, 64},     {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024},
      {128, 768, 3072}, {37, 333, 129},  {1, 4096, 4096}};
  const auto full = WeightDistribution::kFullRange;
  for (const MatMulShape& shape : shapes) {
    for (const auto& [a, b] : types) matmul(shape, a, b, full, true, 1);
  }
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    matmul(shape, u8, s8, WeightDistribution::kGaussianPerTensor, true, 1);
    matmul(shape, u8, s8, WeightDistribution::kGaussianPerColumn, true, 1);
  }
  for (const MatMulShape& shape : {shapes[2], shapes[6]}) {
    for (const auto& [a, b] : types) matmul(shape, a, b, full, false, 1);
  }
  for (const auto& [a, b] : types) matmul(shapes[3], a, b, full, true, 2);
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    problems.push_back(
        {MatMulOfTiesName(shape), [shape] { return MakeMatMulOfTies(shape); }});
  }
  for (const auto& [groups, rows, k, n] :
       std::initializer_list<std::array<int64_t, 4>>{{8, 1, 1024, 4096},
                                                     {8, 4, 2048, 2048},
                                                     {8, 32, 1024, 2048},
                                                     {4, 128, 768, 3072}}) {
    problems.push_back({GroupedMatMulName(groups, rows, k, n),
                        [g = groups, r = rows, depth = k, columns = n] {
                          return MakeGroupedMatMul(g, r, depth, columns);
                        }});
  }
  for (const int64_t elements : {int64_t{1} << 20, int64_t{1} << 24}) {
    for (const DataType type : {u8, s8}) {
      for (const bool ties : {false, true}) {
        for (uint64_t seed = 1; seed <= 20; ++seed) {
          problems.push_back({AddName(elements, type, seed, ties), [=] {
                                return MakeAdd(elements, type, seed, ties);
                              }});
        }
      }
    }
    problems.push_back({QuantizeAndDequantizeName(elements), [elements] {
                          return MakeQuantizeAndDequantize(elements);
                        }});
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
