// How far a long run is: a bar with rate and remaining time on a terminal, a
// line now and then in a log, or nothing.

#ifndef QCONFORM_HARNESS_PROGRESS_PROGRESS_H_
#define QCONFORM_HARNESS_PROGRESS_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <mutex>
#include <string>

namespace qconform::harness {

enum class ProgressStyle {
  kNone,
  kBar,   // one line, drawn over itself ten times a second
  kLines  // a line of its own every half minute
};

// A bar if standard error is a terminal, else lines; none if quiet.
ProgressStyle ChooseProgressStyle(bool quiet);

// Writes to standard error unless told otherwise. Results go to standard
// output, so that both can be told apart.
class Progress {
 public:
  // `unit` names what is counted, in the plural: "cases". `now` gives seconds
  // from any fixed moment.
  Progress(std::string unit, ProgressStyle style);
  Progress(std::string unit, ProgressStyle style, std::ostream& stream,
           std::function<double()> now);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { Finish(); }

  // `done` of `total`, which is 0 if nobody knows. From any thread; cheap when
  // nothing is due.
  void Update(uint64_t done, uint64_t total);

  // Takes the bar away. Further updates show nothing.
  void Finish();

 private:
  const std::string unit_;
  ProgressStyle style_;
  std::ostream& stream_;
  const std::function<double()> now_;
  const double start_;
  std::mutex mutex_;  // guards what follows, style_ and the stream
  double next_;
  bool drawn_ = false;
};

// "1200 of 4800 cases, 25 %, 300/s, 0:12 left"; without a total "1200 cases,
// 300/s". A rate needs some time to mean anything: none in the first second.
std::string DescribeProgress(const std::string& unit, uint64_t done,
                             uint64_t total, double seconds);

// "0:07", "12:30", "3:00:00"
std::string FormatDuration(double seconds);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_PROGRESS_PROGRESS_H_
