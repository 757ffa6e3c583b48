#include "harness/sweeps/run_sweeps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {
namespace {

using testing::HasSubstr;

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
  EXPECT_THAT(FormatSweepResults(*results), HasSubstr("that ran alone"));
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
