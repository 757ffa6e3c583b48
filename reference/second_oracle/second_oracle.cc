#include "reference/second_oracle/second_oracle.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "reference/second_oracle/element_wise_add.h"
#include "reference/second_oracle/grouped_matmul.h"
#include "reference/second_oracle/matrix_multiply.h"
#include "reference/second_oracle/quantize_dequantize.h"
#include "reference/second_oracle/tensor_access.h"
#include "spec/validate.h"

namespace qconform::reference::second_oracle {
namespace {

// 2 GiB of doubles. A few bytes can describe more, by stride 0 (QM-08) or in an
// empty call.
constexpr int64_t kMaxElements = int64_t{1} << 28;

}  // namespace

absl::StatusOr<Result> Evaluate(const spec::Arguments& arguments) {
  if (absl::Status status = spec::Validate(arguments); !status.ok()) {
    return status;  // AR-12
  }
  // Every operator has one output. An empty call succeeds before its shapes are
  // checked (AG-12), so the output may be no tensor at all.
  const absl::StatusOr<int64_t> count =
      spec::ElementCount(arguments.outputs.begin()->second);
  if (!count.ok()) return count.status();
  if (*count > kMaxElements) {
    return absl::ResourceExhaustedError(absl::StrCat(
        arguments.outputs.begin()->first, " has ", *count,
        " elements; the second oracle holds at most ", kMaxElements));
  }
  if (spec::IsEmptyCall(arguments)) {
    Result result = WrittenResult(*count);
    result.written.assign(result.written.size(), false);
    return result;
  }
  if (arguments.operator_name == "dml_quantized_linear_matrix_multiply") {
    return EvaluateMatrixMultiply(arguments);
  }
  if (arguments.operator_name == "dml_element_wise_quantized_linear_add") {
    return EvaluateElementWiseAdd(arguments);
  }
  if (arguments.operator_name == "aclnn_quant_grouped_matmul_dequant") {
    return EvaluateGroupedMatmul(arguments);
  }
  // The only other operator that spec::Validate knows.
  return EvaluateQuantizeDequantize(arguments);
}

}  // namespace qconform::reference::second_oracle
