// qconform mutants: proves that the cases tell faulty implementations from
// right ones.

#include <algorithm>
#include <atomic>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/commands/arguments.h"
#include "harness/commands/commands.h"
#include "harness/commands/common.h"
#include "harness/commands/mutants_matrix.h"
#include "harness/commands/mutants_metamorphic.h"
#include "harness/commands/mutants_sweep.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

struct MutantsFlags {
  std::vector<std::string> paths = {"testdata"};
  std::string operator_name;
  std::string filter;
  std::vector<std::string> sources = {"vectors", "fuzz", "sweep",
                                      "metamorphic"};
  std::string json;
  int64_t cases = 2000;
  uint64_t seed = 1;
  double minimum = 0;
  int threads = static_cast<int>(
      std::clamp(std::thread::hardware_concurrency(), 1u, 256u));
};

// The chosen mutants by operator.
using Chosen = std::map<std::string, std::vector<mutants::Fault>>;

absl::StatusOr<Chosen> Choose(const MutantsFlags& flags) {
  std::vector<std::string> known;
  for (const spec::OperatorSpec& spec : spec::AllOperators()) {
    known.push_back(spec.name);
  }
  if (!flags.operator_name.empty() &&
      std::find(known.begin(), known.end(), flags.operator_name) ==
          known.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--operator=", flags.operator_name,
                     " is unknown; known: ", absl::StrJoin(known, ", ")));
  }
  Chosen chosen;
  for (const mutants::Fault& fault : mutants::AllFaults()) {
    if (!flags.operator_name.empty() &&
        fault.operator_name != flags.operator_name) {
      continue;
    }
    if (absl::StrCat(fault.operator_name, "/", fault.name).find(flags.filter) !=
        std::string::npos) {
      chosen[fault.operator_name].push_back(fault);
    }
  }
  return chosen;
}

std::vector<TestCase> VectorsOf(const std::string& operator_name,
                                const std::vector<VectorFile>& files) {
  std::vector<TestCase> vectors;
  for (const VectorFile& file : files) {
    for (const TestCase& test_case : file.cases) {
      if (test_case.arguments.operator_name == operator_name) {
        vectors.push_back(test_case);
      }
    }
  }
  return vectors;
}

std::unique_ptr<CaseSource> MakeSource(const std::string& name,
                                       const std::string& operator_name,
                                       const std::vector<VectorFile>& files,
                                       const MutantsFlags& flags) {
  if (name == "metamorphic") {
    // Each takes two executions, also of the many mutants that survive them.
    return std::make_unique<MetamorphicCases>(operator_name, flags.cases / 4,
                                              flags.seed);
  }
  return std::make_unique<ListedCases>(
      name == "vectors" ? VectorsOf(operator_name, files)
      : name == "fuzz"  ? RandomCases(operator_name, flags.cases, flags.seed)
                        : MutantSweep(operator_name));
}

std::vector<NamedSource> MakeSources(const std::string& operator_name,
                                     const std::vector<VectorFile>& files,
                                     const MutantsFlags& flags) {
  std::vector<NamedSource> sources;
  for (const std::string& name : flags.sources) {
    sources.push_back({name, MakeSource(name, operator_name, files, flags)});
  }
  return sources;
}

// Operator by operator, on several threads: the sources of one operator share
// what must come of their cases.
absl::StatusOr<KillMatrix> FillAll(const Chosen& chosen,
                                   const std::vector<VectorFile>& files,
                                   const MutantsFlags& flags) {
  std::vector<std::string> names;
  for (const auto& [name, faults] : chosen) names.push_back(name);
  std::vector<absl::StatusOr<KillMatrix>> parts(names.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < names.size(); i = next++) {
      parts[i] = FillKillMatrix(names[i], MakeSources(names[i], files, flags),
                                chosen.at(names[i]));
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 1; i < flags.threads; ++i) threads.emplace_back(work);
    work();
  }
  KillMatrix whole;
  for (absl::StatusOr<KillMatrix>& part : parts) {
    if (!part.ok()) return part.status();
    AppendMatrix(*std::move(part), whole);
  }
  return whole;
}

// What the run says about the cases; the reasons go to standard output.
ExitCode Assess(const KillMatrix& matrix, const MutantsFlags& flags) {
  ExitCode exit_code =
      matrix.SurvivorCount() == 0 ? kConforms : kDoesNotConform;
  for (const SourceTotal& source : matrix.sources) {
    const bool must_suffice = source.name == "vectors" || source.name == "fuzz";
    if (must_suffice && KilledPercent(matrix, source) < flags.minimum) {
      std::cout << source.name << " alone must kill " << flags.minimum
                << " %\n";
      exit_code = kDoesNotConform;
    }
  }
  if (exit_code != kConforms) return exit_code;
  for (const SourceTotal& source : matrix.sources) {
    if (source.cases > 0) continue;
    std::cout << "mistrusted: " << source.name << " has no case\n";
    exit_code = kUntrustworthy;
  }
  return exit_code;
}

ExitCode RunMutants(const MutantsFlags& flags) {
  const absl::StatusOr<Chosen> chosen = Choose(flags);
  if (!chosen.ok()) return ReportBadInput(chosen.status());
  const absl::StatusOr<std::vector<VectorFile>> files = ReadInput(flags.paths);
  if (!files.ok()) return ReportBadInput(files.status());
  std::vector<std::string> inputs;
  for (const VectorFile& file : *files) inputs.push_back(file.path);
  const absl::Status status = CheckOutputs({{"json", flags.json}}, inputs);
  if (!status.ok()) return ReportBadInput(status);
  if (chosen->empty()) {
    std::cout << "mistrusted: --filter=" << flags.filter
              << " selects no mutant\n";
    return kUntrustworthy;
  }
  std::cout << "seed " << flags.seed << std::endl;
  const absl::StatusOr<KillMatrix> matrix = FillAll(*chosen, *files, flags);
  if (!matrix.ok()) {
    std::cerr << "qconform: broken: " << matrix.status().message() << "\n";
    return kBroken;
  }
  std::cout << FormatMatrix(*matrix) << std::flush;
  if (!WriteOutput("json", flags.json,
                   [&] { return MatrixToJson(*matrix, flags.seed); })) {
    return kBroken;
  }
  return Assess(*matrix, flags);
}

}  // namespace

void AddMutantsCommand(CLI::App& app, ExitCode& exit_code) {
  CLI::App* command = app.add_subcommand(
      "mutants",
      "Run faulty implementations against test vectors, random calls, whole "
      "small domains and metamorphic properties, and print which of these "
      "kills "
      "which fault.\nExit code: "
      "0 every mutant is killed, 1 one survives, 2 bad usage or input, 3 "
      "something broke, 4 a source has no case.");
  const auto flags = std::make_shared<MutantsFlags>();
  command->add_option("paths", flags->paths,
                      "Files of test vectors, or folders that hold some "
                      "(default: testdata)");
  command->add_option("--operator", flags->operator_name,
                      "Only the mutants of this operator");
  command->add_option("--filter", flags->filter,
                      "Only mutants whose operator/name contains this text");
  command->add_option("--json", flags->json,
                      "Write the matrix to this file as JSON");
  command
      ->add_option("--sources", flags->sources,
                   "Sources of cases, separated by commas (default: "
                   "vectors,fuzz,sweep,metamorphic)")
      ->delimiter(',')
      ->allow_extra_args(false)  // what follows is a path again
      ->check(CLI::IsMember({"vectors", "fuzz", "sweep", "metamorphic"}));
  command
      ->add_option("--cases", flags->cases,
                   "Random calls per operator, and a quarter as many with a "
                   "property (default: 2000)")
      ->check(CLI::Range(int64_t{0}, int64_t{10'000'000}));
  command
      ->add_option("--seed", flags->seed,
                   "Seed of the random calls (default: 1)")
      ->check(SeedNumber());
  command
      ->add_option("--minimum", flags->minimum,
                   "Percentage that vectors alone, and random calls alone, "
                   "must kill (default: 0)")
      ->check(NumberWithin(0, 100));
  command
      ->add_option("--threads", flags->threads,
                   "Threads; each takes an operator (default: the machine's)")
      ->check(CLI::Range(1, 256));
  command->callback([flags, &exit_code] { exit_code = RunMutants(*flags); });
}

}  // namespace qconform::harness
