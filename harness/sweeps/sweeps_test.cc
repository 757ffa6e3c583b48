#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "harness/candidates/builtin.h"
#include "harness/cases/vector_file.h"
#include "harness/judge/targets.h"
#include "harness/sweeps/float_ordering.h"
#include "harness/sweeps/run_sweeps.h"

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
    return Spoil(good_.Add(s), [](auto good) {
      return [good](const uint8_t* a, const uint8_t* b, size_t n, uint8_t* y) {
        const absl::Status status = good(a, b, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (a[i] == 255 && b[i] == 254) y[i] ^= 1;
        }
        return status;
      };
    });
  }
  Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& s) override {
    return Spoil(good_.Requantize(s), [](auto good) {
      return [good](const int32_t* sums, size_t n, uint8_t* y) {
        const absl::Status status = good(sums, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (sums[i] == std::numeric_limits<int32_t>::min()) y[i] ^= 1;
          if (sums[i] == 3) y[i] ^= 1;
        }
        return status;
      };
    });
  }
  Variants<RequantizeFunction> RequantizeWide(
      const RequantizeSetting& s) override {
    return Spoil(good_.RequantizeWide(s), [](auto good) {
      return [good](const int64_t* sums, size_t n, uint8_t* y) {
        const absl::Status status = good(sums, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (sums[i] == int64_t{1} << 48) y[i] ^= 1;
        }
        return status;
      };
    });
  }
  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& s) override {
    return Spoil(good_.QuantizeAndDequantize(s), [](auto good) {
      return [good](const float* x, size_t n, float* y) {
        const absl::Status status = good(x, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (std::isnan(x[i])) y[i] = 0;
        }
        return status;
      };
    });
  }
  Variants<ToFloat32Function> ToFloat32() override {
    return Spoil(good_.ToFloat32(), [](auto good) {
      return [good](const uint16_t* x, size_t n, float* y) {
        const absl::Status status = good(x, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (x[i] == 0x8000) y[i] = 0;
        }
        return status;
      };
    });
  }
  Variants<ToFloat16Function> ToFloat16() override {
    return Spoil(good_.ToFloat16(), [](auto good) {
      return [good](const float* x, size_t n, uint16_t* y) {
        const absl::Status status = good(x, n, y);
        for (size_t i = 0; i < n; ++i) {
          if (x[i] == 65520.0f) y[i] = 0x7BFF;
        }
        return status;
      };
    });
  }
  Variants<RowQuantizeFunction> RowQuantize(const float* scale) override {
    return Spoil(good_.RowQuantize(scale), [](auto good) {
      return [good](const uint16_t* x, const float* smooth, size_t n, int8_t* q,
                    float* factor) {
        const absl::Status status = good(x, smooth, n, q, factor);
        if (std::isnan(*factor)) *factor = 0;
        for (size_t i = 0; i < n; ++i) {
          if (q[i] == -128) q[i] = -127;
        }
        return status;
      };
    });
  }
  Variants<DequantizeFunction> Dequantize(float factor,
                                          bool is_dynamic) override {
    return Spoil(good_.Dequantize(factor, is_dynamic), [](auto good) {
      return [good](const int32_t* sums, const float* scales, size_t n,
                    uint16_t* y) {
        const absl::Status status = good(sums, scales, n, y);
        for (size_t i = 0; i < n; ++i) {
          if ((y[i] & 0x7FFF) == 0x0001) y[i] ^= 1;
        }
        return status;
      };
    });
  }

 private:
  template <typename Function, typename Make>
  static Variants<Function> Spoil(Variants<Function> good, const Make& make) {
    for (auto& variant : *good) variant.function = make(variant.function);
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
    for (const Unit& unit : make(false, 1)) {
      const UnitReport report = RunOne(unit, subjects);
      EXPECT_TRUE(report.targets.empty());
      EXPECT_EQ(report.covered, 0u);
      break;
    }
  }
  const auto nowhere = CandidateSubject(candidate, "nowhere");
  const auto wrong = nowhere->Add({});
  uint8_t byte = 0;
  EXPECT_FALSE((*wrong)[0].function(&byte, &byte, 1, &byte).ok());
}

TEST(SweepTest, StepsAreFilledByHalving) {
  for (const size_t count : {0, 1, 2, 3, 100, 1000}) {
    std::vector<int> output(count + 1, -1);
    int evaluations = 0;
    FillSteps(
        [&](int64_t x) {
          ++evaluations;
          return x < 40 ? 1 : x < 41 ? 2 : 7;
        },
        0, count, output.data());
    for (size_t i = 0; i < count; ++i) {
      EXPECT_EQ(output[i], i < 40 ? 1 : i < 41 ? 2 : 7);
    }
    EXPECT_EQ(output[count], -1);
    EXPECT_LT(evaluations, 40);
  }
}

TEST(SweepTest, IntervalsAreMerged) {
  const std::vector<Interval> merged =
      Merge({{10, 20}, {0, 3}, {4, 5}, {15, 30}, {40, 40}});
  ASSERT_EQ(merged.size(), 3u);
  EXPECT_EQ(merged[0].last, 5);
  EXPECT_EQ(merged[1].last, 30);
  EXPECT_EQ(CountIntegers(merged), 6u + 21u + 1u);
}

TEST(SweepTest, PatternsStayOnTheirSideOfZero) {
  const Interval interval = PatternsAround(-0x1p-149f, 5);
  EXPECT_EQ(interval.first, 0x80000000);
  EXPECT_EQ(interval.last, 0x80000006);
}

TEST(SweepTest, OraclesThatDisagreeAreNoticed) {
  const Subjects none;
  std::atomic<bool> stop{false};
  UnitContext context(none, stop, [](uint64_t) {});
  context.SpotCheck(AddCall({}, 1, 2), 3);
  EXPECT_TRUE(context.report().disagreements.empty());
  context.SpotCheck(AddCall({}, 1, 2), 4);
  ASSERT_EQ(context.report().disagreements.size(), 1u);
  EXPECT_THAT(context.report().disagreements[0], HasSubstr("0x1p+2"));
  AddSetting rejected;
  rejected.a_scale = 0;
  context.SpotCheck(AddCall(rejected, 1, 2), 3);
  EXPECT_EQ(context.report().disagreements.size(), 2u);
}

// A run of three units of which one may be spoilt.
class RunSweepsTest : public testing::Test {
 protected:
  RunSweepsTest() {
    options_.sweeps = {"add"};
    options_.targets = {"here"};
    options_.program = "p";
    for (int i = 0; i < 3; ++i) {
      Unit unit;
      unit.sweep = "add";
      unit.name = "settings " + std::to_string(16 * i) + ".." +
                  std::to_string(16 * i + 15);
      unit.inputs = 1000;
      unit.run = [this, i](UnitContext& context) {
        ++runs_;
        context.report().domain = 1000;
        context.Ran(absl::OkStatus(), "", "here", "v", 500);
        context.Advance(500);
        if (i == faulty_) {
          context.AddMismatch(
              {"s", "i", "1", "2", "here", "v", AddCall({}, 1, 2)});
        }
        if (i == disagreeing_) context.report().disagreements.push_back("d");
      };
      units_.push_back(unit);
    }
  }

  absl::StatusOr<SweepResults> Run() {
    return RunSweeps(options_, subjects_, units_);
  }

  SweepOptions options_;
  Subjects subjects_;
  std::vector<Unit> units_;
  std::atomic<int> runs_{0};
  int faulty_ = -1;
  int disagreeing_ = -1;
};

TEST_F(RunSweepsTest, AllUnitsPass) {
  options_.threads = 2;
  uint64_t last = 0;
  std::mutex mutex;
  options_.progress = [&](uint64_t done, uint64_t total) {
    const std::lock_guard<std::mutex> lock(mutex);
    last = std::max(last, done);
    EXPECT_LE(done, total);
  };
  const auto results = Run();
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->exit_code, kConforms);
  EXPECT_EQ(results->sweeps[0].finished, 3u);
  EXPECT_EQ(results->sweeps[0].covered, 1500u);
  EXPECT_GT(last, 0u);
  const std::string text = FormatSweepResults(*results);
  EXPECT_THAT(text, HasSubstr("3/3"));
  EXPECT_THAT(text, HasSubstr("50%"));
}

TEST_F(RunSweepsTest, ChosenInputsClaimNoShareOfTheDomain) {
  units_[2].beside = true;
  const auto results = Run();
  EXPECT_EQ(results->sweeps[0].domain, 2000u);
  EXPECT_EQ(results->sweeps[0].covered, 1000u);
  EXPECT_THAT(FormatSweepResults(*results), HasSubstr("and 500 inputs chosen"));
}

TEST_F(RunSweepsTest, AMismatchIsToldAndSaved) {
  faulty_ = 1;
  const auto results = Run();
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->exit_code, kDoesNotConform);
  EXPECT_THAT(FormatSweepResults(*results),
              HasSubstr("WRONG add on here (v): s; i: expected 1, got 2"));
  const auto json = nlohmann::json::parse(SweepResultsToJson(*results));
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["sweeps"][0]["mismatches"][0]["got"], "2");
  const std::string folder = testing::TempDir() + "sweep_saved";
  std::filesystem::remove_all(folder);
  const auto paths = SaveMismatches(*results, folder);
  ASSERT_TRUE(paths.ok());
  ASSERT_EQ(paths->size(), 1u);
  const auto file = ReadVectorFile(paths->front());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->cases[0].arguments, AddCall({}, 1, 2));
  EXPECT_FALSE(SaveMismatches(*results, "/dev/null/folder").ok());
}

TEST_F(RunSweepsTest, DisagreeingOraclesAreABrokenHarness) {
  faulty_ = 0;
  disagreeing_ = 1;
  const auto results = Run();
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(results->exit_code, kBroken);
  EXPECT_THAT(FormatSweepResults(*results), HasSubstr("BROKEN"));
}

TEST_F(RunSweepsTest, ATargetThatDidNotRunIsMistrusted) {
  options_.targets.push_back("elsewhere");
  const auto results = Run();
  EXPECT_EQ(results->exit_code, kUntrustworthy);
  EXPECT_THAT(FormatSweepResults(*results),
              HasSubstr("target elsewhere did not run"));
  options_.sweeps.clear();
  units_.clear();
  EXPECT_EQ(Run()->exit_code, kUntrustworthy);
}

TEST_F(RunSweepsTest, ContinuesWhereItStopped) {
  options_.state_path = testing::TempDir() + "sweep_state.json";
  std::filesystem::remove(options_.state_path);
  faulty_ = 2;
  ASSERT_EQ(Run()->exit_code, kDoesNotConform);
  EXPECT_EQ(runs_, 3);
  faulty_ = -1;
  const auto results = Run();  // only what failed
  EXPECT_EQ(runs_, 4);
  EXPECT_EQ(results->exit_code, kConforms);
  EXPECT_EQ(results->sweeps[0].resumed, 2u);
  EXPECT_EQ(results->sweeps[0].covered, 1500u);
  EXPECT_THAT(FormatSweepResults(*results), HasSubstr("2 units finished in"));

  options_.seed = 9;
  EXPECT_THAT(std::string(Run().status().message()), HasSubstr("another seed"));
  options_.seed = 1;
  std::ofstream(options_.state_path) << "{";
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kInvalidArgument);
  SweepState strange{"p", "short", 1, {"here"}, {{"add/strange", {}}}};
  std::ofstream(options_.state_path) << FormatSweepState(strange);
  EXPECT_THAT(std::string(Run().status().message()),
              HasSubstr("there is no unit \"add/strange\""));
  options_.state_path = "/dev/null/state";
  EXPECT_EQ(Run().status().code(), absl::StatusCode::kUnknown);
}

TEST_F(RunSweepsTest, AnInterruptionIsMistrusted) {
  options_.interrupted = [] { return true; };
  const auto results = Run();
  EXPECT_EQ(results->exit_code, kUntrustworthy);
  EXPECT_THAT(results->distrust[0], HasSubstr("did not finish"));
}

TEST(MakeUnitsTest, NamesAreUniqueAndTheSameAgain) {
  for (const bool full : {false, true}) {
    SweepOptions options;
    options.sweeps = SweepNames();
    options.full = full;
    std::set<std::string> names;
    const std::vector<Unit> units = MakeUnits(options);
    for (const Unit& unit : units) names.insert(unit.sweep + "/" + unit.name);
    EXPECT_EQ(names.size(), units.size());
    for (const Unit& unit : MakeUnits(options)) {
      EXPECT_TRUE(names.contains(unit.sweep + "/" + unit.name));
    }
    options.sample = 10;
    const size_t sampled = MakeUnits(options).size();
    EXPECT_GE(sampled, SweepNames().size());
    EXPECT_LT(sampled, units.size() / 5);
  }
}

}  // namespace
}  // namespace qconform::harness
