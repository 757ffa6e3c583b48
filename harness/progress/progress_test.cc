#include "harness/progress/progress.h"

#include <sstream>

#include "gtest/gtest.h"

namespace qconform::harness {
namespace {

TEST(ProgressTest, FormatsDurations) {
  EXPECT_EQ(FormatDuration(0), "0:00");
  EXPECT_EQ(FormatDuration(6.2), "0:07");
  EXPECT_EQ(FormatDuration(750), "12:30");
  EXPECT_EQ(FormatDuration(10800), "3:00:00");
}

TEST(ProgressTest, DescribesRateAndRemainingTime) {
  EXPECT_EQ(DescribeProgress("cases", 1200, 4800, 4),
            "1200 of 4800 cases, 25 %, 300/s, 0:12 left");
  EXPECT_EQ(DescribeProgress("cases", 3, 4, 2),
            "3 of 4 cases, 75 %, 1.5/s, 0:01 left");
  EXPECT_EQ(DescribeProgress("cases", 4, 4, 2), "4 of 4 cases, 100 %, 2.0/s");
  EXPECT_EQ(DescribeProgress("cases", 1200, 0, 4), "1200 cases, 300/s");
  EXPECT_EQ(DescribeProgress("cases", 10, 20, 0.5), "10 of 20 cases, 50 %");
  EXPECT_EQ(DescribeProgress("cases", 0, 20, 5), "0 of 20 cases, 0 %");
  // Never 100 % before it is done.
  EXPECT_EQ(DescribeProgress("cases", 999, 1000, 0), "999 of 1000 cases, 99 %");
}

TEST(ProgressTest, DrawsABarOverItself) {
  std::ostringstream stream;
  double now = 0;
  Progress progress("cases", ProgressStyle::kBar, stream,
                    [&now] { return now; });
  progress.Update(1, 8);
  EXPECT_EQ(stream.str(), "");  // nothing is due yet
  now = 2;
  progress.Update(2, 8);
  progress.Update(3, 8);
  EXPECT_EQ(stream.str(),
            "\r\033[K[#####...............] 2 of 8 cases, 25 %, 1.0/s, "
            "0:06 left");
  stream.str("");
  now = 3;
  progress.Update(5, 0);
  EXPECT_EQ(stream.str(), "\r\033[K5 cases, 1.7/s");
  stream.str("");
  progress.Finish();
  EXPECT_EQ(stream.str(), "\r\033[K");
  stream.str("");
  now = 4;
  progress.Update(8, 8);
  progress.Finish();
  EXPECT_EQ(stream.str(), "");
}

TEST(ProgressTest, WritesALineEveryHalfMinute) {
  std::ostringstream stream;
  {
    double now = 100;
    Progress progress("cases", ProgressStyle::kLines, stream,
                      [&now] { return now; });
    for (; now < 165; now += 1) progress.Update(10, 40);
  }
  EXPECT_EQ(stream.str(),
            "qconform: 10 of 40 cases, 25 %, 0.3/s, 1:30 left\n"
            "qconform: 10 of 40 cases, 25 %, 0.2/s, 3:00 left\n");
}

TEST(ProgressTest, ShowsNothingWhenQuiet) {
  std::ostringstream stream;
  double now = 0;
  Progress progress("cases", ProgressStyle::kNone, stream,
                    [&now] { return now; });
  now = 1000;
  progress.Update(10, 40);
  progress.Finish();
  EXPECT_EQ(stream.str(), "");
  EXPECT_EQ(ChooseProgressStyle(true), ProgressStyle::kNone);
  EXPECT_NE(ChooseProgressStyle(false), ProgressStyle::kNone);
}

TEST(ProgressTest, UsesStandardErrorByItself) {
  testing::internal::CaptureStderr();
  Progress progress("cases", ProgressStyle::kLines);
  progress.Update(1, 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");  // nothing due
}

}  // namespace
}  // namespace qconform::harness
