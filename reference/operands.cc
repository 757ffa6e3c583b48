#include "reference/operands.h"

namespace qconform::reference {
namespace {

// Calls visit(offset) for the storage offset of every element, row-major.
template <class Visit>
void ForEachOffset(const spec::TensorDesc& desc, Visit visit) {
  const std::vector<int64_t> strides = spec::EffectiveStrides(desc);
  const int64_t count = spec::ElementCount(desc).value();
  std::vector<int64_t> position(desc.sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t element = 0; element < count; ++element) {
    visit(offset);
    for (size_t axis = position.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++position[axis] < desc.sizes[axis]) break;
      offset -= strides[axis] * desc.sizes[axis];
      position[axis] = 0;
    }
  }
}

}  // namespace

IntegerLimits LimitsOf(spec::DataType type) {
  if (type == spec::DataType::kInt8) return {-128, 127};
  return {0, 255};
}

std::vector<int32_t> ReadIntegers(const spec::Tensor& tensor) {
  std::vector<int32_t> values;
  ForEachOffset(tensor.desc, [&](int64_t offset) {
    values.push_back(static_cast<int32_t>(spec::ReadInteger(tensor, offset)));
  });
  return values;
}

std::vector<int64_t> ReadInt64s(const spec::Tensor& tensor) {
  std::vector<int64_t> values;
  ForEachOffset(tensor.desc, [&](int64_t offset) {
    values.push_back(spec::ReadInteger(tensor, offset));
  });
  return values;
}

std::vector<double> ReadReals(const spec::Tensor& tensor) {
  std::vector<double> values;
  ForEachOffset(tensor.desc, [&](int64_t offset) {
    values.push_back(spec::ReadReal(tensor, offset));
  });
  return values;
}

Parameter::Parameter(const spec::Arguments& arguments,
                     const std::string& tensor_name)
    : values_({0}) {
  const auto found = arguments.inputs.find(tensor_name);
  if (found != arguments.inputs.end()) values_ = ReadReals(found->second);
}

}  // namespace qconform::reference
