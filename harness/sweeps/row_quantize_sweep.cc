// The grouped matmul around its integer products: quantization of all x times
// sampled smooth factors, and dequantization of sampled sums at the half-way
// points of float16.

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/cases/value_text.h"
#include "harness/sweeps/unit.h"
#include "reference/second_oracle/row_quantizer.h"
#include "spec/tensor.h"

namespace qconform::harness {
namespace {

namespace oracle = reference::second_oracle;

constexpr uint16_t kInfinity = 0x7C00;
constexpr uint16_t kSign = 0x8000;
constexpr size_t kStep = 16;  // rows come in multiples of it
constexpr int8_t kPoison = 0x55;

struct RowSetting {
  uint16_t smooth = 0x3C00;
  bool is_dynamic = false;
  float scale = 1;            // static
  uint16_t largest = 0x7BFF;  // dynamic: |x| of the row's largest
};

std::string Describe(const RowSetting& s) {
  const std::string smooth = HexFloat(spec::Float16ToDouble(s.smooth));
  return s.is_dynamic ? absl::StrCat("smooth ", smooth, ", dynamic, largest x ",
                                     HexFloat(spec::Float16ToDouble(s.largest)))
                      : absl::StrCat("smooth ", smooth, ", static scale ",
                                     HexFloat(s.scale));
}

oracle::RowQuantizer MakeQuantizer(const RowSetting& s) {
  return s.is_dynamic ? oracle::RowQuantizer::Dynamic(
                            oracle::MultiplyFloat16(s.largest, s.smooth))
                      : oracle::RowQuantizer::Given(s.scale);
}

float Factor(const RowSetting& s) {
  return s.is_dynamic
             ? static_cast<float>(std::abs(spec::Float16ToDouble(s.largest) *
                                           spec::Float16ToDouble(s.smooth)))
             : s.scale;
}

class RowSweep {
 public:
  RowSweep(const RowSetting& setting, UnitContext& context)
      : setting_(setting),
        quantizer_(MakeQuantizer(setting)),
        context_(context) {
    for (const auto& subject : context.subjects()) {
      variants_.push_back(*subject->RowQuantize(
          setting.is_dynamic ? nullptr : &setting_.scale));
    }
  }

  void Run(RandomSource& source) {
    // Infinity is a number of a static row, unless smooth makes it NaN (AG-03).
    const bool with_infinity =
        !setting_.is_dynamic && (setting_.smooth & ~kSign) != 0;
    const uint16_t last = setting_.is_dynamic
                              ? setting_.largest
                              : (with_infinity ? kInfinity : kInfinity - 1);
    std::vector<uint16_t> x;
    std::vector<int8_t> expected;
    for (const uint16_t sign : {uint16_t{0}, kSign}) {
      const size_t begin = x.size();
      for (uint32_t bits = 0; bits <= last; ++bits) {
        x.push_back(static_cast<uint16_t>(sign | bits));
      }
      expected.resize(x.size());
      FillSteps([this](int64_t bits) { return Quantize(bits); }, sign,
                x.size() - begin, expected.data() + begin);
    }
    const size_t numbers = x.size();
    for (int i = 0; i < 3; ++i) {
      const auto index = static_cast<size_t>(
          source.Between(0, static_cast<int64_t>(numbers) - 1));
      context_.SpotCheck(
          Call(x[index]),
          oracle::Float16Value(quantizer_.Dequantize(expected[index], 1)));
    }
    x.resize((numbers + kStep - 1) / kStep * kStep, 0);
    expected.resize(x.size(), 0);
    Compare(x, expected, numbers, Factor(setting_));

    // Every x that makes its row NaN, in a row of its own.
    uint64_t rows = 0;
    for (const uint16_t sign : {uint16_t{0}, kSign}) {
      for (uint32_t bits = with_infinity ? kInfinity + 1u : kInfinity;
           bits < kSign && !context_.Done(); ++bits) {
        std::vector<uint16_t> row(kStep, 0x3C00);
        row[bits % kStep] = static_cast<uint16_t>(sign | bits);
        Compare(row, std::vector<int8_t>(kStep, 0), 1,
                std::numeric_limits<float>::quiet_NaN());
        ++rows;
      }
    }
    context_.report().domain += numbers + rows;
    context_.Advance(numbers + rows);
  }

 private:
  int8_t Quantize(int64_t bits) const {
    return static_cast<int8_t>(quantizer_.Quantize(
        oracle::MultiplyFloat16(static_cast<uint16_t>(bits), setting_.smooth)));
  }

  spec::Arguments Call(uint16_t x) const {
    return RowQuantizeCall(x, setting_.smooth,
                           setting_.is_dynamic ? nullptr : &setting_.scale,
                           setting_.largest);
  }

  void Compare(const std::vector<uint16_t>& x,
               const std::vector<int8_t>& expected, size_t numbers,
               float factor) {
    smooth_.resize(x.size(),
                   static_cast<float>(spec::Float16ToDouble(setting_.smooth)));
    for (size_t subject = 0; subject < variants_.size(); ++subject) {
      const std::string target = context_.subjects()[subject]->Target();
      for (const auto& variant : variants_[subject]) {
        got_.assign(x.size(), kPoison);
        float got_factor = -1;
        if (!context_.Ran(variant.function(x.data(), smooth_.data(), x.size(),
                                           got_.data(), &got_factor),
                          description_, target, variant.name, numbers)) {
          continue;
        }
        if (got_factor != factor &&
            !(std::isnan(got_factor) && std::isnan(factor))) {
          context_.AddMismatch(
              {description_,
               absl::StrFormat("scale of the row of x 0x%04x...", x[0]),
               HexFloat(factor), HexFloat(got_factor), target, variant.name,
               Call(x[0])});
        }
        if (!AnyDiffers(expected.data(), got_.data(), x.size())) continue;
        for (size_t i = 0; i < x.size() && !context_.Done(); ++i) {
          if (expected[i] == got_[i]) continue;
          context_.AddMismatch(
              {description_,
               absl::StrFormat("x=%s (0x%04x)",
                               HexFloat(spec::Float16ToDouble(x[i])), x[i]),
               absl::StrCat(int{expected[i]}), absl::StrCat(int{got_[i]}),
               target, variant.name, Call(x[i])});
        }
      }
    }
  }

  RowSetting setting_;
  std::string description_ = Describe(setting_);
  oracle::RowQuantizer quantizer_;
  UnitContext& context_;
  std::vector<std::vector<Variant<RowQuantizeFunction>>> variants_;
  std::vector<float> smooth_;
  std::vector<int8_t> got_;
};

uint16_t FiniteHalf(RandomSource& source) {
  constexpr uint16_t kEdges[] = {0x0000, 0x0001, 0x03FF, 0x0400,
                                 0x3C00, 0x3BFF, 0x57F0, 0x7BFF};
  const auto magnitude =
      static_cast<uint16_t>(source.OneIn(4) ? kEdges[source.Between(0, 7)]
                                            : source.Between(0, kInfinity - 1));
  return source.OneIn(4) ? magnitude | kSign : magnitude;
}

RowSetting MakeRowSetting(RandomSource& source) {
  RowSetting s;
  s.smooth = source.OneIn(3) ? 0x3C00 : FiniteHalf(source);
  s.is_dynamic = source.OneIn(2);
  s.largest = FiniteHalf(source) & static_cast<uint16_t>(~kSign);
  // Scales at which many products are within -128..127 or are ties.
  const double product = std::abs(spec::Float16ToDouble(s.largest) *
                                  spec::Float16ToDouble(s.smooth)) /
                         (static_cast<double>(source.Between(1, 256)) - 0.5);
  switch (source.Between(0, 3)) {
    case 0:
      s.scale = std::ldexp(1.0f, static_cast<int>(source.Between(-24, 10)));
      break;
    case 1:
      s.scale = source.Pick({0.0f, 0x1p-149f, 0x1.fffffep127f, -0x1p-126f});
      break;
    default:
      s.scale = NearbyFloat(source.OneIn(6) ? -product : product, source);
  }
  return s;
}

// Sums and weight scales whose results lie at half-way points of float16 or
// one unit of the scale beside, and others.
void RunDequantize(RandomSource& source, UnitContext& context) {
  RowSetting setting;
  do {
    setting = MakeRowSetting(source);
  } while (Factor(setting) == 0);  // never dequantized, all of its sums are 0
  const oracle::RowQuantizer quantizer = MakeQuantizer(setting);
  const double scale = double{Factor(setting)} / (setting.is_dynamic ? 127 : 1);
  std::vector<int32_t> sums(kSweepChunk);
  std::vector<float> scales(kSweepChunk);
  std::vector<uint16_t> expected(kSweepChunk);
  for (size_t i = 0; i < kSweepChunk; ++i) {
    const int64_t limit = int64_t{1} << source.Between(1, 31);
    sums[i] = static_cast<int32_t>(source.Between(-limit, limit - 1));
    const auto half = static_cast<uint16_t>(source.Between(0, kInfinity - 1));
    const double low = spec::Float16ToDouble(half);
    const double high =
        half + 1 == kInfinity ? 65536.0 : spec::Float16ToDouble(half + 1);
    const double aim = source.OneIn(4) ? low : (low + high) / 2;
    scales[i] =
        source.OneIn(64)
            ? 0.0f
            : NearbyFloat(aim / (sums[i] == 0 ? 1.0 : sums[i]) / scale, source);
    expected[i] = quantizer.Dequantize(sums[i], scales[i]);
  }
  const std::string description =
      absl::StrCat("dequantize, row factor ", HexFloat(Factor(setting)),
                   setting.is_dynamic ? " / 127" : "");
  std::vector<uint16_t> got(kSweepChunk);
  for (const auto& subject : context.subjects()) {
    const auto variants =
        subject->Dequantize(Factor(setting), setting.is_dynamic);
    for (const auto& variant : *variants) {
      std::transform(
          expected.begin(), expected.end(), got.begin(),
          [](uint16_t bits) { return static_cast<uint16_t>(~bits); });
      if (!context.Ran(variant.function(sums.data(), scales.data(), kSweepChunk,
                                        got.data()),
                       description, subject->Target(), variant.name,
                       kSweepChunk)) {
        continue;
      }
      for (size_t i = 0; i < kSweepChunk && !context.Done(); ++i) {
        // -0 equals +0 (AR-06).
        if (expected[i] == got[i] || ((expected[i] | got[i]) & ~kSign) == 0) {
          continue;
        }
        context.AddMismatch({description,
                             absl::StrCat("sum=", sums[i],
                                          " weightScale=", HexFloat(scales[i])),
                             HexFloat(spec::Float16ToDouble(expected[i])),
                             HexFloat(spec::Float16ToDouble(got[i])),
                             subject->Target(), variant.name, std::nullopt});
      }
    }
  }
  context.report().domain += kSweepChunk;
  context.Advance(kSweepChunk);
}

}  // namespace

std::vector<Unit> RowQuantizeUnits(bool full, uint64_t seed) {
  constexpr int kPerUnit = 20;
  std::vector<Unit> units;
  const int unit_count = full ? 500 : 20;
  for (int i = 0; i < unit_count; ++i) {
    Unit unit;
    unit.sweep = "row_quantize";
    unit.name = absl::StrCat("all x, settings ", i * kPerUnit, "..",
                             (i + 1) * kPerUnit - 1);
    unit.inputs = kPerUnit * 50000;
    unit.nanoseconds_per_input = 20;
    unit.run = [seed, i](UnitContext& context) {
      RandomSource source(seed + static_cast<uint64_t>(i));
      for (int s = 0; s < kPerUnit && !context.Done(); ++s) {
        RowSweep(MakeRowSetting(source), context).Run(source);
      }
    };
    units.push_back(unit);
    unit.name = absl::StrCat("dequantization of sampled sums ", i);
    unit.inputs = kPerUnit * kSweepChunk;
    unit.nanoseconds_per_input = 200;
    unit.run = [seed, i](UnitContext& context) {
      RandomSource source(seed + static_cast<uint64_t>(i) + 1000000);
      for (int s = 0; s < kPerUnit && !context.Done(); ++s) {
        RunDequantize(source, context);
      }
    };
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace qconform::harness
