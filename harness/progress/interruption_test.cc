#include "harness/progress/interruption.h"

#include <csignal>
#include <cstdlib>

#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

// Each in a process of its own: the state lasts as long as the process.
int AfterSignals(std::initializer_list<int> signals) {
  CatchInterruption();
  if (Interrupted()) return 7;
  for (const int number : signals) std::raise(number);
  return Interrupted() ? 1 : 0;
}

TEST(InterruptionTest, NotesTheFirstSignal) {
  EXPECT_EXIT(std::exit(AfterSignals({})), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(std::exit(AfterSignals({SIGINT})), testing::ExitedWithCode(1),
              "");
  EXPECT_EXIT(std::exit(AfterSignals({SIGTERM})), testing::ExitedWithCode(1),
              "");
}

TEST(InterruptionTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(std::exit(AfterSignals({SIGINT, SIGINT})),
              testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(std::exit(AfterSignals({SIGTERM, SIGTERM})),
              testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptionTest, AnIgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_IGN);
        std::exit(AfterSignals({SIGINT, SIGINT}));
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace qconform::harness
