// For tests of the kernels: every SIMD target of the machine, in turn.

#ifndef QCONFORM_OPTIMIZED_TARGET_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_TARGET_TEST_UTIL_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace qconform::optimized {

// Calls `test` once with each target chosen. Fails if there is none: a test
// that ran nowhere proves nothing.
inline void ForEachTarget(absl::FunctionRef<void()> test) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  ASSERT_FALSE(targets.empty());
  int64_t reached = 0;
  for (int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    test();
    hwy::SetSupportedTargetsForTest(0);
    reached |= target;
    if (testing::Test::HasFatalFailure()) return;
  }
  // EMU128 is generated for every machine, so it cannot be missing.
  ASSERT_NE(reached & HWY_EMU128, 0);
}

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_TARGET_TEST_UTIL_H_
