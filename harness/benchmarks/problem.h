// What the benchmarks measure: calls in the documents' terms, so that ours,
// every peer and the oracle get the same data.

#ifndef QCONFORM_HARNESS_BENCHMARKS_PROBLEM_H_
#define QCONFORM_HARNESS_BENCHMARKS_PROBLEM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "spec/arguments.h"

namespace qconform::harness {

// How the weights of a matmul are drawn. Full-range bytes are uniform over the
// type; Gaussian ones are scaled so that the largest becomes the end of the
// type, per tensor or per column.
enum class WeightDistribution {
  kFullRange,
  kGaussianPerTensor,
  kGaussianPerColumn
};

struct Problem {
  std::string name;  // "matmul/u8s8/512x512x512"
  spec::Arguments arguments;
  bool constant_weight = true;  // B is known before the measured part
  int threads = 1;
  double work = 0;           // operations (2 per multiply-add) or elements
  std::string unit;          // "GOP/s" or "elements/ns": work per nanosecond
  double bytes_per_run = 0;  // moved at least once between memory and core
  // The same work on ordinary data, where this problem's are adversarial.
  std::shared_ptr<const Problem> ordinary;
};

struct MatMulShape {
  int64_t m, k, n;
};

// Names are known without making the data.
std::string MatMulName(const MatMulShape& shape, spec::DataType a,
                       spec::DataType b, WeightDistribution weights,
                       bool constant_weight, int threads);
std::string MatMulOfTiesName(const MatMulShape& shape);
std::string AddName(int64_t elements, spec::DataType type, uint64_t seed,
                    bool ties);
std::string QuantizeAndDequantizeName(int64_t elements);
std::string GroupedMatMulName(int64_t groups, int64_t rows, int64_t k,
                              int64_t n);

Problem MakeMatMul(const MatMulShape& shape, spec::DataType a, spec::DataType b,
                   spec::DataType output, WeightDistribution weights,
                   bool constant_weight, int threads);

// uint8, constant weights, every sum a tie that float cannot represent.
Problem MakeMatMulOfTies(const MatMulShape& shape);

// The scale set is drawn from the seed; `ties` draws scales whose quotients
// fall on ties often.
Problem MakeAdd(int64_t elements, spec::DataType type, uint64_t seed,
                bool ties);

Problem MakeQuantizeAndDequantize(int64_t elements);

// Dynamic per-token quantization over `groups` groups of `rows` rows each.
Problem MakeGroupedMatMul(int64_t groups, int64_t rows, int64_t k, int64_t n);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_PROBLEM_H_
