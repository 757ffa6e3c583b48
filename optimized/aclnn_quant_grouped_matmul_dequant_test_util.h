// For tests: random calls, and running a call in any of the forms that must not
// change its result.

#ifndef QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_TEST_UTIL_H_
#define QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_TEST_UTIL_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_model.h"
#include "optimized/threads_test_util.h"

namespace qconform::optimized {

inline constexpr uint16_t kUntouched = 0x5A5A;

// How to run a call; no result may depend on it.
struct Form {
  bool is_fractal_nz = false;
  bool transpose_weight = true;
  unsigned constants = 0;  // bit i: parameter i is given to Plan
  size_t misalignment = 0;
  size_t threads = 0;
  bool strided = false;
};

// Bytes at a chosen distance from a 64-byte boundary.
class Buffer {
 public:
  Buffer(const void* data, size_t bytes, size_t misalignment)
      : storage_(bytes + 128) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data());
    begin_ = storage_.data() + (64 - address % 64) + misalignment;
    if (data != nullptr) std::memcpy(begin_, data, bytes);
  }
  std::byte* data() { return begin_; }

 private:
  std::vector<std::byte> storage_;
  std::byte* begin_;
};

// The weight in the form's layout. Padding holds garbage.
inline std::vector<int8_t> LayOutWeight(const model::Call& call,
                                        const Form& form) {
  const size_t outer = form.transpose_weight ? call.n : call.k;
  const size_t inner = form.transpose_weight ? call.k : call.n;
  const size_t inner_blocks = (inner + 31) / 32;
  const size_t group =
      form.is_fractal_nz ? inner_blocks * outer * 32 : outer * inner;
  std::vector<int8_t> weight(call.groups * group, 77);
  for (size_t g = 0; g < call.groups; ++g) {
    for (size_t k = 0; k < call.k; ++k) {
      for (size_t n = 0; n < call.n; ++n) {
        const size_t o = form.transpose_weight ? n : k;
        const size_t i = form.transpose_weight ? k : n;
        const size_t offset =
            form.is_fractal_nz
                ? (((g * inner_blocks + i / 32) * (outer / 16) + o / 16) * 16 +
                   o % 16) *
                          32 +
                      i % 32
                : (g * outer + o) * inner + i;
        weight[offset] = call.weight[(g * call.k + k) * call.n + n];
      }
    }
  }
  return weight;
}

// The rows with `row_stride` between them and every second element used.
template <class T>
std::vector<T> Spread(const std::vector<T>& packed, size_t rows,
                      size_t row_stride) {
  const size_t columns = packed.size() / rows;
  std::vector<T> result(rows * row_stride, T{99});
  for (size_t i = 0; i < packed.size(); ++i) {
    result[i / columns * row_stride + i % columns * 2] = packed[i];
  }
  return result;
}

inline QuantGroupedMatmulDequantDesc Describe(const model::Call& call,
                                              const Form& form) {
  const auto m = static_cast<int64_t>(call.m);
  const auto k = static_cast<int64_t>(call.k);
  const auto n = static_cast<int64_t>(call.n);
  const auto g = static_cast<int64_t>(call.groups);
  const auto describe = [&form](ElementType type, Dimensions sizes) {
    TensorDesc desc{type, TensorLayout::kNd, sizes, std::nullopt};
    if (form.strided) {
      desc.strides = Dimensions{2};
      if (sizes.size() == 2) desc.strides = Dimensions{2 * sizes[1] + 3, 2};
    }
    return desc;
  };
  QuantGroupedMatmulDequantDesc desc;
  desc.x = describe(ElementType::kFloat16, {m, k});
  desc.weight.emplace();
  desc.weight->type = ElementType::kInt8;
  if (form.is_fractal_nz) {
    desc.weight->layout = TensorLayout::kFractalNz;
    desc.weight->sizes = form.transpose_weight
                             ? Dimensions{g, (k + 31) / 32, n / 16, 16, 32}
                             : Dimensions{g, (n + 31) / 32, k / 16, 16, 32};
  } else {
    desc.weight->sizes =
        form.transpose_weight ? Dimensions{g, n, k} : Dimensions{g, k, n};
  }
  desc.weight_scale = describe(ElementType::kFloat32, {g, n});
  desc.group_list = describe(ElementType::kInt64, {g});
  if (!call.x_scale.empty()) {
    desc.x_scale_optional = describe(
        ElementType::kFloat32, {static_cast<int64_t>(call.x_scale.size())});
  }
  if (!call.smooth_scale.empty()) {
    desc.smooth_scale_optional = describe(ElementType::kFloat16, {k});
  }
  desc.x_quant_mode = call.per_tensor ? "pertensor" : "pertoken";
  desc.transpose_weight = form.transpose_weight;
  desc.out = {ElementType::kFloat16, TensorLayout::kNd, {m, n}, std::nullopt};
  return desc;
}

// Runs the call; `out` keeps kUntouched where nothing was written.
inline absl::Status RunCall(const model::Call& call, const Form& form,
                            std::vector<uint16_t>* out) {
  const auto buffer = [&form](const auto& values, size_t rows) {
    using T = typename std::decay_t<decltype(values)>::value_type;
    if (!form.strided || values.empty()) {
      return Buffer(values.data(), values.size() * sizeof(T),
                    form.misalignment);
    }
    const std::vector<T> spread =
        Spread(values, rows, 2 * (values.size() / rows) + (rows > 1 ? 3 : 0));
    return Buffer(spread.data(), spread.size() * sizeof(T), form.misalignment);
  };
  Buffer x = buffer(call.x, call.m);
  const std::vector<int8_t> weight_values = LayOutWeight(call, form);
  Buffer weight(weight_values.data(), weight_values.size(), form.misalignment);
  Buffer weight_scale = buffer(call.weight_scale, call.groups);
  Buffer group_list = buffer(call.group_list, 1);
  Buffer x_scale = buffer(call.x_scale, 1);
  Buffer smooth_scale = buffer(call.smooth_scale, 1);
  out->assign(call.m * call.n, kUntouched);
  Buffer out_buffer(out->data(), out->size() * 2, form.misalignment);

  QuantGroupedMatmulDequantParameters constants;
  QuantGroupedMatmulDequantParameters per_call;
  const auto give = [&form](unsigned bit, const void* data,
                            const void*& constant, const void*& per_run) {
    ((form.constants >> bit) & 1 ? constant : per_run) = data;
  };
  give(0, weight.data(), constants.weight, per_call.weight);
  give(1, weight_scale.data(), constants.weight_scale, per_call.weight_scale);
  give(2, group_list.data(), constants.group_list, per_call.group_list);
  if (!call.x_scale.empty()) {
    give(3, x_scale.data(), constants.x_scale, per_call.x_scale);
  }
  if (!call.smooth_scale.empty()) {
    give(4, smooth_scale.data(), constants.smooth_scale, per_call.smooth_scale);
  }
  absl::StatusOr<QuantGroupedMatmulDequant> plan =
      QuantGroupedMatmulDequant::Plan(
          Describe(call, form), constants,
          {.allow_transpose_weight_false = !form.transpose_weight});
  if (!plan.ok()) return plan.status();
  const size_t bytes = plan->WorkspaceBytes(form.threads);
  Buffer workspace(nullptr, bytes, form.misalignment);
  Threads threads(form.threads);
  RunContext context;
  context.workspace = absl::MakeSpan(workspace.data(), bytes);
  if (form.threads > 0) context.parallel_for = &threads;
  const absl::Status status =
      plan->Run(x.data(), per_call, out_buffer.data(), context);
  std::memcpy(out->data(), out_buffer.data(), out->size() * 2);
  return status;
}

enum class Quantization { kDynamic, kPerToken, kPerTensor };

inline model::Call RandomCall(size_t m, size_t k, size_t n,
                              std::vector<int64_t> group_list,
                              Quantization quantization, bool with_smooth,
                              uint64_t seed) {
  std::mt19937_64 random(seed);
  model::Call call;
  call.m = m;
  call.k = k;
  call.n = n;
  call.groups = group_list.size();
  call.group_list = std::move(group_list);
  for (size_t i = 0; i < m * k; ++i) {
    // Magnitudes 2^-4 .. 2^4, sometimes few bits so that ties are common.
    const uint64_t bits = random();
    call.x.push_back(
        static_cast<uint16_t>(0x2C00 +
                              bits % 0x2000 / (i / k % 2 == 0 ? 1 : 512) *
                                  (i / k % 2 == 0 ? 1 : 512) +
                              (bits >> 32) % 2 * 0x8000));
  }
  for (size_t i = 0; i < call.groups * k * n; ++i) {
    call.weight.push_back(static_cast<int8_t>(random()));
  }
  for (size_t i = 0; i < call.groups * n; ++i) {
    const float scale =
        i % 3 == 0 ? 0x1p-7f
                   : std::ldexp(static_cast<float>(random() % 0x1000000), -30);
    call.weight_scale.push_back(i % 5 == 0 ? -scale : scale);
  }
  const size_t x_scales = quantization == Quantization::kDynamic    ? 0
                          : quantization == Quantization::kPerToken ? m
                                                                    : 1;
  for (size_t i = 0; i < x_scales; ++i) {
    call.x_scale.push_back(std::ldexp(static_cast<float>(i % 4 + 1), -6));
  }
  call.per_tensor = quantization == Quantization::kPerTensor;
  for (size_t i = 0; with_smooth && i < k; ++i) {
    call.smooth_scale.push_back(
        static_cast<uint16_t>(0x3800 + random() % 0x0800));
  }
  return call;
}

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_QUANT_GROUPED_MATMUL_DEQUANT_TEST_UTIL_H_
