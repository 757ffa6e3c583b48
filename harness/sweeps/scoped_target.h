// Only for the sweeps of the production kernels.

#ifndef QCONFORM_HARNESS_SWEEPS_SCOPED_TARGET_H_
#define QCONFORM_HARNESS_SWEEPS_SCOPED_TARGET_H_

#include <cstdint>
#include <mutex>

#include "hwy/targets.h"

namespace qconform::harness {

// Keeps Highway on one target while it lives; one at a time.
class ScopedTarget {
 public:
  explicit ScopedTarget(int64_t target) : lock_(Mutex()) {
    hwy::SetSupportedTargetsForTest(target);
  }
  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

 private:
  static std::mutex& Mutex() {
    static std::mutex* const mutex = new std::mutex;
    return *mutex;
  }
  std::lock_guard<std::mutex> lock_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_SCOPED_TARGET_H_
