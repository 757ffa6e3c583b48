// All 65,536 float16 to float32, and all floats to float16.

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cases/value_text.h"
#include "harness/sweeps/float_ordering.h"
#include "harness/sweeps/unit.h"
#include "reference/second_oracle/rounding.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

namespace oracle = reference::second_oracle;

constexpr size_t kHalves = 65536;
constexpr int kParts = 64;
constexpr uint16_t kInfinity = 0x7C00;

bool IsNanHalf(uint16_t bits) { return (bits & 0x7FFF) > kInfinity; }

std::string HalfText(uint16_t bits) { return absl::StrFormat("0x%04x", bits); }

// NaN of the same sign that is quiet; else the bits.
bool SameHalf(float input, uint16_t expected, uint16_t got) {
  if (!std::isnan(input)) return expected == got;
  return IsNanHalf(got) && (got & 0x0200) != 0 &&
         (got >= 0x8000) == std::signbit(input);
}

void RunToFloat32(UnitContext& context) {
  std::vector<uint16_t> input(kHalves);
  std::vector<float> expected(kHalves);
  for (size_t i = 0; i < kHalves; ++i) {
    input[i] = static_cast<uint16_t>(i);
    expected[i] = static_cast<float>(spec::Float16ToDouble(input[i]));
    const double other = oracle::Float16Value(input[i]);
    ++context.report().spot_checks;
    if (!SameFloat(expected[i], static_cast<float>(other))) {
      context.report().disagreements.push_back("float16 " + HalfText(input[i]) +
                                               " to float32");
    }
  }
  context.report().domain = kHalves;
  for (const auto& subject : context.subjects()) {
    const auto variants = subject->ToFloat32();
    for (const auto& variant : *variants) {
      std::vector<float> got(kHalves, std::nanf(""));
      if (!context.Ran(variant.function(input.data(), kHalves, got.data()),
                       "float16 to float32", subject->Target(), variant.name,
                       kHalves)) {
        continue;
      }
      for (size_t i = 0; i < kHalves && !context.Done(); ++i) {
        // The sign too: conversion has no reason to lose that of zero.
        if (SameFloat(expected[i], got[i]) &&
            (std::isnan(got[i]) ||
             std::signbit(expected[i]) == std::signbit(got[i]))) {
          continue;
        }
        context.AddMismatch({"float16 to float32", HalfText(input[i]),
                             HexFloat(expected[i]), HexFloat(got[i]),
                             subject->Target(), variant.name, std::nullopt});
      }
    }
  }
  context.Advance(kHalves);
}

class ToFloat16Sweep {
 public:
  explicit ToFloat16Sweep(UnitContext& context) : context_(context) {
    for (const auto& subject : context.subjects()) {
      variants_.push_back(*subject->ToFloat16());
    }
  }

  void RunConsecutive(const Interval& interval) {
    ForEachChunk({interval}, context_, [&](int64_t first, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        input_[i] = FloatOf(first + static_cast<int64_t>(i));
      }
      FillSteps(
          [](int64_t pattern) {
            return spec::DoubleToFloat16(FloatOf(pattern));
          },
          first, count, expected_.data());
      Compare(count);
    });
  }

  void RunScattered(const std::vector<Interval>& intervals) {
    size_t count = 0;
    for (const Interval& interval : intervals) {
      for (int64_t p = interval.first; p <= interval.last; ++p) {
        input_[count] = FloatOf(p);
        expected_[count] = spec::DoubleToFloat16(input_[count]);
        CheckOracle(p, expected_[count]);
        if (++count == kSweepChunk) {
          Compare(count);
          count = 0;
        }
        if (context_.Done()) return;
      }
    }
    Compare(count);
  }

 private:
  void CheckOracle(int64_t pattern, uint16_t expected) {
    if (IsSpecialPattern(pattern)) return;
    ++context_.report().spot_checks;
    const oracle::Decomposed parts = oracle::DecomposeFloat32(FloatOf(pattern));
    uint32_t bits = oracle::RoundToFloat(parts.mantissa, 1, parts.exponent,
                                         oracle::kFloat16);
    if (parts.negative) bits |= 0x8000;
    if (bits != expected) {
      context_.report().disagreements.push_back(absl::StrCat(
          "float32 ", HexFloat(FloatOf(pattern)), " to float16: ",
          HalfText(static_cast<uint16_t>(bits)), " and ", HalfText(expected)));
    }
  }

  void Compare(size_t count) {
    for (size_t subject = 0; subject < variants_.size(); ++subject) {
      const std::string target = context_.subjects()[subject]->Target();
      for (const auto& variant : variants_[subject]) {
        std::transform(
            expected_.begin(), expected_.begin() + count, got_.begin(),
            [](uint16_t bits) { return static_cast<uint16_t>(~bits); });
        if (!context_.Ran(variant.function(input_.data(), count, got_.data()),
                          "float32 to float16", target, variant.name, count) ||
            !AnyDiffers(expected_.data(), got_.data(), count)) {
          continue;
        }
        for (size_t i = 0; i < count && !context_.Done(); ++i) {
          if (SameHalf(input_[i], expected_[i], got_[i])) continue;
          context_.AddMismatch(
              {"float32 to float16",
               absl::StrFormat("%s (0x%08x)", HexFloat(input_[i]),
                               PatternOf(input_[i])),
               HalfText(expected_[i]), HalfText(got_[i]), target, variant.name,
               std::nullopt});
        }
      }
    }
    context_.Advance(count);
  }

  UnitContext& context_;
  std::vector<std::vector<Variant<ToFloat16Function>>> variants_;
  std::vector<float> input_ = std::vector<float>(kSweepChunk);
  std::vector<uint16_t> expected_ = std::vector<uint16_t>(kSweepChunk);
  std::vector<uint16_t> got_ = std::vector<uint16_t>(kSweepChunk);
};

// Every half-way point between neighbouring float16, and every float16.
std::vector<Interval> HalfwayPoints(RandomSource& source) {
  std::vector<Interval> intervals = SpecialPatterns(source, 64);
  for (const float sign : {1.0f, -1.0f}) {
    for (uint16_t bits = 0; bits < kInfinity; ++bits) {
      const double value = spec::Float16ToDouble(bits);
      // Behind the largest comes 2^16, if the format went on.
      const double next =
          bits + 1 == kInfinity ? 65536.0 : spec::Float16ToDouble(bits + 1);
      for (const double center : {value, (value + next) / 2}) {
        intervals.push_back(
            PatternsAround(sign * static_cast<float>(center), 2));
      }
    }
  }
  return Merge(intervals);
}

}  // namespace

std::vector<Unit> Float16Units(bool full, uint64_t seed) {
  std::vector<Unit> units;
  const auto add = [&](const std::string& name, uint64_t inputs,
                       double nanoseconds,
                       std::function<void(UnitContext&)> run) {
    Unit unit;
    unit.sweep = "float16";
    unit.name = name;
    unit.inputs = inputs;
    unit.nanoseconds_per_input = nanoseconds;
    unit.run = std::move(run);
    units.push_back(std::move(unit));
  };
  add("float16 to float32", kHalves, 20, RunToFloat32);
  add("float32 to float16, half-way points", 650000, 60,
      [seed](UnitContext& context) {
        RandomSource source(seed);
        context.report().domain = kFloatPatterns;
        ToFloat16Sweep(context).RunScattered(HalfwayPoints(source));
      });
  units.back().beside = full;
  if (!full) return units;
  constexpr auto kPart = static_cast<int64_t>(kFloatPatterns / kParts);
  for (int part = 0; part < kParts; ++part) {
    add(absl::StrCat("float32 to float16, part ", part), kPart, 5,
        [part](UnitContext& context) {
          context.report().domain = kPart;
          ToFloat16Sweep(context).RunConsecutive(
              {part * kPart, (part + 1) * kPart - 1});
        });
  }
  return units;
}

}  // namespace qconform::harness
