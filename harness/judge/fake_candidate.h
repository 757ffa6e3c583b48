// Implementations with known faults, for tests of the judge: each gives the
// golden model's values but for one fault.

#ifndef QCONFORM_HARNESS_JUDGE_FAKE_CANDIDATE_H_
#define QCONFORM_HARNESS_JUDGE_FAKE_CANDIDATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/candidates/candidate.h"
#include "harness/cases/test_case.h"
#include "reference/golden.h"
#include "spec/tensor.h"

namespace qconform::harness {

enum class FakeFault {
  kNone,
  kWrongLane,           // the last element is one too high
  kDropsLastLane,       // the last element is not written
  kDropsFirstBytes,     // of element 0 only the first byte is written
  kAddsToOutput,        // element 0 depends on what the output held
  kWritesPadding,       // writes all storage between the elements
  kHalfAway,            // ties go away from zero
  kZeroPointFirst,      // adds the zero point before it rounds
  kNegates,             // every element has the other sign
  kAcceptsAll,          // never rejects
  kRejectsAll,          // with invalid_argument and 161002
  kRejectsWithAnother,  // with out_of_range and 161001
  kWritesThenRejects,   // rejects rightly, but after a write
  kRejectsSecondCall,   // its answer depends on the call before
  kUnsupported,
  kCrashes,
  kTimesOut,
  kShrinksOutput,
  kForgetsOutput,
  kWrongWithThreads,  // wrong lane if more than one thread
  kWrongIfMisaligned,
  kWrongIfGivenToRun,  // wrong lane if constants are not in the plan
};

class FakeCandidate : public Candidate {
 public:
  explicit FakeCandidate(FakeFault fault,
                         std::vector<std::string> targets = {"AVX2"})
      : fault_(fault), targets_(std::move(targets)) {}

  std::string Name() const override { return "fake"; }
  std::vector<std::string> Targets() const override { return targets_; }
  int calls() const { return calls_; }
  // Only this target has the fault; empty: all have.
  void LimitFaultTo(std::string target) { faulty_target_ = std::move(target); }

  Execution Execute(const spec::Arguments& arguments,
                    const ExecutionOptions& options,
                    OutputStorage& outputs) override {
    const FakeFault fault =
        faulty_target_.empty() || faulty_target_ == options.target
            ? FaultOf(options)
            : FakeFault::kNone;
    ++calls_;
    switch (fault) {
      case FakeFault::kUnsupported:
        return Ended(ExecutionOutcome::kUnsupported);
      case FakeFault::kCrashes:
        return Ended(ExecutionOutcome::kCrashed);
      case FakeFault::kTimesOut:
        return Ended(ExecutionOutcome::kTimedOut);
      case FakeFault::kRejectsAll:
        return Rejected("invalid_argument", 161002);
      case FakeFault::kShrinksOutput:
        outputs.begin()->second.pop_back();
        return Execution();
      case FakeFault::kForgetsOutput:
        outputs.clear();
        return Execution();
      default:
        break;
    }
    const auto result = reference::Evaluate(arguments);
    if (!result.ok()) return Reject(fault, outputs);
    if (fault == FakeFault::kRejectsSecondCall && calls_ % 2 == 0) {
      return Rejected("invalid_argument", 161002);
    }
    Write(arguments, fault, *result, outputs);
    return Execution();
  }

 private:
  static Execution Ended(ExecutionOutcome outcome) {
    Execution execution;
    execution.outcome = outcome;
    execution.message = "as the test wants";
    return execution;
  }

  static Execution Rejected(const std::string& status, int aclnn_status) {
    Execution execution = Ended(ExecutionOutcome::kRejected);
    execution.status = status;
    execution.aclnn_status = aclnn_status;
    return execution;
  }

  FakeFault FaultOf(const ExecutionOptions& options) const {
    if ((fault_ == FakeFault::kWrongWithThreads && options.threads > 1) ||
        (fault_ == FakeFault::kWrongIfMisaligned && options.misalignment > 0) ||
        (fault_ == FakeFault::kWrongIfGivenToRun &&
         !options.constants_in_plan)) {
      return FakeFault::kWrongLane;
    }
    return fault_;
  }

  Execution Reject(FakeFault fault, OutputStorage& outputs) const {
    if (fault == FakeFault::kAcceptsAll ||
        (fault == FakeFault::kRejectsSecondCall && calls_ % 2 == 0)) {
      return Execution();
    }
    if (fault == FakeFault::kRejectsWithAnother) {
      return Rejected("out_of_range", 161001);
    }
    if (fault == FakeFault::kWritesThenRejects) {
      std::vector<std::byte>& storage = outputs.begin()->second;
      if (!storage.empty()) storage.back() ^= std::byte{1};
    }
    return Rejected("invalid_argument", 161002);
  }

  void Write(const spec::Arguments& arguments, FakeFault fault,
             const reference::GoldenResult& result, OutputStorage& outputs) {
    std::vector<std::byte>& storage = outputs.begin()->second;
    const std::vector<std::byte> before = storage;
    if (fault == FakeFault::kWritesPadding) {
      std::fill(storage.begin(), storage.end(), std::byte{3});
    }
    spec::Tensor tensor = {arguments.outputs.begin()->second, storage};
    const int64_t count = static_cast<int64_t>(result.elements.size());
    for (int64_t i = 0; i < count; ++i) {
      const reference::GoldenElement& element =
          result.elements[static_cast<size_t>(i)];
      if (!element.written) continue;
      if (fault == FakeFault::kDropsLastLane && i == count - 1) continue;
      spec::WriteReal(tensor, spec::StorageOffset(tensor.desc, i),
                      Value(arguments, fault, element, i, i == count - 1));
    }
    storage = tensor.storage;
    if (fault == FakeFault::kDropsFirstBytes) storage[1] = before[1];
    if (fault == FakeFault::kAddsToOutput) {
      storage[0] = before[0] ^ std::byte{1};
    }
  }

  double Value(const spec::Arguments& arguments, FakeFault fault,
               const reference::GoldenElement& element, int64_t i,
               bool last) const {
    if (fault == FakeFault::kWrongLane && last) return element.exact + 1;
    if (fault == FakeFault::kNegates) return -element.exact;
    if (fault == FakeFault::kHalfAway) {
      return Variant(arguments, i, reference::RoundingVariant::kHalfAway);
    }
    if (fault == FakeFault::kZeroPointFirst) {
      return Variant(arguments, i,
                     reference::RoundingVariant::kZeroPointBeforeRounding);
    }
    return element.exact;
  }

  static double Variant(const spec::Arguments& arguments, int64_t element,
                        reference::RoundingVariant variant) {
    return reference::TraceElement(arguments, element)->variants.at(variant);
  }

  FakeFault fault_;
  std::vector<std::string> targets_;
  std::string faulty_target_;
  int calls_ = 0;
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_FAKE_CANDIDATE_H_
