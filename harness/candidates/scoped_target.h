// Chooses the SIMD target of the production kernels.

#ifndef QCONFORM_HARNESS_CANDIDATES_SCOPED_TARGET_H_
#define QCONFORM_HARNESS_CANDIDATES_SCOPED_TARGET_H_

#include <cstdint>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "hwy/targets.h"

namespace qconform::harness {

// Keeps Highway on one target while it lives: kernels and plans made meanwhile
// stay on it. Highway knows one choice for the whole process, so one lives at a
// time; others wait, and none may be made within another.
class ScopedTarget {
 public:
  explicit ScopedTarget(int64_t target) : lock_(Mutex()) {
    hwy::SetSupportedTargetsForTest(target);
  }

  // By name; empty: all targets, of which Highway takes the best.
  explicit ScopedTarget(const std::string& name) : lock_(Mutex()) {
    if (name.empty()) return;
    for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
      if (name == hwy::TargetName(target)) {
        hwy::SetSupportedTargetsForTest(target);
        return;
      }
    }
    status_ = absl::NotFoundError(
        absl::StrCat("no SIMD target ", name, " on this machine"));
  }

  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

  // kNotFound if the machine does not have the target of this name.
  const absl::Status& status() const { return status_; }

 private:
  static std::mutex& Mutex() {
    static std::mutex* const mutex = new std::mutex;
    return *mutex;
  }

  const std::lock_guard<std::mutex> lock_;
  absl::Status status_;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CANDIDATES_SCOPED_TARGET_H_
