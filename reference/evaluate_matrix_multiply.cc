#include <optional>

#include "reference/dml_quantized_linear_matrix_multiply.h"
#include "reference/evaluation.h"
#include "reference/operands.h"
#include "reference/operators.h"

namespace qconform::reference {
namespace {

// Sizes padded with leading 1s to { BatchCount, ChannelCount, rows, columns }
// (QM-03).
std::vector<int64_t> PaddedSizes(const spec::TensorDesc& desc) {
  std::vector<int64_t> sizes(4 - desc.sizes.size(), 1);
  sizes.insert(sizes.end(), desc.sizes.begin(), desc.sizes.end());
  return sizes;
}

struct MatrixMultiplyCall {
  explicit MatrixMultiplyCall(const spec::Arguments& arguments)
      : a(ReadIntegers(arguments.inputs.at("ATensor"))),
        b(ReadIntegers(arguments.inputs.at("BTensor"))),
        a_scale(arguments, "AScaleTensor"),
        a_zero_point(arguments, "AZeroPointTensor"),
        b_scale(arguments, "BScaleTensor"),
        b_zero_point(arguments, "BZeroPointTensor"),
        output_scale(arguments, "OutputScaleTensor"),
        output_zero_point(arguments, "OutputZeroPointTensor") {
    const spec::TensorDesc& output_desc = arguments.outputs.at("OutputTensor");
    const std::vector<int64_t> sizes = PaddedSizes(output_desc);
    products = sizes[0] * sizes[1];
    m_size = sizes[2];
    n_size = sizes[3];
    k_size = PaddedSizes(arguments.inputs.at("ATensor").desc)[3];
    output = LimitsOf(output_desc.type);
  }

  std::vector<int32_t> a;
  std::vector<int32_t> b;
  // One value, or one for each row m (A and Output) or column n (B): QM-02.
  Parameter a_scale;
  Parameter a_zero_point;
  Parameter b_scale;
  Parameter b_zero_point;
  Parameter output_scale;
  Parameter output_zero_point;
  int64_t products = 0;  // BatchCount * ChannelCount
  int64_t m_size = 0;
  int64_t n_size = 0;
  int64_t k_size = 0;
  IntegerLimits output;
};

template <class A>
class MatrixMultiplyEvaluator {
 public:
  explicit MatrixMultiplyEvaluator(const MatrixMultiplyCall& call)
      : call_(call) {}

  std::optional<ValueSet> Element(int64_t i, A& math, Trace& trace) const {
    const int64_t n = i % call_.n_size;
    const int64_t m = i / call_.n_size % call_.m_size;
    const int64_t product = i / call_.n_size / call_.m_size;
    MatrixMultiplyOperands operands;
    operands.k_size = call_.k_size;
    operands.a_row =
        call_.a.data() + (product * call_.m_size + m) * call_.k_size;
    operands.b_column =
        call_.b.data() + product * call_.k_size * call_.n_size + n;
    operands.b_stride = call_.n_size;
    operands.a_scale = call_.a_scale.At(m);
    operands.a_zero_point = call_.a_zero_point.IntegerAt(m);
    operands.b_scale = call_.b_scale.At(n);
    operands.b_zero_point = call_.b_zero_point.IntegerAt(n);
    operands.output_scale = call_.output_scale.At(m);
    operands.output_zero_point = call_.output_zero_point.IntegerAt(m);
    operands.output = call_.output;
    return QuantizedLinearMatrixMultiply(math, operands, trace);
  }

 private:
  const MatrixMultiplyCall& call_;
};

}  // namespace

std::vector<GoldenElement> EvaluateMatrixMultiply(
    const spec::Arguments& arguments, const GoldenRequest& request) {
  const MatrixMultiplyCall call(arguments);
  std::vector<GoldenElement> elements =
      EvaluateElements<MatrixMultiplyEvaluator>(
          call, call.products * call.m_size * call.n_size, request);
  if (request.decisions) NoteDecisions<MatrixMultiplyEvaluator>(call, elements);
  return elements;
}

ElementTrace TraceMatrixMultiply(const spec::Arguments& arguments,
                                 int64_t element) {
  return TraceOneElement<MatrixMultiplyEvaluator>(
      MatrixMultiplyCall(arguments), element,
      {RoundingVariant::kHalfAway, RoundingVariant::kHalfUp,
       RoundingVariant::kTruncate, RoundingVariant::kZeroPointBeforeRounding});
}

}  // namespace qconform::reference
