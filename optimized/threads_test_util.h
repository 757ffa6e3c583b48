// For tests of the kernels: threads of a caller.

#ifndef QCONFORM_OPTIMIZED_THREADS_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_THREADS_TEST_UTIL_H_

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "optimized/parallel_for.h"

namespace qconform::optimized {

// Starts so many threads for each call, at least one, and takes tasks from the
// last to the first: no kernel may rest on the order.
class Threads : public ParallelFor {
 public:
  explicit Threads(size_t count) : count_(count) {}

  size_t MaxThreads() const override { return count_; }

  void Run(size_t count, absl::FunctionRef<void(size_t)> task) override {
    ++calls;
    tasks += count;
    const size_t step = std::max<size_t>(count_, 1);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < step; ++t) {
      threads.emplace_back([=] {
        for (size_t i = t; i < count; i += step) task(count - 1 - i);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  size_t calls = 0;  // of Run
  size_t tasks = 0;  // in all calls

 private:
  const size_t count_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_THREADS_TEST_UTIL_H_
