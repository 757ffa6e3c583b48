#include "harness/cases/shrink_shape.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

#include "harness/cases/weight_layout.h"

namespace qconform::harness {
namespace {

std::vector<int64_t>* SizesOf(spec::Arguments& arguments,
                              const std::string& name) {
  const auto input = arguments.inputs.find(name);
  if (input != arguments.inputs.end()) return &input->second.desc.sizes;
  const auto output = arguments.outputs.find(name);
  return output == arguments.outputs.end() ? nullptr : &output->second.sizes;
}

// Keeps a part of an axis where it lies, so that strides stay meaningful.
void CutInPlace(spec::Tensor& tensor, size_t axis, int64_t begin,
                int64_t count) {
  if (!tensor.desc.strides) {
    std::vector<int64_t> indices(static_cast<size_t>(count));
    std::iota(indices.begin(), indices.end(), begin);
    tensor = Select(tensor, axis, indices);
    return;
  }
  const size_t width = spec::ByteSize(tensor.desc.type);
  const int64_t first = begin * (*tensor.desc.strides)[axis];
  tensor.desc.sizes[axis] = count;
  const int64_t elements = spec::StorageElementCount(tensor.desc).value();
  const auto start =
      tensor.storage.begin() +
      static_cast<std::ptrdiff_t>(static_cast<size_t>(first) * width);
  tensor.storage = std::vector<std::byte>(
      start, start + static_cast<std::ptrdiff_t>(static_cast<size_t>(elements) *
                                                 width));
}

void CutGroupList(spec::Tensor& groups, int64_t begin, int64_t count) {
  // With a stride of 0 all ends are one number, to be changed once.
  Pack(groups);
  const int64_t g = groups.desc.sizes[0];
  for (int64_t i = 0; i < g; ++i) {
    const int64_t offset = spec::StorageOffset(groups.desc, i);
    const int64_t end = spec::ReadInteger(groups, offset);
    spec::WriteInteger(groups, offset,
                       std::clamp<int64_t>(end - begin, 0, count));
  }
}

// Brings the weight to (g,n,k), where its axes are plain, and afterwards back.
class PlainWeight {
 public:
  explicit PlainWeight(spec::Arguments& arguments) : arguments_(arguments) {
    if (!arguments.inputs.contains("weight")) return;
    layout_ = LayoutOfWeight(arguments);
    WeightLayout plain = layout_;
    plain.fractal = false;
    plain.transposed = true;
    attributes_ = arguments.attributes;
    options_ = arguments.options;
    ChangeWeightLayout(arguments, plain, 0);
  }
  ~PlainWeight() {
    if (!arguments_.inputs.contains("weight")) return;
    layout_.n = arguments_.outputs.at("out").sizes[1];
    layout_.k = arguments_.inputs.at("x").desc.sizes[1];
    ChangeWeightLayout(arguments_, layout_, 127);
    arguments_.attributes = attributes_;
    arguments_.options = options_;
  }
  PlainWeight(const PlainWeight&) = delete;
  PlainWeight& operator=(const PlainWeight&) = delete;

 private:
  spec::Arguments& arguments_;
  WeightLayout layout_;
  std::map<std::string, spec::Attribute> attributes_;
  spec::Options options_;
};

std::vector<SharedAxis> MatmulAxes() {
  return {{"N",
           0,
           1,
           {{"OutputTensor", 1},
            {"BTensor", 1},
            {"BScaleTensor", 1},
            {"BZeroPointTensor", 1}}},
          {"M",
           0,
           1,
           {{"OutputTensor", 2},
            {"ATensor", 2},
            {"AScaleTensor", 2},
            {"AZeroPointTensor", 2},
            {"OutputScaleTensor", 2},
            {"OutputZeroPointTensor", 2}}},
          {"K", 0, 1, {{"ATensor", 1}, {"BTensor", 2}}},
          {"ChannelCount",
           0,
           1,
           {{"OutputTensor", 3}, {"ATensor", 3}, {"BTensor", 3}}},
          {"BatchCount",
           0,
           1,
           {{"OutputTensor", 4}, {"ATensor", 4}, {"BTensor", 4}}}};
}

std::vector<SharedAxis> GroupedAxes() {
  return {{"m", 0, 1, {{"x", 2}, {"out", 2}, {"xScaleOptional", 1}}},
          {"n", 0, 16, {{"out", 1}, {"weightScale", 1}, {"weight", 2}}},
          {"k", 0, 16, {{"x", 1}, {"smoothScaleOptional", 1}, {"weight", 1}}},
          {"g", 0, 1, {{"groupList", 1}, {"weightScale", 2}, {"weight", 3}}}};
}

// Operators whose tensors all have the same axes.
std::vector<SharedAxis> ElementwiseAxes(const std::vector<std::string>& tensors,
                                        size_t rank) {
  std::vector<SharedAxis> axes;
  for (size_t from_end = 1; from_end <= rank; ++from_end) {
    SharedAxis axis{"axis", 0, 1, {}};
    for (const std::string& tensor : tensors) {
      axis.tensors.emplace_back(tensor, from_end);
    }
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

spec::Tensor Select(const spec::Tensor& tensor, size_t axis,
                    const std::vector<int64_t>& indices) {
  const std::vector<int64_t> strides = spec::EffectiveStrides(tensor.desc);
  const size_t width = spec::ByteSize(tensor.desc.type);
  spec::Tensor result;
  result.desc = tensor.desc;
  result.desc.strides.reset();
  result.desc.sizes[axis] = static_cast<int64_t>(indices.size());
  const int64_t count = spec::ElementCount(result.desc).value();
  result.storage.reserve(static_cast<size_t>(count) * width);
  for (int64_t element = 0; element < count; ++element) {
    int64_t rest = element;
    int64_t offset = 0;
    for (size_t i = result.desc.sizes.size(); i-- > 0;) {
      const int64_t index = rest % result.desc.sizes[i];
      rest /= result.desc.sizes[i];
      offset += strides[i] *
                (i == axis ? indices[static_cast<size_t>(index)] : index);
    }
    const auto from =
        tensor.storage.begin() +
        static_cast<std::ptrdiff_t>(static_cast<size_t>(offset) * width);
    result.storage.insert(result.storage.end(), from,
                          from + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

void Pack(spec::Tensor& tensor) {
  if (!tensor.desc.strides) return;
  if (tensor.desc.sizes.empty()) {
    tensor.desc.strides.reset();
    return;
  }
  std::vector<int64_t> all(static_cast<size_t>(tensor.desc.sizes[0]));
  std::iota(all.begin(), all.end(), 0);
  tensor = Select(tensor, 0, all);
}

std::vector<SharedAxis> SharedAxes(const spec::Arguments& arguments) {
  std::vector<SharedAxis> axes;
  const std::string& name = arguments.operator_name;
  if (name == "dml_quantized_linear_matrix_multiply") {
    axes = MatmulAxes();
  } else if (name == "aclnn_quant_grouped_matmul_dequant") {
    axes = GroupedAxes();
  } else if (name == "dml_element_wise_quantized_linear_add") {
    axes = ElementwiseAxes({"ATensor", "BTensor", "OutputTensor"},
                           arguments.outputs.at("OutputTensor").sizes.size());
  } else {
    axes = ElementwiseAxes({"input", "output"},
                           arguments.outputs.at("output").sizes.size());
  }
  std::vector<SharedAxis> result;
  for (SharedAxis& axis : axes) {
    std::vector<std::pair<std::string, size_t>> tensors;
    for (const auto& [tensor, from_end] : axis.tensors) {
      const std::vector<int64_t>* sizes =
          SizesOf(const_cast<spec::Arguments&>(arguments), tensor);
      if (sizes == nullptr || sizes->size() < from_end) continue;
      // The first tensor has the whole axis.
      const int64_t size = (*sizes)[sizes->size() - from_end];
      if (tensors.empty()) axis.size = size;
      if (tensor == "weight" || size == axis.size) {
        tensors.emplace_back(tensor, from_end);
      }
    }
    axis.tensors = std::move(tensors);
    if (!axis.tensors.empty()) result.push_back(std::move(axis));
  }
  return result;
}

void Cut(spec::Arguments& arguments, const SharedAxis& axis, int64_t begin,
         int64_t count) {
  const PlainWeight plain(arguments);
  for (const auto& [name, from_end] : axis.tensors) {
    const auto input = arguments.inputs.find(name);
    if (input != arguments.inputs.end()) {
      CutInPlace(input->second, input->second.desc.sizes.size() - from_end,
                 begin, count);
    } else {
      std::vector<int64_t>& sizes = arguments.outputs.at(name).sizes;
      sizes[sizes.size() - from_end] = count;
    }
  }
  if (axis.name == "m") {
    CutGroupList(arguments.inputs.at("groupList"), begin, count);
  }
}

}  // namespace qconform::harness
