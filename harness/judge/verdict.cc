#include "harness/judge/verdict.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace qconform::harness {
namespace {

// splitmix64's finalizer: spreads consecutive numbers over all bits.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// What the two runs did to `size` bytes from `begin` of one output.
struct Touch {
  bool untouched = true;  // no byte changed in either run
  bool stable = true;     // both runs left the same bytes
};

Touch Inspect(const std::vector<std::byte>& first,
              const std::vector<std::byte>& second, size_t begin, size_t size) {
  Touch touch;
  for (size_t i = begin; i < begin + size; ++i) {
    touch.untouched &=
        first[i] == PoisonByte(i, false) && second[i] == PoisonByte(i, true);
    touch.stable &= first[i] == second[i];
  }
  return touch;
}

// Two stored values that compare as equal are stable even if their bytes differ
// (NaN payloads, zeros: AR-06, AR-07).
void JudgeElement(const spec::Tensor& first, const spec::Tensor& second,
                  const Expectation::Element& expected,
                  ElementOutcome& outcome) {
  const spec::DataType type = first.desc.type;
  const size_t size = spec::ByteSize(type);
  const size_t begin = static_cast<size_t>(outcome.offset) * size;
  const Touch touch = Inspect(first.storage, second.storage, begin, size);
  outcome.must_stay = expected.must_stay;
  outcome.expected = expected.value;
  outcome.golden_differs = expected.golden_differs;
  outcome.golden = expected.golden;
  outcome.found = spec::ReadReal(first, outcome.offset);
  if (expected.must_stay) {
    if (!touch.untouched) outcome.fault = ElementFault::kOverwritten;
  } else if (touch.untouched) {
    outcome.fault = ElementFault::kUntouched;
  } else if (!touch.stable && !Compare(type, outcome.found,
                                       spec::ReadReal(second, outcome.offset))
                                   .IsEqual()) {
    outcome.fault = ElementFault::kUnstable;
  } else {
    outcome.difference = Compare(type, expected.value, outcome.found);
  }
  if (outcome.fault != ElementFault::kNone || !outcome.difference.IsEqual()) {
    outcome.verdict = ElementVerdict::kWrong;
  }
}

// Turns wrong into explained where the enclosure admits the value (AR-02).
absl::Status ConsultEnclosure(Expectation& expectation,
                              ElementOutcome& outcome) {
  absl::StatusOr<const reference::GoldenElement*> golden =
      expectation.Enclosure(outcome.element);
  if (!golden.ok()) return golden.status();
  if (*golden == nullptr) return absl::OkStatus();
  const reference::GoldenElement& set = **golden;
  outcome.enclosure = set.enclosure_any
                          ? "any value"
                          : absl::StrFormat("[%.9g, %.9g]", set.enclosure_low,
                                            set.enclosure_high);
  // A NaN found fails both comparisons: only `any` admits it.
  if (set.enclosure_any || (set.enclosure_low <= outcome.found &&
                            outcome.found <= set.enclosure_high)) {
    outcome.verdict = ElementVerdict::kExplained;
  }
  return absl::OkStatus();
}

// Storage between the elements of a strided output must stay (QM-08); what did
// not goes to `take`.
template <typename Take>
void JudgeGaps(const spec::Tensor& first, const spec::Tensor& second,
               const std::vector<bool>& is_element, const Take& take) {
  const size_t size = spec::ByteSize(first.desc.type);
  for (size_t offset = 0; offset < is_element.size(); ++offset) {
    if (is_element[offset]) continue;
    if (Inspect(first.storage, second.storage, offset * size, size).untouched) {
      continue;
    }
    ElementOutcome outcome;
    outcome.element = -1;
    outcome.offset = static_cast<int64_t>(offset);
    outcome.verdict = ElementVerdict::kWrong;
    outcome.fault = ElementFault::kOverwritten;
    outcome.must_stay = true;
    outcome.found = spec::ReadReal(first, outcome.offset);
    take(std::move(outcome));
  }
}

// Where a call that failed wrote although it may not (AR-12); empty if nowhere.
std::string FirstWrite(const PoisonedRuns& runs) {
  for (const auto& [name, first] : runs.outputs[0]) {
    const std::vector<std::byte>& second = runs.outputs[1].at(name);
    for (size_t i = 0; i < first.size(); ++i) {
      if (!Inspect(first, second, i, 1).untouched) {
        return absl::StrCat("byte ", i, " of ", name);
      }
    }
  }
  return "";
}

// Storage that a candidate handed back in another size cannot be judged.
std::string ChangedSize(const spec::Arguments& arguments,
                        const PoisonedRuns& runs) {
  const OutputStorage as_given = PoisonedOutputs(arguments, false);
  for (const OutputStorage& outputs : runs.outputs) {
    for (const auto& [name, storage] : as_given) {
      const auto found = outputs.find(name);
      if (found == outputs.end() || found->second.size() != storage.size()) {
        return name;
      }
    }
  }
  return "";
}

std::string DescribeRejection(const Execution& execution) {
  return absl::StrCat(DescribeError({.status = execution.status,
                                     .aclnn_status = execution.aclnn_status}),
                      ": ", execution.message);
}

CaseVerdict Verdict(CaseStatus status, std::string reason) {
  CaseVerdict verdict;
  verdict.status = status;
  verdict.reason = std::move(reason);
  return verdict;
}

// Adds what vector and golden model disagree about to why a case failed.
std::string WithDisagreement(const Expectation& expectation,
                             std::string reason) {
  if (expectation.disagreement().empty()) return reason;
  return absl::StrCat(reason, reason.empty() ? "" : "; ",
                      "note: ", expectation.disagreement());
}

CaseVerdict JudgeRejection(const Expectation& expectation,
                           const PoisonedRuns& runs) {
  const ExpectedError& expected = *expectation.error();
  for (const Execution& execution : runs.executions) {
    if (execution.outcome != ExecutionOutcome::kRejected) {
      return Verdict(
          CaseStatus::kFailed,
          WithDisagreement(expectation,
                           absl::StrCat("accepted a call that must be rejected "
                                        "with ",
                                        DescribeError(expected))));
    }
    if ((!expected.status.empty() && expected.status != execution.status) ||
        (expected.aclnn_status &&
         expected.aclnn_status != execution.aclnn_status)) {
      return Verdict(
          CaseStatus::kFailed,
          WithDisagreement(
              expectation,
              absl::StrCat("expected the error ", DescribeError(expected),
                           ", got ", DescribeRejection(execution))));
    }
  }
  if (const std::string place = FirstWrite(runs); !place.empty()) {
    return Verdict(
        CaseStatus::kFailed,
        absl::StrCat("rejected the call rightly, but wrote ", place));
  }
  return CaseVerdict();
}

absl::StatusOr<CaseVerdict> JudgeElements(Expectation& expectation,
                                          const PoisonedRuns& runs,
                                          Level level) {
  const spec::TensorDesc& desc =
      expectation.test_case().arguments.outputs.at(expectation.output_name());
  const spec::Tensor first = {desc,
                              runs.outputs[0].at(expectation.output_name())};
  const spec::Tensor second = {desc,
                               runs.outputs[1].at(expectation.output_name())};
  std::vector<bool> is_element(first.storage.size() /
                               spec::ByteSize(desc.type));
  CaseVerdict verdict;
  const auto take = [&verdict](ElementOutcome outcome) {
    verdict.counts.Add(outcome);
    if (outcome.verdict != ElementVerdict::kExact) {
      verdict.elements.push_back(std::move(outcome));
    }
  };
  for (size_t i = 0; i < expectation.elements().size(); ++i) {
    ElementOutcome outcome;
    outcome.element = static_cast<int64_t>(i);
    outcome.offset = spec::StorageOffset(desc, outcome.element);
    is_element[static_cast<size_t>(outcome.offset)] = true;
    JudgeElement(first, second, expectation.elements()[i], outcome);
    if (outcome.verdict == ElementVerdict::kWrong &&
        outcome.fault == ElementFault::kNone) {
      if (absl::Status status = ConsultEnclosure(expectation, outcome);
          !status.ok()) {
        return status;
      }
    }
    take(std::move(outcome));
  }
  JudgeGaps(first, second, is_element, take);
  if (verdict.counts.wrong > 0 ||
      (level == Level::kExact && verdict.counts.explained > 0)) {
    verdict.status = CaseStatus::kFailed;
    verdict.reason = WithDisagreement(expectation, "");
  }
  return verdict;
}

}  // namespace

std::string LevelName(Level level) {
  return level == Level::kExact ? "exact" : "binary32";
}

std::string ElementVerdictName(ElementVerdict verdict) {
  switch (verdict) {
    case ElementVerdict::kExact:
      return "exact";
    case ElementVerdict::kExplained:
      return "explained";
    default:
      return "wrong";
  }
}

std::string CaseStatusName(CaseStatus status) {
  switch (status) {
    case CaseStatus::kPassed:
      return "passed";
    case CaseStatus::kFailed:
      return "failed";
    case CaseStatus::kExpectedFailure:
      return "expected-failure";
    case CaseStatus::kUnexpectedPass:
      return "unexpected-pass";
    case CaseStatus::kUnsupported:
      return "unsupported";
    case CaseStatus::kMistrusted:
      return "mistrusted";
    case CaseStatus::kCrashed:
      return "crashed";
    default:
      return "timed-out";
  }
}

std::string ElementFaultName(ElementFault fault) {
  switch (fault) {
    case ElementFault::kNone:
      return "value";
    case ElementFault::kUntouched:
      return "untouched";
    case ElementFault::kOverwritten:
      return "overwritten";
    default:
      return "unstable";
  }
}

void ElementCounts::Add(const ElementOutcome& outcome) {
  if (outcome.verdict == ElementVerdict::kWrong) {
    ++wrong;
  } else if (outcome.must_stay) {
    ++preserved;
  } else if (outcome.verdict == ElementVerdict::kExplained) {
    ++explained;
  } else {
    ++exact;
  }
}

void ElementCounts::Add(const ElementCounts& other) {
  exact += other.exact;
  explained += other.explained;
  wrong += other.wrong;
  preserved += other.preserved;
}

std::byte PoisonByte(size_t position, bool inverted) {
  const std::byte poison = static_cast<std::byte>(Mix(position + 1) & 0xff);
  return inverted ? ~poison : poison;
}

OutputStorage PoisonedOutputs(const spec::Arguments& arguments, bool inverted) {
  OutputStorage outputs;
  for (const auto& [name, desc] : arguments.outputs) {
    // A description that has no storage must be rejected by the candidate; one
    // that asks for more than fits here occurs in empty calls and faulty ones.
    constexpr int64_t kMost = int64_t{1} << 28;
    int64_t count = spec::StorageElementCount(desc).value_or(0);
    if (count > kMost) count = 0;
    std::vector<std::byte>& storage = outputs[name];
    storage.resize(static_cast<size_t>(count) * spec::ByteSize(desc.type));
    for (size_t i = 0; i < storage.size(); ++i) {
      storage[i] = PoisonByte(i, inverted);
    }
  }
  return outputs;
}

PoisonedRuns ExecuteOnPoison(Candidate& candidate,
                             const spec::Arguments& arguments,
                             const ExecutionOptions& options) {
  PoisonedRuns runs;
  for (size_t i : {0, 1}) {
    runs.outputs[i] = PoisonedOutputs(arguments, i == 1);
    runs.executions[i] = candidate.Execute(arguments, options, runs.outputs[i]);
  }
  return runs;
}

absl::StatusOr<CaseVerdict> Judge(Expectation& expectation,
                                  const PoisonedRuns& runs, Level level) {
  for (const Execution& execution : runs.executions) {
    switch (execution.outcome) {
      case ExecutionOutcome::kUnsupported:
        return Verdict(CaseStatus::kUnsupported, execution.message);
      case ExecutionOutcome::kCrashed:
        return Verdict(CaseStatus::kCrashed, execution.message);
      case ExecutionOutcome::kTimedOut:
        return Verdict(CaseStatus::kTimedOut, execution.message);
      default:
        break;
    }
  }
  if (const std::string name =
          ChangedSize(expectation.test_case().arguments, runs);
      !name.empty()) {
    return Verdict(CaseStatus::kFailed,
                   absl::StrCat("changed the size of the storage of ", name));
  }
  if (expectation.error()) return JudgeRejection(expectation, runs);
  for (const Execution& execution : runs.executions) {
    if (execution.outcome == ExecutionOutcome::kRejected) {
      return Verdict(
          CaseStatus::kFailed,
          WithDisagreement(expectation,
                           absl::StrCat("rejected a call that must succeed: ",
                                        DescribeRejection(execution))));
    }
  }
  if (expectation.output_name().empty()) {
    return Verdict(CaseStatus::kFailed,
                   WithDisagreement(expectation,
                                    "accepted a call that the golden model "
                                    "rejects"));
  }
  return JudgeElements(expectation, runs, level);
}

ExecutionOptions VariedExecution(const TestCase& test_case,
                                 const std::string& target, int threads) {
  uint64_t hash = 0;
  for (const std::string& part :
       {test_case.arguments.operator_name, test_case.id}) {
    for (const char c : part) {
      hash = Mix(hash + static_cast<unsigned char>(c) + 1);
    }
  }
  // 1 shifts bytes, 2 and 4 every type; 31, 33 and 63 also cross half vectors
  // and cache lines.
  constexpr size_t kMisalignments[] = {1, 2, 4, 8, 13, 16, 20, 31, 32, 33, 63};
  ExecutionOptions options;
  options.target = target;
  options.threads = (hash & 1) != 0 ? threads : 1;
  options.constants_in_plan = (hash & 2) != 0;
  options.misalignment =
      kMisalignments[(hash >> 2) % std::size(kMisalignments)];
  return options;
}

std::string DescribeExecution(const ExecutionOptions& options) {
  return absl::StrCat(options.threads,
                      options.threads == 1 ? " thread" : " threads",
                      ", buffers misaligned by ", options.misalignment,
                      " bytes, constants given to ",
                      options.constants_in_plan ? "Plan" : "Run");
}

absl::StatusOr<CaseVerdict> JudgeOnTarget(Expectation& expectation,
                                          Candidate& candidate,
                                          const std::string& target,
                                          Level level, bool vary, int threads) {
  const TestCase& test_case = expectation.test_case();
  ExecutionOptions plain;
  plain.target = target;
  absl::StatusOr<CaseVerdict> verdict =
      Judge(expectation, ExecuteOnPoison(candidate, test_case.arguments, plain),
            level);
  if (!vary || !verdict.ok() || verdict->status != CaseStatus::kPassed) {
    return verdict;
  }
  const ExecutionOptions varied = VariedExecution(test_case, target, threads);
  absl::StatusOr<CaseVerdict> second =
      Judge(expectation,
            ExecuteOnPoison(candidate, test_case.arguments, varied), level);
  if (!second.ok() || second->status == CaseStatus::kPassed) return verdict;
  second->variation = DescribeExecution(varied);
  return second;
}

std::string FormatIndex(const spec::TensorDesc& desc, int64_t element) {
  std::vector<int64_t> index(desc.sizes.size());
  for (size_t axis = desc.sizes.size(); axis-- > 0;) {
    index[axis] = element % desc.sizes[axis];
    element /= desc.sizes[axis];
  }
  return absl::StrCat("[", absl::StrJoin(index, ","), "]");
}

}  // namespace qconform::harness
