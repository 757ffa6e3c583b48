#include "harness/cases/arguments_hash.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <string>
#include <variant>

namespace qconform::harness {
namespace {

class Hasher {
 public:
  explicit Hasher(uint64_t hash) : hash_(hash) {}

  uint64_t hash() const { return hash_; }

  void Add(uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (value >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
  }

  void Add(const std::string& text) {
    for (const char c : text) {
      hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    Add(text.size());
  }

  void Add(const spec::Attribute& attribute) {
    Add(attribute.index());
    if (const bool* flag = std::get_if<bool>(&attribute)) {
      Add(uint64_t{*flag});
    } else if (const int64_t* number = std::get_if<int64_t>(&attribute)) {
      Add(static_cast<uint64_t>(*number));
    } else {
      Add(std::get<std::string>(attribute));
    }
  }

  void Add(const spec::TensorDesc& desc) {
    Add(spec::DataTypeName(desc.type));
    Add(spec::TensorFormatName(desc.format));
    Add(desc.sizes.size());
    for (const int64_t size : desc.sizes) Add(static_cast<uint64_t>(size));
    if (!desc.strides) return;
    for (const int64_t stride : *desc.strides) {
      Add(static_cast<uint64_t>(stride));
    }
  }

  void Add(const spec::Tensor& tensor) {
    Add(tensor.desc);
    const auto count = static_cast<int64_t>(tensor.storage.size() /
                                            spec::ByteSize(tensor.desc.type));
    for (int64_t offset = 0; offset < count; ++offset) {
      if (!spec::IsFloat(tensor.desc.type)) {
        Add(static_cast<uint64_t>(spec::ReadInteger(tensor, offset)));
        continue;
      }
      const double value = spec::ReadReal(tensor, offset);
      Add(std::isnan(value) ? uint64_t{1} : std::bit_cast<uint64_t>(value));
    }
  }

 private:
  uint64_t hash_;
};

}  // namespace

uint64_t HashArguments(const spec::Arguments& arguments, uint64_t hash) {
  Hasher hasher(hash);
  hasher.Add(arguments.operator_name);
  hasher.Add(arguments.options.feature_level);
  hasher.Add(arguments.options.arithmetic);
  hasher.Add(uint64_t{arguments.options.allow_transpose_weight_false});
  for (const auto& [name, attribute] : arguments.attributes) {
    hasher.Add(name);
    hasher.Add(attribute);
  }
  for (const auto& [name, tensor] : arguments.inputs) {
    hasher.Add(name);
    hasher.Add(tensor);
  }
  for (const auto& [name, desc] : arguments.outputs) {
    hasher.Add(name);
    hasher.Add(desc);
  }
  return hasher.hash();
}

}  // namespace qconform::harness
