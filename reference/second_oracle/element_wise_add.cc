#include "reference/second_oracle/element_wise_add.h"

#include <cstdint>
#include <vector>

#include "reference/second_oracle/adder.h"
#include "reference/second_oracle/tensor_access.h"

namespace qconform::reference::second_oracle {
namespace {

float Scale(const spec::Arguments& arguments, const char* name) {
  return Float32Elements(arguments.inputs.at(name)).front();
}

// QM-06
int ZeroPoint(const spec::Arguments& arguments, const char* name) {
  const spec::Tensor* tensor = FindInput(arguments, name);
  return tensor == nullptr ? 0 : Int8Elements(*tensor).front();
}

}  // namespace

Result EvaluateElementWiseAdd(const spec::Arguments& arguments) {
  const spec::TensorDesc& output = arguments.outputs.at("OutputTensor");
  AdderParameters parameters;
  parameters.a_scale = Scale(arguments, "AScaleTensor");
  parameters.b_scale = Scale(arguments, "BScaleTensor");
  parameters.output_scale = Scale(arguments, "OutputScaleTensor");
  parameters.a_zero_point = ZeroPoint(arguments, "AZeroPointTensor");
  parameters.b_zero_point = ZeroPoint(arguments, "BZeroPointTensor");
  parameters.output_zero_point = ZeroPoint(arguments, "OutputZeroPointTensor");
  parameters.output_type = output.type;
  const Adder adder(parameters);

  const std::vector<int16_t> a = Int8Elements(arguments.inputs.at("ATensor"));
  const std::vector<int16_t> b = Int8Elements(arguments.inputs.at("BTensor"));
  Result result = WrittenResult(CountElements(output.sizes));
  for (size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] = adder.Add(a[i], b[i]);
  }
  return result;
}

}  // namespace qconform::reference::second_oracle
