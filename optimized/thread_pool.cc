#include "optimized/thread_pool.h"

#include <pthreadpool.h>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"

namespace qconform::optimized {

absl::StatusOr<std::unique_ptr<ThreadPool>> ThreadPool::Create(size_t threads) {
  if (threads > kMaxThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("threads: ", threads, "; at most ", kMaxThreads,
                     " are allowed, and 0 for one per processor"));
  }
  pthreadpool* const pool = pthreadpool_create(threads);
  if (pool == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("threads: no memory for ", threads));
  }
  return absl::WrapUnique(new ThreadPool(pool));
}

ThreadPool::~ThreadPool() { pthreadpool_destroy(pool_); }

size_t ThreadPool::MaxThreads() const {
  return pthreadpool_get_threads_count(pool_);
}

void ThreadPool::Run(size_t count, absl::FunctionRef<void(size_t)> task) {
  using Task = absl::FunctionRef<void(size_t)>;
  pthreadpool_parallelize_1d(
      pool_,
      [](void* context, size_t i) { (*static_cast<const Task*>(context))(i); },
      &task, count, PTHREADPOOL_FLAG_YIELD_WORKERS);
}

}  // namespace qconform::optimized
