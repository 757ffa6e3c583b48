#include "harness/cases/packed_tensor.h"

#include <cstddef>
#include <utility>

namespace qconform::harness {

spec::TensorDesc PackedDesc(spec::DataType type, std::vector<int64_t> sizes) {
  spec::TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  return desc;
}

spec::Tensor PackedTensor(spec::DataType type, std::vector<int64_t> sizes,
                          const std::vector<double>& values) {
  spec::Tensor tensor;
  tensor.desc = PackedDesc(type, std::move(sizes));
  tensor.storage.resize(values.size() * spec::ByteSize(type));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto offset = static_cast<int64_t>(i);
    if (type == spec::DataType::kInt64) {
      spec::WriteInteger(tensor, offset, static_cast<int64_t>(values[i]));
    } else {
      spec::WriteReal(tensor, offset, values[i]);
    }
  }
  return tensor;
}

}  // namespace qconform::harness
