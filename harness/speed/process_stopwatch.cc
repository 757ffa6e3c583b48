#include "harness/speed/process_stopwatch.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/process/line_process.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

class ProcessStopwatch final : public Stopwatch {
 public:
  ProcessStopwatch(std::string name, std::unique_ptr<LineProcess> process,
                   absl::Duration patience)
      : name_(std::move(name)),
        process_(std::move(process)),
        patience_(patience) {}

  absl::StatusOr<std::vector<std::string>> Benchmarks() override {
    const absl::StatusOr<Json> answer = Ask("list");
    if (!answer.ok()) return answer.status();
    std::vector<std::string> names;
    for (const Json& name : *answer) {
      if (!name.is_string()) return Unexpected("list", *answer);
      names.push_back(name.get<std::string>());
    }
    if (!answer->is_array()) return Unexpected("list", *answer);
    return names;
  }

  absl::StatusOr<double> Measure(const std::string& benchmark) override {
    const std::string request = absl::StrCat("measure ", benchmark);
    const absl::StatusOr<Json> answer = Ask(request);
    if (!answer.ok()) return answer.status();
    if (!answer->is_object() || !answer->contains("nanoseconds") ||
        !(*answer)["nanoseconds"].is_number()) {
      return Unexpected(request, *answer);
    }
    return (*answer)["nanoseconds"].get<double>();
  }

 private:
  absl::Status Unexpected(const std::string& request, const Json& answer) {
    return absl::FailedPreconditionError(absl::StrCat(
        name_, " answered \"", request, "\" with ", answer.dump(),
        R"(; "list" is answered with an array of names, "measure NAME" with )"
        R"({"nanoseconds": NUMBER})"));
  }

  absl::StatusOr<Json> Ask(const std::string& request) {
    const absl::StatusOr<std::string> line = process_->Ask(request, patience_);
    if (!line.ok()) return line.status();
    Json answer = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    if (answer.is_discarded()) {
      return absl::FailedPreconditionError(
          absl::StrCat(name_, " answered \"", request,
                       "\" with a line that is not JSON: ", *line));
    }
    if (answer.is_object() && answer.contains("error")) {
      return absl::FailedPreconditionError(absl::StrCat(
          name_, " could not \"", request, "\": ", answer["error"].dump()));
    }
    return answer;
  }

  std::string name_;
  std::unique_ptr<LineProcess> process_;
  absl::Duration patience_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stopwatch>> StartProcessStopwatch(
    const std::vector<std::string>& command, absl::Duration patience) {
  auto process = LineProcess::Start(command);
  if (!process.ok()) return process.status();
  return std::make_unique<ProcessStopwatch>(command.front(),
                                            *std::move(process), patience);
}

}  // namespace qconform::harness
