// The matmul's last step over all int32 sums, and around every breakpoint of
// sums that need more bits.

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "harness/sweeps/unit.h"
#include "reference/second_oracle/requantizer.h"

namespace qconform::harness {
namespace {

namespace oracle = reference::second_oracle;

constexpr int64_t kLowest = std::numeric_limits<int32_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int32_t>::max();
constexpr uint64_t kSums = uint64_t{1} << 32;
// What a matmul of 2^32 products can reach.
constexpr int64_t kWideLimit = int64_t{1} << 48;
constexpr int kParts = 32;
constexpr int64_t kLargestK = 4096;

// The step function that requantization is, as its exact breakpoints.
class Steps {
 public:
  explicit Steps(const RequantizeSetting& s)
      : requantizer_(s.a_scale, s.b_scale, s.output_scale, s.output_zero_point,
                     s.output_type),
        decreasing_(requantizer_.Decreasing()),
        minimum_(s.output_type == spec::DataType::kInt8 ? -128 : 0) {
    for (int value = minimum_ + 1; value <= minimum_ + 255; ++value) {
      const std::optional<int64_t> first = requantizer_.FirstSumReaching(value);
      if (!first.has_value()) break;
      // In the order of sums, a piece begins at the breakpoint or, where larger
      // sums give less, behind it.
      firsts_.push_back(decreasing_ ? -*first : *first);
    }
  }

  // Sums with `value` not the lowest, in the order of values.
  const std::vector<int64_t>& firsts() const { return firsts_; }
  // The sum that firsts()[i] stands for.
  int64_t SumOf(int64_t ordered) const {
    return decreasing_ ? -ordered : ordered;
  }

  // Outputs of consecutive sums. The ends of int64 are not asked for, so that
  // negation is safe.
  void Fill(int64_t first, size_t count, uint8_t* output) const {
    const int64_t last = first + static_cast<int64_t>(count) - 1;
    const int64_t low = decreasing_ ? -last : first;
    // How many breakpoints lie at or below the lowest of the ordered sums.
    auto next = std::upper_bound(firsts_.begin(), firsts_.end(), low);
    int64_t value = minimum_ + (next - firsts_.begin());
    for (size_t i = 0; i < count;) {
      size_t end = count;
      for (; next != firsts_.end(); ++next, ++value) {
        const int64_t offset = *next - low;
        if (offset > static_cast<int64_t>(i)) {
          end = static_cast<size_t>(
              std::min<int64_t>(offset, static_cast<int64_t>(count)));
          break;
        }
      }
      std::fill(output + i, output + end, static_cast<uint8_t>(value));
      i = end;
    }
    if (decreasing_) std::reverse(output, output + count);
  }

  // The same for one sum, by division.
  int Requantize(int64_t sum) const { return requantizer_.Requantize(sum); }

 private:
  oracle::Requantizer requantizer_;
  bool decreasing_;
  int minimum_;
  std::vector<int64_t> firsts_;
};

class Sweep {
 public:
  Sweep(const RequantizeSetting& setting, UnitContext& context)
      : setting_(setting), steps_(setting), context_(context) {}

  const Steps& steps() const { return steps_; }

  // Breakpoints against division and, where a matmul can reach the sum with few
  // products, against the golden model.
  void CheckOracle() {
    int checked = 0;
    for (const int64_t ordered : steps_.firsts()) {
      for (const int64_t sum :
           {steps_.SumOf(ordered - 1), steps_.SumOf(ordered)}) {
        if (std::abs(sum) > kWideLimit) continue;
        uint8_t byte = 0;
        steps_.Fill(sum, 1, &byte);
        const int expected = ValueOf(byte);
        if (expected != steps_.Requantize(sum)) {
          context_.report().disagreements.push_back(
              absl::StrCat("requantize: ", Describe(setting_), ", sum ", sum,
                           ": breakpoints give ", expected, ", division ",
                           steps_.Requantize(sum)));
        }
        const auto call = RequantizeCall(setting_, sum, /*largest_k=*/64);
        if (call.has_value() && ++checked % 16 == 1) {
          context_.SpotCheck(*call, expected);
        }
      }
    }
  }

  template <typename Sum, typename Function>
  void Run(const std::vector<Interval>& intervals,
           const std::vector<std::vector<Variant<Function>>>& variants,
           bool is_domain) {
    std::vector<Sum> sums(kSweepChunk + 16, 0);
    std::vector<uint8_t> expected(kSweepChunk);
    std::vector<uint8_t> got(kSweepChunk);
    ForEachChunk(intervals, context_, [&](int64_t first, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        sums[i] = static_cast<Sum>(first + static_cast<int64_t>(i));
      }
      steps_.Fill(first, count, expected.data());
      for (size_t subject = 0; subject < variants.size(); ++subject) {
        for (const auto& variant : variants[subject]) {
          // So that bytes that are not written differ.
          std::transform(
              expected.begin(), expected.begin() + count, got.begin(),
              [](uint8_t byte) { return static_cast<uint8_t>(~byte); });
          const std::string& target = targets_[subject];
          if (context_.Ran(variant.function(sums.data(), count, got.data()),
                           description_, target, variant.name, count) &&
              AnyDiffers(expected.data(), got.data(), count)) {
            Report(first, count, expected, got, target, variant.name);
          }
        }
      }
      if (is_domain) context_.Advance(count);
    });
  }

  // The variants of all subjects that one member function gives.
  template <typename Function>
  std::vector<std::vector<Variant<Function>>> Collect(
      SweepSubject::Variants<Function> (SweepSubject::*get)(
          const RequantizeSetting&)) {
    std::vector<std::vector<Variant<Function>>> all;
    targets_.clear();
    for (const auto& subject : context_.subjects()) {
      auto variants = (subject.get()->*get)(setting_);
      targets_.push_back(subject->Target());
      if (variants.ok()) {
        all.push_back(*std::move(variants));
      } else {
        all.emplace_back();
        context_.Ran(variants.status(), description_, subject->Target(), "", 0);
      }
    }
    return all;
  }

 private:
  int ValueOf(uint8_t byte) const {
    return setting_.output_type == spec::DataType::kInt8
               ? static_cast<int8_t>(byte)
               : byte;
  }

  void Report(int64_t first, size_t count, const std::vector<uint8_t>& expected,
              const std::vector<uint8_t>& got, const std::string& target,
              const std::string& variant) {
    for (size_t i = 0; i < count && !context_.Done(); ++i) {
      if (expected[i] == got[i]) continue;
      const int64_t sum = first + static_cast<int64_t>(i);
      context_.AddMismatch({description_, absl::StrCat("sum=", sum),
                            absl::StrCat(ValueOf(expected[i])),
                            absl::StrCat(ValueOf(got[i])), target, variant,
                            RequantizeCall(setting_, sum, kLargestK)});
    }
  }

  RequantizeSetting setting_;
  std::string description_ = Describe(setting_);
  Steps steps_;
  UnitContext& context_;
  std::vector<std::string> targets_;
};

Interval Around(int64_t center, int64_t radius, int64_t limit_low,
                int64_t limit_high) {
  return {std::max(center - radius, limit_low),
          std::min(center + radius, limit_high)};
}

void RunPart(const RequantizeSetting& setting, int part, UnitContext& context) {
  Sweep sweep(setting, context);
  constexpr int64_t kPart = int64_t{1} << 27;
  const int64_t first = kLowest + part * kPart;
  context.report().domain = kPart;
  sweep.CheckOracle();
  sweep.Run<int32_t>({{first, first + kPart - 1}},
                     sweep.Collect(&SweepSubject::Requantize), true);
}

// Around every breakpoint, both ends, 0, and random places.
void RunShort(const RequantizeSetting& setting, uint64_t seed,
              UnitContext& context) {
  constexpr int64_t kRadius = 24;
  Sweep sweep(setting, context);
  RandomSource source(seed);
  std::vector<Interval> narrow = {
      {kLowest, kLowest + 255}, {-1024, 1023}, {kHighest - 255, kHighest}};
  std::vector<Interval> wide = {{-kWideLimit, 255 - kWideLimit},
                                {-64, 63},
                                {kWideLimit - 255, kWideLimit}};
  for (const int64_t ordered : sweep.steps().firsts()) {
    const int64_t sum = sweep.steps().SumOf(ordered);
    if (sum >= kLowest && sum <= kHighest) {
      narrow.push_back(Around(sum, kRadius, kLowest, kHighest));
    }
    if (std::abs(sum) <= kWideLimit) {
      wide.push_back(Around(sum, 3, -kWideLimit, kWideLimit));
    }
  }
  for (int i = 0; i < 8; ++i) {
    const int64_t first = source.Between(kLowest, kHighest - 1023);
    narrow.push_back({first, first + 1023});
    const int64_t center = source.Between(-kWideLimit, kWideLimit);
    wide.push_back(Around(center, 100, -kWideLimit, kWideLimit));
  }
  context.report().domain += kSums;
  sweep.CheckOracle();
  sweep.Run<int32_t>(Merge(narrow), sweep.Collect(&SweepSubject::Requantize),
                     true);
  sweep.Run<int64_t>(Merge(wide), sweep.Collect(&SweepSubject::RequantizeWide),
                     false);
}

}  // namespace

std::vector<Unit> RequantizeUnits(bool full, uint64_t seed) {
  std::vector<Unit> units;
  if (full) {
    const std::vector<RequantizeSetting> settings = HardRequantizeSettings();
    for (size_t i = 0; i < settings.size(); ++i) {
      for (int part = 0; part < kParts; ++part) {
        Unit unit;
        unit.sweep = "requantize";
        unit.name = absl::StrCat("setting ", i, " part ", part);
        unit.inputs = kSums / kParts;
        unit.nanoseconds_per_input = 8;
        unit.run = [setting = settings[i], part](UnitContext& context) {
          RunPart(setting, part, context);
        };
        units.push_back(std::move(unit));
      }
    }
  }
  constexpr size_t kPerUnit = 20;
  const std::vector<RequantizeSetting> settings =
      RequantizeSettings(seed, full ? 4000 : 400);
  for (size_t first = 0; first < settings.size(); first += kPerUnit) {
    const std::vector<RequantizeSetting> some(
        settings.begin() + first,
        settings.begin() + std::min(first + kPerUnit, settings.size()));
    Unit unit;
    unit.sweep = "requantize";
    unit.name = absl::StrCat("breakpoints of settings ", first, "..",
                             first + some.size() - 1);
    unit.inputs = some.size() * 16000;
    unit.nanoseconds_per_input = 40;
    unit.beside = full;
    unit.run = [some, seed, first](UnitContext& context) {
      for (size_t i = 0; i < some.size() && !context.Done(); ++i) {
        RunShort(some[i], seed + first + i, context);
      }
    };
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace qconform::harness
