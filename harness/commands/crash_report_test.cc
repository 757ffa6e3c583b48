#include "harness/commands/crash_report.h"

#include <csignal>

#include "gtest/gtest.h"
#include "harness/results/model.h"

namespace qconform::harness {
namespace {

TEST(CrashReportTest, NamesTheCallAndEndsAsBroken) {
  EXPECT_EXIT(
      {
        InstallCrashReport();
        AnnounceCall("some_operator", "builtin", "AVX2");
        raise(SIGSEGV);
      },
      testing::ExitedWithCode(kBroken),
      "qconform: broken: the process died in or after a call of "
      "some_operator of builtin on AVX2");
}

}  // namespace
}  // namespace qconform::harness
