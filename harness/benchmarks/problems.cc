#include "harness/benchmarks/problems.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace qconform::harness {
namespace {

using spec::DataType;

constexpr DataType kU8 = DataType::kUint8, kS8 = DataType::kInt8;
constexpr auto kFull = WeightDistribution::kFullRange;
constexpr auto kGaussian = WeightDistribution::kGaussianPerTensor;

NamedProblem MatMul(const MatMulShape& shape, DataType a, DataType b,
                    WeightDistribution weights = kFull,
                    bool constant_weight = true, int threads = 1) {
  return {MatMulName(shape, a, b, weights, constant_weight, threads), [=] {
            return MakeMatMul(shape, a, b, a, weights, constant_weight,
                              threads);
          }};
}

NamedProblem MatMulOfTies(const MatMulShape& shape) {
  return {MatMulOfTiesName(shape), [=] { return MakeMatMulOfTies(shape); }};
}

NamedProblem GroupedMatMul(int64_t groups, int64_t rows, int64_t k, int64_t n) {
  return {GroupedMatMulName(groups, rows, k, n),
          [=] { return MakeGroupedMatMul(groups, rows, k, n); }};
}

NamedProblem Add(int64_t elements, DataType type, uint64_t seed, bool ties) {
  return {AddName(elements, type, seed, ties),
          [=] { return MakeAdd(elements, type, seed, ties); }};
}

NamedProblem QuantizeAndDequantize(int64_t elements) {
  return {QuantizeAndDequantizeName(elements),
          [=] { return MakeQuantizeAndDequantize(elements); }};
}

}  // namespace

std::vector<NamedProblem> AllProblems() {
  std::vector<NamedProblem> problems;
  const std::pair<DataType, DataType> types[] = {
      {kU8, kU8}, {kU8, kS8}, {kS8, kS8}, {kS8, kU8}};
  const MatMulShape shapes[] = {
      {64, 64, 64},     {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024},
      {128, 768, 3072}, {37, 333, 129},  {1, 4096, 4096}};
  for (const MatMulShape& shape : shapes) {
    for (const auto& [a, b] : types) problems.push_back(MatMul(shape, a, b));
  }
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    for (const auto weights :
         {kGaussian, WeightDistribution::kGaussianPerColumn}) {
      problems.push_back(MatMul(shape, kU8, kS8, weights));
    }
  }
  for (const MatMulShape& shape : {shapes[2], shapes[6]}) {
    for (const auto& [a, b] : types) {
      problems.push_back(MatMul(shape, a, b, kFull, /*constant_weight=*/false));
    }
  }
  for (const auto& [a, b] : types) {
    problems.push_back(MatMul(shapes[3], a, b, kFull, true, /*threads=*/2));
  }
  for (const MatMulShape& shape : {shapes[1], shapes[2], shapes[3]}) {
    problems.push_back(MatMulOfTies(shape));
  }
  for (const auto& [groups, rows, k, n] :
       std::initializer_list<std::array<int64_t, 4>>{{8, 1, 1024, 4096},
                                                     {8, 4, 2048, 2048},
                                                     {8, 32, 1024, 2048},
                                                     {4, 128, 768, 3072}}) {
    problems.push_back(GroupedMatMul(groups, rows, k, n));
  }
  // Here the call and the choice of the kernel show, not the memory; one size
  // is no multiple of a vector's.
  for (const int64_t elements : {1 << 4, 1 << 6, 255, 1 << 10, 1 << 12, 1 << 14,
                                 1 << 15, (1 << 16) - 1}) {
    for (const DataType type : {kU8, kS8}) {
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        problems.push_back(Add(elements, type, seed, /*ties=*/false));
      }
      problems.push_back(Add(elements, type, /*seed=*/1, /*ties=*/true));
    }
  }
  for (const int64_t elements : {int64_t{1} << 20, int64_t{1} << 24}) {
    for (const DataType type : {kU8, kS8}) {
      for (const bool ties : {false, true}) {
        for (uint64_t seed = 1; seed <= 20; ++seed) {
          problems.push_back(Add(elements, type, seed, ties));
        }
      }
    }
    problems.push_back(QuantizeAndDequantize(elements));
  }
  return problems;
}

std::vector<NamedProblem> GateProblems() {
  const MatMulShape cube = {256, 256, 256};
  return {MatMul({64, 64, 64}, kU8, kS8),
          MatMul(cube, kU8, kS8),
          MatMul(cube, kS8, kS8),
          MatMul(cube, kU8, kS8, kGaussian),
          MatMul(cube, kU8, kU8, kFull, /*constant_weight=*/false),
          MatMul({1, 1024, 1024}, kU8, kS8),
          GroupedMatMul(8, 4, 512, 512),
          Add(int64_t{1} << 18, kU8, 1, false),
          Add(int64_t{1} << 18, kS8, 1, true),
          QuantizeAndDequantize(int64_t{1} << 18)};
}

}  // namespace qconform::harness
