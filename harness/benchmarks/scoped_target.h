#ifndef QCONFORM_HARNESS_BENCHMARKS_SCOPED_TARGET_H_
#define QCONFORM_HARNESS_BENCHMARKS_SCOPED_TARGET_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hwy/targets.h"

namespace qconform::harness {

// What is made while it lives stays on that SIMD target; empty: the best.
class ScopedTarget {
 public:
  explicit ScopedTarget(const std::string& target) {
    if (target.empty()) return;
    for (const int64_t candidate : hwy::SupportedAndGeneratedTargets()) {
      if (target == hwy::TargetName(candidate)) {
        hwy::SetSupportedTargetsForTest(candidate);
        return;
      }
    }
    status_ = absl::NotFoundError(
        absl::StrCat("no SIMD target ", target, " on this machine"));
  }
  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_BENCHMARKS_SCOPED_TARGET_H_
