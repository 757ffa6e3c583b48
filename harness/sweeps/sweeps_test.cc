#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "harness/candidates/builtin.h"
#include "harness/judge/targets.h"
#include "harness/sweeps/subject.h"
#include "harness/sweeps/unit.h"

namespace qconform::harness {
namespace {

using testing::HasSubstr;

// The kernels of the best target, faulty in one input of each function. The
// faults are such that few inputs of few settings show them.
class FaultySubject : public SweepSubject {
 public:
  explicit FaultySubject(SweepSubject& good) : good_(good) {}
  std::string Target() const override { return good_.Target(); }

  Variants<AddFunction> Add(const AddSetting& s) override {
    return Spoil(good_.Add(s),
                 [](const uint8_t* a, const uint8_t* b, uint8_t* y) {
                   for (size_t i = 0; i < kAddPairs; ++i) {
                     if (a[i] == 255 && b[i] == 254) y[i] ^= 1;
                   }
                 });
  }
  Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& s) override {
    return Spoil(good_.Requantize(s),
                 [](const int32_t* sums, size_t n, uint8_t* y) {
                   for (size_t i = 0; i < n; ++i) {
                     if (sums[i] == std::numeric_limits<int32_t>::min())
                       y[i] ^= 1;
                     if (sums[i] == 3) y[i] ^= 1;
                   }
                 });
  }
  Variants<RequantizeFunction> RequantizeWide(
      const RequantizeSetting& s) override {
    return Spoil(good_.RequantizeWide(s),
                 [](const int64_t* sums, size_t n, uint8_t* y) {
                   for (size_t i = 0; i < n; ++i) {
                     if (sums[i] == int64_t{1} << 48) y[i] ^= 1;
                   }
                 });
  }
  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& s) override {
    return Spoil(good_.QuantizeAndDequantize(s),
                 [](const float* x, size_t n, float* y) {
                   for (size_t i = 0; i < n; ++i) {
                     if (std::isnan(x[i])) y[i] = 0;
                   }
                 });
  }
  Variants<ToFloat32Function> ToFloat32() override {
    return Spoil(good_.ToFloat32(), [](const uint16_t* x, size_t n, float* y) {
      for (size_t i = 0; i < n; ++i) {
        if (x[i] == 0x8000) y[i] = 0;
      }
    });
  }
  Variants<ToFloat16Function> ToFloat16() override {
    return Spoil(good_.ToFloat16(), [](const float* x, size_t n, uint16_t* y) {
      for (size_t i = 0; i < n; ++i) {
        if (x[i] == 65520.0f) y[i] = 0x7BFF;
      }
    });
  }
  Variants<RowQuantizeFunction> RowQuantize(const float* scale) override {
    return Spoil(good_.RowQuantize(scale),
                 [](const uint16_t* /*x*/, const float* /*smooth*/, size_t n,
                    int8_t* q, float* factor) {
                   if (std::isnan(*factor)) *factor = 0;
                   for (size_t i = 0; i < n; ++i) {
                     if (q[i] == -128) q[i] = -127;
                   }
                 });
  }
  Variants<DequantizeFunction> Dequantize(float factor,
                                          bool is_dynamic) override {
    return Spoil(good_.Dequantize(factor, is_dynamic),
                 [](const int32_t* /*sums*/, const float* /*scales*/, size_t n,
                    uint16_t* y) {
                   for (size_t i = 0; i < n; ++i) {
                     if ((y[i] & 0x7FFF) == 0x0001) y[i] ^= 1;
                   }
                 });
  }

 private:
  // `spoil` gets what each function got, after it.
  template <typename Function, typename Change>
  static Variants<Function> Spoil(Variants<Function> good,
                                  const Change& spoil) {
    for (auto& variant : *good) {
      variant.function = [right = variant.function, spoil](auto... arguments) {
        const absl::Status status = right(arguments...);
        spoil(arguments...);
        return status;
      };
    }
    return good;
  }
  SweepSubject& good_;
};

// A unit of a sweep, by a part of its name.
struct NamedUnit {
  std::vector<Unit> (*make)(bool full, uint64_t seed);
  std::string name;
};

// Fails every call.
class FailingSubject : public SweepSubject {
 public:
  std::string Target() const override { return "nowhere"; }
  Variants<AddFunction> Add(const AddSetting& /*setting*/) override {
    return absl::InternalError("no plan");
  }
  Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& /*setting*/) override {
    return absl::InternalError("no plan");
  }
  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& /*setting*/) override {
    return absl::InternalError("no plan");
  }
  Variants<ToFloat16Function> ToFloat16() override {
    return std::vector<Variant<ToFloat16Function>>{
        {"failing", [](const float*, size_t, uint16_t*) {
           return absl::InternalError("no result");
         }}};
  }
};

std::string BestTarget() { return MachineTargets().front(); }

UnitReport RunOne(const Unit& unit, const Subjects& subjects) {
  std::atomic<bool> stop{false};
  UnitContext context(subjects, stop, [](uint64_t) {});
  unit.run(context);
  return context.report();
}

const Unit& Find(const std::vector<Unit>& units, const std::string& part) {
  for (const Unit& unit : units) {
    if (unit.name.find(part) != std::string::npos) return unit;
  }
  ADD_FAILURE() << "no unit " << part;
  return units.front();
}

TEST(SweepTest, FindsAFaultInOneInput) {
  const Subjects good = BuiltinSubjects({BestTarget()});
  Subjects faulty;
  faulty.push_back(std::make_unique<FaultySubject>(*good[0]));
  const struct {
    std::vector<Unit> (*make)(bool full, uint64_t seed);
    std::string unit;
    std::string input;
  } cases[] = {{AddUnits, "settings 0", "B="},
               {RequantizeUnits, "settings 0..", "sum=3"},
               {QuantizeAndDequantizeUnits, "breakpoints", "input=nan"},
               {Float16Units, "float16 to float32", "0x8000"},
               {Float16Units, "half-way", "0x1.ffep+15"},
               {RowQuantizeUnits, "all x", "x="},
               {RowQuantizeUnits, "dequantization", "weightScale="}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.unit);
    const std::vector<Unit> units = c.make(false, 1);
    const Unit& unit = Find(units, c.unit);
    const UnitReport passed = RunOne(unit, good);
    EXPECT_TRUE(passed.mismatches.empty())
        << passed.mismatches[0].setting << " " << passed.mismatches[0].input;
    EXPECT_TRUE(passed.disagreements.empty()) << passed.disagreements[0];
    EXPECT_GT(passed.covered, 0u);
    EXPECT_LE(passed.covered, passed.domain);
    EXPECT_GT(passed.comparisons, 0u);
    const UnitReport failed = RunOne(unit, faulty);
    ASSERT_FALSE(failed.mismatches.empty());
    EXPECT_LE(failed.mismatches.size(), UnitContext::kMaxMismatches);
    bool found = false;
    for (const Mismatch& m : failed.mismatches) {
      EXPECT_NE(m.expected, m.got);
      EXPECT_EQ(m.target, BestTarget());
      found = found || m.input.find(c.input) != std::string::npos;
    }
    EXPECT_TRUE(found) << failed.mismatches[0].input;
  }
}

TEST(SweepTest, FindsFaultsAtTheEndsOfWholeDomains) {
  const Subjects good = BuiltinSubjects({BestTarget()});
  Subjects faulty;
  faulty.push_back(std::make_unique<FaultySubject>(*good[0]));
  // The fault at INT32_MIN stops the part after one chunk.
  const UnitReport requantize =
      RunOne(Find(RequantizeUnits(true, 1), "setting 0 part 0"), faulty);
  ASSERT_FALSE(requantize.mismatches.empty());
  EXPECT_EQ(requantize.mismatches[0].input, "sum=-2147483648");
  EXPECT_EQ(requantize.domain, uint64_t{1} << 27);
}

TEST(SweepTest, WholePartsOfFloatDomains) {
  // Part 31 holds large values, infinity and NaN.
  const Subjects good = BuiltinSubjects({BestTarget()});
  Subjects faulty;
  faulty.push_back(std::make_unique<FaultySubject>(*good[0]));
  const std::vector<Unit> units = QuantizeAndDequantizeUnits(true, 1);
  for (const char* name :
       {"[-0x1p+0, 0x1p+0], part 31", "tensorflow arithmetic, part 31"}) {
    const UnitReport report = RunOne(Find(units, name), faulty);
    ASSERT_FALSE(report.mismatches.empty());
    EXPECT_EQ(report.mismatches[0].input, "input=nan");
    EXPECT_GT(report.covered, uint64_t{1} << 25);
  }
  const UnitReport report =
      RunOne(Find(Float16Units(true, 1), "part 17"), faulty);
  ASSERT_EQ(report.mismatches.size(), 1u);
  EXPECT_EQ(report.mismatches[0].got, "0x7bff");
  EXPECT_EQ(report.covered, report.domain);
}

TEST(SweepTest, AFailedCallIsAMismatch) {
  Subjects subjects;
  subjects.push_back(std::make_unique<FailingSubject>());
  for (const auto& [make, unit] :
       {NamedUnit{AddUnits, "settings 0"},
        NamedUnit{RequantizeUnits, "settings 0.."},
        NamedUnit{QuantizeAndDequantizeUnits, "breakpoints"},
        NamedUnit{Float16Units, "half-way"}}) {
    const UnitReport report = RunOne(Find(make(false, 1), unit), subjects);
    ASSERT_FALSE(report.mismatches.empty()) << unit;
    EXPECT_THAT(report.mismatches[0].got, HasSubstr("INTERNAL"));
    EXPECT_TRUE(report.targets.empty());
  }
}

TEST(SweepTest, ACandidateIsSweptThroughItsCalls) {
  BuiltinCandidate candidate;
  Subjects subjects;
  subjects.push_back(CandidateSubject(candidate, BestTarget()));
  for (const auto& [make, unit] :
       {NamedUnit{AddUnits, "settings 0"},
        NamedUnit{QuantizeAndDequantizeUnits, "breakpoints"}}) {
    const UnitReport report = RunOne(Find(make(false, 1), unit), subjects);
    EXPECT_TRUE(report.mismatches.empty());
    EXPECT_EQ(report.targets, std::set<std::string>{BestTarget()});
    EXPECT_GT(report.comparisons, 0u);
  }
  // What it has no function for does not run.
  for (const auto make : {RequantizeUnits, Float16Units, RowQuantizeUnits}) {
    const std::vector<Unit> units = make(false, 1);
    ASSERT_FALSE(units.empty());
    const UnitReport report = RunOne(units.front(), subjects);
    EXPECT_TRUE(report.targets.empty());
    EXPECT_EQ(report.covered, 0u);
  }
  const auto nowhere = CandidateSubject(candidate, "nowhere");
  const auto wrong = nowhere->Add({});
  const std::vector<uint8_t> bytes(kAddPairs);
  std::vector<uint8_t> output(kAddPairs);
  EXPECT_FALSE(
      (*wrong)[0].function(bytes.data(), bytes.data(), output.data()).ok());
}

}  // namespace
}  // namespace qconform::harness
