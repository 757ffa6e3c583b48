#include "harness/progress/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace qconform::harness {
namespace {

constexpr double kBarInterval = 0.1;
constexpr double kLineInterval = 30;

double SteadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double Interval(ProgressStyle style) {
  return style == ProgressStyle::kBar ? kBarInterval : kLineInterval;
}

double Share(uint64_t done, uint64_t total) {
  return std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
}

std::string Bar(uint64_t done, uint64_t total) {
  constexpr int kWidth = 20;
  if (total == 0) return "";
  const int filled = static_cast<int>(kWidth * Share(done, total));
  return absl::StrCat(
      "[",
      std::string(static_cast<size_t>(filled), '#') +
          std::string(static_cast<size_t>(kWidth - filled), '.'),
      "] ");
}

}  // namespace

ProgressStyle ChooseProgressStyle(bool quiet) {
  if (quiet) return ProgressStyle::kNone;
  return isatty(STDERR_FILENO) != 0 ? ProgressStyle::kBar
                                    : ProgressStyle::kLines;
}

Progress::Progress(std::string unit, ProgressStyle style)
    : Progress(std::move(unit), style, std::cerr, SteadySeconds) {}

Progress::Progress(std::string unit, ProgressStyle style, std::ostream& stream,
                   std::function<double()> now)
    : unit_(std::move(unit)),
      style_(style),
      stream_(stream),
      now_(std::move(now)),
      start_(now_()),
      next_(start_ + Interval(style)) {}

void Progress::Update(uint64_t done, uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (style_ == ProgressStyle::kNone) return;
  const double now = now_();
  if (now < next_) return;
  next_ = now + Interval(style_);
  const std::string text = DescribeProgress(unit_, done, total, now - start_);
  if (style_ == ProgressStyle::kBar) {
    drawn_ = true;
    stream_ << "\r\033[K" << Bar(done, total) << text << std::flush;
  } else {
    stream_ << "qconform: " << text << std::endl;
  }
}

void Progress::Finish() {
  const std::lock_guard lock(mutex_);
  if (drawn_) stream_ << "\r\033[K" << std::flush;
  drawn_ = false;
  style_ = ProgressStyle::kNone;
}

std::string DescribeProgress(const std::string& unit, uint64_t done,
                             uint64_t total, double seconds) {
  std::string text =
      total == 0 ? absl::StrCat(done, " ", unit)
                 : absl::StrFormat("%d of %d %s, %.0f %%", done, total, unit,
                                   std::floor(100 * Share(done, total)));
  if (seconds < 1 || done == 0) return text;
  const double rate = static_cast<double>(done) / seconds;
  absl::StrAppend(&text,
                  absl::StrFormat(rate < 10 ? ", %.1f/s" : ", %.0f/s", rate));
  if (total > done) {
    absl::StrAppend(&text, ", ",
                    FormatDuration(static_cast<double>(total - done) / rate),
                    " left");
  }
  return text;
}

std::string FormatDuration(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  const int64_t hours = whole / 3600;
  const int64_t minutes = whole / 60 % 60;
  if (hours == 0) return absl::StrFormat("%d:%02d", minutes, whole % 60);
  return absl::StrFormat("%d:%02d:%02d", hours, minutes, whole % 60);
}

}  // namespace qconform::harness
