#include "harness/sweeps/run_sweeps.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "harness/cases/random_source.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {
namespace {

using Maker = std::vector<Unit> (*)(bool full, uint64_t seed);

struct NamedMaker {
  const char* name;
  Maker make;
};
constexpr NamedMaker kMakers[] = {
    {"add", AddUnits},
    {"requantize", RequantizeUnits},
    {"quantize_and_dequantize", QuantizeAndDequantizeUnits},
    {"float16", Float16Units},
    {"row_quantize", RowQuantizeUnits}};

double Seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string KeyOf(const Unit& unit) {
  return absl::StrCat(unit.sweep, "/", unit.name);
}

uint64_t CostOf(const Unit& unit) {
  return static_cast<uint64_t>(static_cast<double>(unit.inputs) *
                               unit.nanoseconds_per_input / 1000) +
         1;
}

void Merge(const Unit& unit, const UnitReport& report, SweepSummary& summary) {
  if (unit.beside) {
    summary.beside += report.covered;
  } else {
    summary.domain += report.domain;
    summary.covered += report.covered;
  }
  summary.comparisons += report.comparisons;
  summary.spot_checks += report.spot_checks;
  summary.targets.insert(report.targets.begin(), report.targets.end());
  summary.mismatches.insert(summary.mismatches.end(), report.mismatches.begin(),
                            report.mismatches.end());
  summary.disagreements.insert(summary.disagreements.end(),
                               report.disagreements.begin(),
                               report.disagreements.end());
}

// The threads' common state.
class Runner {
 public:
  Runner(const SweepOptions& options, const Subjects& subjects,
         const std::vector<Unit>& units, SweepState state)
      : options_(options),
        subjects_(subjects),
        units_(units),
        state_(std::move(state)) {
    for (const std::string& name : options.sweeps) {
      SweepSummary summary;
      summary.sweep = name;
      summaries_.push_back(std::move(summary));
    }
    for (const Unit& unit : units) total_ += CostOf(unit);
  }

  absl::StatusOr<SweepResults> Run() {
    const double begin = Seconds();
    TakeFinished();
    std::vector<std::thread> threads;
    for (int i = 1; i < options_.threads; ++i) {
      threads.emplace_back([this] { Work(); });
    }
    Work();
    for (std::thread& thread : threads) thread.join();
    if (!write_status_.ok()) return write_status_;
    SweepResults results;
    results.options = options_;
    results.sweeps = std::move(summaries_);
    results.seconds = Seconds() - begin;
    Conclude(results);
    return results;
  }

 private:
  SweepSummary& SummaryOf(const Unit& unit) {
    return *std::find_if(
        summaries_.begin(), summaries_.end(),
        [&](const SweepSummary& s) { return s.sweep == unit.sweep; });
  }

  void TakeFinished() {
    for (const Unit& unit : units_) {
      SweepSummary& summary = SummaryOf(unit);
      ++summary.units;
      const auto found = state_.finished.find(KeyOf(unit));
      if (found == state_.finished.end()) {
        waiting_.push_back(&unit);
        continue;
      }
      Merge(unit, found->second, summary);
      ++summary.finished;
      ++summary.resumed;
      done_ += CostOf(unit);
    }
  }

  void Work() {
    while (true) {
      const size_t next = next_++;
      if (next >= waiting_.size() || stop_) return;
      RunUnit(*waiting_[next]);
    }
  }

  void RunUnit(const Unit& unit) {
    const double begin = Seconds();
    const uint64_t cost = CostOf(unit);
    uint64_t advanced = 0;
    UnitContext context(subjects_, stop_, [&](uint64_t inputs) {
      const uint64_t before = advanced;
      advanced += static_cast<uint64_t>(static_cast<double>(inputs) *
                                        unit.nanoseconds_per_input / 1000);
      Advance(std::min(advanced, cost) - std::min(before, cost));
    });
    unit.run(context);
    Advance(cost - std::min(advanced, cost));
    const bool stopped = context.Stopped();
    const UnitReport& report = context.report();
    const bool passed =
        report.mismatches.empty() && report.disagreements.empty();
    const std::lock_guard<std::mutex> lock(mutex_);
    SweepSummary& summary = SummaryOf(unit);
    Merge(unit, report, summary);
    const double end = Seconds();
    double& first = first_start_.try_emplace(unit.sweep, begin).first->second;
    first = std::min(first, begin);
    summary.seconds = end - first;
    if (!passed) {
      ++summary.failed;
    } else if (!stopped) {
      ++summary.finished;
      state_.finished[KeyOf(unit)] = report;
      // Writing thousands of short units one by one would take longer than
      // they do.
      if (end - last_write_ > 2) WriteState();
    }
    if (next_ >= waiting_.size() || stop_) WriteState();
  }

  void WriteState() {
    last_write_ = Seconds();
    if (options_.state_path.empty()) return;
    const absl::Status status = WriteSweepState(options_.state_path, state_);
    if (!status.ok()) {
      write_status_ = status;
      stop_ = true;
    }
  }

  void Advance(uint64_t cost) {
    const uint64_t done = done_ += cost;
    if (options_.progress) options_.progress(done, total_);
    if (options_.interrupted && options_.interrupted()) stop_ = true;
  }

  void Conclude(SweepResults& results) const {
    bool wrong = false;
    bool broken = false;
    if (results.sweeps.empty()) {
      results.distrust.push_back("no sweep was selected");
    }
    for (const SweepSummary& summary : results.sweeps) {
      wrong = wrong || !summary.mismatches.empty();
      broken = broken || !summary.disagreements.empty();
      if (summary.finished + summary.failed < summary.units) {
        results.distrust.push_back(
            absl::StrCat(summary.sweep, ": interrupted, ",
                         summary.units - summary.finished - summary.failed,
                         " of ", summary.units, " units did not finish"));
      }
      for (const std::string& target : options_.targets) {
        if (!summary.targets.contains(target)) {
          results.distrust.push_back(
              absl::StrCat(summary.sweep, ": target ", target, " did not run"));
        }
      }
    }
    if (broken) {
      results.exit_code = kBroken;
    } else if (wrong) {
      results.exit_code = kDoesNotConform;
    } else if (!results.distrust.empty()) {
      results.exit_code = kUntrustworthy;
    }
  }

  const SweepOptions& options_;
  const Subjects& subjects_;
  const std::vector<Unit>& units_;
  std::vector<const Unit*> waiting_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> done_{0};
  uint64_t total_ = 0;  // microseconds, guessed
  std::mutex mutex_;    // guards what follows
  SweepState state_;
  std::vector<SweepSummary> summaries_;
  std::map<std::string, double> first_start_;
  double last_write_ = 0;
  absl::Status write_status_;
};

// The state to continue from: what the file holds, or nothing finished if there
// is no file yet.
absl::StatusOr<SweepState> StartingState(const SweepOptions& options,
                                         const std::vector<Unit>& units) {
  SweepState wanted;
  wanted.program = options.program;
  wanted.form = options.full ? "full" : "short";
  wanted.seed = options.seed;
  wanted.targets = options.targets;
  if (options.state_path.empty()) return wanted;
  std::error_code error;
  if (!std::filesystem::exists(options.state_path, error)) return wanted;
  const absl::StatusOr<std::string> text = ReadTextFile(options.state_path);
  if (!text.ok()) return text.status();
  absl::StatusOr<SweepState> found = ParseSweepState(*text);
  absl::Status status =
      found.ok() ? CheckContinues(*found, wanted) : found.status();
  // Any sweep of the form may be in it, chosen now or not.
  if (status.ok()) {
    SweepOptions all = options;
    all.sweeps = SweepNames();
    all.sample = 1;
    std::set<std::string> known;
    for (const Unit& unit : MakeUnits(all)) known.insert(KeyOf(unit));
    for (const Unit& unit : units) known.insert(KeyOf(unit));
    for (const auto& [key, report] : found->finished) {
      if (!known.contains(key)) {
        status = absl::InvalidArgumentError(
            absl::StrCat("there is no unit \"", key, "\""));
      }
    }
  }
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(options.state_path, ": ", status.message()));
  }
  return found;
}

}  // namespace

const std::vector<std::string>& SweepNames() {
  static const auto* const names = [] {
    auto* list = new std::vector<std::string>;
    for (const NamedMaker& maker : kMakers) list->push_back(maker.name);
    return list;
  }();
  return *names;
}

std::vector<std::string> SweepsOf(const std::string& operator_name) {
  if (operator_name == "dml_element_wise_quantized_linear_add") return {"add"};
  if (operator_name == "dml_quantized_linear_matrix_multiply") {
    return {"requantize"};
  }
  if (operator_name == "aclnn_quant_grouped_matmul_dequant") {
    return {"float16", "row_quantize"};
  }
  if (operator_name == "tf_quantize_and_dequantize_v2") {
    return {"quantize_and_dequantize"};
  }
  return {};
}

std::vector<Unit> MakeUnits(const SweepOptions& options) {
  std::vector<Unit> units;
  for (const NamedMaker& maker : kMakers) {
    if (std::find(options.sweeps.begin(), options.sweeps.end(), maker.name) ==
        options.sweeps.end()) {
      continue;
    }
    const std::vector<Unit> all = maker.make(options.full, options.seed);
    for (size_t i = 0; i < all.size(); ++i) {
      // Not every n-th: parts of a domain come in regular order. One unit of
      // every sweep in any case.
      if (i == 0 ||
          RandomSource(options.seed + i).Next() % options.sample == 0) {
        units.push_back(all[i]);
      }
    }
  }
  return units;
}

absl::StatusOr<SweepResults> RunSweeps(const SweepOptions& options,
                                       const Subjects& subjects,
                                       const std::vector<Unit>& units) {
  absl::StatusOr<SweepState> state = StartingState(options, units);
  if (!state.ok()) return state.status();
  return Runner(options, subjects, units, *std::move(state)).Run();
}

}  // namespace qconform::harness
