// A ParallelFor of its own threads, for callers that have no thread pool. Over
// Debian's libpthreadpool; a library beside the kernels, which do not need it.
//
// Between calls the threads sleep in the kernel; they do not spin.

#ifndef QCONFORM_OPTIMIZED_THREAD_POOL_H_
#define QCONFORM_OPTIMIZED_THREAD_POOL_H_

#include <cstddef>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "optimized/parallel_for.h"

struct pthreadpool;

namespace qconform::optimized {

class ThreadPool final : public ParallelFor {
 public:
  static constexpr size_t kMaxThreads = 1024;

  // `threads` counts the thread that calls Run; 0 means one per processor.
  // kInvalidArgument above kMaxThreads; kResourceExhausted if there is no
  // memory for them.
  static absl::StatusOr<std::unique_ptr<ThreadPool>> Create(size_t threads);

  ~ThreadPool() override;

  size_t MaxThreads() const override;

  // Calls from several threads wait for each other. A task must not call Run of
  // its own pool.
  void Run(size_t count, absl::FunctionRef<void(size_t)> task) override;

 private:
  explicit ThreadPool(pthreadpool* pool) : pool_(pool) {}

  pthreadpool* const pool_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_THREAD_POOL_H_
