// Makes results to look at and to test views with: scalar models with known
// faults on one of two targets, and a synthetic run of a million cases.
//
// usage: qconform_sample_results KIND TESTDATA OUTPUT
//   right, half-away, dropped-tail, saturating-16-bit: results as JSON
//   million: the HTML page of a million cases, all sections full

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/candidates/mutants/mutants.h"
#include "harness/cases/vector_file.h"
#include "harness/results/html_view.h"
#include "harness/results/json_view.h"
#include "harness/results/run_cases.h"

namespace qconform::harness {
namespace {

constexpr char kAdd[] = "dml_element_wise_quantized_linear_add";
constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";

// Right everywhere but for one fault of one operator on the target "EMU128".
class FaultyOnOneTarget : public Candidate {
 public:
  FaultyOnOneTarget(std::string operator_name, const std::string& fault)
      : operator_name_(std::move(operator_name)),
        mutant_(mutants::MakeMutant(operator_name_, fault).value()) {}

  std::string Name() const override { return "sample"; }
  std::vector<std::string> Targets() const override {
    return {"AVX2", "EMU128"};
  }
  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override {
    ExecutionOptions scalar = options;
    scalar.target = "scalar";
    if (arguments.operator_name == operator_name_ &&
        options.target == "EMU128") {
      return mutant_->Execute(arguments, scalar, outputs);
    }
    std::unique_ptr<Candidate>& original = originals_[arguments.operator_name];
    if (original == nullptr) {
      original = mutants::MakeMutant(arguments.operator_name, "").value();
    }
    return original->Execute(arguments, scalar, outputs);
  }

 private:
  std::string operator_name_;
  std::unique_ptr<Candidate> mutant_;
  std::map<std::string, std::unique_ptr<Candidate>> originals_;
};

RunResults Run(const std::string& testdata, Candidate& candidate) {
  const std::vector<VectorFile> files =
      ReadVectorFiles({absl::StrCat(testdata, "/", kAdd),
                       absl::StrCat(testdata, "/", kMatmul)})
          .value();
  RunResults results;
  results.build = GetBuildInfo();
  results.started = "2020-01-01T00:00:00Z";
  results.corpus_hash = "fnv1a64:0123456789abcdef";
  results.paths = {"testdata"};
  std::vector<const TestCase*> cases;
  for (const VectorFile& file : files) {
    for (const TestCase& test_case : file.cases) cases.push_back(&test_case);
  }
  results.corpus_cases = static_cast<int64_t>(cases.size());
  RunOptions options;
  options.targets = candidate.Targets();
  RunCases(cases, candidate, options, results);
  return results;
}

// splitmix64, for values that look like those of a run.
uint64_t Next(uint64_t& state) {
  uint64_t x = state += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Group FullGroup(const CaseResult& result, const std::string& target,
                uint64_t& state) {
  Group group;
  group.operator_name = result.operator_name;
  group.types = result.types;
  group.target = target;
  group.difference_unit = "integer";
  for (int i = 0; i < 3000; ++i) {
    group.histogram.Add(static_cast<int64_t>(Next(state) % 4001) - 2000);
  }
  for (size_t i = 0; i < Group::kMaxSamples; ++i) {
    group.samples.push_back(
        {static_cast<double>(Next(state) % 100'000) / 200'000,
         static_cast<int64_t>(Next(state) % 511) - 255});
  }
  for (size_t i = 0; i < Group::kMaxEqualSamples; ++i) {
    group.equal_samples.push_back(
        {static_cast<double>(Next(state) % 100'000) / 200'000, 0});
  }
  return group;
}

// 250,000 cases on 4 targets, 160 groups, every 50th case failing, as much
// evidence as there may be.
RunResults Million(RunResults results) {
  const std::vector<std::string> targets = {"AVX3", "AVX2", "SSE4", "EMU128"};
  const std::vector<Evidence> evidence = std::move(results.evidence);
  const std::vector<Failure> failures = [&] {
    for (const CaseResult& result : results.cases) {
      for (const TargetResult& target : result.targets) {
        if (!target.failures.empty()) return target.failures;
      }
    }
    return std::vector<Failure>();
  }();
  results.cases.clear();
  results.groups.clear();
  results.evidence.clear();
  results.expected_targets = results.run_targets = targets;
  std::map<std::pair<std::string, std::string>, size_t> groups;
  uint64_t state = 1;
  for (int i = 0; i < 250'000; ++i) {
    CaseResult result;
    result.operator_name = i % 4 < 2 ? kAdd : kMatmul;
    result.id = absl::StrCat("synthetic-", i);
    result.title = "one of a million";
    result.types = absl::StrCat("uint8+int8->type", i % 40);
    for (const std::string& target : targets) {
      TargetResult row;
      row.target = target;
      const bool fails = i % 50 == 0;
      row.status = fails ? CaseStatus::kFailed : CaseStatus::kPassed;
      row.counts = {.exact = 64, .wrong = fails ? 2 : 0};
      row.failure_count = fails ? 2 : 0;
      if (fails) row.failures = failures;
      const auto [place, is_new] =
          groups.insert({{result.types, target}, results.groups.size()});
      if (is_new) results.groups.push_back(FullGroup(result, target, state));
      Group& group = results.groups[place->second];
      ++group.cases[row.status];
      group.counts.Add(row.counts);
      result.targets.push_back(std::move(row));
    }
    results.cases.push_back(std::move(result));
  }
  while (results.evidence.size() < Evidence::kMaxInAll) {
    Evidence full = evidence[results.evidence.size() % evidence.size()];
    full.id = absl::StrCat("synthetic-", 50 * results.evidence.size());
    full.explanation.resize(Evidence::kMaxTextBytes, 'x');
    full.vector.resize(Evidence::kMaxTextBytes - results.evidence.size(), ' ');
    results.evidence.push_back(std::move(full));
  }
  Conclude(results);
  return results;
}

int Main(const std::string& kind, const std::string& testdata,
         const std::string& output) {
  const std::map<std::string, std::pair<std::string, std::string>> kinds = {
      {"right", {kAdd, ""}},
      {"half-away", {kAdd, "half-away"}},
      {"million", {kAdd, "half-away"}},
      {"dropped-tail", {kMatmul, "last-column-dropped"}},
      {"saturating-16-bit", {kMatmul, "int16-products-saturate"}}};
  const auto found = kinds.find(kind);
  if (found == kinds.end()) {
    std::cerr << "unknown kind " << kind << "\n";
    return kBadInput;
  }
  FaultyOnOneTarget candidate(found->second.first, found->second.second);
  const RunResults results = Run(testdata, candidate);
  std::ofstream stream(output, std::ios::binary);
  stream << (kind == "million" ? ToHtml(Million(results)) : ToJson(results))
         << std::flush;
  return stream ? kConforms : kBroken;
}

}  // namespace
}  // namespace qconform::harness

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: " << argv[0] << " KIND TESTDATA OUTPUT\n";
    return qconform::harness::kBadInput;
  }
  return qconform::harness::Main(argv[1], argv[2], argv[3]);
}
