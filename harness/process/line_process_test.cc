#include "harness/process/line_process.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

using testing::HasSubstr;

std::unique_ptr<LineProcess> Shell(const std::string& script) {
  auto process = LineProcess::Start({"sh", "-c", script});
  EXPECT_TRUE(process.ok()) << process.status();
  return *std::move(process);
}

TEST(LineProcessTest, AnswersLineByLine) {
  const auto process = Shell("while read -r line; do echo \"<$line>\"; done");
  for (const std::string line : {"one", "", "two words"}) {
    const auto answer = process->Ask(line, absl::Seconds(60));
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(*answer, "<" + line + ">");
  }
}

// More than one buffer, and two answers that arrive together.
TEST(LineProcessTest, KeepsWhatComesBeyondAnAnswer) {
  const auto process =
      Shell("read -r line; printf '%010000d\\nnext\\n' 7; read -r line");
  const auto first = process->Ask("", absl::Seconds(60));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, std::string(9999, '0') + "7");
  const auto second = process->Ask("", absl::Seconds(60));
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, "next");
}

TEST(LineProcessTest, SaysThatTheProgramHasEnded) {
  const auto process = Shell("exit 0");
  const auto answer = process->Ask("anybody?", absl::Seconds(60));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("sh has ended"));
}

TEST(LineProcessTest, WaitsNoLongerThanAllowed) {
  const auto process = Shell("read -r line; exec sleep 1000");
  const auto answer = process->Ask("", absl::Milliseconds(50));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("did not answer within 50ms"));
}

TEST(LineProcessTest, ReadsNoLineWithoutEnd) {
  const auto process = Shell("read -r line; exec tr '\\0' z < /dev/zero");
  const auto answer = process->Ask("", absl::Seconds(60));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(answer.status().message()),
              HasSubstr("sh wrote a line of more than 16777216 bytes"));
}

TEST(LineProcessTest, NamesAProgramThatCannotBeStarted) {
  for (const std::string name : {"/no/such/program", "no-such-program"}) {
    const auto process = LineProcess::Start({name});
    EXPECT_EQ(process.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(process.status().message()), HasSubstr(name));
  }
  EXPECT_EQ(LineProcess::Start({}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace qconform::harness
