// What a caller lends to every Run: scratch memory and threads.

#ifndef QCONFORM_OPTIMIZED_RUN_CONTEXT_H_
#define QCONFORM_OPTIMIZED_RUN_CONTEXT_H_

#include <cstddef>

#include "absl/types/span.h"
#include "optimized/parallel_for.h"

namespace qconform::optimized {

struct RunContext {
  // At least the plan's WorkspaceBytes(); any alignment. Contents before and
  // after mean nothing.
  absl::Span<std::byte> workspace;
  // Null: everything runs on the caller's thread.
  ParallelFor* parallel_for = nullptr;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_RUN_CONTEXT_H_
