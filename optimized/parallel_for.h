// The hook through which a kernel uses the caller's threads.

#ifndef QCONFORM_OPTIMIZED_PARALLEL_FOR_H_
#define QCONFORM_OPTIMIZED_PARALLEL_FOR_H_

#include <cstddef>

#include "absl/functional/function_ref.h"

namespace qconform::optimized {

// Implemented by the caller over a thread pool. Results never depend on it
// (AR-10).
class ParallelFor {
 public:
  virtual ~ParallelFor() = default;

  // How many tasks can run at once; kernels use it to choose the number of
  // tasks, never the arithmetic.
  virtual size_t MaxThreads() const = 0;

  // Calls task(0) ... task(count - 1), in any order and on any thread, and
  // returns when all have returned.
  virtual void Run(size_t count, absl::FunctionRef<void(size_t)> task) = 0;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_PARALLEL_FOR_H_
