#include "harness/sweeps/subject.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "hwy/targets.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"
#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"
#include "optimized/float16.h"
#include "optimized/requantize.h"
#include "optimized/tf_quantize_and_dequantize_v2.h"

namespace qconform::harness {

SweepSubject::Variants<AddFunction> SweepSubject::Add(
    const AddSetting& /*setting*/) {
  return std::vector<Variant<AddFunction>>();
}
SweepSubject::Variants<NarrowRequantizeFunction> SweepSubject::Requantize(
    const RequantizeSetting& /*setting*/) {
  return std::vector<Variant<NarrowRequantizeFunction>>();
}
SweepSubject::Variants<RequantizeFunction> SweepSubject::RequantizeWide(
    const RequantizeSetting& /*setting*/) {
  return std::vector<Variant<RequantizeFunction>>();
}
SweepSubject::Variants<QuantizeAndDequantizeFunction>
SweepSubject::QuantizeAndDequantize(
    const QuantizeAndDequantizeSetting& /*setting*/) {
  return std::vector<Variant<QuantizeAndDequantizeFunction>>();
}
SweepSubject::Variants<ToFloat32Function> SweepSubject::ToFloat32() {
  return std::vector<Variant<ToFloat32Function>>();
}
SweepSubject::Variants<ToFloat16Function> SweepSubject::ToFloat16() {
  return std::vector<Variant<ToFloat16Function>>();
}
SweepSubject::Variants<RowQuantizeFunction> SweepSubject::RowQuantize(
    const float* /*static_scale*/) {
  return std::vector<Variant<RowQuantizeFunction>>();
}
SweepSubject::Variants<DequantizeFunction> SweepSubject::Dequantize(
    float /*row_factor*/, bool /*is_dynamic*/) {
  return std::vector<Variant<DequantizeFunction>>();
}

namespace {

using spec::DataType;

// Keeps Highway on one target while it lives; one at a time.
class ScopedTarget {
 public:
  explicit ScopedTarget(int64_t target) : lock_(Mutex()) {
    hwy::SetSupportedTargetsForTest(target);
  }
  ~ScopedTarget() { hwy::SetSupportedTargetsForTest(0); }
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

 private:
  static std::mutex& Mutex() {
    static std::mutex* const mutex = new std::mutex;
    return *mutex;
  }
  std::lock_guard<std::mutex> lock_;
};

class BuiltinSubject : public SweepSubject {
 public:
  explicit BuiltinSubject(int64_t target) : target_(target) {
    const ScopedTarget scope(target);
    add_ = &optimized::linear_add::DispatchKernels();
    requantize_ = optimized::ChooseRequantize();
    float16_ = &optimized::ChooseFloat16Kernels();
    grouped_ = &optimized::ChooseGroupedMatmulKernels();
  }

  std::string Target() const override { return hwy::TargetName(target_); }

  Variants<AddFunction> Add(const AddSetting& s) override {
    using optimized::linear_add::Kernel;
    optimized::linear_add::Quantization quantization;
    quantization.a_scale = s.a_scale;
    quantization.b_scale = s.b_scale;
    quantization.output_scale = s.output_scale;
    quantization.a_zero_point = s.a_zero_point;
    quantization.b_zero_point = s.b_zero_point;
    quantization.output_zero_point = s.output_zero_point;
    quantization.a_is_signed = s.a_type == DataType::kInt8;
    quantization.b_is_signed = s.b_type == DataType::kInt8;
    quantization.output_is_signed = s.output_type == DataType::kInt8;
    auto parameters = optimized::linear_add::ChooseParameters(quantization);
    std::vector<Variant<AddFunction>> variants;
    const auto add = [&](const std::string& name, Kernel kernel) {
      parameters.kernel = kernel;
      variants.push_back({name, [row = add_->rows[static_cast<size_t>(kernel)],
                                 parameters](const uint8_t* a, const uint8_t* b,
                                             size_t count, uint8_t* output) {
                            row(parameters, a, b, count, output);
                            return absl::OkStatus();
                          }});
    };
    // Whatever a plan may choose for these scales: the kernel that fits, the
    // one that large tensors take if it passes all pairs, and the one that is
    // always right.
    const Kernel chosen = parameters.kernel;
    add(absl::StrCat("chosen kernel ", static_cast<int>(chosen)), chosen);
    if (chosen == Kernel::kFiltered) {
      if (optimized::linear_add::ProductIsExact(*add_, parameters)) {
        add("proven product", Kernel::kProduct);
      }
    }
    if (chosen != Kernel::kExact) add("exact kernel", Kernel::kExact);
    return variants;
  }

  Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& s) override {
    const Row row(s);
    return std::vector<Variant<NarrowRequantizeFunction>>{
        {"narrow", [row, requantize = requantize_](
                       const int32_t* sums, size_t count, uint8_t* output) {
           optimized::RequantizeTile tile = row.Tile(count, output);
           tile.narrow = sums;
           requantize(tile);
           return absl::OkStatus();
         }}};
  }

  Variants<RequantizeFunction> RequantizeWide(
      const RequantizeSetting& s) override {
    const Row row(s);
    return std::vector<Variant<RequantizeFunction>>{
        {"wide", [row, requantize = requantize_](
                     const int64_t* sums, size_t count, uint8_t* output) {
           optimized::RequantizeTile tile = row.Tile(count, output);
           tile.wide = sums;
           requantize(tile);
           return absl::OkStatus();
         }}};
  }

  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& s) override {
    const ScopedTarget scope(target_);
    std::vector<Variant<QuantizeAndDequantizeFunction>> variants;
    // A plan is for one size: one for whole chunks, and one for each other
    // size that comes.
    const auto make = [s, target = target_](size_t count)
        -> absl::StatusOr<optimized::TfQuantizeAndDequantizeV2Plan> {
      optimized::TfQuantizeAndDequantizeV2Desc desc;
      optimized::TensorDesc data;
      data.type = optimized::ElementType::kFloat32;
      data.sizes = {static_cast<int64_t>(count)};
      optimized::TensorDesc bound;
      bound.type = optimized::ElementType::kFloat32;
      desc.input = &data;
      desc.input_min = &bound;
      desc.input_max = &bound;
      desc.output = &data;
      desc.attributes.signed_input = s.signed_input;
      desc.attributes.num_bits = s.num_bits;
      desc.attributes.range_given = true;
      desc.attributes.round_mode = s.half_up ? "HALF_UP" : "HALF_TO_EVEN";
      desc.attributes.narrow_range = s.narrow_range;
      desc.arithmetic = s.tensorflow ? optimized::TfArithmetic::kTensorFlow
                                     : optimized::TfArithmetic::kExact;
      return optimized::TfQuantizeAndDequantizeV2Plan::Create(
          desc, {&s.input_min, &s.input_max});
    };
    const auto whole = make(kSweepChunk);
    if (!whole.ok()) return whole.status();
    variants.push_back(
        {"plan", [plan = *whole, make, target = target_](
                     const float* input, size_t count, float* output) {
           if (count == kSweepChunk) {
             return plan.Run({input, output, {}}, {});
           }
           absl::StatusOr<optimized::TfQuantizeAndDequantizeV2Plan> other =
               absl::UnknownError("");
           {
             const ScopedTarget scope(target);
             other = make(count);
           }
           if (!other.ok()) return other.status();
           return other->Run({input, output, {}}, {});
         }});
    return variants;
  }

  Variants<ToFloat32Function> ToFloat32() override {
    return std::vector<Variant<ToFloat32Function>>{
        {"vectors",
         [kernel = float16_->to_float32](const uint16_t* input, size_t count,
                                         float* output) {
           kernel(input, count, output);
           return absl::OkStatus();
         }},
        {"scalar", [](const uint16_t* input, size_t count, float* output) {
           std::transform(input, input + count, output,
                          optimized::Float16ToFloat32);
           return absl::OkStatus();
         }}};
  }

  Variants<ToFloat16Function> ToFloat16() override {
    return std::vector<Variant<ToFloat16Function>>{
        {"vectors", [kernel = float16_->to_float16](
                        const float* input, size_t count, uint16_t* output) {
           kernel(input, count, output);
           return absl::OkStatus();
         }}};
  }

  Variants<RowQuantizeFunction> RowQuantize(
      const float* static_scale) override {
    const bool is_dynamic = static_scale == nullptr;
    return std::vector<Variant<RowQuantizeFunction>>{
        {is_dynamic ? "dynamic" : "static",
         [is_dynamic, scale = is_dynamic ? 0.0f : *static_scale,
          kernel = grouped_->quantize_rows](const uint16_t* x,
                                            const float* smooth, size_t count,
                                            int8_t* quantized, float* factor) {
           optimized::RowQuantization q;
           q.x = x;
           q.row_stride = count;
           q.column_stride = 1;
           q.k = count;
           q.smooth = smooth;
           q.x_scale = is_dynamic ? nullptr : &scale;
           q.quantized = quantized;
           q.row_factors = factor;
           kernel(q, 0, 1);
           return absl::OkStatus();
         }}};
  }

  Variants<DequantizeFunction> Dequantize(float row_factor,
                                          bool is_dynamic) override {
    const auto describe = [row_factor, is_dynamic](const float* scales) {
      optimized::Dequantization d;
      d.weight_scale = scales;
      d.row_factor = row_factor;
      d.is_dynamic = is_dynamic;
      return d;
    };
    return std::vector<Variant<DequantizeFunction>>{
        {"vectors",
         [describe, kernel = grouped_->dequantize](
             const int32_t* sums, const float* scales, size_t count,
             uint16_t* output) {
           kernel(describe(scales), sums, count, output);
           return absl::OkStatus();
         }},
        {"wide", [describe](const int32_t* sums, const float* scales,
                            size_t count, uint16_t* output) {
           const std::vector<int64_t> wide(sums, sums + count);
           optimized::DequantizeWide(describe(scales), wide.data(), count,
                                     output);
           return absl::OkStatus();
         }}};
  }

 private:
  struct Row {
    explicit Row(const RequantizeSetting& s)
        : b_scales(kSweepChunk + 16, s.b_scale),
          row(optimized::MakeRequantizeRow(
              s.a_scale, s.output_scale, s.output_zero_point,
              optimized::SummarizeColumnScales(&s.b_scale, 1))),
          is_signed(s.output_type == DataType::kInt8) {}

    optimized::RequantizeTile Tile(size_t count, uint8_t* output) const {
      optimized::RequantizeTile tile;
      tile.rows = &row;
      tile.row_count = 1;
      tile.b_scales = b_scales.data();
      tile.columns = count;
      tile.output.data = output;
      tile.output.is_signed = is_signed;
      return tile;
    }

    std::vector<float> b_scales;
    optimized::RequantizeRow row;
    bool is_signed;
  };

  int64_t target_;
  const optimized::linear_add::KernelTable* add_;
  optimized::RequantizeFunction* requantize_;
  const optimized::Float16Kernels* float16_;
  const optimized::GroupedMatmulKernels* grouped_;
};

// Operators whose elements do not depend on one another, as whole calls.
class CallingSubject : public SweepSubject {
 public:
  CallingSubject(Candidate& candidate, std::string target)
      : candidate_(candidate), target_(std::move(target)) {}

  std::string Target() const override { return target_; }

  Variants<AddFunction> Add(const AddSetting& setting) override {
    return std::vector<Variant<AddFunction>>{
        {candidate_.Name(), [this, setting](const uint8_t* a, const uint8_t* b,
                                            size_t count, uint8_t* output) {
           spec::Arguments call = AddCall(setting, 0, 0);
           // All nine tensors have one rank, so sizes of 1 stay as they are.
           Replace(call.inputs["ATensor"], a, count);
           Replace(call.inputs["BTensor"], b, count);
           return Execute(call, "OutputTensor", output, count);
         }}};
  }

  Variants<QuantizeAndDequantizeFunction> QuantizeAndDequantize(
      const QuantizeAndDequantizeSetting& setting) override {
    return std::vector<Variant<QuantizeAndDequantizeFunction>>{
        {candidate_.Name(),
         [this, setting](const float* input, size_t count, float* output) {
           spec::Arguments call = QuantizeAndDequantizeCall(setting, 0);
           Replace(call.inputs["input"], input, count);
           return Execute(call, "output", output, count);
         }}};
  }

 private:
  template <typename T>
  static void Replace(spec::Tensor& tensor, const T* data, size_t count) {
    tensor.desc.sizes = {static_cast<int64_t>(count)};
    tensor.storage.resize(count * sizeof(T));
    std::memcpy(tensor.storage.data(), data, count * sizeof(T));
  }

  template <typename T>
  absl::Status Execute(spec::Arguments& call, const std::string& name, T* data,
                       size_t count) {
    call.outputs[name].sizes = {static_cast<int64_t>(count)};
    OutputStorage outputs;
    std::vector<std::byte>& storage = outputs[name];
    storage.resize(count * sizeof(T));
    std::memcpy(storage.data(), data, storage.size());  // the caller's poison
    ExecutionOptions options;
    options.target = target_;
    const std::lock_guard<std::mutex> lock(mutex_);
    const Execution execution = candidate_.Execute(call, options, outputs);
    if (execution.outcome != ExecutionOutcome::kCompleted) {
      return absl::InternalError(
          absl::StrCat("the call was not completed: ", execution.message));
    }
    std::memcpy(data, outputs[name].data(), count * sizeof(T));
    return absl::OkStatus();
  }

  Candidate& candidate_;
  std::string target_;
  std::mutex mutex_;
};

}  // namespace

std::vector<std::unique_ptr<SweepSubject>> BuiltinSubjects(
    const std::vector<std::string>& targets) {
  std::vector<std::unique_ptr<SweepSubject>> subjects;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if (std::find(targets.begin(), targets.end(), hwy::TargetName(target)) !=
        targets.end()) {
      subjects.push_back(std::make_unique<BuiltinSubject>(target));
    }
  }
  return subjects;
}

std::unique_ptr<SweepSubject> CandidateSubject(Candidate& candidate,
                                               const std::string& target) {
  return std::make_unique<CallingSubject>(candidate, target);
}

}  // namespace qconform::harness
