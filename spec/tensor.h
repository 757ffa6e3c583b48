// Tensors as the harness and the golden model hold them: a description in the
// documents' terms, and storage in bytes. The production kernels have their own
// view (optimized/tensor_view.h) and share nothing with this file.

#ifndef QCONFORM_SPEC_TENSOR_H_
#define QCONFORM_SPEC_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace qconform::spec {

// Types that a tensor of a test vector can have. Which of them an operator
// accepts stands in its spec.
enum class DataType {
  kUint8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64
};

// "uint8", "int8", ... as written in test vectors.
std::string DataTypeName(DataType type);
absl::StatusOr<DataType> ParseDataType(const std::string& name);
size_t ByteSize(DataType type);
bool IsFloat(DataType type);

enum class TensorFormat { kNd, kFractalNz };
std::string TensorFormatName(TensorFormat format);  // "ND", "FRACTAL_NZ"
absl::StatusOr<TensorFormat> ParseTensorFormat(const std::string& name);

// What a tensor is, without its data. Sizes and strides count elements,
// outermost dimension first.
struct TensorDesc {
  DataType type = DataType::kUint8;
  TensorFormat format = TensorFormat::kNd;
  std::vector<int64_t> sizes;
  std::optional<std::vector<int64_t>> strides;  // absent: packed

  friend bool operator==(const TensorDesc&, const TensorDesc&) = default;
};

// Product of the sizes (1 for rank 0), or an error if a size is negative or the
// product exceeds int64.
absl::StatusOr<int64_t> ElementCount(const TensorDesc& desc);

// Strides given, or those of the packed layout.
std::vector<int64_t> EffectiveStrides(const TensorDesc& desc);

// Elements of storage from offset 0 to the last element: 0 for an empty tensor,
// else 1 + sum of (size-1)*stride. An error if strides are negative, their
// number is not the rank, or the extent exceeds int64.
absl::StatusOr<int64_t> StorageElementCount(const TensorDesc& desc);

// Storage offset, in elements, of the element with this position in row-major
// order of the sizes.
int64_t StorageOffset(const TensorDesc& desc, int64_t element);

struct Tensor {
  TensorDesc desc;
  std::vector<std::byte>
      storage;  // StorageElementCount(desc) * ByteSize(desc.type) bytes

  friend bool operator==(const Tensor&, const Tensor&) = default;
};

// The value at a storage offset in elements. ReadInteger needs an integer type,
// ReadReal any type but int64 (float16 and float32 are exact in double).
int64_t ReadInteger(const Tensor& tensor, int64_t offset);
double ReadReal(const Tensor& tensor, int64_t offset);
// Writes a value that the type represents exactly (for float types any double
// is rounded to nearest, ties to even).
void WriteInteger(Tensor& tensor, int64_t offset, int64_t value);
void WriteReal(Tensor& tensor, int64_t offset, double value);

// IEEE binary16, by integer arithmetic; conversion to it rounds to nearest,
// ties to even, subnormals kept.
double Float16ToDouble(uint16_t bits);
uint16_t DoubleToFloat16(double value);

}  // namespace qconform::spec

#endif  // QCONFORM_SPEC_TENSOR_H_
