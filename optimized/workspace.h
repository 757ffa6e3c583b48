// Cuts aligned arrays from a caller's workspace. Internal to the library.

#ifndef QCONFORM_OPTIMIZED_WORKSPACE_H_
#define QCONFORM_OPTIMIZED_WORKSPACE_H_

#include <cstddef>
#include <cstdint>

namespace qconform::optimized {

inline constexpr size_t kWorkspaceAlignment = 64;

inline size_t DivideUp(size_t a, size_t b) { return (a + b - 1) / b; }
inline size_t RoundUp(size_t a, size_t b) { return DivideUp(a, b) * b; }

// Without memory it only counts, so one piece of code both sizes and cuts.
class WorkspaceCutter {
 public:
  // The first array begins at the first aligned address.
  explicit WorkspaceCutter(std::byte* memory)
      : next_(RoundUp(reinterpret_cast<uintptr_t>(memory),
                      kWorkspaceAlignment)) {}

  template <typename T>
  T* Take(size_t count) {
    T* taken = reinterpret_cast<T*>(next_);
    const size_t bytes = RoundUp(count * sizeof(T), kWorkspaceAlignment);
    next_ += bytes;
    taken_bytes_ += bytes;
    return taken;
  }

  // Enough for memory of any alignment.
  size_t RequiredBytes() const {
    return taken_bytes_ + kWorkspaceAlignment - 1;
  }

 private:
  uintptr_t next_;
  size_t taken_bytes_ = 0;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_WORKSPACE_H_
