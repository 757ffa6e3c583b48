#include "reference/golden.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reference/evaluation.h"
#include "reference/operators.h"
#include "spec/validate.h"

namespace qconform::reference {
namespace {

struct Operator {
  const char* name;
  const char* output_name;
  std::vector<GoldenElement> (*evaluate)(const spec::Arguments&,
                                         const GoldenRequest&);
  ElementTrace (*trace)(const spec::Arguments&, int64_t);
};

constexpr Operator kOperators[] = {
    {"aclnn_quant_grouped_matmul_dequant", "out", EvaluateGroupedMatmulDequant,
     TraceGroupedMatmulDequant},
    {"dml_element_wise_quantized_linear_add", "OutputTensor", EvaluateAdd,
     TraceAdd},
    {"dml_quantized_linear_matrix_multiply", "OutputTensor",
     EvaluateMatrixMultiply, TraceMatrixMultiply},
    {"tf_quantize_and_dequantize_v2", "output", EvaluateQuantizeAndDequantize,
     TraceQuantizeAndDequantize},
};

// Of a valid call; spec::Validate knows no other operators.
const Operator& FindOperator(const spec::Arguments& arguments) {
  const Operator* found = kOperators;
  while (found->name != arguments.operator_name) ++found;
  return *found;
}

// A few bytes can describe an output beyond all memory: by stride 0 (QM-08), or
// in an empty call, whose output nobody checks (AG-11, AG-12).
constexpr int64_t kMaxElements = int64_t{1} << 24;

absl::StatusOr<int64_t> OutputCount(const spec::Arguments& arguments,
                                    const Operator& op) {
  const absl::StatusOr<int64_t> count =
      spec::ElementCount(arguments.outputs.at(op.output_name));
  if (count.ok() && *count > kMaxElements) {
    return absl::ResourceExhaustedError(absl::StrCat(
        op.output_name, " has ", *count,
        " elements; the golden model holds at most ", kMaxElements));
  }
  return count;
}

// AG-11: nothing is written.
const GoldenElement& UnwrittenElement() {
  static const GoldenElement element = ElementOf(std::nullopt, ExactFacts());
  return element;
}

}  // namespace

absl::StatusOr<GoldenResult> Evaluate(const spec::Arguments& arguments,
                                      const GoldenRequest& request) {
  const absl::Status status = spec::Validate(arguments);
  if (!status.ok()) return status;
  const Operator& op = FindOperator(arguments);
  const absl::StatusOr<int64_t> count = OutputCount(arguments, op);
  if (!count.ok()) return count.status();
  GoldenResult result;
  result.output_name = op.output_name;
  if (spec::IsEmptyCall(arguments)) {
    result.elements.assign(static_cast<size_t>(*count), UnwrittenElement());
  } else {
    result.elements = op.evaluate(arguments, request);
  }
  return result;
}

absl::StatusOr<ElementTrace> TraceElement(const spec::Arguments& arguments,
                                          int64_t element) {
  const absl::Status status = spec::Validate(arguments);
  if (!status.ok()) return status;
  const Operator& op = FindOperator(arguments);
  const absl::StatusOr<int64_t> count = OutputCount(arguments, op);
  if (!count.ok()) return count.status();
  if (element < 0 || element >= *count) {
    return absl::OutOfRangeError(
        absl::StrCat(op.output_name, " has ", *count,
                     " elements, numbered from 0; found ", element));
  }
  if (spec::IsEmptyCall(arguments)) {
    ElementTrace trace;
    trace.element = UnwrittenElement();
    trace.tie_distance = ExactFacts().TieDistanceInWords();
    trace.steps.push_back({"AG-11", "an input is empty", "not written",
                           "not written", "not written"});
    return trace;
  }
  return op.trace(arguments, element);
}

}  // namespace qconform::reference
