#include "harness/gate/baseline.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/judge/sample_cases.h"
#include "qconform_source_dir.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kGood[] = R"text({
 "schema": "baseline/1",
 "known_failures": [
  {
   "operator": "dml_element_wise_quantized_linear_add",
   "case": "ties",
   "targets": [
    "AVX2",
    "EMU128"
   ],
   "reason": "half away",
   "link": "https://example.org/1",
   "expires": "2026-12-31"
  }
 ],
 "differences": [
  {
   "operator": "tf_quantize_and_dequantize_v2",
   "types": "float32->float32",
   "target": "AVX2",
   "unit": "ULP",
   "permitted": "enclosure (AR-02)",
   "observed": 2
  }
 ]
}
)text";

std::string Changed(const std::string& from, const std::string& to) {
  const std::string text = absl::StrReplaceAll(kGood, {{from, to}});
  EXPECT_NE(text, kGood) << from;
  return text;
}

std::string ErrorOf(const std::string& json) {
  const absl::StatusOr<Baseline> baseline = ParseBaseline("base.json", json);
  EXPECT_TRUE(absl::IsInvalidArgument(baseline.status()));
  return std::string(baseline.status().message());
}

TEST(BaselineTest, ReadsWhatItWrites) {
  const absl::StatusOr<Baseline> baseline = ParseBaseline("base.json", kGood);
  ASSERT_TRUE(baseline.ok()) << baseline.status();
  ASSERT_EQ(baseline->known_failures.size(), 1u);
  EXPECT_EQ(baseline->known_failures[0].line, 6);
  EXPECT_EQ(baseline->known_failures[0].expires, absl::CivilDay(2026, 12, 31));
  EXPECT_EQ(baseline->known_failures[0].targets.size(), 2u);
  EXPECT_EQ(baseline->differences.at(0).observed, 2);
  EXPECT_EQ(FormatBaseline(*baseline), kGood);
}

TEST(BaselineTest, WritesEntriesSortedAndWithoutZeros) {
  Baseline baseline;
  for (const char* id : {"b", "a"}) {
    KnownFailure entry;
    entry.operator_name = "dml_element_wise_quantized_linear_add";
    entry.case_id = id;
    entry.targets = {"SSE4", "AVX2"};
    entry.reason = entry.link = "x";
    baseline.known_failures.push_back(entry);
  }
  for (const int observed : {0, 3, 1}) {
    KnownDifference entry;
    entry.operator_name = "tf_quantize_and_dequantize_v2";
    entry.types = std::string(1, static_cast<char>('z' - observed));
    entry.unit = "ULP";
    entry.permitted = "enclosure (AR-02)";
    entry.observed = observed;
    baseline.differences.push_back(entry);
  }
  const absl::StatusOr<Baseline> read =
      ParseBaseline("base.json", FormatBaseline(baseline));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->known_failures[0].case_id, "a");
  EXPECT_EQ(read->known_failures[0].targets[0], "AVX2");
  ASSERT_EQ(read->differences.size(), 2u);
  EXPECT_EQ(read->differences[0].observed, 3);
  EXPECT_EQ(read->differences[1].observed, 1);
}

TEST(BaselineTest, RefusesWhatIsNoBaseline) {
  EXPECT_THAT(ErrorOf("[]"),
              HasSubstr("base.json: baseline is [], must be an object"));
  EXPECT_THAT(ErrorOf("{"), HasSubstr("base.json: "));
  EXPECT_THAT(ErrorOf("{}"), HasSubstr("baseline has no schema"));
  EXPECT_THAT(ErrorOf(Changed("baseline/1", "baseline/9")),
              HasSubstr("schema is \"baseline/9\", must be one of baseline/1"));
  EXPECT_THAT(ErrorOf(R"({"schema": "baseline/1", "known_failures": {},
                          "differences": []})"),
              HasSubstr("known_failures is {}, must be an array"));
  EXPECT_THAT(ErrorOf(Changed("\"baseline/1\"", "\"baseline/1\", \"more\": 1")),
              HasSubstr("baseline holds the unknown key \"more\""));
  EXPECT_THAT(ErrorOf(Changed("\"ULP\"", "\"ULP\", \"unit\": \"ULP\"")),
              HasSubstr("the key \"unit\" stands twice"));
}

TEST(BaselineTest, RefusesWhatIsNoKnownFailure) {
  EXPECT_THAT(ErrorOf(Changed("\"link\"", "\"why\": 1, \"link\"")),
              HasSubstr("known_failures[0] holds the unknown key \"why\""));
  EXPECT_THAT(ErrorOf(Changed("   \"reason\": \"half away\",\n", "")),
              HasSubstr("known_failures[0] has no reason"));
  EXPECT_THAT(ErrorOf(Changed("half away", "")),
              HasSubstr("reason is \"\", must not be empty"));
  EXPECT_THAT(ErrorOf(Changed("dml_element_wise", "dml_element_foolish")),
              HasSubstr("there is no operator \"dml_element_foolish"));
  EXPECT_THAT(ErrorOf(Changed("[\n    \"AVX2\",\n    \"EMU128\"\n   ]", "[]")),
              HasSubstr("targets must hold at least one string"));
  EXPECT_THAT(ErrorOf(Changed("\"EMU128\"", "\"\"")),
              HasSubstr("targets must hold at least one string, and none"));
  EXPECT_THAT(ErrorOf(Changed("\"EMU128\"", "7")),
              HasSubstr("targets holds 7, must hold strings"));
  EXPECT_THAT(ErrorOf(Changed("\"EMU128\"", "\"AVX2\"")),
              HasSubstr("names a target twice"));
}

TEST(BaselineTest, RefusesWhatIsNoDifference) {
  EXPECT_THAT(ErrorOf(Changed("\"types\"", "\"case\": \"x\", \"types\"")),
              HasSubstr("differences[0] holds the unknown key \"case\""));
  EXPECT_THAT(ErrorOf(Changed("\"target\": \"AVX2\"", "\"target\": \"\"")),
              HasSubstr("target is \"\", must not be empty"));
  EXPECT_THAT(ErrorOf(Changed("\"target\": \"AVX2\"", "\"target\": null")),
              HasSubstr("differences[0] holds null as target"));
  EXPECT_THAT(ErrorOf(Changed("\"ULP\"", "\"percent\"")),
              HasSubstr("unit is \"percent\", must be one of integer, ULP"));
  EXPECT_THAT(ErrorOf(Changed("\"enclosure (AR-02)\"", "\"1\"")),
              HasSubstr("differences[0] permitted is \"1\", must be one of 0"));
  EXPECT_THAT(ErrorOf(Changed("\"observed\": 2", "\"observed\": -2")),
              HasSubstr("observed is -2, must be from 0 to"));
  EXPECT_THAT(ErrorOf(Changed("\"observed\": 2", "\"observed\": 2.5")),
              HasSubstr("observed is 2.5, must be an integer"));
}

TEST(BaselineTest, RefusesDaysThatNoCalendarHas) {
  for (const char* day : {"2026-02-30", "2026-13-01", "31.12.2026", "tomorrow",
                          "2026-2-3", "2026-12-31T00:00:00", "02026-1-01"}) {
    EXPECT_THAT(ErrorOf(Changed("2026-12-31", day)),
                HasSubstr("must be a day like 2026-12-31"))
        << day;
  }
}

TEST(BaselineTest, RefusesTwoEntriesAboutTheSameThing) {
  Baseline baseline = *ParseBaseline("base.json", kGood);
  baseline.known_failures.push_back(baseline.known_failures[0]);
  baseline.known_failures[1].targets = {"EMU128"};
  EXPECT_THAT(ErrorOf(FormatBaseline(baseline)), HasSubstr("stands twice"));
  baseline.known_failures[1].targets = {};
  EXPECT_THAT(ErrorOf(FormatBaseline(baseline)), HasSubstr("stands twice"));
  baseline.known_failures[1].targets = {"SSE4"};
  EXPECT_TRUE(ParseBaseline("base.json", FormatBaseline(baseline)).ok());
  baseline.differences.push_back(baseline.differences[0]);
  EXPECT_THAT(ErrorOf(FormatBaseline(baseline)),
              HasSubstr("difference of tf_quantize_and_dequantize_v2 "
                        "float32->float32 on AVX2 stands twice"));
}

TEST(BaselineTest, ReadsFiles) {
  EXPECT_THAT(std::string(ReadBaseline("/no/such/file").status().message()),
              HasSubstr("/no/such/file"));
  const absl::StatusOr<Baseline> own = ReadBaseline(
      std::string(QCONFORM_SOURCE_DIR) + "/harness/gate/baseline.json");
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_TRUE(own->known_failures.empty());
  EXPECT_TRUE(own->differences.empty());
}

TEST(BaselineTest, NamesAllStaleEntries) {
  const TestCase add = AddCase("ties", {1});
  const TestCase tensorflow = TensorFlowCase("0.3");
  Baseline baseline = *ParseBaseline("base.json", kGood);
  const auto check = [&](const std::vector<const TestCase*>& cases,
                         Level level) {
    return std::string(
        CheckBaseline(baseline, cases, {"scalar"}, level).message());
  };
  EXPECT_EQ(check({&add, &tensorflow}, Level::kBinary32), "");
  EXPECT_THAT(
      check({}, Level::kBinary32),
      AllOf(HasSubstr("base.json: known failure "
                      "dml_element_wise_quantized_linear_add/ties on "
                      "AVX2, EMU128 is stale: no such case or stage is run"),
            HasSubstr("\nqconform: base.json: difference of "
                      "tf_quantize_and_dequantize_v2 "
                      "float32->float32 on AVX2 is stale")));
  EXPECT_THAT(check({&add, &tensorflow}, Level::kExact),
              HasSubstr("\"permitted\": \"enclosure (AR-02)\"; at level exact "
                        "it is \"0\""));
  baseline.differences[0].permitted = "0";
  EXPECT_THAT(check({&add, &tensorflow}, Level::kExact),
              HasSubstr("is 2; at level exact none is permitted"));
  baseline.differences.clear();
  baseline.known_failures[0].targets = {"scalar", "NEON"};
  EXPECT_EQ(check({&add}, Level::kExact), "");
  baseline.known_failures[0].case_id = "sweep:add";
  EXPECT_EQ(check({&add}, Level::kExact), "");
  baseline.known_failures[0].case_id = "sweep:requantize";
  EXPECT_THAT(check({&add}, Level::kExact), HasSubstr("is stale"));
  baseline.known_failures[0].targets = {"AVX9"};
  EXPECT_THAT(check({&add}, Level::kExact),
              HasSubstr("there is no target AVX9"));
}

TEST(BaselineTest, FindsLines) {
  const std::string json =
      "{\"id\": \"one\",\n\"id\"\n:\n\"two\",\n \"x\": \"id\", "
      "\"id\":\"three\"}";
  EXPECT_EQ(FindLine(json, "id", "one"), 1);
  EXPECT_EQ(FindLine(json, "id", "two"), 2);
  EXPECT_EQ(FindLine(json, "id", "three"), 5);
  EXPECT_EQ(FindLine(json, "id", "thre"), 0);
  EXPECT_EQ(FindLine("\"id\"", "id", "one"), 0);
}

}  // namespace
}  // namespace qconform::harness
