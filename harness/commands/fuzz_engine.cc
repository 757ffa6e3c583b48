#include "harness/commands/fuzz_engine.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "harness/candidates/rejection.h"
#include "harness/cases/arguments_hash.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "harness/cases/shrink.h"
#include "harness/cases/vector_file.h"
#include "harness/commands/fuzz_cases.h"
#include "harness/judge/compare.h"
#include "harness/judge/expectation.h"
#include "harness/judge/properties.h"
#include "reference/golden.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using spec::Arguments;
using Oracle = reference::second_oracle::Result;

// Every such case, if small, goes through the golden model too.
constexpr int64_t kGoldenStep = 8;
constexpr int64_t kGoldenWork = 20'000;

// Adds the time since the last call to a sum.
class Stopwatch {
 public:
  void AddTo(double& sum) {
    const auto now = std::chrono::steady_clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  std::chrono::steady_clock::time_point last_ =
      std::chrono::steady_clock::now();
};

int64_t CountElements(const Arguments& arguments) {
  int64_t count = 0;
  for (const auto& [name, tensor] : arguments.inputs) {
    count += spec::ElementCount(tensor.desc).value_or(0);
  }
  for (const auto& [name, desc] : arguments.outputs) {
    count += spec::ElementCount(desc).value_or(0);
  }
  return count;
}

// False for an empty call that is valid whatever its output's sizes (AG-11,
// AG-12) if these are of no tensor, or of more than memory holds.
bool CanBeExecuted(const Arguments& arguments) {
  return !spec::Validate(arguments).ok() ||
         OutputsFit(arguments, /*most_elements=*/int64_t{1} << 26);
}

// A call as a case whose error, if it has one, is the spec's.
TestCase AsCase(const Arguments& arguments) {
  TestCase test_case;
  test_case.id = "generated";
  test_case.arguments = arguments;
  if (const absl::Status status = spec::Validate(arguments); !status.ok()) {
    test_case.error = ErrorOf(status);
  }
  return test_case;
}

std::string DescribeVerdict(const CaseVerdict& verdict,
                            const Arguments& arguments) {
  std::string text = CaseStatusName(verdict.status);
  if (!verdict.reason.empty()) absl::StrAppend(&text, ": ", verdict.reason);
  for (const ElementOutcome& outcome : verdict.elements) {
    const spec::TensorDesc& desc = arguments.outputs.begin()->second;
    absl::StrAppend(&text, ": ", arguments.outputs.begin()->first,
                    outcome.element < 0
                        ? absl::StrCat(" storage ", outcome.offset)
                        : FormatIndex(desc, outcome.element),
                    " is ", FormatValue(desc.type, outcome.found));
    if (!outcome.must_stay) {
      absl::StrAppend(&text, ", expected ",
                      FormatValue(desc.type, outcome.expected));
    }
    if (outcome.fault != ElementFault::kNone) {
      absl::StrAppend(&text, " (", ElementFaultName(outcome.fault), ")");
    }
    break;
  }
  return text;
}

// Judges a call with all care: two poisons, every element. Empty if it passes.
std::string FindFault(const Arguments& arguments, Candidate& candidate,
                      const ExecutionOptions& options, Level level) {
  const TestCase test_case = AsCase(arguments);
  absl::StatusOr<Expectation> expectation =
      Expectation::Make(test_case, /*golden_limit=*/-1);
  if (!expectation.ok()) return "";
  const absl::StatusOr<CaseVerdict> verdict = Judge(
      *expectation, ExecuteOnPoison(candidate, arguments, options), level);
  if (!verdict.ok()) return "";
  return verdict->status == CaseStatus::kPassed
             ? ""
             : DescribeVerdict(*verdict, arguments);
}

// The whole storage that a right implementation leaves on this poison.
std::vector<std::byte> ExpectedStorage(const spec::TensorDesc& desc,
                                       std::vector<std::byte> poisoned,
                                       const Oracle& oracle) {
  spec::Tensor tensor = {desc, std::move(poisoned)};
  for (size_t i = 0; i < oracle.values.size(); ++i) {
    if (!oracle.written[i]) continue;
    spec::WriteReal(tensor, spec::StorageOffset(desc, static_cast<int64_t>(i)),
                    oracle.values[i]);
  }
  return std::move(tensor.storage);
}

// Where the two oracles differ; empty if nowhere.
std::string CompareOracles(const reference::GoldenResult& golden,
                           const Oracle& oracle, spec::DataType type) {
  for (size_t i = 0; i < golden.elements.size(); ++i) {
    const reference::GoldenElement& element = golden.elements[i];
    if (element.written == oracle.written[i] &&
        (!element.written ||
         Compare(type, element.exact, oracle.values[i]).IsEqual())) {
      continue;
    }
    return absl::StrCat("element ", i, ": the golden model gives ",
                        FormatValue(type, element.exact),
                        ", the second oracle ",
                        FormatValue(type, oracle.values[i]));
  }
  return "";
}

// The cases of one operator.
class OperatorRun {
 public:
  OperatorRun(Candidate& candidate, const FuzzOptions& options,
              const std::string& operator_name, FuzzReport& report)
      : candidate_(candidate), options_(options), report_(report) {
    statistics_.operator_name = operator_name;
  }

  void Run(double seconds) {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; options_.cases == 0 || i < options_.cases; ++i) {
      if (seconds > 0 && std::chrono::duration<double>(
                             std::chrono::steady_clock::now() - start)
                                 .count() > seconds) {
        break;
      }
      RunCase(options_.first + i);
      const bool enough = failures_ > 0 && options_.fail_fast;
      if (enough || failures_ >= options_.max_failures) break;
      if (options_.progress && !options_.progress(i + 1, options_.cases)) {
        break;
      }
    }
    report_.statistics.push_back(statistics_);
  }

 private:
  void RunCase(int64_t index) {
    Stopwatch watch;
    const FuzzCase fuzz_case =
        MakeFuzzCase(statistics_.operator_name, options_.seed, index);
    const Arguments& arguments = fuzz_case.arguments;
    statistics_.hash = HashArguments(arguments, statistics_.hash);
    ++statistics_.cases;
    watch.AddTo(statistics_.generate);
    if (!CanBeExecuted(arguments)) return;
    const absl::StatusOr<Oracle> oracle =
        reference::second_oracle::Evaluate(arguments);
    watch.AddTo(statistics_.oracle);
    HoldOracles(index, fuzz_case, oracle, watch);
    statistics_.rejections += !oracle.ok();
    for (const std::string& target : options_.targets) {
      const ExecutionOptions execution = {
          .target = target,
          .threads = fuzz_case.threads,
          .misalignment = fuzz_case.misalignment,
          .constants_in_plan = fuzz_case.constants_in_plan};
      if (options_.announce) {
        options_.announce(statistics_.operator_name, index, target);
      }
      if (!Passes(arguments, execution, oracle, index, watch)) {
        const std::string fault =
            FindFault(arguments, candidate_, execution, options_.level);
        // Not equal in every bit, but right: a zero of the other sign, a NaN
        // of another payload, a value that the level admits.
        if (!fault.empty()) {
          NoteFailure(index, fuzz_case, "", execution, fault);
          return;
        }
        watch.AddTo(statistics_.compare);
      }
      if (!fuzz_case.property.empty() &&
          !HoldsProperty(index, fuzz_case, execution)) {
        return;
      }
      watch.AddTo(statistics_.other_properties);
    }
  }

  // Quotas count what the sample for the golden model shows, since it alone
  // knows ties and clamps.
  void HoldOracles(int64_t index, const FuzzCase& fuzz_case,
                   const absl::StatusOr<Oracle>& oracle, Stopwatch& watch) {
    const Arguments& arguments = fuzz_case.arguments;
    const std::string& name = statistics_.operator_name;
    ++report_.counters[name][absl::StrCat("kind:", fuzz_case.kind)];
    if (index % kGoldenStep != 0 || EstimateWork(arguments) > kGoldenWork) {
      return;
    }
    ++statistics_.golden;
    const TestCase test_case = AsCase(arguments);
    const absl::StatusOr<Expectation> expectation =
        Expectation::Make(test_case);
    if (!expectation.ok()) {
      report_.broken.push_back(std::string(expectation.status().message()));
      return;
    }
    CountInputQuality(*expectation, report_.counters);
    if (oracle.ok() != !test_case.error.has_value()) {
      report_.broken.push_back(absl::StrCat(
          name, " case ", index, ": the oracles disagree about validity"));
    } else if (oracle.ok()) {
      reference::GoldenResult golden;
      golden.elements = expectation->golden();
      const std::string difference = CompareOracles(
          golden, *oracle, arguments.outputs.begin()->second.type);
      if (!difference.empty()) {
        report_.broken.push_back(
            absl::StrCat(name, " case ", index, ": ", difference));
      }
    }
    watch.AddTo(statistics_.golden_model);
  }

  // One execution; the poison changes with the case and the target, so that
  // each target meets both. False asks for a closer look.
  bool Passes(const Arguments& arguments, const ExecutionOptions& execution,
              const absl::StatusOr<Oracle>& oracle, int64_t index,
              Stopwatch& watch) {
    poison_ = !poison_ != (index % 2 == 0);
    OutputStorage outputs = PoisonedOutputs(arguments, poison_);
    OutputStorage expected = outputs;
    watch.AddTo(statistics_.compare);
    const Execution result = candidate_.Execute(arguments, execution, outputs);
    watch.AddTo(statistics_.candidate);
    if (result.outcome == ExecutionOutcome::kUnsupported) {
      unsupported_.insert(absl::StrCat(
          arguments.operator_name, " is unsupported on ", execution.target));
      return true;
    }
    ++statistics_.executions;
    executed_.insert(execution.target);
    if (result.outcome == ExecutionOutcome::kRejected) {
      const bool same =
          !oracle.ok() && outputs == expected &&
          result.status == StatusCodeName(oracle.status().code()) &&
          result.aclnn_status == spec::AclnnStatus(oracle.status());
      watch.AddTo(statistics_.compare);
      return same;
    }
    if (result.outcome != ExecutionOutcome::kCompleted || !oracle.ok()) {
      return false;
    }
    const auto& [name, desc] = *arguments.outputs.begin();
    expected[name] = ExpectedStorage(desc, std::move(expected[name]), *oracle);
    statistics_.elements += static_cast<int64_t>(oracle->values.size());
    const bool same = outputs == expected;
    watch.AddTo(statistics_.compare);
    return same;
  }

  bool HoldsProperty(int64_t index, const FuzzCase& fuzz_case,
                     const ExecutionOptions& execution) {
    // What float arithmetic may give need not have them.
    if (options_.level != Level::kExact) return true;
    RandomSource random(fuzz_case.property_seed);
    const PropertyOutcome outcome = CheckProperty(
        fuzz_case.property, fuzz_case.arguments, candidate_, execution, random);
    statistics_.properties += outcome.applies;
    if (outcome.violation.empty()) return true;
    NoteFailure(index, fuzz_case, fuzz_case.property, execution,
                outcome.violation);
    return false;
  }

  void NoteFailure(int64_t index, const FuzzCase& fuzz_case,
                   const std::string& property,
                   const ExecutionOptions& execution,
                   const std::string& message) {
    ++failures_;
    FuzzFailure failure;
    failure.operator_name = statistics_.operator_name;
    failure.index = index;
    failure.kind = fuzz_case.kind;
    failure.property = property;
    failure.target = execution.target;
    failure.execution = DescribeExecution(execution);
    failure.message = message;
    failure.arguments = fuzz_case.arguments;
    failure.elements_before = CountElements(failure.arguments);
    const auto fault = [&](const Arguments& arguments) -> std::string {
      if (property.empty()) {
        return FindFault(arguments, candidate_, execution, options_.level);
      }
      RandomSource random(fuzz_case.property_seed);
      return CheckProperty(property, arguments, candidate_, execution, random)
          .violation;
    };
    if (options_.shrink) {
      failure.arguments =
          Shrink(failure.arguments, [&](const Arguments& arguments) {
            return !fault(arguments).empty();
          });
      failure.message = fault(failure.arguments);
    }
    for (const CaseStatus status :
         {CaseStatus::kCrashed, CaseStatus::kTimedOut}) {
      failure.crashed |=
          absl::StartsWith(failure.message, CaseStatusName(status));
    }
    failure.elements_after = CountElements(failure.arguments);
    Save(failure);
    report_.failures.push_back(std::move(failure));
  }

  void Save(FuzzFailure& failure) {
    if (options_.save.empty()) return;
    const TestCase test_case = ToTestCase(failure, options_.seed);
    VectorFile file;
    file.operator_name = failure.operator_name;
    file.cases = {test_case};
    const std::filesystem::path folder =
        std::filesystem::path(options_.save) / failure.operator_name;
    const std::filesystem::path path = folder / (test_case.id + ".json");
    if (!CanBeWritten(test_case)) return;
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (std::ofstream(path) << FormatVectorFile(file) << std::flush) {
      failure.file = path.string();
    } else {
      report_.broken.push_back(
          absl::StrCat(path.string(), ": cannot be written"));
    }
  }

 public:
  const std::set<std::string>& executed() const { return executed_; }
  const std::set<std::string>& unsupported() const { return unsupported_; }

 private:
  Candidate& candidate_;
  const FuzzOptions& options_;
  FuzzReport& report_;
  FuzzStatistics statistics_;
  int64_t failures_ = 0;
  bool poison_ = false;
  std::set<std::string> executed_;
  std::set<std::string> unsupported_;
};

// The clauses that every result of an operator shows.
std::vector<std::string> ClausesOf(const std::string& operator_name,
                                   bool rejected) {
  if (rejected) return {"AR-12"};
  static const auto& formulas = *new std::map<std::string, std::string>{
      {"aclnn_quant_grouped_matmul_dequant", "AG-01"},
      {"dml_element_wise_quantized_linear_add", "QA-01"},
      {"dml_quantized_linear_matrix_multiply", "QM-01"},
      {"tf_quantize_and_dequantize_v2", "TQ-02"}};
  return {"AR-01", formulas.at(operator_name)};
}

}  // namespace

TestCase ToTestCase(const FuzzFailure& failure, uint64_t seed) {
  TestCase test_case = AsCase(failure.arguments);
  test_case.id =
      absl::StrFormat("regression-%016x", HashArguments(failure.arguments));
  test_case.title = absl::StrCat(
      "a shrunk counterexample of kind ", failure.kind,
      failure.property.empty() ? "" : ", property ", failure.property);
  test_case.source =
      absl::StrCat("qconform fuzz --operator=", failure.operator_name,
                   " --seed=", seed, " --first=", failure.index, " --cases=1");
  test_case.clauses =
      ClausesOf(failure.operator_name, test_case.error.has_value());
  const absl::StatusOr<Oracle> oracle =
      reference::second_oracle::Evaluate(failure.arguments);
  if (!oracle.ok()) return test_case;
  const auto& [name, desc] = *failure.arguments.outputs.begin();
  ExpectedOutput& expected = test_case.expected[name];
  const int64_t count = spec::StorageElementCount(desc).value();
  const std::vector<std::byte> zeros(static_cast<size_t>(count) *
                                     spec::ByteSize(desc.type));
  expected.tensor = {desc, ExpectedStorage(desc, zeros, *oracle)};
  expected.must_stay.assign(static_cast<size_t>(count), true);
  for (size_t i = 0; i < oracle->values.size(); ++i) {
    const int64_t offset = spec::StorageOffset(desc, static_cast<int64_t>(i));
    expected.must_stay[static_cast<size_t>(offset)] = !oracle->written[i];
  }
  return test_case;
}

FuzzReport RunFuzz(Candidate& candidate, const FuzzOptions& options) {
  FuzzReport report;
  Stopwatch watch;
  std::set<std::string> executed;
  const double share =
      options.seconds / static_cast<double>(options.operators.size());
  for (const std::string& name : options.operators) {
    OperatorRun run(candidate, options, name, report);
    run.Run(share);
    executed.insert(run.executed().begin(), run.executed().end());
    report.distrust.insert(report.distrust.end(), run.unsupported().begin(),
                           run.unsupported().end());
    if (options.fail_fast && !report.failures.empty()) break;
  }
  report.run_targets.assign(executed.begin(), executed.end());
  watch.AddTo(report.seconds);
  return report;
}

}  // namespace qconform::harness
