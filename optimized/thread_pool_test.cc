#include "optimized/thread_pool.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <memory>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"
#include "optimized/dml_quantized_linear_matrix_multiply_test_util.h"

namespace qconform::optimized {
namespace {

std::unique_ptr<ThreadPool> MakePool(size_t threads) {
  auto pool = ThreadPool::Create(threads);
  EXPECT_TRUE(pool.ok()) << pool.status();
  return *std::move(pool);
}

TEST(ThreadPoolTest, DoesEveryTaskOnce) {
  for (const size_t threads : {1, 2, 3, 8}) {
    const auto pool = MakePool(threads);
    EXPECT_EQ(pool->MaxThreads(), threads);
    for (const size_t count : {0, 1, 2, 3, 7, 64, 1000}) {
      std::vector<std::atomic<int>> done(count);
      pool->Run(count, [&](size_t i) { ++done[i]; });
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(done[i], 1)
            << "task " << i << " of " << count << ", " << threads << " threads";
      }
    }
  }
}

TEST(ThreadPoolTest, TasksRunAtOnce) {
  const auto pool = MakePool(2);
  // Neither task ends before both have begun.
  std::atomic<int> begun = 0;
  pool->Run(2, [&](size_t) {
    ++begun;
    while (begun != 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(ThreadPoolTest, CallsOfSeveralThreadsWaitForEachOther) {
  const auto pool = MakePool(3);
  std::atomic<size_t> done = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) pool->Run(10, [&](size_t) { ++done; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4 * 50 * 10);
}

TEST(ThreadPoolTest, ZeroMeansOnePerProcessor) {
  EXPECT_GE(MakePool(0)->MaxThreads(), 1);
}

TEST(ThreadPoolTest, RejectsTooManyThreads) {
  for (const size_t threads : {ThreadPool::kMaxThreads + 1, SIZE_MAX}) {
    const auto pool = ThreadPool::Create(threads);
    EXPECT_EQ(pool.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(pool.status().message()),
                testing::HasSubstr("at most 1024"));
  }
}

TEST(ThreadPoolTest, SleepsBetweenCalls) {
  const auto processor_time = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) +
           std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto pool = MakePool(4);
  constexpr auto kIdle = std::chrono::milliseconds(20);
  constexpr int kRounds = 10;
  std::chrono::nanoseconds used{0};
  for (int i = 0; i < kRounds; ++i) {
    pool->Run(8, [](size_t) {});
    const auto before = processor_time();
    std::this_thread::sleep_for(kIdle);
    used += processor_time() - before;
  }
  // One spinning thread alone would use all of it.
  EXPECT_LT(used, kRounds * kIdle / 10);
}

TEST(ThreadPoolTest, AnyNumberOfThreadsGivesTheSameProduct) {
  DmlMatrixMultiplyGenerator generator(7);
  DmlMatrixMultiplyCall call = generator.MakeCall({1, 2, 61, 40, 150}, false);
  const auto plan = DmlQuantizedLinearMatrixMultiplyPlan::Create(call.desc());
  ASSERT_TRUE(plan.ok()) << plan.status();
  DmlQuantizedLinearMatrixMultiplyData data = call.parameters();
  data.ATensor = call.a.storage.data();
  const std::vector<uint8_t> expected = ExpectedStorage(call);
  for (const size_t threads : {1, 2, 3, 4, 7}) {
    call.Poison();
    data.OutputTensor = call.y.storage.data();
    std::vector<std::byte> workspace(plan->WorkspaceBytes(threads));
    const auto pool = MakePool(threads);
    const absl::Status status =
        plan->Run(data, {absl::MakeSpan(workspace), pool.get()});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(call.y.storage, expected) << threads << " threads";
  }
}

}  // namespace
}  // namespace qconform::optimized
