// Quantizes a float32 tensor and dequantizes it again, after TensorFlow's
// QuantizeAndDequantizeV2:
//
//   output = round(clamp(value, input_min, input_max) * scale_factor)
//            / scale_factor
//
// where scale_factor is the largest that maps [input_min, input_max] into the
// quantized range, and the bound that it does not map to that range's end is
// then moved there (TQ-01, TQ-02).
//
// In exact arithmetic every element is the real value rounded once to float32
// (AR-01), on every SIMD target and for any number of threads (AR-10). The
// arithmetic `tensorflow` gives bit for bit what TensorFlow's CPU kernel
// computes in float32 (TQ-12).
//
// input, output: float32 of any equal sizes, packed, possibly without elements.
// input_min, input_max: float32 without dimensions (TQ-13). NaN and infinities
// in the data: TQ-08.
//
// Every error is kInvalidArgument, names the tensor or attribute, and leaves
// the output untouched (AR-12).

#ifndef QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_
#define QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "optimized/run_context.h"
#include "optimized/tensor_view.h"
#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

namespace qconform::optimized {

// Names and defaults are the document's (TQ-10).
struct TfQuantizeAndDequantizeV2Attributes {
  bool signed_input = true;
  int64_t num_bits = 8;  // signed 1..61, unsigned 1..62 (TQ-06)
  bool range_given = false;
  std::string round_mode = "HALF_TO_EVEN";  // or "HALF_UP"
  bool narrow_range = false;
};

enum class TfArithmetic : uint8_t { kExact, kTensorFlow };

// Null: the tensor is absent.
struct TfQuantizeAndDequantizeV2Desc {
  const TensorDesc* input = nullptr;
  const TensorDesc* input_min = nullptr;
  const TensorDesc* input_max = nullptr;
  const TensorDesc* output = nullptr;
  TfQuantizeAndDequantizeV2Attributes attributes;
  TfArithmetic arithmetic = TfArithmetic::kExact;
};

// The range; each bound is given either to Create or to Run. With range_given
// false neither is read, and neither need be given.
struct TfQuantizeAndDequantizeV2Constants {
  const float* input_min = nullptr;
  const float* input_max = nullptr;
};

// The data of one call. May be null for an input without elements.
struct TfQuantizeAndDequantizeV2Data {
  const float* input = nullptr;
  float* output = nullptr;
  TfQuantizeAndDequantizeV2Constants per_call;
};

class TfQuantizeAndDequantizeV2Plan {
 public:
  // Checks descriptions, attributes and the values of the constants. Nothing
  // need outlive the call.
  static absl::StatusOr<TfQuantizeAndDequantizeV2Plan> Create(
      const TfQuantizeAndDequantizeV2Desc& desc,
      const TfQuantizeAndDequantizeV2Constants& constants = {});

  // Scratch memory that Run needs: the ranges of pieces, where the range is
  // measured.
  size_t WorkspaceBytes() const;

  // Allocates nothing; may run on several threads at once, each with its own
  // workspace. The output must not overlap an input (AR-11).
  absl::Status Run(const TfQuantizeAndDequantizeV2Data& data,
                   const RunContext& context) const;

 private:
  // A bound of the range, if it is constant.
  using Bound = std::optional<float>;

  TfQuantizeAndDequantizeV2Plan() = default;

  absl::Status TakeBound(const std::string& name, const float* constant,
                         Bound& bound) const;
  absl::Status ReadBound(const std::string& name, const Bound& bound,
                         const float* per_call, float& value) const;
  absl::Status CheckAliases(const TfQuantizeAndDequantizeV2Data& data) const;
  quantize_and_dequantize::Range Measure(const float* input,
                                         const RunContext& context) const;

  quantize_and_dequantize::Format format_;
  bool range_given_ = false;
  Bound input_min_;
  Bound input_max_;
  size_t elements_ = 0;
  // Pieces in which the data is read and written: their number does not depend
  // on threads, because the workspace does not.
  size_t pieces_ = 0;
  size_t piece_elements_ = 0;
  // Set if the range is constant.
  std::optional<quantize_and_dequantize::Parameters> prepared_;
  const quantize_and_dequantize::KernelTable* kernels_ = nullptr;
};

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_TF_QUANTIZE_AND_DEQUANTIZE_V2_H_
