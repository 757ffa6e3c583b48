#include <optional>

#include "reference/dml_element_wise_quantized_linear_add.h"
#include "reference/evaluation.h"
#include "reference/operands.h"
#include "reference/operators.h"

namespace qconform::reference {
namespace {

struct AddCall {
  explicit AddCall(const spec::Arguments& arguments)
      : a(ReadIntegers(arguments.inputs.at("ATensor"))),
        b(ReadIntegers(arguments.inputs.at("BTensor"))) {
    const auto scale = [&](const char* name) {
      return Parameter(arguments, name).At(0);
    };
    const auto zero_point = [&](const char* name) {
      return Parameter(arguments, name).IntegerAt(0);
    };
    operands.a_scale = scale("AScaleTensor");
    operands.a_zero_point = zero_point("AZeroPointTensor");
    operands.b_scale = scale("BScaleTensor");
    operands.b_zero_point = zero_point("BZeroPointTensor");
    operands.output_scale = scale("OutputScaleTensor");
    operands.output_zero_point = zero_point("OutputZeroPointTensor");
    operands.output = LimitsOf(arguments.outputs.at("OutputTensor").type);
  }

  std::vector<int32_t> a;
  std::vector<int32_t> b;
  ElementWiseAddOperands operands;  // but for a and b
};

template <class A>
class AddEvaluator {
 public:
  explicit AddEvaluator(const AddCall& call) : call_(call) {}

  std::optional<ValueSet> Element(int64_t i, A& math, Trace& trace) const {
    ElementWiseAddOperands operands = call_.operands;
    operands.a = call_.a[static_cast<size_t>(i)];
    operands.b = call_.b[static_cast<size_t>(i)];
    return ElementWiseQuantizedLinearAdd(math, operands, trace);
  }

 private:
  const AddCall& call_;
};

}  // namespace

std::vector<GoldenElement> EvaluateAdd(const spec::Arguments& arguments,
                                       const GoldenRequest& request) {
  const AddCall call(arguments);
  std::vector<GoldenElement> elements = EvaluateElements<AddEvaluator>(
      call, static_cast<int64_t>(call.a.size()), request);
  if (request.decisions) NoteDecisions<AddEvaluator>(call, elements);
  return elements;
}

ElementTrace TraceAdd(const spec::Arguments& arguments, int64_t element) {
  return TraceOneElement<AddEvaluator>(
      AddCall(arguments), element,
      {RoundingVariant::kHalfAway, RoundingVariant::kHalfUp,
       RoundingVariant::kTruncate, RoundingVariant::kZeroPointBeforeRounding});
}

}  // namespace qconform::reference
