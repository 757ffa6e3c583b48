#include "harness/benchmarks/serve.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "harness/benchmarks/implementation.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;

constexpr double kNanosecondsPerBatch = 4e6;
constexpr int kBatches = 3;

struct Ready {
  Problem problem;  // the implementation reads its data
  std::unique_ptr<Implementation> run;
  int batch = 1;
};

Json Error(const std::string& what) { return {{"error", what}}; }

Json Measure(const std::vector<NamedProblem>& problems, const std::string& name,
             std::map<std::string, Ready>& ready) {
  Ready& entry = ready[name];
  if (entry.run == nullptr) {
    const auto named =
        std::find_if(problems.begin(), problems.end(),
                     [&](const NamedProblem& p) { return p.name == name; });
    if (named == problems.end()) return Error("no such benchmark");
    entry.problem = named->make();
    ImplementationOr made = MakeOurs(entry.problem, entry.problem.threads, "");
    if (!made.ok()) return Error(std::string(made.status().message()));
    entry.run = *std::move(made);
    entry.run->Run(1);
    const double once = entry.run->Run(1);
    if (once < 0) return Error("it failed");
    entry.batch = std::max(
        1, static_cast<int>(kNanosecondsPerBatch / std::max(once, 1.0)));
  }
  // Whatever disturbs a batch makes it longer, never shorter.
  double least = entry.run->Run(entry.batch);
  for (int i = 1; i < kBatches; ++i) {
    least = std::min(least, entry.run->Run(entry.batch));
  }
  return {{"nanoseconds", least / entry.batch}};
}

}  // namespace

int Serve(const std::vector<NamedProblem>& problems) {
  std::map<std::string, Ready> ready;
  std::string line;
  while (std::getline(std::cin, line)) {
    Json answer;
    if (line == "list") {
      answer = Json::array();
      for (const NamedProblem& problem : problems)
        answer.push_back(problem.name);
    } else if (absl::StartsWith(line, "measure ")) {
      answer = Measure(problems, line.substr(8), ready);
    } else {
      answer = Error("neither \"list\" nor \"measure NAME\"");
    }
    std::cout << answer.dump() << std::endl;
  }
  return 0;
}

}  // namespace qconform::harness
