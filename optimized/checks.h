// Argument checks that the operators share. Every failure is kInvalidArgument
// and its message names the tensor, what was found and what is allowed.

#ifndef QCONFORM_OPTIMIZED_CHECKS_H_
#define QCONFORM_OPTIMIZED_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "optimized/run_context.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized {

// "uint8", "float32", ...
std::string ElementTypeName(ElementType type);
size_t ByteSize(ElementType type);

// "{1, 2, 3}"
std::string DimensionsText(const Dimensions& dimensions);

// Strides given, or those of the packed layout. `desc` has passed
// CheckDmlTensor.
Dimensions EffectiveStrides(const TensorDesc& desc);

// Bytes from the first to the last element. `desc` has passed CheckDmlTensor.
size_t ExtentBytes(const TensorDesc& desc);

// The rank lies in min_rank..max_rank.
absl::Status CheckRank(absl::string_view name, const TensorDesc& desc,
                       size_t min_rank, size_t max_rank);

// The type is one of `allowed`.
absl::Status CheckType(absl::string_view name, const TensorDesc& desc,
                       absl::Span<const ElementType> allowed);

// DirectML's rules for every tensor (QM-07, QM-08): no special layout, no size
// below 1, at most 2^32 - 1 elements, one stride per dimension, none negative,
// an extent that can be addressed.
absl::Status CheckDmlTensor(absl::string_view name, const TensorDesc& desc);

// No two elements of an output share an address (QM-08): its axes of size > 1
// sorted by stride, each stride exceeds the reach of the smaller ones.
absl::Status CheckOutputStrides(absl::string_view name, const TensorDesc& desc);

// What the checks below say where they fail.
absl::Status MissingData(absl::string_view name);
absl::Status Overlap(absl::string_view output_name, size_t output_bytes,
                     absl::string_view input_name);

// The caller gave data. Inline, as each Run checks several tensors, which for
// small ones would cost more than their elements.
inline absl::Status CheckData(absl::string_view name, const void* data) {
  return data != nullptr ? absl::OkStatus() : MissingData(name);
}

// Every one of `count` scales, `stride` apart, is finite and not zero (AR-08).
// Subnormal and negative scales are legal (AR-05).
absl::Status CheckScales(absl::string_view name, const float* data,
                         size_t count, size_t stride);

// [output, output + output_bytes) does not touch the input's bytes (AR-11).
inline absl::Status CheckNoOverlap(absl::string_view output_name,
                                   const void* output, size_t output_bytes,
                                   absl::string_view input_name,
                                   const void* input, size_t input_bytes) {
  const auto output_begin = reinterpret_cast<uintptr_t>(output);
  const auto input_begin = reinterpret_cast<uintptr_t>(input);
  return output_begin >= input_begin + input_bytes ||
                 input_begin >= output_begin + output_bytes
             ? absl::OkStatus()
             : Overlap(output_name, output_bytes, input_name);
}

// The caller lent at least `required` bytes.
absl::Status CheckWorkspace(const RunContext& context, size_t required);

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_CHECKS_H_
