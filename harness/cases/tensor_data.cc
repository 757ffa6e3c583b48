#include "harness/cases/tensor_data.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/cases/value_text.h"

namespace qconform::harness {
namespace {

using Kind = JsonValue::Kind;

// Output i of splitmix64 with this seed, i counting from 0.
uint64_t SplitMix64(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string FormatValue(const spec::Tensor& tensor, int64_t offset) {
  if (!spec::IsFloat(tensor.desc.type)) {
    return absl::StrCat(spec::ReadInteger(tensor, offset));
  }
  return absl::StrCat("\"", HexFloat(spec::ReadReal(tensor, offset)), "\"");
}

absl::Status ParseValue(const JsonValue& value, spec::Tensor& tensor,
                        int64_t offset) {
  if (spec::IsFloat(tensor.desc.type)) {
    const absl::StatusOr<double> real = ParseReal(value, tensor.desc.type);
    if (!real.ok()) return real.status();
    spec::WriteReal(tensor, offset, *real);
  } else {
    const absl::StatusOr<int64_t> integer =
        ParseInteger(value, tensor.desc.type);
    if (!integer.ok()) return integer.status();
    spec::WriteInteger(tensor, offset, *integer);
  }
  return absl::OkStatus();
}

absl::Status At(const std::string& place, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat(place, ": ", status.message()));
}

// Whether null may stand at a storage element, must, or may not.
absl::Status CheckNull(bool is_null, bool addressed, bool is_output) {
  if (is_null && addressed && !is_output) {
    return absl::InvalidArgumentError(
        "found null; in an input only padding may be null");
  }
  if (!is_null && !addressed && is_output) {
    return absl::InvalidArgumentError(
        "found a value in the padding of an output; only null is allowed");
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorData> Allocate(const spec::TensorDesc& desc, int64_t count,
                                    GenerationBudget& budget) {
  const auto byte_size = static_cast<int64_t>(spec::ByteSize(desc.type));
  if (count > budget.bytes / byte_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "asks for ", count, " elements of ", spec::DataTypeName(desc.type),
        "; all generated data of a file together may have ",
        GenerationBudget().bytes, " bytes"));
  }
  budget.bytes -= count * byte_size;
  TensorData result;
  result.tensor.desc = desc;
  result.tensor.storage.resize(count * byte_size);
  result.must_stay.resize(count);
  return result;
}

absl::StatusOr<TensorData> ParseList(const JsonValue& data,
                                     const spec::TensorDesc& desc,
                                     int64_t count, bool is_output) {
  const auto found = static_cast<int64_t>(data.items.size());
  if (found != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("found ", found, " elements; sizes and strides need ",
                     count, " from offset 0 to the last element"));
  }
  GenerationBudget unlimited;
  unlimited.bytes = count * static_cast<int64_t>(spec::ByteSize(desc.type));
  absl::StatusOr<TensorData> result = Allocate(desc, count, unlimited);
  const std::vector<bool> addressed = AddressedStorage(desc);
  for (int64_t i = 0; i < count; ++i) {
    const JsonValue& value = data.items[i];
    const bool is_null = value.kind == Kind::kNull;
    absl::Status status = CheckNull(is_null, addressed[i], is_output);
    if (status.ok() && !is_null) status = ParseValue(value, result->tensor, i);
    if (!status.ok()) return At(absl::StrCat("[", i, "]"), status);
    result->must_stay[i] = is_null;
  }
  return result;
}

absl::StatusOr<TensorData> ParseRepeat(const JsonValue& list,
                                       const spec::TensorDesc& desc,
                                       int64_t count, bool is_output,
                                       GenerationBudget& budget) {
  if (list.kind != Kind::kArray || list.items.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        ".repeat: found ",
        list.kind == Kind::kArray ? "an empty list" : list.Describe(),
        "; a list of at least one value is allowed"));
  }
  spec::TensorDesc period_desc;
  period_desc.type = desc.type;
  period_desc.sizes = {static_cast<int64_t>(list.items.size())};
  // Null is judged where it comes to lie, so the period itself may hold it.
  absl::StatusOr<TensorData> period =
      ParseList(list, period_desc, period_desc.sizes[0], true);
  if (!period.ok()) return At(".repeat", period.status());
  absl::StatusOr<TensorData> result = Allocate(desc, count, budget);
  if (!result.ok()) return result;
  const std::vector<bool> addressed = AddressedStorage(desc);
  const size_t byte_size = spec::ByteSize(desc.type);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = i % period_desc.sizes[0];
    const absl::Status status =
        CheckNull(period->must_stay[from], addressed[i], is_output);
    if (!status.ok()) return At(absl::StrCat(".repeat: element ", i), status);
    result->must_stay[i] = period->must_stay[from];
    std::copy_n(period->tensor.storage.begin() + from * byte_size, byte_size,
                result->tensor.storage.begin() + i * byte_size);
  }
  result->generated = absl::StrCat(
      "{\"repeat\": ", FormatTensorData(period->tensor, period->must_stay),
      "}");
  return result;
}

absl::StatusOr<TensorData> ParseRandom(const JsonValue& rule,
                                       const spec::TensorDesc& desc,
                                       int64_t count,
                                       GenerationBudget& budget) {
  if (spec::IsFloat(desc.type)) {
    return absl::InvalidArgumentError(
        absl::StrCat(".random: found type ", spec::DataTypeName(desc.type),
                     "; only integer types are allowed"));
  }
  const JsonValue* seed = rule.Find("seed");
  const JsonValue* range = rule.Find("range");
  if (seed == nullptr || range == nullptr || rule.members.size() != 2 ||
      seed->kind != Kind::kUnsigned || range->kind != Kind::kArray ||
      range->items.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(".random: found ", rule.Describe(),
                     " of another form; {\"seed\": integer from 0 to 2^64-1, "
                     "\"range\": [low, high]} is allowed"));
  }
  const absl::StatusOr<int64_t> low = ParseInteger(range->items[0], desc.type);
  if (!low.ok()) return At(".random.range[0]", low.status());
  const absl::StatusOr<int64_t> high = ParseInteger(range->items[1], desc.type);
  if (!high.ok()) return At(".random.range[1]", high.status());
  if (*low > *high) {
    return absl::InvalidArgumentError(
        absl::StrCat(".random.range: found [", *low, ", ", *high,
                     "]; the first may not exceed the second"));
  }
  absl::StatusOr<TensorData> result = Allocate(desc, count, budget);
  if (!result.ok()) return result;
  // 0 stands for 2^64, where every output is in the range.
  const uint64_t width =
      static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low) + 1;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t output = SplitMix64(seed->unsigned_value, i);
    const uint64_t value =
        static_cast<uint64_t>(*low) + (width == 0 ? output : output % width);
    spec::WriteInteger(result->tensor, i, static_cast<int64_t>(value));
  }
  result->generated =
      absl::StrCat("{\"random\": {\"seed\": ", seed->unsigned_value,
                   ", \"range\": [", *low, ", ", *high, "]}}");
  return result;
}

}  // namespace

std::vector<bool> AddressedStorage(const spec::TensorDesc& desc) {
  const int64_t count = *spec::StorageElementCount(desc);
  if (count == 0 || !desc.strides.has_value()) {
    return std::vector<bool>(count, true);
  }
  std::vector<bool> reached(count, false);
  reached[0] = true;
  // Dimension by dimension: an offset is reached if one of the size-1 offsets
  // before it, in steps of the stride, was. The number of elements may be
  // enormous (stride 0), the storage is not.
  std::vector<int64_t> steps(count);
  for (size_t d = 0; d < desc.sizes.size(); ++d) {
    const int64_t size = desc.sizes[d];
    const int64_t stride = (*desc.strides)[d];
    if (size == 1 || stride == 0) continue;
    for (int64_t i = 0; i < count; ++i) {
      if (reached[i]) {
        steps[i] = 0;
      } else {
        const int64_t before = i < stride ? size : steps[i - stride];
        steps[i] = before < size ? before + 1 : size;
        reached[i] = steps[i] < size;
      }
    }
  }
  return reached;
}

absl::StatusOr<TensorData> ParseTensorData(const JsonValue& data,
                                           const spec::TensorDesc& desc,
                                           bool is_output,
                                           GenerationBudget& budget) {
  const absl::StatusOr<int64_t> count = spec::StorageElementCount(desc);
  if (!count.ok()) return At("", count.status());
  if (data.kind == Kind::kArray) {
    return ParseList(data, desc, *count, is_output);
  }
  if (data.kind == Kind::kObject && data.members.size() == 1) {
    const auto& [name, rule] = data.members[0];
    if (name == "repeat") {
      return ParseRepeat(rule, desc, *count, is_output, budget);
    }
    if (name == "random" && !is_output) {
      return ParseRandom(rule, desc, *count, budget);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "found ", data.Describe(), "; a list or {\"repeat\": [...]}",
      is_output ? "" : " or {\"random\": {\"seed\": .., \"range\": [..]}}",
      " is allowed"));
}

std::string FormatTensorData(const spec::Tensor& tensor,
                             const std::vector<bool>& must_stay) {
  const int64_t count = *spec::StorageElementCount(tensor.desc);
  std::vector<bool> addressed;
  if (must_stay.empty()) addressed = AddressedStorage(tensor.desc);
  const auto byte_size = static_cast<int64_t>(spec::ByteSize(tensor.desc.type));
  std::string text = "[";
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) text += ", ";
    bool is_null = false;
    if (!must_stay.empty()) {
      is_null = must_stay[i];
    } else if (!addressed[i]) {
      const auto first = tensor.storage.begin() + i * byte_size;
      is_null = std::all_of(first, first + byte_size,
                            [](std::byte b) { return b == std::byte{0}; });
    }
    text += is_null ? "null" : FormatValue(tensor, i);
  }
  return text + "]";
}

}  // namespace qconform::harness
