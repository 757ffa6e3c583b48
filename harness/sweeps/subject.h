// What a sweep is held against: the functions of one implementation on one SIMD
// target, each on arrays of any length.

#ifndef QCONFORM_HARNESS_SWEEPS_SUBJECT_H_
#define QCONFORM_HARNESS_SWEEPS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "harness/candidates/candidate.h"
#include "harness/sweeps/settings.h"

namespace qconform::harness {

// One way of computing a function: an implementation may have several kernels
// that must agree.
template <typename Function>
struct Variant {
  std::string name;  // "plan", "kExact"
  Function function;
};

// All pairs of bytes, of whatever signedness the setting says, and as many
// outputs.
inline constexpr size_t kAddPairs = 65536;
using AddFunction = std::function<absl::Status(
    const uint8_t* a, const uint8_t* b, uint8_t* output)>;
using RequantizeFunction = std::function<absl::Status(
    const int64_t* sums, size_t count, uint8_t* output)>;
// The same for sums that int32 holds: what a sweep over all of them calls.
using NarrowRequantizeFunction = std::function<absl::Status(
    const int32_t* sums, size_t count, uint8_t* output)>;
using QuantizeAndDequantizeFunction = std::function<absl::Status(
    const float* input, size_t count, float* output)>;
using ToFloat32Function = std::function<absl::Status(
    const uint16_t* input, size_t count, float* output)>;
using ToFloat16Function = std::function<absl::Status(
    const float* input, size_t count, uint16_t* output)>;
// One row of x; `count` is a multiple of 16. `factor` becomes the row's scale,
// or its largest magnitude if dynamic; NaN if the row holds one.
using RowQuantizeFunction =
    std::function<absl::Status(const uint16_t* x, const float* smooth,
                               size_t count, int8_t* quantized, float* factor)>;
using DequantizeFunction =
    std::function<absl::Status(const int32_t* sums, const float* weight_scales,
                               size_t count, uint16_t* output)>;

// Other arrays that a sweep passes to a function hold at most this many
// elements.
inline constexpr size_t kSweepChunk = size_t{1} << 14;

// A function that an implementation does not have gives no variants. Safe to
// call from several threads, as are the functions themselves.
class SweepSubject {
 public:
  virtual ~SweepSubject() = default;
  virtual std::string Target() const = 0;

  template <typename Function>
  using Variants = absl::StatusOr<std::vector<Variant<Function>>>;

  virtual Variants<AddFunction> Add(const AddSetting& setting);
  virtual Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& setting);
  virtual Variants<RequantizeFunction> RequantizeWide(
      const RequantizeSetting& setting);
  virtual Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& setting);
  virtual Variants<ToFloat32Function> ToFloat32();
  virtual Variants<ToFloat16Function> ToFloat16();
  // `static_scale` null: dynamic.
  virtual Variants<RowQuantizeFunction> RowQuantize(const float* static_scale);
  virtual Variants<DequantizeFunction> Dequantize(float row_factor,
                                                  bool is_dynamic);
};

// The production kernels on each of these targets, as far as they are built
// for them. Choosing a target is a global act: make no plan of the kernels
// elsewhere while a sweep runs.
std::vector<std::unique_ptr<SweepSubject>> BuiltinSubjects(
    const std::vector<std::string>& targets);

// Any candidate on one of its targets, as far as its operators are elementwise:
// the add and quantize-and-dequantize. `candidate` must outlive it; its calls
// are made one at a time.
std::unique_ptr<SweepSubject> CandidateSubject(Candidate& candidate,
                                               const std::string& target);

// One subject for each target that is there: of the production kernels
// themselves, or of a candidate's calls.
std::vector<std::unique_ptr<SweepSubject>> MakeSubjects(
    bool is_builtin, const std::vector<std::string>& targets,
    Candidate& candidate);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_SWEEPS_SUBJECT_H_
