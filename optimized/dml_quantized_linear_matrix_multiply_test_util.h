// For tests of the quantized linear matrix multiply: whole calls, random ones,
// and what they must come to.

#ifndef QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_TEST_UTIL_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "optimized/checks.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"
#include "optimized/requantize_test_util.h"

namespace qconform::optimized {

struct TestTensor {
  TensorDesc desc;
  std::vector<uint8_t> storage;

  // An element of the tensor padded to four dimensions; a dimension of size 1
  // repeats.
  size_t Offset(std::array<size_t, 4> index) const {
    const Dimensions strides = EffectiveStrides(desc);
    const size_t rank = desc.sizes.size();
    size_t offset = 0;
    for (size_t axis = 0; axis < rank; ++axis) {
      if (desc.sizes[axis] == 1) continue;
      offset += index[4 - rank + axis] * static_cast<size_t>(strides[axis]);
    }
    return offset;
  }
  int32_t Byte(std::array<size_t, 4> index) const {
    const uint8_t byte = storage[Offset(index)];
    return desc.type == ElementType::kInt8 ? int32_t{static_cast<int8_t>(byte)}
                                           : int32_t{byte};
  }
  float Float(std::array<size_t, 4> index) const {
    float value;
    std::memcpy(&value, storage.data() + 4 * Offset(index), 4);
    return value;
  }
  void SetFloat(size_t offset, float value) {
    std::memcpy(storage.data() + 4 * offset, &value, 4);
  }
  void Resize() { storage.resize(ExtentBytes(desc)); }
};

inline constexpr uint8_t kPoison = 0x9C;

// A whole call; the pointers of desc() and data() point into it.
struct DmlMatrixMultiplyCall {
  TestTensor a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, y;
  bool zero_points = true;

  DmlQuantizedLinearMatrixMultiplyDesc desc() const {
    const auto optional = [&](const TestTensor& tensor) {
      return zero_points ? &tensor.desc : nullptr;
    };
    return {&a.desc,       &a_scale.desc,    optional(a_zero),
            &b.desc,       &b_scale.desc,    optional(b_zero),
            &y_scale.desc, optional(y_zero), &y.desc};
  }
  static const float* Floats(const TestTensor& tensor) {
    return reinterpret_cast<const float*>(tensor.storage.data());
  }
  DmlQuantizedLinearMatrixMultiplyData parameters() const {
    const auto optional = [&](const TestTensor& tensor) {
      return zero_points ? tensor.storage.data() : nullptr;
    };
    DmlQuantizedLinearMatrixMultiplyData data;
    data.AScaleTensor = Floats(a_scale);
    data.AZeroPointTensor = optional(a_zero);
    data.BTensor = b.storage.data();
    data.BScaleTensor = Floats(b_scale);
    data.BZeroPointTensor = optional(b_zero);
    data.OutputScaleTensor = Floats(y_scale);
    data.OutputZeroPointTensor = optional(y_zero);
    return data;
  }
  void Poison() { std::fill(y.storage.begin(), y.storage.end(), kPoison); }
};

// The storage that the output must have after the call.
inline std::vector<uint8_t> ExpectedStorage(const DmlMatrixMultiplyCall& call) {
  std::vector<uint8_t> expected(call.y.storage.size(), kPoison);
  const size_t rank = call.a.desc.sizes.size();
  const auto size = [&](const TestTensor& tensor, size_t axis) {
    return axis + rank < 4
               ? size_t{1}
               : static_cast<size_t>(tensor.desc.sizes[axis + rank - 4]);
  };
  const auto zero = [&](const TestTensor& tensor, std::array<size_t, 4> index) {
    return call.zero_points ? tensor.Byte(index) : 0;
  };
  for (size_t i = 0; i < size(call.y, 0); ++i) {
    for (size_t c = 0; c < size(call.y, 1); ++c) {
      for (size_t m = 0; m < size(call.y, 2); ++m) {
        for (size_t n = 0; n < size(call.y, 3); ++n) {
          int64_t sum = 0;
          for (size_t k = 0; k < size(call.a, 3); ++k) {
            sum +=
                int64_t{call.a.Byte({i, c, m, k}) -
                        zero(call.a_zero, {0, 0, m, 0})} *
                (call.b.Byte({i, c, k, n}) - zero(call.b_zero, {0, 0, 0, n}));
          }
          expected[call.y.Offset({i, c, m, n})] = static_cast<uint8_t>(
              ExpectedByte(sum, call.a_scale.Float({0, 0, m, 0}),
                           call.b_scale.Float({0, 0, 0, n}),
                           call.y_scale.Float({0, 0, m, 0}),
                           zero(call.y_zero, {0, 0, m, 0}),
                           call.y.desc.type == ElementType::kInt8));
        }
      }
    }
  }
  return expected;
}

struct DmlMatrixMultiplySizes {
  size_t batches, channels, m, k, n;
};

class DmlMatrixMultiplyGenerator {
 public:
  explicit DmlMatrixMultiplyGenerator(uint32_t seed) : random_(seed) {}

  uint32_t Pick(uint32_t n) { return random_() % n; }

  ElementType ByteType() {
    return Pick(2) == 0 ? ElementType::kUint8 : ElementType::kInt8;
  }

  // The last `rank` of four sizes, packed or with strides: padding, any order
  // of the dimensions, and for inputs 0.
  TestTensor Tensor(ElementType type, std::array<size_t, 4> sizes, size_t rank,
                    bool strided, bool is_output) {
    TestTensor tensor;
    tensor.desc.type = type;
    for (size_t axis = 4 - rank; axis < 4; ++axis) {
      tensor.desc.sizes.push_back(static_cast<int64_t>(sizes[axis]));
    }
    if (strided) {
      Dimensions strides(rank, 0);
      std::vector<size_t> order(rank);
      for (size_t axis = 0; axis < rank; ++axis) order[axis] = axis;
      std::shuffle(order.begin(), order.end(), random_);
      int64_t next = 1 + Pick(2);
      for (size_t axis : order) {
        strides[axis] = next;
        next = next * tensor.desc.sizes[axis] + Pick(3);
        if (!is_output && Pick(6) == 0) strides[axis] = 0;
      }
      tensor.desc.strides = strides;
    }
    tensor.Resize();
    for (uint8_t& byte : tensor.storage) {
      // Both ends of the types often.
      const uint32_t kind = Pick(4);
      byte = kind == 0   ? uint8_t{0x80}
             : kind == 1 ? uint8_t{0xFF}
                         : static_cast<uint8_t>(random_());
    }
    return tensor;
  }

  float Scale() {
    const float mantissa = 1.0f + static_cast<float>(Pick(1u << 23)) * 0x1p-23f;
    switch (Pick(4)) {
      case 0:
        return std::ldexp(1.0f, static_cast<int>(Pick(8)) - 4);
      case 1:
        return static_cast<float>(1 + Pick(12));
      default:
        return std::ldexp(mantissa, static_cast<int>(Pick(6)) - 4) *
               (Pick(8) == 0 ? -1.0f : 1.0f);
    }
  }

  TestTensor Parameter(ElementType type, size_t axis, size_t count, size_t rank,
                       bool strided) {
    std::array<size_t, 4> sizes = {1, 1, 1, 1};
    if (Pick(2) == 0) sizes[axis] = count;
    TestTensor tensor =
        Tensor(type, sizes, std::max(rank, 4 - axis), strided, false);
    if (type == ElementType::kFloat32) {
      for (size_t i = 0; i < tensor.storage.size() / 4; ++i) {
        tensor.SetFloat(i, Scale());
      }
    }
    return tensor;
  }

  DmlMatrixMultiplyCall MakeCall(const DmlMatrixMultiplySizes& s,
                                 bool strided) {
    const size_t min_rank = s.batches > 1 ? 4 : s.channels > 1 ? 3 : 2;
    const size_t rank = min_rank + Pick(static_cast<uint32_t>(5 - min_rank));
    const size_t parameter_rank = 2 + Pick(3);
    DmlMatrixMultiplyCall call;
    const ElementType a = ByteType(), b = ByteType(), y = ByteType();
    const ElementType f = ElementType::kFloat32;
    call.zero_points = Pick(5) != 0;
    call.a = Tensor(a, {s.batches, s.channels, s.m, s.k}, rank, strided, false);
    call.b = Tensor(b, {s.batches, s.channels, s.k, s.n}, rank, strided, false);
    call.y = Tensor(y, {s.batches, s.channels, s.m, s.n}, rank, strided, true);
    call.a_scale = Parameter(f, 2, s.m, parameter_rank, strided);
    call.a_zero = Parameter(a, 2, s.m, parameter_rank, strided);
    call.b_scale = Parameter(f, 3, s.n, parameter_rank, strided);
    call.b_zero = Parameter(b, 3, s.n, parameter_rank, strided);
    call.y_scale = Parameter(f, 2, s.m, parameter_rank, strided);
    call.y_zero = Parameter(y, 2, s.m, parameter_rank, strided);
    // Sums grow with K; keep them in the output's range as often as beyond it.
    for (size_t i = 0; i < call.y_scale.storage.size() / 4; ++i) {
      call.y_scale.SetFloat(
          i, DmlMatrixMultiplyCall::Floats(call.y_scale)[i] *
                 std::exp2(std::round(
                     std::log2(64.0f * std::sqrt(static_cast<float>(s.k))))));
    }
    return call;
  }

 private:
  std::mt19937 random_;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY_TEST_UTIL_H_
