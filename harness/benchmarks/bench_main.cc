// qconform_bench: ours and every installed peer on the same problems and data,
// interleaved in one run, with the number of wrong outputs beside each speed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "harness/benchmarks/implementation.h"
#include "harness/benchmarks/problem.h"
#include "harness/benchmarks/problems.h"
#include "harness/benchmarks/serve.h"
#include "harness/speed/median.h"
#include "nlohmann/json.hpp"
#include "reference/second_oracle/second_oracle.h"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;
using spec::DataType;

struct Entry {
  const Problem* problem;
  std::string implementation;
  std::unique_ptr<Implementation> run;
  int64_t wrong = -1;  // -1: not compared
  int64_t outputs = 0;
  int batch = 1;                    // executions per measurement
  std::vector<double> nanoseconds;  // one execution, one per repetition
};

// `right` holds the exact values.
int64_t CountWrong(const Problem& problem, const std::vector<double>& right,
                   const std::vector<std::byte>& output) {
  spec::Tensor tensor;
  tensor.desc = problem.arguments.outputs.begin()->second;
  const size_t count = right.size();
  const bool widened = tensor.desc.type == DataType::kFloat16 &&
                       output.size() == count * sizeof(float);
  if (widened) tensor.desc.type = DataType::kFloat32;
  if (output.size() != count * ByteSize(tensor.desc.type)) return -1;
  tensor.storage = output;
  int64_t wrong = 0;
  for (size_t i = 0; i < count; ++i) {
    double value = ReadReal(tensor, static_cast<int64_t>(i));
    if (widened) value = spec::Float16ToDouble(spec::DoubleToFloat16(value));
    if (value != right[i]) ++wrong;
  }
  return wrong;
}

// Google Benchmark interleaves the repetitions; every repetition adds a value.
void Measure(benchmark::State& state, Entry& entry) {
  double total = 0;
  int64_t runs = 0;
  for (auto _ : state) {
    const double nanoseconds = entry.run->Run(entry.batch);
    state.SetIterationTime(nanoseconds * 1e-9);
    total += nanoseconds;
    runs += entry.batch;
  }
  entry.nanoseconds.push_back(total / static_cast<double>(runs));
  state.counters["wrong"] = static_cast<double>(entry.wrong);
}

bool IsLimit(const Entry& entry) {
  return absl::StartsWith(entry.implementation, "limit");
}
bool IsOurs(const Entry& entry) {
  return absl::StartsWith(entry.implementation, "qconform");
}

Json Report(const std::vector<std::unique_ptr<Entry>>& entries) {
  const Problem& problem = *entries.front()->problem;
  double ours = 0, best_peer = 0, best_exact_peer = 0;
  for (const auto& entry : entries) {
    const double time = Median(entry->nanoseconds);
    if (time <= 0) continue;
    if (entry->implementation == "qconform") {
      ours = time;
    } else if (!IsLimit(*entry) && !IsOurs(*entry)) {
      if (best_peer == 0 || time < best_peer) best_peer = time;
      if (entry->wrong == 0 &&
          (best_exact_peer == 0 || time < best_exact_peer)) {
        best_exact_peer = time;
      }
    }
  }
  absl::PrintF("%s\n", problem.name);
  Json rows = Json::array();
  for (const auto& entry : entries) {
    const double time = Median(entry->nanoseconds);
    if (time <= 0) continue;
    const double speed = problem.work / time;
    absl::PrintF("  %-28s %9.2f %-12s ours/this %5.2f", entry->implementation,
                 speed, problem.unit, ours > 0 ? time / ours : 0.0);
    if (entry->wrong >= 0) {
      absl::PrintF("  wrong %d of %d", entry->wrong, entry->outputs);
    }
    if (entry->run->SetupNanoseconds() > 0) {
      absl::PrintF("  set-up %.1f us", entry->run->SetupNanoseconds() / 1e3);
    }
    absl::PrintF("\n");
    rows.push_back({{"implementation", entry->implementation},
                    {"speed", speed},
                    {"nanoseconds", entry->nanoseconds},
                    {"median_nanoseconds", time},
                    {"wrong", entry->wrong},
                    {"outputs", entry->outputs},
                    {"setup_nanoseconds", entry->run->SetupNanoseconds()}});
  }
  const double exact_ratio =
      ours > 0 && best_exact_peer > 0 ? best_exact_peer / ours : 0;
  const double any_ratio = ours > 0 && best_peer > 0 ? best_peer / ours : 0;
  absl::PrintF(
      "  => %.2fx the best peer without a wrong output, %.2fx the "
      "best peer at all\n",
      exact_ratio, any_ratio);
  return {{"problem", problem.name},
          {"unit", problem.unit},
          {"ratio_to_best_peer_without_wrong_output", exact_ratio},
          {"ratio_to_best_peer", any_ratio},
          {"implementations", rows}};
}

struct Flags {
  std::string filter;
  std::string json_file;
  std::string peers = "build/peers";
  std::vector<std::string> targets;
  int repetitions = 9;
  double seconds = 0.05;
  bool list = false;
  bool serve = false;
  bool exactness = false;
};

void AddOptions(CLI::App& app, Flags& flags) {
  app.add_option("--filter", flags.filter,
                 "only problems whose name contains this");
  app.add_option("--json", flags.json_file, "write the results here");
  app.add_option("--peers", flags.peers, "folder of tools/install-peers");
  app.add_option("--targets", flags.targets,
                 "also measure ours on these SIMD targets")
      ->delimiter(',');
  app.add_option("--repetitions", flags.repetitions, "interleaved repetitions");
  app.add_option("--seconds", flags.seconds, "least time of one measurement");
  app.add_flag("--exactness", flags.exactness,
               "also measure ours without what makes it exact");
  app.add_flag("--list", flags.list, "print the problems and end");
  app.add_flag("--serve", flags.serve,
               "answer \"list\" and \"measure NAME\" on standard input, for "
               "qconform gate --speed");
}

// Ours, the peers and the limits, as far as they can compute the problem.
std::vector<std::unique_ptr<Entry>> MakeEntries(const Problem& problem,
                                                const Flags& flags) {
  std::vector<std::unique_ptr<Entry>> entries;
  const auto right = reference::second_oracle::Evaluate(problem.arguments);
  const auto add = [&](const std::string& name, ImplementationOr made,
                       bool has_same_data = true) {
    if (!made.ok()) {
      if (!absl::IsUnimplemented(made.status())) {
        std::cerr << name << ": " << made.status() << "\n";
      }
      return;
    }
    auto entry = std::make_unique<Entry>();
    entry->problem = &problem;
    entry->implementation = name;
    entry->run = *std::move(made);
    const double once = entry->run->Run(1);
    if (once < 0) return;
    entry->batch = std::max(
        1, static_cast<int>(flags.seconds * 1e9 / std::max(once, 1.0) / 4));
    const std::vector<std::byte> output = entry->run->Output();
    if (!output.empty() && has_same_data && right.ok()) {
      entry->wrong = CountWrong(problem, right->values, output);
      entry->outputs = *ElementCount(problem.arguments.outputs.begin()->second);
    }
    entries.push_back(std::move(entry));
  };
  add("qconform", MakeOurs(problem, problem.threads, ""));
  if (problem.threads > 1) {
    add("qconform, one thread", MakeOurs(problem, 1, ""));
  }
  if (problem.ordinary != nullptr) {
    add("qconform, ordinary data", MakeOurs(*problem.ordinary, 1, ""), false);
  }
  if (flags.exactness) {
    add("qconform, matmul parts", MakeMatMulParts(problem, true));
    add("qconform, no filter", MakeUnfiltered(problem));
  }
  for (const std::string& target : flags.targets) {
    add("qconform/" + target, MakeOurs(problem, problem.threads, target));
  }
#ifdef QCONFORM_HAVE_ONEDNN
  add("oneDNN", MakeOneDnn(problem));
#endif
#ifdef QCONFORM_HAVE_XNNPACK
  add("XNNPACK", MakeXnnpack(problem));
#endif
  add("onnxruntime", MakeOnnxRuntime(problem, false, flags.peers));
  if (absl::StrContains(problem.name, "s8") ||
      absl::StrContains(problem.name, "grouped")) {
    add("onnxruntime, exact mode", MakeOnnxRuntime(problem, true, flags.peers));
  }
  add("limit: int16 registers", MakeLimit(problem, Limit::kInt16Registers, ""));
  for (const std::string& target : flags.targets) {
    add("limit: int16 registers/" + target,
        MakeLimit(problem, Limit::kInt16Registers, target));
  }
  add("limit: int8 registers", MakeLimit(problem, Limit::kInt8Registers, ""));
  add("limit: stream", MakeLimit(problem, Limit::kStream, ""));
  add("limit: reading B", MakeLimit(problem, Limit::kReadB, ""));
  return entries;
}

// Adds to the entries' times.
void MeasureInterleaved(const std::vector<std::unique_ptr<Entry>>& entries,
                        int repetitions) {
  for (const auto& entry : entries) {
    benchmark::RegisterBenchmark(
        absl::StrCat(entry->problem->name, "/", entry->implementation).c_str(),
        [&e = *entry](benchmark::State& state) { Measure(state, e); })
        ->UseManualTime()
        ->Iterations(4)
        ->Repetitions(repetitions);
  }
  // The reporter stays silent: the table that follows is the output.
  std::vector<std::string> words = {
      "qconform_bench", "--benchmark_enable_random_interleaving=true"};
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  int count = static_cast<int>(raw.size());
  benchmark::Initialize(&count, raw.data());
  class Silent final : public benchmark::BenchmarkReporter {
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
  } silent;
  benchmark::RunSpecifiedBenchmarks(&silent);
  benchmark::ClearRegisteredBenchmarks();
}

int Main(int argc, char** argv) {
  CLI::App app{
      "Measures ours and every installed peer, interleaved in one run."};
  Flags flags;
  AddOptions(app, flags);
  CLI11_PARSE(app, argc, argv);
  if (flags.serve) return Serve(GateProblems());

  std::vector<NamedProblem> problems;
  for (NamedProblem& problem : AllProblems()) {
    if (absl::StrContains(problem.name, flags.filter)) {
      problems.push_back(std::move(problem));
    }
  }
  if (flags.list) {
    for (const NamedProblem& problem : problems) {
      std::cout << problem.name << "\n";
    }
    return 0;
  }
  if (problems.empty()) {
    std::cerr << "no problem contains \"" << flags.filter << "\" in its name\n";
    return 4;
  }

  Json results = Json::array();
  for (const NamedProblem& named : problems) {
    const Problem problem = named.make();
    const std::vector<std::unique_ptr<Entry>> entries =
        MakeEntries(problem, flags);
    if (entries.empty()) continue;
    MeasureInterleaved(entries, flags.repetitions);
    results.push_back(Report(entries));
    std::fflush(stdout);
  }
  if (!flags.json_file.empty()) {
    std::ofstream(flags.json_file)
        << Json{{"schema", "benchmark/1"}, {"results", results}}.dump(1)
        << "\n";
  }
  return 0;
}

}  // namespace

}  // namespace qconform::harness

int main(int argc, char** argv) { return qconform::harness::Main(argc, argv); }
