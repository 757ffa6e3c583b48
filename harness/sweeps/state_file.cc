#include "harness/sweeps/state_file.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace qconform::harness {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kSchema[] = "sweep_state/1";

// Every key and no other.
absl::Status CheckKeys(const std::string& place, const Json& object,
                       const std::vector<std::string>& keys) {
  if (!object.is_object()) {
    return absl::InvalidArgumentError(place + ": must be an object");
  }
  for (const std::string& key : keys) {
    if (!object.contains(key)) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": \"", key, "\" is missing"));
    }
  }
  if (object.size() != keys.size()) {
    return absl::InvalidArgumentError(place + ": holds an unknown key");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> Strings(const std::string& place,
                                                 const Json& list) {
  std::vector<std::string> strings;
  bool good = list.is_array();
  for (const Json& item : list) {
    good = good && item.is_string();
    if (good) strings.push_back(item.get<std::string>());
  }
  if (!good) {
    return absl::InvalidArgumentError(place + ": must be a list of strings");
  }
  return strings;
}

absl::StatusOr<UnitReport> ParseReport(const std::string& place,
                                       const Json& json) {
  if (absl::Status status = CheckKeys(
          place, json,
          {"domain", "covered", "comparisons", "spot_checks", "targets"});
      !status.ok()) {
    return status;
  }
  UnitReport report;
  const std::pair<const char*, uint64_t*> counts[] = {
      {"domain", &report.domain},
      {"covered", &report.covered},
      {"comparisons", &report.comparisons},
      {"spot_checks", &report.spot_checks}};
  for (const auto& [key, value] : counts) {
    if (!json[key].is_number_unsigned()) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ".", key, ": must be a count"));
    }
    *value = json[key].get<uint64_t>();
  }
  const auto targets = Strings(place + ".targets", json["targets"]);
  if (!targets.ok()) return targets.status();
  report.targets.insert(targets->begin(), targets->end());
  return report;
}

}  // namespace

absl::StatusOr<SweepState> ParseSweepState(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (absl::Status status =
          CheckKeys("state file", json,
                    {"schema", "program", "form", "seed", "targets", "units"});
      !status.ok()) {
    return status;
  }
  if (json["schema"] != kSchema) {
    return absl::InvalidArgumentError(
        absl::StrCat("state file: schema must be \"", kSchema, "\""));
  }
  if (!json["program"].is_string() || !json["form"].is_string() ||
      !json["seed"].is_number_unsigned() || !json["units"].is_object()) {
    return absl::InvalidArgumentError(
        "state file: program and form must be strings, seed a count, units an "
        "object");
  }
  SweepState state;
  state.program = json["program"].get<std::string>();
  state.form = json["form"].get<std::string>();
  state.seed = json["seed"].get<uint64_t>();
  absl::StatusOr<std::vector<std::string>> targets =
      Strings("state file: targets", json["targets"]);
  if (!targets.ok()) return targets.status();
  state.targets = *std::move(targets);
  for (const auto& [name, unit] : json["units"].items()) {
    absl::StatusOr<UnitReport> report =
        ParseReport(absl::StrCat("state file: unit \"", name, "\""), unit);
    if (!report.ok()) return report.status();
    state.finished[name] = *std::move(report);
  }
  return state;
}

std::string FormatSweepState(const SweepState& state) {
  Json json = {{"schema", kSchema},        {"program", state.program},
               {"form", state.form},       {"seed", state.seed},
               {"targets", state.targets}, {"units", Json::object()}};
  for (const auto& [name, report] : state.finished) {
    json["units"][name] = {{"domain", report.domain},
                           {"covered", report.covered},
                           {"comparisons", report.comparisons},
                           {"spot_checks", report.spot_checks},
                           {"targets", report.targets}};
  }
  return json.dump(1) + "\n";
}

absl::Status CheckContinues(const SweepState& found, const SweepState& wanted) {
  const std::pair<const char*, bool> same[] = {
      {"another program: what it proved says nothing about this one",
       found.program == wanted.program},
      {"another form", found.form == wanted.form},
      {"another seed", found.seed == wanted.seed},
      {"other targets", found.targets == wanted.targets}};
  for (const auto& [what, equal] : same) {
    if (!equal) {
      return absl::InvalidArgumentError(
          absl::StrCat("the state is of a sweep with ", what));
    }
  }
  return absl::OkStatus();
}

absl::Status WriteSweepState(const std::string& path, const SweepState& state) {
  const std::string temporary = path + ".new";
  std::error_code error;
  if (std::ofstream(temporary) << FormatSweepState(state) << std::flush) {
    std::filesystem::rename(temporary, path, error);
    if (!error) return absl::OkStatus();
  }
  return absl::UnknownError(path + ": cannot be written");
}

}  // namespace qconform::harness
