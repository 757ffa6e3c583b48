#include "harness/judge/expectation.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/candidates/rejection.h"
#include "harness/judge/compare.h"
#include "reference/second_oracle/second_oracle.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

// Whether a golden rejection is the one the vector expects.
bool SameError(const ExpectedError& expected, const absl::Status& status) {
  const ExpectedError error = ErrorOf(status);
  if (!expected.status.empty() && expected.status != error.status) {
    return false;
  }
  return !expected.aclnn_status || expected.aclnn_status == error.aclnn_status;
}

// What the golden model does to an element beside its products, in rational
// arithmetic, takes it as long as so many of them.
constexpr int64_t kProductsPerElement = 64;

int64_t CountOutputElements(const spec::Arguments& arguments) {
  int64_t most = 0;
  for (const auto& [name, desc] : arguments.outputs) {
    most = std::max(most, spec::ElementCount(desc).value_or(0));
  }
  return most;
}

}  // namespace

ExpectedError ErrorOf(const absl::Status& rejection) {
  return {.status = StatusCodeName(rejection.code()),
          .aclnn_status = spec::AclnnStatus(rejection)};
}

std::string DescribeError(const ExpectedError& error) {
  if (!error.aclnn_status) return error.status;
  if (error.status.empty()) return absl::StrCat(*error.aclnn_status);
  return absl::StrCat(error.status, " (", *error.aclnn_status, ")");
}

int64_t EstimateWork(const spec::Arguments& arguments) {
  int64_t work = CountOutputElements(arguments);
  // The two matrix products sum over the last axis of their left operand.
  if (arguments.inputs.contains(arguments.operator_name ==
                                        "dml_quantized_linear_matrix_multiply"
                                    ? "BTensor"
                                    : "weight")) {
    for (const char* left : {"ATensor", "x"}) {
      const auto found = arguments.inputs.find(left);
      if (found == arguments.inputs.end()) continue;
      const std::vector<int64_t>& sizes = found->second.desc.sizes;
      if (sizes.empty() || sizes.back() <= 1) continue;
      // Calls that must be rejected have any sizes.
      constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
      work = work > kMost / sizes.back() ? kMost : work * sizes.back();
    }
  }
  return work;
}

absl::StatusOr<Expectation> Expectation::Make(const TestCase& test_case,
                                              int64_t golden_limit) {
  Expectation expectation(test_case);
  const absl::Status golden = spec::Validate(test_case.arguments);
  expectation.golden_accepts_ = golden.ok();
  expectation.NoteDisagreementOverError(golden);
  if (test_case.error) return expectation;
  if (golden.ok()) {
    if (absl::Status status = expectation.EvaluateGolden(golden_limit);
        !status.ok()) {
      return absl::InternalError(absl::StrCat(
          test_case.arguments.operator_name, "/", test_case.id,
          ": the golden model fails on a valid call: ", status.message()));
    }
  }
  expectation.ApplyFrozen();
  return expectation;
}

void Expectation::NoteDisagreementOverError(const absl::Status& golden) {
  const std::optional<ExpectedError>& error = test_case_->error;
  if (!error && golden.ok()) return;
  if (error && !golden.ok() && SameError(*error, golden)) return;
  const std::string vector =
      error ? absl::StrCat("expects the error ", DescribeError(*error))
            : "expects a result";
  const std::string model =
      golden.ok()
          ? "accepts the call"
          : absl::StrCat("rejects the call: ", DescribeError(ErrorOf(golden)),
                         ": ", golden.message());
  disagreement_ =
      absl::StrCat("the vector ", vector, ", the golden model ", model);
}

absl::Status Expectation::EvaluateGolden(int64_t golden_limit) {
  if (EstimateWork(test_case_->arguments) > golden_limit ||
      CountOutputElements(test_case_->arguments) >
          golden_limit / kProductsPerElement) {
    absl::StatusOr<reference::second_oracle::Result> result =
        reference::second_oracle::Evaluate(test_case_->arguments);
    if (!result.ok()) return result.status();
    second_oracle_ = true;
    output_name_ = test_case_->arguments.outputs.begin()->first;
    for (size_t i = 0; i < result->values.size(); ++i) {
      elements_.push_back({.must_stay = !result->written[i],
                           .value = result->values[i],
                           .golden_differs = false,
                           .golden = result->values[i]});
    }
    return absl::OkStatus();
  }
  absl::StatusOr<reference::GoldenResult> result = reference::Evaluate(
      test_case_->arguments, {.enclosure = false, .binary32 = false});
  if (!result.ok()) return result.status();
  output_name_ = result->output_name;
  golden_ = std::move(result->elements);
  for (const reference::GoldenElement& element : golden_) {
    elements_.push_back({.must_stay = !element.written,
                         .value = element.exact,
                         .golden_differs = false,
                         .golden = element.exact});
  }
  return absl::OkStatus();
}

void Expectation::ApplyFrozen() {
  if (test_case_->expected.empty()) return;
  const auto& [name, frozen] = *test_case_->expected.begin();
  const spec::TensorDesc& desc = frozen.tensor.desc;
  // No operator has an output of eight bytes; such a call is rejected, and its
  // data could not be compared.
  if (spec::ByteSize(desc.type) > 4) return;
  const int64_t count = spec::ElementCount(desc).value_or(0);
  output_name_ = name;
  if (!golden_accepts_) elements_.resize(static_cast<size_t>(count));
  int64_t differing = 0;
  for (int64_t i = 0; i < count; ++i) {
    Element& element = elements_[static_cast<size_t>(i)];
    const int64_t offset = spec::StorageOffset(desc, i);
    const bool must_stay = frozen.must_stay[static_cast<size_t>(offset)];
    const double value = spec::ReadReal(frozen.tensor, offset);
    if (golden_accepts_) {
      element.golden_differs =
          must_stay != element.must_stay ||
          (!must_stay && !Compare(desc.type, element.value, value).IsEqual());
      differing += element.golden_differs;
    }
    element.must_stay = must_stay;
    element.value = value;
  }
  if (differing > 0) {
    disagreement_ = absl::StrCat(
        "the vector's data differs from the golden "
        "model in ",
        differing, " of ", count, " elements");
  }
}

absl::StatusOr<const reference::GoldenElement*> Expectation::Enclosure(
    int64_t element) {
  if (!golden_accepts_) return nullptr;
  if (second_oracle_) {
    const auto found = traced_.find(element);
    if (found != traced_.end()) return &found->second;
    absl::StatusOr<reference::ElementTrace> trace =
        reference::TraceElement(test_case_->arguments, element);
    if (!trace.ok()) return trace.status();
    return &(traced_[element] = trace->element);
  }
  if (enclosures_.empty()) {
    absl::StatusOr<reference::GoldenResult> result = reference::Evaluate(
        test_case_->arguments,
        {.enclosure = true, .binary32 = false, .decisions = false});
    if (!result.ok()) return result.status();
    enclosures_ = std::move(result->elements);
  }
  return &enclosures_[static_cast<size_t>(element)];
}

}  // namespace qconform::harness
