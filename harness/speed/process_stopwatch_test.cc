#include "harness/speed/process_stopwatch.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A program in another language that answers every line with this text.
std::unique_ptr<Stopwatch> Answering(const std::string& text) {
  auto started = StartProcessStopwatch(
      {"sh", "-c", "while read -r line; do echo '" + text + "'; done"});
  EXPECT_TRUE(started.ok()) << started.status();
  return *std::move(started);
}

TEST(ProcessStopwatchTest, UnderstandsAnswers) {
  const auto names = Answering(R"(["add", "matmul/64"])")->Benchmarks();
  ASSERT_TRUE(names.ok()) << names.status();
  EXPECT_THAT(*names, ElementsAre("add", "matmul/64"));
  const auto time = Answering(R"({"nanoseconds": 12.5})")->Measure("add");
  ASSERT_TRUE(time.ok()) << time.status();
  EXPECT_EQ(*time, 12.5);
}

TEST(ProcessStopwatchTest, SaysWhatIsWrongWithAnAnswer) {
  for (const std::string text :
       {"hello", "12", "[1]", "{\"add\": \"add\"}", "null",
        "{\"nanoseconds\": \"12\"}", "{\"error\": \"no such benchmark\"}"}) {
    const auto names = Answering(text)->Benchmarks();
    EXPECT_EQ(names.status().code(), absl::StatusCode::kFailedPrecondition)
        << text;
    EXPECT_THAT(std::string(names.status().message()), HasSubstr("sh"));
    const auto time = Answering(text)->Measure("add");
    EXPECT_EQ(time.status().code(), absl::StatusCode::kFailedPrecondition)
        << text;
    EXPECT_THAT(std::string(time.status().message()), HasSubstr("measure add"));
  }
}

TEST(ProcessStopwatchTest, SaysThatTheProgramHasEnded) {
  auto stopwatch = StartProcessStopwatch({"true"});
  ASSERT_TRUE(stopwatch.ok()) << stopwatch.status();
  EXPECT_EQ((*stopwatch)->Benchmarks().status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(StartProcessStopwatch({"/no/such"}).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace qconform::harness
