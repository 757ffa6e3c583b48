#include "harness/sweeps/state_file.h"

#include <gtest/gtest.h>

#include <string>

#include "gmock/gmock.h"

namespace qconform::harness {
namespace {

SweepState Example() {
  SweepState state{"program", "full", 7, {"AVX2", "EMU128"}, {}};
  UnitReport report;
  report.domain = 65536;
  report.covered = 100;
  report.comparisons = 400;
  report.spot_checks = 3;
  report.targets = {"AVX2"};
  state.finished["add/settings 0..15"] = report;
  return state;
}

TEST(StateFileTest, ReadsWhatItWrites) {
  const std::string text = FormatSweepState(Example());
  const auto state = ParseSweepState(text);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_TRUE(CheckContinues(*state, Example()).ok());
  EXPECT_EQ(FormatSweepState(*state), text);
  const UnitReport& report = state->finished.at("add/settings 0..15");
  EXPECT_EQ(report.covered, 100u);
  EXPECT_EQ(report.targets, std::set<std::string>{"AVX2"});
}

TEST(StateFileTest, SaysWhatDiffers) {
  const SweepState wanted = Example();
  const auto difference = [&wanted](const auto& change) {
    SweepState found = wanted;
    change(found);
    return std::string(CheckContinues(found, wanted).message());
  };
  EXPECT_EQ(difference([](SweepState&) {}), "");
  EXPECT_THAT(difference([](SweepState& s) { s.program = "other"; }),
              testing::HasSubstr("another program"));
  EXPECT_THAT(difference([](SweepState& s) { s.form = "other"; }),
              testing::HasSubstr("another form"));
  EXPECT_THAT(difference([](SweepState& s) { ++s.seed; }),
              testing::HasSubstr("another seed"));
  EXPECT_THAT(difference([](SweepState& s) { s.targets.pop_back(); }),
              testing::HasSubstr("other targets"));
}

TEST(StateFileTest, RejectsWhatIsNone) {
  const std::string good = FormatSweepState(Example());
  const std::pair<std::string, std::string> changes[] = {
      {"{", "["},
      {"sweep_state/1", "sweep_state/2"},
      {"\"program\": \"program\"", "\"program\": 1"},
      {"\"seed\": 7", "\"seed\": -7"},
      {"\"seed\"", "\"sed\""},
      {"\"schema\"", "\"more\": 1, \"schema\""},
      {"\"AVX2\"", "2"},
      {"\"covered\": 100", "\"covered\": \"100\""},
      {"\"covered\": 100,", ""},
      {"\"targets\": [\n    \"AVX2\"", "\"targets\": [1"}};
  for (const auto& [from, to] : changes) {
    std::string text = good;
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << text;
    text.replace(at, from.size(), to);
    EXPECT_EQ(ParseSweepState(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace qconform::harness
