#include "harness/sweeps/builtin_elementwise.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "harness/candidates/scoped_target.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"
#include "optimized/tf_quantize_and_dequantize_v2.h"

namespace qconform::harness {
namespace {

using optimized::DmlElementWiseQuantizedLinearAddPlan;
using optimized::ElementType;
using optimized::TfQuantizeAndDequantizeV2Plan;
using optimized::linear_add::Digits;
using optimized::linear_add::Kernel;
using optimized::linear_add::Row;

// Each divides kAddPairs; the smallest is less than a vector, and its plan
// tries no pairs.
constexpr size_t kPlanSizes[] = {kAddPairs, 512, 32};

optimized::TensorDesc Describe(spec::DataType type, size_t count) {
  optimized::TensorDesc desc;
  desc.type = type == spec::DataType::kFloat32 ? ElementType::kFloat32
              : type == spec::DataType::kInt8  ? ElementType::kInt8
                                               : ElementType::kUint8;
  desc.sizes = {static_cast<int64_t>(count)};
  return desc;
}

absl::StatusOr<DmlElementWiseQuantizedLinearAddPlan> MakePlan(
    const AddSetting& s, size_t count) {
  const optimized::TensorDesc a = Describe(s.a_type, count);
  const optimized::TensorDesc b = Describe(s.b_type, count);
  const optimized::TensorDesc output = Describe(s.output_type, count);
  const optimized::TensorDesc scale = Describe(spec::DataType::kFloat32, 1);
  const optimized::TensorDesc a_zero_point = Describe(s.a_type, 1);
  const optimized::TensorDesc b_zero_point = Describe(s.b_type, 1);
  const optimized::TensorDesc output_zero_point = Describe(s.output_type, 1);
  optimized::DmlElementWiseQuantizedLinearAddDesc desc;
  desc.ATensor = &a;
  desc.AScaleTensor = &scale;
  desc.AZeroPointTensor = &a_zero_point;
  desc.BTensor = &b;
  desc.BScaleTensor = &scale;
  desc.BZeroPointTensor = &b_zero_point;
  desc.OutputScaleTensor = &scale;
  desc.OutputZeroPointTensor = &output_zero_point;
  desc.OutputTensor = &output;
  // One byte, of either signedness.
  const auto byte = [](int value) { return static_cast<uint8_t>(value); };
  const uint8_t a_zero = byte(s.a_zero_point);
  const uint8_t b_zero = byte(s.b_zero_point);
  const uint8_t output_zero = byte(s.output_zero_point);
  return DmlElementWiseQuantizedLinearAddPlan::Create(
      desc, {&s.a_scale, &a_zero, &s.b_scale, &b_zero, &s.output_scale,
             &output_zero});
}

absl::StatusOr<TfQuantizeAndDequantizeV2Plan> MakePlan(
    const QuantizeAndDequantizeSetting& s, size_t count) {
  const optimized::TensorDesc data = Describe(spec::DataType::kFloat32, count);
  optimized::TensorDesc bound;
  bound.type = ElementType::kFloat32;
  optimized::TfQuantizeAndDequantizeV2Desc desc;
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
  return TfQuantizeAndDequantizeV2Plan::Create(desc,
                                               {&s.input_min, &s.input_max});
}

}  // namespace

optimized::linear_add::Parameters KernelParameters(const AddSetting& s) {
  optimized::linear_add::Quantization quantization;
  quantization.a_scale = s.a_scale;
  quantization.b_scale = s.b_scale;
  quantization.output_scale = s.output_scale;
  quantization.a_zero_point = s.a_zero_point;
  quantization.b_zero_point = s.b_zero_point;
  quantization.output_zero_point = s.output_zero_point;
  quantization.a_is_signed = s.a_type == spec::DataType::kInt8;
  quantization.b_is_signed = s.b_type == spec::DataType::kInt8;
  quantization.output_is_signed = s.output_type == spec::DataType::kInt8;
  return optimized::linear_add::ChooseParameters(quantization);
}

optimized::quantize_and_dequantize::Parameters KernelParameters(
    const QuantizeAndDequantizeSetting& s) {
  optimized::quantize_and_dequantize::Format format;
  // TQ-01
  if (s.signed_input) {
    const int64_t half = int64_t{1} << (s.num_bits - 1);
    format.quantized_min = -half + (s.narrow_range ? 1 : 0);
    format.quantized_max = half - 1;
  } else {
    format.quantized_min = 0;
    format.quantized_max = (int64_t{1} << s.num_bits) - 1;
  }
  format.half_up = s.half_up;
  format.tensorflow = s.tensorflow;
  return optimized::quantize_and_dequantize::ChooseParameters(
      format, {s.input_min, s.input_max, true}, /*range_is_given=*/true);
}

BuiltinAdd::BuiltinAdd(int64_t target) : target_(target) {
  const ScopedTarget scope(target);
  kernels_ = &optimized::linear_add::DispatchKernels();
  digits_ = &optimized::linear_add::DispatchDigits();
}

absl::StatusOr<std::vector<Variant<AddFunction>>> BuiltinAdd::Variants(
    const AddSetting& setting) const {
  std::vector<Variant<AddFunction>> variants;
  for (const size_t size : kPlanSizes) {
    absl::StatusOr<DmlElementWiseQuantizedLinearAddPlan> plan =
        absl::UnknownError("");
    {
      const ScopedTarget scope(target_);
      plan = MakePlan(setting, size);
    }
    if (!plan.ok()) return plan.status();
    variants.push_back(
        {absl::StrCat("plan of ", size),
         [plan = *std::move(plan), size](const uint8_t* a, const uint8_t* b,
                                         uint8_t* output) {
           absl::Status status;
           for (size_t i = 0; i < kAddPairs && status.ok(); i += size) {
             status = plan.Run({a + i, b + i, output + i, {}});
           }
           return status;
         }});
  }

  const optimized::linear_add::Parameters parameters =
      KernelParameters(setting);
  const Kernel chosen = parameters.kernel;
  const auto add_kernel = [&](const std::string& name, Kernel kernel) {
    variants.push_back(
        {name, [row = kernels_->rows[static_cast<size_t>(kernel)], parameters](
                   const uint8_t* a, const uint8_t* b, uint8_t* output) {
           row(parameters, a, b, kAddPairs, output);
           return absl::OkStatus();
         }});
  };
  add_kernel(absl::StrCat("kernel ", static_cast<int>(chosen)), chosen);
  if (chosen != Kernel::kExact) add_kernel("last resort", Kernel::kExact);
  if (chosen == Kernel::kFiltered &&
      optimized::linear_add::ProductIsExact(*kernels_, parameters)) {
    add_kernel("product", Kernel::kProduct);
  }
  const auto add_digits = [&](const std::string& name,
                              std::optional<Digits> digits) {
    if (!digits.has_value()) return;
    digits->streams = true;
    const auto kernel = static_cast<size_t>(digits->kernel);
    variants.push_back(
        {absl::StrCat(name, " ", kernel),
         [row = digits_->rows[kernel], digits = *digits](
             const uint8_t* a, const uint8_t* b, uint8_t* output) {
           row(digits, a, b, kAddPairs, output);
           return absl::OkStatus();
         }});
  };
  const Row truth = kernels_->rows[static_cast<size_t>(chosen)];
  add_digits("quick digits",
             optimized::linear_add::QuickDigits(parameters, *digits_));
  add_digits("digits without trials",
             optimized::linear_add::SearchDigits(parameters, *digits_, truth,
                                                 /*tries_pairs=*/false));
  add_digits("digits",
             optimized::linear_add::SearchDigits(parameters, *digits_, truth,
                                                 /*tries_pairs=*/true));
  return variants;
}

BuiltinQuantizeAndDequantize::BuiltinQuantizeAndDequantize(int64_t target)
    : target_(target) {
  const ScopedTarget scope(target);
  kernels_ = &optimized::quantize_and_dequantize::DispatchKernels();
}

absl::StatusOr<std::vector<Variant<QuantizeAndDequantizeFunction>>>
BuiltinQuantizeAndDequantize::Variants(
    const QuantizeAndDequantizeSetting& setting) const {
  // A plan is for one size: one for whole chunks, and one for each other size
  // that comes.
  const auto make = [setting, target = target_](size_t count) {
    const ScopedTarget scope(target);
    return MakePlan(setting, count);
  };
  const absl::StatusOr<TfQuantizeAndDequantizeV2Plan> whole = make(kSweepChunk);
  if (!whole.ok()) return whole.status();
  std::vector<Variant<QuantizeAndDequantizeFunction>> variants;
  variants.push_back(
      {"plan",
       [plan = *whole, make](const float* input, size_t count, float* output) {
         if (count == kSweepChunk) {
           return plan.Run({input, output, {}}, {});
         }
         const auto other = make(count);
         if (!other.ok()) return other.status();
         return other->Run({input, output, {}}, {});
       }});
  optimized::quantize_and_dequantize::Parameters parameters =
      KernelParameters(setting);
  if (parameters.kernel == optimized::quantize_and_dequantize::Kernel::kFloat) {
    parameters.streams = true;
    variants.push_back(
        {"past the caches",
         [run = kernels_->run[static_cast<size_t>(parameters.kernel)],
          parameters](const float* input, size_t count, float* output) {
           run(parameters, input, count, output);
           return absl::OkStatus();
         }});
  }
  return variants;
}

}  // namespace qconform::harness
