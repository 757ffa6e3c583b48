// How much data is better written past the caches.

#ifndef QCONFORM_OPTIMIZED_LAST_LEVEL_CACHE_H_
#define QCONFORM_OPTIMIZED_LAST_LEVEL_CACHE_H_

#include <unistd.h>

#include <algorithm>
#include <cstddef>

namespace qconform::optimized {

// Bytes read and written in one call from which on the last-level cache cannot
// hold them; 16 MiB at least, also where the system does not tell, and 32 MiB
// at most: what the system tells may be the sum over many dies, of which a core
// reaches one.
inline size_t StreamedBytes() {
  static const size_t bytes = [] {
    long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return static_cast<size_t>(std::clamp(cache, 16L << 20, 32L << 20));
  }();
  return bytes;
}

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_LAST_LEVEL_CACHE_H_
