#include "harness/cases/weight_layout.h"

#include <cstddef>
#include <utility>

#include "spec/validate.h"

namespace qconform::harness {

WeightLayout LayoutOfWeight(const spec::Arguments& arguments) {
  WeightLayout layout;
  layout.fractal = arguments.inputs.at("weight").desc.format ==
                   spec::TensorFormat::kFractalNz;
  layout.transposed = spec::BoolAttribute(arguments, "transposeWeight");
  layout.n = arguments.outputs.at("out").sizes[1];
  layout.k = arguments.inputs.at("x").desc.sizes[1];
  return layout;
}

void ChangeWeightLayout(spec::Arguments& arguments, const WeightLayout& layout,
                        int8_t padding) {
  const WeightLayout before = LayoutOfWeight(arguments);
  const spec::Tensor& old = arguments.inputs.at("weight");
  const int64_t groups = old.desc.sizes[0];
  spec::Tensor weight;
  weight.desc.type = spec::DataType::kInt8;
  weight.desc.format =
      layout.fractal ? spec::TensorFormat::kFractalNz : spec::TensorFormat::kNd;
  weight.desc.sizes = layout.Sizes(groups);
  weight.storage.assign(
      static_cast<size_t>(spec::ElementCount(weight.desc).value()),
      static_cast<std::byte>(padding));
  for (int64_t group = 0; group < groups; ++group) {
    for (int64_t column = 0; column < layout.n; ++column) {
      for (int64_t i = 0; i < layout.k; ++i) {
        weight.storage[static_cast<size_t>(layout.Offset(group, column, i))] =
            old.storage[static_cast<size_t>(before.Offset(group, column, i))];
      }
    }
  }
  arguments.inputs["weight"] = std::move(weight);
  arguments.attributes.erase("transposeWeight");
  if (!layout.transposed) arguments.attributes["transposeWeight"] = false;
  arguments.options.allow_transpose_weight_false = !layout.transposed;
}

}  // namespace qconform::harness
