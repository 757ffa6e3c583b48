// Quantize-and-dequantize with a given range over all float inputs.

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "harness/cases/value_text.h"
#include "harness/sweeps/float_ordering.h"
#include "harness/sweeps/unit.h"
#include "reference/second_oracle/quantize_dequantize.h"
#include "reference/second_oracle/second_oracle.h"

namespace qconform::harness {
namespace {

namespace oracle = reference::second_oracle;

constexpr int kParts = 64;
// Breakpoints of a setting with more are sampled.
constexpr int64_t kMostBreakpoints = 2048;

class Expectation {
 public:
  explicit Expectation(const QuantizeAndDequantizeSetting& s)
      : setting_(s),
        exact_({s.signed_input, s.num_bits, s.narrow_range, s.half_up},
               s.input_min, s.input_max),
        call_(QuantizeAndDequantizeCall(s, 0)) {
    exact_.Tabulate();
  }

  const oracle::QuantizeDequantize& exact() const { return exact_; }

  // Any inputs.
  void Fill(const float* input, size_t count, float* output) {
    if (!setting_.tensorflow) {
      for (size_t i = 0; i < count; ++i) output[i] = exact_(input[i]);
      return;
    }
    spec::Tensor& tensor = call_.inputs["input"];
    tensor.desc.sizes = {static_cast<int64_t>(count)};
    call_.outputs["output"].sizes = tensor.desc.sizes;
    tensor.storage.resize(count * sizeof(float));
    std::memcpy(tensor.storage.data(), input, count * sizeof(float));
    const std::vector<double> values = oracle::Evaluate(call_)->values;
    std::transform(values.begin(), values.end(), output,
                   [](double value) { return static_cast<float>(value); });
  }

  // Consecutive patterns, `input` being their floats. Both arithmetics are
  // chains of monotone steps while scale and inverse are positive, which the
  // ranges of the settings see to.
  void FillConsecutive(int64_t first, const float* input, size_t count,
                       float* output) {
    if (IsSpecialPattern(first)) return Fill(input, count, output);
    FillSteps(
        [this](int64_t pattern) {
          const float value = FloatOf(pattern);
          if (!setting_.tensorflow) return exact_(value);
          float result = 0;
          Fill(&value, 1, &result);
          return result;
        },
        first, count, output);
  }

 private:
  QuantizeAndDequantizeSetting setting_;
  oracle::QuantizeDequantize exact_;
  spec::Arguments call_;
};

// Whole domains take the first variant of each subject alone: the others store
// the results of the same arithmetic in another way, for which some inputs do.
enum class Which { kFirstVariant, kAllVariants };

class Sweep {
 public:
  Sweep(const QuantizeAndDequantizeSetting& setting, Which which,
        UnitContext& context)
      : setting_(setting), expectation_(setting), context_(context) {
    for (const auto& subject : context_.subjects()) {
      auto variants = subject->QuantizeAndDequantize(setting);
      if (!variants.ok()) {
        context_.Ran(variants.status(), description_, subject->Target(), "", 0);
        variants = std::vector<Variant<QuantizeAndDequantizeFunction>>();
      }
      if (which == Which::kFirstVariant && variants->size() > 1) {
        variants->resize(1);
      }
      variants_.push_back(*std::move(variants));
    }
  }

  Expectation& expectation() { return expectation_; }

  void RunConsecutive(const Interval& interval) {
    ForEachChunk({interval}, context_, [&](int64_t first, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        input_[i] = FloatOf(first + static_cast<int64_t>(i));
      }
      expectation_.FillConsecutive(first, input_.data(), count,
                                   expected_.data());
      Compare(count);
    });
  }

  // Many short intervals, gathered into chunks.
  void RunScattered(const std::vector<Interval>& intervals,
                    RandomSource& source) {
    size_t count = 0;
    for (const Interval& interval : intervals) {
      for (int64_t p = interval.first; p <= interval.last; ++p) {
        input_[count++] = FloatOf(p);
        if (count == kSweepChunk) Flush(count, source);
        if (context_.Done()) return;
      }
    }
    if (count != 0) Flush(count, source);
  }

 private:
  void Flush(size_t& count, RandomSource& source) {
    expectation_.Fill(input_.data(), count, expected_.data());
    for (int i = 0; i < 4; ++i) {
      const auto index = static_cast<size_t>(
          source.Between(0, static_cast<int64_t>(count) - 1));
      context_.SpotCheck(QuantizeAndDequantizeCall(setting_, input_[index]),
                         expected_[index]);
    }
    Compare(count);
    count = 0;
  }

  void Compare(size_t count) {
    for (size_t subject = 0; subject < variants_.size(); ++subject) {
      const std::string target = context_.subjects()[subject]->Target();
      for (const auto& variant : variants_[subject]) {
        // So that an output that is not written differs: no expectation is
        // this number.
        std::fill_n(got_.begin(), count, -0x1.5a5a5ap-77f);
        if (!context_.Ran(variant.function(input_.data(), count, got_.data()),
                          description_, target, variant.name, count) ||
            !AnyDiffers(expected_.data(), got_.data(), count)) {
          continue;
        }
        for (size_t i = 0; i < count && !context_.Done(); ++i) {
          if (SameFloat(expected_[i], got_[i])) continue;
          context_.AddMismatch(
              {description_, absl::StrCat("input=", HexFloat(input_[i])),
               HexFloat(expected_[i]), HexFloat(got_[i]), target, variant.name,
               QuantizeAndDequantizeCall(setting_, input_[i])});
        }
      }
    }
    context_.Advance(count);
  }

  QuantizeAndDequantizeSetting setting_;
  std::string description_ = Describe(setting_);
  Expectation expectation_;
  UnitContext& context_;
  std::vector<std::vector<Variant<QuantizeAndDequantizeFunction>>> variants_;
  std::vector<float> input_ = std::vector<float>(kSweepChunk);
  std::vector<float> expected_ = std::vector<float>(kSweepChunk);
  std::vector<float> got_ = std::vector<float>(kSweepChunk);
};

// The smallest pattern in (low, high] whose integer is beyond `quantized`'s,
// by bisection; low's is `quantized` or nearer to 0.
int64_t FindBreakpoint(const oracle::QuantizeDequantize& exact,
                       int64_t quantized, int64_t low, int64_t high) {
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    if (std::abs(exact.Quantize(FloatOf(middle))) > std::abs(quantized)) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return high;
}

// Neighbourhoods of all breakpoints, or of evenly spread ones and those at the
// ends and beside 0.
std::vector<Interval> Breakpoints(const oracle::QuantizeDequantize& exact) {
  constexpr int64_t kRadius = 5;
  std::vector<Interval> intervals;
  if (!exact.has_scale_factor()) return intervals;
  for (const int64_t sign : {int64_t{1}, int64_t{-1}}) {
    const int64_t last =
        sign > 0 ? exact.maximum() : -exact.minimum();  // magnitude
    const int64_t sign_bits = sign > 0 ? 0 : int64_t{0x80000000};
    const int64_t largest = sign_bits + 0x7F7FFFFF;
    const int64_t stride = std::max<int64_t>(last / kMostBreakpoints, 1);
    for (int64_t q = 0; q < last;
         q += q < 16 || last - q <= 16 ? 1 : std::min(stride, last - 16 - q)) {
      if (std::abs(exact.Quantize(FloatOf(largest))) <= q) break;
      const int64_t pattern = FindBreakpoint(exact, q, sign_bits, largest);
      intervals.push_back(PatternsAround(FloatOf(pattern), kRadius));
    }
  }
  return intervals;
}

void RunShort(const QuantizeAndDequantizeSetting& setting, uint64_t seed,
              UnitContext& context) {
  Sweep sweep(setting, Which::kAllVariants, context);
  RandomSource source(seed);
  std::vector<Interval> intervals = SpecialPatterns(source, 8);
  for (const float bound : {setting.input_min, setting.input_max}) {
    intervals.push_back(PatternsAround(bound, 32));
  }
  const std::vector<Interval> breakpoints =
      Breakpoints(sweep.expectation().exact());
  intervals.insert(intervals.end(), breakpoints.begin(), breakpoints.end());
  context.report().domain = kFloatPatterns;
  sweep.RunScattered(Merge(intervals), source);
}

void RunPart(const QuantizeAndDequantizeSetting& setting, int part,
             UnitContext& context) {
  constexpr auto kPart = static_cast<int64_t>(kFloatPatterns / kParts);
  context.report().domain = kPart;
  Sweep sweep(setting, Which::kFirstVariant, context);
  sweep.RunConsecutive({part * kPart, (part + 1) * kPart - 1});
}

}  // namespace

std::vector<Unit> QuantizeAndDequantizeUnits(bool full, uint64_t seed) {
  std::vector<Unit> units;
  std::vector<QuantizeAndDequantizeSetting> settings =
      QuantizeAndDequantizeSettings(/*every_range=*/true);
  // TensorFlow's arithmetic: where its scale is positive, so that its steps are
  // monotone, and for formats that it takes.
  const size_t exact_settings = settings.size();
  for (size_t i = 0; i < exact_settings; ++i) {
    QuantizeAndDequantizeSetting s = settings[i];
    s.tensorflow = true;
    if (s.num_bits <= 8 && s.input_max > 0) settings.push_back(s);
  }
  for (size_t i = 0; i < settings.size(); ++i) {
    Unit unit;
    unit.sweep = "quantize_and_dequantize";
    unit.name = absl::StrCat("breakpoints, ", Describe(settings[i]));
    unit.inputs = 12000;
    unit.nanoseconds_per_input = 200;
    unit.beside = full;
    unit.run = [setting = settings[i], seed, i](UnitContext& context) {
      RunShort(setting, seed + i, context);
    };
    units.push_back(std::move(unit));
  }
  if (!full) return units;
  std::vector<QuantizeAndDequantizeSetting> whole =
      QuantizeAndDequantizeSettings(/*every_range=*/false);
  QuantizeAndDequantizeSetting tensorflow;
  tensorflow.tensorflow = true;
  tensorflow.input_min = -0x1.99999ap-1f;
  tensorflow.input_max = 0x1.99999ap-4f;
  whole.push_back(tensorflow);
  tensorflow.half_up = true;
  whole.push_back(tensorflow);
  for (const QuantizeAndDequantizeSetting& setting : whole) {
    for (int part = 0; part < kParts; ++part) {
      Unit unit;
      unit.sweep = "quantize_and_dequantize";
      unit.name = absl::StrCat(Describe(setting), ", part ", part);
      unit.inputs = kFloatPatterns / kParts;
      unit.nanoseconds_per_input = 12;
      unit.run = [setting, part](UnitContext& context) {
        RunPart(setting, part, context);
      };
      units.push_back(std::move(unit));
    }
  }
  return units;
}

}  // namespace qconform::harness
