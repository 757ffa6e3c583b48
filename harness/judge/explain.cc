#include "harness/judge/explain.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "harness/judge/compare.h"
#include "harness/judge/expectation.h"
#include "harness/judge/verdict.h"
#include "reference/golden.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

void AppendRow(const std::string& name, const std::string& value,
               std::string& text) {
  absl::StrAppend(&text, absl::StrFormat("  %-26s %s\n", name, value));
}

std::string ValueAndDifference(spec::DataType type, double expected,
                               double found) {
  const Difference difference = Compare(type, expected, found);
  std::string text = FormatValue(type, found);
  if (!difference.IsEqual()) {
    absl::StrAppend(&text, "  (", FormatDifference(type, difference),
                    " from the exact value)");
  }
  return text;
}

void AppendHead(const TestCase& test_case, std::string& text) {
  absl::StrAppend(&text, test_case.arguments.operator_name, "/", test_case.id,
                  ": ", test_case.title, "\n");
  AppendRow("file", test_case.file, text);
  if (!test_case.source.empty()) AppendRow("source", test_case.source, text);
  if (!test_case.clauses.empty()) {
    AppendRow("clauses", absl::StrJoin(test_case.clauses, ", "), text);
  }
}

void AppendSteps(const reference::ElementTrace& trace, std::string& text) {
  for (const reference::TraceStep& step : trace.steps) {
    absl::StrAppend(&text, "  ", absl::StrFormat("%-6s", step.clause), " ",
                    step.line, "\n");
    for (const auto& [name, value] :
         {std::pair("exact", step.exact), std::pair("binary32", step.binary32),
          std::pair("enclosure", step.enclosure)}) {
      if (value.empty()) continue;
      absl::StrAppend(&text, "           ", absl::StrFormat("%-10s", name),
                      value, "\n");
    }
  }
}

void AppendValue(spec::DataType type, const reference::ElementTrace& trace,
                 std::string& text) {
  const reference::GoldenElement& element = trace.element;
  absl::StrAppend(&text, "\nresult\n");
  AppendRow("exact value", FormatValue(type, element.exact), text);
  if (!trace.tie_distance.empty()) {
    AppendRow("distance to nearest tie", trace.tie_distance, text);
  }
  AppendRow("Binary32 gives",
            ValueAndDifference(type, element.exact, element.binary32), text);
  AppendRow(
      "binary32 enclosure",
      element.enclosure_any
          ? "any value"
          : absl::StrCat("from ", FormatValue(type, element.enclosure_low),
                         " to ", FormatValue(type, element.enclosure_high)),
      text);
  if (element.clamped_low) AppendRow("clamped", "to the lower limit", text);
  if (element.clamped_high) AppendRow("clamped", "to the upper limit", text);
  if (trace.variants.empty()) return;
  absl::StrAppend(&text, "\nwhat other ways of rounding would have given\n");
  for (const auto& [variant, value] : trace.variants) {
    AppendRow(reference::RoundingVariantName(variant),
              ValueAndDifference(type, element.exact, value), text);
  }
}

// TensorFlow publishes what its kernel computes in binary32; beside the exact
// reading of its document the one explains the other (TQ-12).
void AppendOtherArithmetic(const TestCase& test_case, int64_t element,
                           spec::DataType type,
                           const reference::ElementTrace& trace,
                           std::string& text) {
  if (test_case.arguments.operator_name != "tf_quantize_and_dequantize_v2") {
    return;
  }
  spec::Arguments other = test_case.arguments;
  const bool exact = other.options.arithmetic == "exact";
  other.options.arithmetic = exact ? "tensorflow" : "exact";
  absl::StrAppend(&text, "\nthe same element in the arithmetic \"",
                  other.options.arithmetic, "\" (TQ-12: ",
                  exact ? "each step rounded to float, as TensorFlow's kernel "
                          "does and as its published values come about"
                        : "the document's formulas over real numbers, rounded "
                          "once",
                  ")\n");
  const absl::StatusOr<reference::ElementTrace> other_trace =
      reference::TraceElement(other, element);
  if (!other_trace.ok()) {
    AppendRow("rejected", std::string(other_trace.status().message()), text);
    return;
  }
  AppendSteps(*other_trace, text);
  AppendRow("gives", FormatValue(type, other_trace->element.exact), text);
  if (!Compare(type, trace.element.exact, other_trace->element.exact)
           .IsEqual()) {
    absl::StrAppend(
        &text,
        "  The two differ because rounding a step to float moves the argument "
        "of round()\n  onto a tie or across it, which the real numbers do not "
        "reach.\n");
  }
}

void AppendTargets(const TestCase& test_case, int64_t element,
                   const spec::TensorDesc& desc,
                   const std::optional<double>& exact, Candidate& candidate,
                   std::string& text) {
  absl::StrAppend(&text, "\nwhat the candidate ", candidate.Name(), " gives\n");
  for (const std::string& target : candidate.Targets()) {
    ExecutionOptions options;
    options.target = target;
    const PoisonedRuns runs =
        ExecuteOnPoison(candidate, test_case.arguments, options);
    const Execution& execution = runs.executions[0];
    std::string gives;
    if (execution.outcome == ExecutionOutcome::kCompleted) {
      const spec::Tensor output = {desc, runs.outputs[0].begin()->second};
      const spec::Tensor again = {desc, runs.outputs[1].begin()->second};
      const int64_t offset = spec::StorageOffset(desc, element);
      const double value = spec::ReadReal(output, offset);
      const bool stable =
          Compare(desc.type, value, spec::ReadReal(again, offset)).IsEqual();
      gives = !stable ? "left as it was, or dependent on what it held"
              : exact ? ValueAndDifference(desc.type, *exact, value)
                      : FormatValue(desc.type, value);
    } else {
      gives =
          absl::StrCat(DescribeError({.status = execution.status,
                                      .aclnn_status = execution.aclnn_status}),
                       execution.status.empty() ? "" : ": ", execution.message);
    }
    AppendRow(target, gives, text);
  }
}

void AppendFrozen(const TestCase& test_case, int64_t element,
                  const spec::TensorDesc& desc, std::string& text) {
  std::string frozen = "nothing; the golden model's exact value is expected";
  if (!test_case.expected.empty()) {
    const ExpectedOutput& expected = test_case.expected.begin()->second;
    const int64_t offset = spec::StorageOffset(desc, element);
    frozen =
        expected.must_stay[static_cast<size_t>(offset)]
            ? "null: it must stay as it was"
            : FormatValue(desc.type, spec::ReadReal(expected.tensor, offset));
  }
  AppendRow("the vector expects", frozen, text);
}

// What there is to say about a call that is rejected.
std::string ExplainRejection(const TestCase& test_case,
                             const absl::Status& golden, Candidate& candidate) {
  std::string text;
  AppendHead(test_case, text);
  AppendRow("the vector expects",
            test_case.error
                ? absl::StrCat("the error ", DescribeError(*test_case.error))
                : "a result",
            text);
  AppendRow("the golden model",
            golden.ok()
                ? "accepts the call"
                : absl::StrCat("rejects with ", DescribeError(ErrorOf(golden)),
                               ": ", golden.message()),
            text);
  absl::StrAppend(&text, "\nwhat the candidate ", candidate.Name(), " gives\n");
  for (const std::string& target : candidate.Targets()) {
    ExecutionOptions options;
    options.target = target;
    OutputStorage outputs = PoisonedOutputs(test_case.arguments, false);
    const Execution execution =
        candidate.Execute(test_case.arguments, options, outputs);
    AppendRow(target,
              execution.outcome == ExecutionOutcome::kCompleted
                  ? "accepts the call"
                  : absl::StrCat(
                        DescribeError({.status = execution.status,
                                       .aclnn_status = execution.aclnn_status}),
                        ": ", execution.message),
              text);
  }
  return text;
}

}  // namespace

absl::StatusOr<int64_t> ParseElement(const std::string& text,
                                     const spec::TensorDesc& desc) {
  const int64_t count = spec::ElementCount(desc).value_or(0);
  std::vector<int64_t> numbers;
  for (const auto& part : absl::StrSplit(text, ',')) {
    int64_t number;
    if (!absl::SimpleAtoi(part, &number)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--element=", text,
                       " must be a number, or one number per axis: 1,2"));
    }
    numbers.push_back(number);
  }
  int64_t element = numbers[0];
  if (numbers.size() > 1) {
    element = 0;
    if (numbers.size() != desc.sizes.size()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--element=", text, " has ", numbers.size(),
          " numbers, the output has ", desc.sizes.size(), " axes"));
    }
    for (size_t axis = 0; axis < numbers.size(); ++axis) {
      if (numbers[axis] < 0 || numbers[axis] >= desc.sizes[axis]) {
        return absl::InvalidArgumentError(
            absl::StrCat("--element=", text, ": axis ", axis, " allows 0 to ",
                         desc.sizes[axis] - 1));
      }
      element = element * desc.sizes[axis] + numbers[axis];
    }
  }
  if (element < 0 || element >= count) {
    return absl::InvalidArgumentError(
        absl::StrCat("--element=", text, ": the output has ", count,
                     " elements, counted from 0"));
  }
  return element;
}

absl::StatusOr<std::string> Explain(const TestCase& test_case,
                                    const std::string& element_text,
                                    Candidate& candidate) {
  const absl::Status golden = spec::Validate(test_case.arguments);
  if (test_case.error || !golden.ok()) {
    return ExplainRejection(test_case, golden, candidate);
  }
  const auto& [name, desc] = *test_case.arguments.outputs.begin();
  absl::StatusOr<int64_t> element = ParseElement(element_text, desc);
  if (!element.ok()) return element.status();
  absl::StatusOr<reference::ElementTrace> trace =
      reference::TraceElement(test_case.arguments, *element);
  if (!trace.ok()) {
    return absl::InternalError(absl::StrCat("the golden model cannot trace: ",
                                            trace.status().message()));
  }
  std::string text;
  AppendHead(test_case, text);
  absl::StrAppend(&text, "\n", name, FormatIndex(desc, *element), " (element ",
                  *element, " of ", spec::ElementCount(desc).value_or(0), ", ",
                  spec::DataTypeName(desc.type),
                  ")\n\nthe document, line by line\n");
  AppendSteps(*trace, text);
  std::optional<double> exact;
  if (trace->element.written) {
    exact = trace->element.exact;
    AppendValue(desc.type, *trace, text);
    AppendOtherArithmetic(test_case, *element, desc.type, *trace, text);
  } else {
    absl::StrAppend(&text,
                    "  the operator must leave this element as it was\n");
  }
  absl::StrAppend(&text, "\nwhat is expected\n");
  AppendFrozen(test_case, *element, desc, text);
  AppendTargets(test_case, *element, desc, exact, candidate, text);
  return text;
}

}  // namespace qconform::harness
