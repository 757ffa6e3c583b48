// One piece of a sweep, what it reports, and the comparison of arrays.

#ifndef QCONFORM_HARNESS_SWEEPS_UNIT_H_
#define QCONFORM_HARNESS_SWEEPS_UNIT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "harness/sweeps/subject.h"
#include "spec/arguments.h"

namespace qconform::harness {

// An output that is not what the second oracle says.
struct Mismatch {
  std::string setting;
  std::string input;
  std::string expected;
  std::string got;
  std::string target;
  std::string variant;
  std::optional<spec::Arguments> call;  // one that shows it, where one fits
};

struct UnitReport {
  uint64_t domain = 0;       // inputs that there are
  uint64_t covered = 0;      // of them, those that were tried
  uint64_t comparisons = 0;  // outputs compared, over all targets and variants
  uint64_t spot_checks = 0;  // expectations held against the golden model
  std::set<std::string> targets;  // that computed at least one output
  std::vector<Mismatch> mismatches;
  std::vector<std::string> disagreements;  // of the oracles: the harness is
                                           // broken
};

using Subjects = std::vector<std::unique_ptr<SweepSubject>>;

// What a unit gets from who runs it.
class UnitContext {
 public:
  // A unit stops soon after it has found so many mismatches.
  static constexpr size_t kMaxMismatches = 8;

  UnitContext(const Subjects& subjects, const std::atomic<bool>& stop,
              std::function<void(uint64_t)> advance)
      : subjects_(subjects), stop_(stop), advance_(std::move(advance)) {}

  const Subjects& subjects() const { return subjects_; }
  UnitReport& report() { return report_; }
  // `inputs` more have been tried everywhere.
  void Advance(uint64_t inputs) {
    // Nobody tried them if no subject has the function.
    if (!report_.targets.empty()) report_.covered += inputs;
    advance_(inputs);
  }
  bool Done() const {
    return stop_ || report_.mismatches.size() >= kMaxMismatches ||
           report_.disagreements.size() >= kMaxMismatches;
  }
  // Whether Done() because the run is being stopped.
  bool Stopped() const { return stop_; }
  void AddMismatch(Mismatch mismatch) {
    if (report_.mismatches.size() < kMaxMismatches) {
      report_.mismatches.push_back(std::move(mismatch));
    }
  }
  // Counts outputs of one function. A function that failed is a mismatch.
  bool Ran(const absl::Status& status, const std::string& setting,
           const std::string& target, const std::string& variant,
           uint64_t outputs);

  // Holds an expectation against the golden model.
  void SpotCheck(const spec::Arguments& call, double expected);

 private:
  const Subjects& subjects_;
  const std::atomic<bool>& stop_;
  std::function<void(uint64_t)> advance_;
  UnitReport report_;
};

struct Unit {
  std::string sweep;  // "add"
  std::string name;   // unique; the same for the same seed and form
  uint64_t inputs = 0;
  double nanoseconds_per_input = 1;  // a guess for the time that remains
  // Part of a full form that tries chosen inputs only, beside the units that
  // try the whole domain: no share of the domain is claimed for it.
  bool beside = false;
  std::function<void(UnitContext&)> run;
};

// Fills output[0..count) with evaluate(first + i), a monotone function, by
// halving: costs about log(count) evaluations a step.
template <typename T, typename Evaluate>
void FillSteps(const Evaluate& evaluate, int64_t first, size_t count,
               T* output) {
  struct Filler {
    const Evaluate& evaluate;
    int64_t first;
    T* output;
    // [low, high] with known values at both ends.
    void Fill(size_t low, size_t high) {
      if (output[low] == output[high]) {
        for (size_t i = low + 1; i < high; ++i) output[i] = output[low];
        return;
      }
      if (high - low < 2) return;
      const size_t middle = low + (high - low) / 2;
      output[middle] = evaluate(first + static_cast<int64_t>(middle));
      Fill(low, middle);
      Fill(middle, high);
    }
  };
  if (count == 0) return;
  output[0] = evaluate(first);
  output[count - 1] = evaluate(first + static_cast<int64_t>(count - 1));
  Filler{evaluate, first, output}.Fill(0, count - 1);
}

// Whether any element differs by `!=`; simple enough for the compiler to
// vectorize.
template <typename T>
bool AnyDiffers(const T* expected, const T* got, size_t count) {
  uint32_t differs = 0;
  for (size_t i = 0; i < count; ++i) {
    differs |= expected[i] != got[i] ? 1u : 0u;
  }
  return differs != 0;
}

// Closed intervals of integers, sorted and disjoint after Merge.
struct Interval {
  int64_t first;
  int64_t last;
};
std::vector<Interval> Merge(std::vector<Interval> intervals);

// Calls body(first, count) for consecutive pieces of at most kSweepChunk, until
// the context is done.
void ForEachChunk(const std::vector<Interval>& intervals,
                  const UnitContext& context,
                  const std::function<void(int64_t first, size_t count)>& body);

// The units of each sweep. `full`: whole domains; else the short form.
std::vector<Unit> AddUnits(bool full, uint64_t seed);
std::vector<Unit> RequantizeUnits(bool full, uint64_t seed);
std::vector<Unit> QuantizeAndDequantizeUnits(bool full, uint64_t seed);
std::vector<Unit> Float16Units(bool full, uint64_t seed);
std::vector<Unit> RowQuantizeUnits(bool full, uint64_t seed);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_UNIT_H_
