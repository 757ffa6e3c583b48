#include "reference/second_oracle/tensor_access.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace qconform::reference::second_oracle {
namespace {

// Counts up a multi-dimensional index, last dimension fastest, and keeps the
// storage offset beside it.
template <typename T>
std::vector<T> Elements(const spec::Tensor& tensor) {
  const std::vector<int64_t>& sizes = tensor.desc.sizes;
  const std::vector<int64_t> strides = spec::EffectiveStrides(tensor.desc);
  const int64_t count = CountElements(sizes);
  std::vector<T> elements(static_cast<size_t>(count));
  std::vector<int64_t> index(sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(&elements[i], tensor.storage.data() + offset * sizeof(T),
                sizeof(T));
    for (size_t axis = sizes.size(); axis-- > 0;) {
      offset += strides[axis];
      if (++index[axis] < sizes[axis]) break;
      offset -= sizes[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return elements;
}

}  // namespace

const spec::Tensor* FindInput(const spec::Arguments& arguments,
                              const char* name) {
  const auto found = arguments.inputs.find(name);
  return found == arguments.inputs.end() ? nullptr : &found->second;
}

std::vector<int16_t> Int8Elements(const spec::Tensor& tensor) {
  if (tensor.desc.type == spec::DataType::kInt8) {
    const std::vector<int8_t> elements = Elements<int8_t>(tensor);
    return {elements.begin(), elements.end()};
  }
  const std::vector<uint8_t> elements = Elements<uint8_t>(tensor);
  return {elements.begin(), elements.end()};
}

std::vector<int64_t> Int64Elements(const spec::Tensor& tensor) {
  return Elements<int64_t>(tensor);
}

std::vector<uint16_t> Float16Elements(const spec::Tensor& tensor) {
  return Elements<uint16_t>(tensor);
}

std::vector<float> Float32Elements(const spec::Tensor& tensor) {
  return Elements<float>(tensor);
}

int64_t CountElements(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

Limits LimitsOf(spec::DataType type) {
  return type == spec::DataType::kInt8 ? Limits{-128, 127} : Limits{0, 255};
}

Result WrittenResult(int64_t count) {
  Result result;
  result.values.resize(static_cast<size_t>(count), 0.0);
  result.written.resize(static_cast<size_t>(count), true);
  return result;
}

int64_t DotProduct(const int16_t* a, const int16_t* b, int64_t count) {
  // 32768 products of at most 65025 stay below 2^31.
  constexpr int64_t kBlock = 32768;
  int64_t sum = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    int32_t partial = 0;
    for (int64_t i = begin; i < end; ++i) partial += a[i] * b[i];
    sum += partial;
  }
  return sum;
}

}  // namespace qconform::reference::second_oracle
