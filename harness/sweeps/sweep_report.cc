// The views of sweep results, and mismatches as vectors.

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "harness/cases/vector_file.h"
#include "harness/results/build_info.h"
#include "harness/sweeps/run_sweeps.h"

namespace qconform::harness {
namespace {

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0
             ? 0
             : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string FormatMismatch(const std::string& sweep, const Mismatch& m) {
  return absl::StrCat("WRONG ", sweep, " on ", m.target, " (", m.variant,
                      "): ", m.setting, "; ", m.input, ": expected ",
                      m.expected, ", got ", m.got, "\n");
}

std::vector<std::string> ClausesOf(const std::string& sweep) {
  if (sweep == "add") return {"QA-01", "AR-03", "AR-04"};
  if (sweep == "requantize") return {"QM-01", "AR-03", "AR-04"};
  if (sweep == "row_quantize") return {"AG-01", "AR-03"};
  return {"TQ-02", "TQ-04", "AR-03"};
}

// Same mismatch, same name, whatever else was found.
std::string HashOf(const Mismatch& m) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : m.setting + "|" + m.input) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return absl::StrFormat("%016x", hash);
}

}  // namespace

std::string FormatSweepResults(const SweepResults& results) {
  std::string text;
  for (const SweepSummary& s : results.sweeps) {
    for (const Mismatch& m : s.mismatches) {
      absl::StrAppend(&text, FormatMismatch(s.sweep, m));
    }
    for (const std::string& line : s.disagreements) {
      absl::StrAppend(&text, "BROKEN the oracles disagree: ", line, "\n");
    }
  }
  absl::StrAppendFormat(&text, "%-24s%13s%15s%14s%16s%10s%7s%10s\n", "sweep",
                        "units", "inputs tried", "of domain", "comparisons",
                        "golden", "wrong", "seconds");
  bool partly = results.options.sample > 1;
  for (const SweepSummary& s : results.sweeps) {
    partly = partly || s.finished + s.failed < s.units;
    absl::StrAppendFormat(
        &text, "%-24s%13s%15d%13.4g%%%16d%10d%7d%10.1f\n", s.sweep,
        absl::StrCat(s.finished + s.failed, "/", s.units), s.covered,
        Percent(s.covered, s.domain), s.comparisons, s.spot_checks,
        s.mismatches.size(), s.seconds);
    if (s.beside != 0) {
      absl::StrAppend(&text, "  and ", s.beside,
                      " inputs chosen beside the whole domains\n");
    }
    if (s.resumed != 0) {
      absl::StrAppend(&text, "  ", s.resumed,
                      " units finished in an earlier run\n");
    }
  }
  absl::StrAppend(
      &text, "targets ", absl::StrJoin(results.options.targets, ", "),
      ", seed ", results.options.seed, ", ",
      results.options.full ? "full" : "short", " form",
      results.options.sample > 1
          ? absl::StrCat(", about one unit in ", results.options.sample)
          : "",
      "\n");
  if (partly) {
    absl::StrAppend(&text,
                    "shares of the domain are of the units that ran alone\n");
  }
  for (const std::string& reason : results.distrust) {
    absl::StrAppend(&text, "MISTRUSTED ", reason, "\n");
  }
  return text;
}

std::string SweepResultsToJson(const SweepResults& results) {
  using Json = nlohmann::ordered_json;
  const BuildInfo& build = GetBuildInfo();
  Json sweeps = Json::array();
  for (const SweepSummary& s : results.sweeps) {
    Json mismatches = Json::array();
    for (const Mismatch& m : s.mismatches) {
      mismatches.push_back({{"setting", m.setting},
                            {"input", m.input},
                            {"expected", m.expected},
                            {"got", m.got},
                            {"target", m.target},
                            {"variant", m.variant}});
    }
    sweeps.push_back({{"sweep", s.sweep},
                      {"units", s.units},
                      {"units_finished", s.finished},
                      {"units_resumed", s.resumed},
                      {"units_failed", s.failed},
                      {"domain", s.domain},
                      {"covered", s.covered},
                      {"chosen_beside", s.beside},
                      {"comparisons", s.comparisons},
                      {"golden_spot_checks", s.spot_checks},
                      {"seconds", s.seconds},
                      {"targets", s.targets},
                      {"mismatches", mismatches},
                      {"oracle_disagreements", s.disagreements}});
  }
  const Json json = {{"schema", "sweep_results/1"},
                     {"exit_code", static_cast<int>(results.exit_code)},
                     {"distrust", results.distrust},
                     {"form", results.options.full ? "full" : "short"},
                     {"sample", results.options.sample},
                     {"seed", results.options.seed},
                     {"threads", results.options.threads},
                     {"targets", results.options.targets},
                     {"seconds", results.seconds},
                     {"build",
                      {{"version", build.version},
                       {"commit", build.commit},
                       {"dirty", build.dirty},
                       {"compiler", build.compiler},
                       {"build_type", build.build_type},
                       {"cpu", build.cpu}}},
                     {"sweeps", sweeps}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<std::vector<std::string>> SaveMismatches(
    const SweepResults& results, const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const SweepSummary& s : results.sweeps) {
    for (const Mismatch& m : s.mismatches) {
      if (!m.call.has_value()) continue;
      const std::string id = absl::StrCat("sweep-", HashOf(m));
      VectorFile file;
      file.path =
          absl::StrCat(folder, "/", m.call->operator_name, "-", id, ".json");
      file.operator_name = m.call->operator_name;
      TestCase test_case;
      test_case.id = id;
      test_case.title = absl::StrCat("found by the sweep ", s.sweep, " on ",
                                     m.target, ": ", m.input);
      test_case.source = absl::StrCat("qconform sweep, ", m.setting);
      test_case.clauses = ClausesOf(s.sweep);
      test_case.arguments = *m.call;
      file.cases.push_back(std::move(test_case));
      if (!(std::ofstream(file.path) << FormatVectorFile(file) << std::flush)) {
        return absl::UnknownError(file.path + ": cannot be written");
      }
      paths.push_back(file.path);
    }
  }
  return paths;
}

}  // namespace qconform::harness
