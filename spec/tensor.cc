#include "spec/tensor.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"

namespace qconform::spec {
namespace {

template <typename T>
T Load(const Tensor& tensor, int64_t offset) {
  T value;
  std::memcpy(&value,
              tensor.storage.data() + static_cast<size_t>(offset) * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T>
void Store(Tensor& tensor, int64_t offset, T value) {
  std::memcpy(tensor.storage.data() + static_cast<size_t>(offset) * sizeof(T),
              &value, sizeof(T));
}

// value / 2^shift for a shift of 1..63, rounded to nearest, ties to even.
uint64_t RoundShift(uint64_t value, int shift) {
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t remainder = value & ((half << 1) - 1);
  const uint64_t quotient = value >> shift;
  const bool up =
      remainder > half || (remainder == half && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

}  // namespace

std::string DataTypeName(DataType type) {
  switch (type) {
    case DataType::kUint8:
      return "uint8";
    case DataType::kInt8:
      return "int8";
    case DataType::kInt16:
      return "int16";
    case DataType::kInt32:
      return "int32";
    case DataType::kInt64:
      return "int64";
    case DataType::kFloat16:
      return "float16";
    case DataType::kFloat32:
      return "float32";
    case DataType::kFloat64:
      break;
  }
  return "float64";
}

absl::StatusOr<DataType> ParseDataType(const std::string& name) {
  for (const DataType type :
       {DataType::kUint8, DataType::kInt8, DataType::kInt16, DataType::kInt32,
        DataType::kInt64, DataType::kFloat16, DataType::kFloat32,
        DataType::kFloat64}) {
    if (DataTypeName(type) == name) return type;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown type \"", name,
                   "\"; allowed: uint8, int8, int16, int32, int64, float16, "
                   "float32, float64"));
}

size_t ByteSize(DataType type) {
  switch (type) {
    case DataType::kUint8:
    case DataType::kInt8:
      return 1;
    case DataType::kInt16:
    case DataType::kFloat16:
      return 2;
    case DataType::kInt32:
    case DataType::kFloat32:
      return 4;
    case DataType::kInt64:
    case DataType::kFloat64:
      break;
  }
  return 8;
}

bool IsFloat(DataType type) {
  return type == DataType::kFloat16 || type == DataType::kFloat32 ||
         type == DataType::kFloat64;
}

std::string TensorFormatName(TensorFormat format) {
  return format == TensorFormat::kNd ? "ND" : "FRACTAL_NZ";
}

absl::StatusOr<TensorFormat> ParseTensorFormat(const std::string& name) {
  if (name == "ND") return TensorFormat::kNd;
  if (name == "FRACTAL_NZ") return TensorFormat::kFractalNz;
  return absl::InvalidArgumentError(
      absl::StrCat("unknown format \"", name, "\"; allowed: ND, FRACTAL_NZ"));
}

absl::StatusOr<int64_t> ElementCount(const TensorDesc& desc) {
  for (const int64_t size : desc.sizes) {
    if (size < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("size ", size, " is negative; allowed: 0 and above"));
    }
  }
  // An empty tensor stays empty however large its other sizes are.
  if (std::find(desc.sizes.begin(), desc.sizes.end(), 0) != desc.sizes.end()) {
    return 0;
  }
  int64_t count = 1;
  for (const int64_t size : desc.sizes) {
    if (__builtin_mul_overflow(count, size, &count)) {
      return absl::InvalidArgumentError(
          "the product of the sizes exceeds 2^63 - 1");
    }
  }
  return count;
}

std::vector<int64_t> EffectiveStrides(const TensorDesc& desc) {
  if (desc.strides.has_value()) return *desc.strides;
  std::vector<int64_t> strides(desc.sizes.size());
  // Unsigned, so that sizes nobody has checked yet cannot overflow.
  uint64_t stride = 1;
  for (size_t i = desc.sizes.size(); i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(desc.sizes[i]);
  }
  return strides;
}

absl::StatusOr<int64_t> StorageElementCount(const TensorDesc& desc) {
  if (desc.strides.has_value()) {
    if (desc.strides->size() != desc.sizes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(desc.strides->size(), " strides for ", desc.sizes.size(),
                       " sizes; allowed: one stride for each size"));
    }
    for (const int64_t stride : *desc.strides) {
      if (stride < 0) {
        return absl::InvalidArgumentError(absl::StrCat(
            "stride ", stride, " is negative; allowed: 0 and above"));
      }
    }
  }
  const absl::StatusOr<int64_t> count = ElementCount(desc);
  if (!desc.strides.has_value()) return count;
  if (!count.ok() || *count == 0) {
    // With strides of 0 a tensor may have more elements than int64 counts in
    // little storage, but nobody could walk them.
    return count;
  }
  int64_t extent = 1;
  for (size_t i = 0; i < desc.sizes.size(); ++i) {
    int64_t step;
    if (__builtin_mul_overflow(desc.sizes[i] - 1, (*desc.strides)[i], &step) ||
        __builtin_add_overflow(extent, step, &extent)) {
      return absl::InvalidArgumentError(
          "the storage that the strides span exceeds 2^63 - 1 elements");
    }
  }
  return extent;
}

int64_t StorageOffset(const TensorDesc& desc, int64_t element) {
  // Packed strides number the elements in row-major order.
  if (!desc.strides.has_value()) return element;
  int64_t offset = 0;
  for (size_t i = desc.sizes.size(); i-- > 0;) {
    offset += (element % desc.sizes[i]) * (*desc.strides)[i];
    element /= desc.sizes[i];
  }
  return offset;
}

int64_t ReadInteger(const Tensor& tensor, int64_t offset) {
  switch (tensor.desc.type) {
    case DataType::kUint8:
      return Load<uint8_t>(tensor, offset);
    case DataType::kInt8:
      return Load<int8_t>(tensor, offset);
    case DataType::kInt16:
      return Load<int16_t>(tensor, offset);
    case DataType::kInt32:
      return Load<int32_t>(tensor, offset);
    default:
      return Load<int64_t>(tensor, offset);
  }
}

double ReadReal(const Tensor& tensor, int64_t offset) {
  switch (tensor.desc.type) {
    case DataType::kFloat16:
      return Float16ToDouble(Load<uint16_t>(tensor, offset));
    case DataType::kFloat32:
      return Load<float>(tensor, offset);
    case DataType::kFloat64:
      return Load<double>(tensor, offset);
    default:
      return static_cast<double>(ReadInteger(tensor, offset));
  }
}

void WriteInteger(Tensor& tensor, int64_t offset, int64_t value) {
  switch (ByteSize(tensor.desc.type)) {
    case 1:
      Store(tensor, offset, static_cast<uint8_t>(value));
      break;
    case 2:
      Store(tensor, offset, static_cast<uint16_t>(value));
      break;
    case 4:
      Store(tensor, offset, static_cast<uint32_t>(value));
      break;
    default:
      Store(tensor, offset, value);
      break;
  }
}

void WriteReal(Tensor& tensor, int64_t offset, double value) {
  switch (tensor.desc.type) {
    case DataType::kFloat16:
      Store(tensor, offset, DoubleToFloat16(value));
      break;
    case DataType::kFloat32:
      // Beyond the largest float the conversion of a finite double is
      // undefined in the language; round it as IEEE 754 does: from
      // 2^128 - 2^103 on, the tie included, to infinity.
      if (std::isfinite(value) &&
          std::fabs(value) > std::numeric_limits<float>::max()) {
        const float rounded = std::fabs(value) >= 0x1.ffffffp127
                                  ? std::numeric_limits<float>::infinity()
                                  : std::numeric_limits<float>::max();
        Store(tensor, offset,
              std::copysign(rounded,
                            static_cast<float>(std::copysign(1.0, value))));
      } else {
        Store(tensor, offset, static_cast<float>(value));
      }
      break;
    case DataType::kFloat64:
      Store(tensor, offset, value);
      break;
    default:
      WriteInteger(tensor, offset, static_cast<int64_t>(value));
      break;
  }
}

double Float16ToDouble(uint16_t bits) {
  const uint64_t sign = static_cast<uint64_t>(bits >> 15) << 63;
  const int exponent = (bits >> 10) & 31;
  const uint64_t mantissa = bits & 1023;
  if (exponent == 31) {
    return std::bit_cast<double>(sign | uint64_t{0x7ff} << 52 | mantissa << 42);
  }
  // Subnormals are multiples of 2^-24, exact in double.
  const double magnitude =
      exponent == 0
          ? std::ldexp(static_cast<double>(mantissa), -24)
          : std::ldexp(static_cast<double>(1024 + mantissa), exponent - 25);
  return sign != 0 ? -magnitude : magnitude;
}

uint16_t DoubleToFloat16(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  const uint64_t mantissa = bits & ((uint64_t{1} << 52) - 1);
  if (exponent == 1024) {
    // A quiet NaN: its payload is not compared (AR-07).
    return static_cast<uint16_t>(sign | (mantissa != 0 ? 0x7e00 : 0x7c00));
  }
  // Doubles this small, the subnormal ones included, are far below half of the
  // smallest binary16.
  if (exponent < -25) return sign;
  if (exponent > 15) return static_cast<uint16_t>(sign | 0x7c00);
  const uint64_t significand = mantissa | uint64_t{1} << 52;
  // Below 2^-14 the unit stays 2^-24; a carry out of the mantissa walks into
  // the exponent by itself, up to infinity.
  if (exponent < -14) {
    return static_cast<uint16_t>(
        sign | RoundShift(significand, 42 + (-14 - exponent)));
  }
  const uint64_t rounded = RoundShift(significand, 42);
  return static_cast<uint16_t>(
      sign + ((static_cast<uint64_t>(exponent + 15) << 10) + rounded - 1024));
}

}  // namespace qconform::spec
