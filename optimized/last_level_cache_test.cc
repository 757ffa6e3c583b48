#include "optimized/last_level_cache.h"

#include "gtest/gtest.h"

namespace qconform::optimized {
namespace {

// Systems tell anything from nothing to the sum over many dies, half a gigabyte
// and more, of which a core reaches 32 MiB or so.
TEST(LastLevelCacheTest, WhatTheSystemTellsIsNotBelievedBlindly) {
  EXPECT_GE(StreamedBytes(), size_t{16} << 20);
  EXPECT_LE(StreamedBytes(), size_t{32} << 20);
}

}  // namespace
}  // namespace qconform::optimized
