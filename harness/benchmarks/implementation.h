// One way to compute a benchmark problem: ours, a peer, or a machine limit.

#ifndef QCONFORM_HARNESS_BENCHMARKS_IMPLEMENTATION_H_
#define QCONFORM_HARNESS_BENCHMARKS_IMPLEMENTATION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "harness/benchmarks/problem.h"

namespace qconform::harness {

class Implementation {
 public:
  virtual ~Implementation() = default;

  // Executes the problem this many times and returns the nanoseconds it took.
  virtual double Run(int iterations) = 0;

  // The output of the last Run as bytes of the problem's output type; empty for
  // a machine limit. Where the problem's output is float16, an implementation
  // may give float32 (told by the number of bytes).
  virtual std::vector<std::byte> Output() = 0;

  // What was paid before the first Run (planning, packing), in nanoseconds; 0
  // if unknown.
  virtual double SetupNanoseconds() const { return 0; }
};

using ImplementationOr = absl::StatusOr<std::unique_ptr<Implementation>>;

// kUnimplemented from any of these: this implementation has no such operator,
// type or shape.
// `target`: the name of a SIMD target; empty: the best.
ImplementationOr MakeOurs(const Problem& problem, int threads,
                          const std::string& target);
ImplementationOr MakeOneDnn(const Problem& problem);
ImplementationOr MakeXnnpack(const Problem& problem);

// `exact` asks onnxruntime for kernels that do not saturate.
// `folder` holds node_modules as tools/install-peers leaves it.
ImplementationOr MakeOnnxRuntime(const Problem& problem, bool exact,
                                 const std::string& folder);

// Ours with that part compiled out which decides what float leaves open: what
// exactness costs. The matrix multiply is put together from its parts here;
// with its filters it is what to compare with.
ImplementationOr MakeMatMulParts(const Problem& problem, bool filters);
ImplementationOr MakeUnfiltered(const Problem& problem);

// A loop that bounds every implementation of the problem on this machine:
//   kInt16Registers  multiply-adds of int16 pairs into int32, registers only
//   kInt8Registers   multiply-adds of byte quads into int32, registers only;
//                    kUnimplemented where the machine has no such instruction
//   kStream          reads and writes what the problem must, computes nothing;
//                    non-temporal stores
//   kReadB           reads each byte of B once, all that a matrix multiply of
//                    one row can use it for
enum class Limit { kInt16Registers, kInt8Registers, kStream, kReadB };
ImplementationOr MakeLimit(const Problem& problem, Limit limit,
                           const std::string& target);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_IMPLEMENTATION_H_
