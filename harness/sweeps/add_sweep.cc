// The quantized add over all 65,536 pairs of bytes.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "harness/sweeps/unit.h"
#include "reference/second_oracle/adder.h"

namespace qconform::harness {
namespace {

namespace oracle = reference::second_oracle;

constexpr size_t kPairs = kAddPairs;
constexpr size_t kSettingsPerUnit = 16;
constexpr int kSpotChecks = 16;

int ValueOf(uint8_t byte, spec::DataType type) {
  return type == spec::DataType::kInt8 ? static_cast<int8_t>(byte) : byte;
}

struct Pairs {
  std::vector<uint8_t> a;
  std::vector<uint8_t> b;
};

// In the order of oracle::AdderTable.
Pairs AllPairs() {
  Pairs pairs{std::vector<uint8_t>(kPairs), std::vector<uint8_t>(kPairs)};
  for (size_t i = 0; i < kPairs; ++i) {
    pairs.a[i] = static_cast<uint8_t>(i >> 8);
    pairs.b[i] = static_cast<uint8_t>(i);
  }
  return pairs;
}

std::vector<uint8_t> ExpectedBytes(const AddSetting& setting) {
  oracle::AdderParameters parameters;
  parameters.a_scale = setting.a_scale;
  parameters.b_scale = setting.b_scale;
  parameters.output_scale = setting.output_scale;
  parameters.a_zero_point = setting.a_zero_point;
  parameters.b_zero_point = setting.b_zero_point;
  parameters.output_zero_point = setting.output_zero_point;
  parameters.output_type = setting.output_type;
  const std::vector<int16_t> table =
      oracle::AdderTable(parameters, setting.a_type, setting.b_type);
  std::vector<uint8_t> bytes(kPairs);
  std::transform(table.begin(), table.end(), bytes.begin(),
                 [](int16_t value) { return static_cast<uint8_t>(value); });
  return bytes;
}

void RunSetting(const AddSetting& setting, const Pairs& pairs,
                RandomSource& source, UnitContext& context) {
  const std::vector<uint8_t> expected = ExpectedBytes(setting);
  context.report().domain += kPairs;
  for (int i = 0; i < kSpotChecks; ++i) {
    const size_t pair = static_cast<size_t>(source.Between(0, kPairs - 1));
    context.SpotCheck(AddCall(setting, pairs.a[pair], pairs.b[pair]),
                      ValueOf(expected[pair], setting.output_type));
  }
  std::vector<uint8_t> got(kPairs);
  for (const auto& subject : context.subjects()) {
    const auto variants = subject->Add(setting);
    if (!variants.ok()) {
      context.Ran(variants.status(), Describe(setting), subject->Target(), "",
                  0);
      continue;
    }
    for (const Variant<AddFunction>& variant : *variants) {
      // So that an output that was not written is no luck.
      std::transform(expected.begin(), expected.end(), got.begin(),
                     [](uint8_t byte) { return static_cast<uint8_t>(~byte); });
      const absl::Status status =
          variant.function(pairs.a.data(), pairs.b.data(), got.data());
      if (!context.Ran(status, Describe(setting), subject->Target(),
                       variant.name, kPairs) ||
          !AnyDiffers(expected.data(), got.data(), kPairs)) {
        continue;
      }
      for (size_t i = 0; i < kPairs && !context.Done(); ++i) {
        if (expected[i] == got[i]) continue;
        context.AddMismatch(
            {Describe(setting),
             absl::StrCat("A=", ValueOf(pairs.a[i], setting.a_type),
                          " B=", ValueOf(pairs.b[i], setting.b_type)),
             absl::StrCat(ValueOf(expected[i], setting.output_type)),
             absl::StrCat(ValueOf(got[i], setting.output_type)),
             subject->Target(), variant.name,
             AddCall(setting, pairs.a[i], pairs.b[i])});
      }
    }
  }
  context.Advance(kPairs);
}

}  // namespace

std::vector<Unit> AddUnits(bool full, uint64_t seed) {
  const std::vector<AddSetting> settings = AddSettings(seed, full ? 4096 : 160);
  std::vector<Unit> units;
  for (size_t first = 0; first < settings.size(); first += kSettingsPerUnit) {
    const std::vector<AddSetting> some(
        settings.begin() + first,
        settings.begin() + std::min(first + kSettingsPerUnit, settings.size()));
    Unit unit;
    unit.sweep = "add";
    unit.name = absl::StrCat("settings ", first, "..", first + some.size() - 1);
    unit.inputs = some.size() * kPairs;
    unit.nanoseconds_per_input = 60;
    unit.run = [some, seed, first](UnitContext& context) {
      RandomSource source(seed + first);
      const Pairs pairs = AllPairs();
      for (const AddSetting& setting : some) {
        if (context.Done()) return;
        RunSetting(setting, pairs, source, context);
      }
    };
    units.push_back(std::move(unit));
  }
  return units;
}

}  // namespace qconform::harness
