#include <algorithm>
#include <tuple>

#include "harness/candidates/scoped_target.h"
#include "harness/sweeps/builtin_elementwise.h"
#include "harness/sweeps/subject.h"
#include "hwy/targets.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant_kernels.h"
#include "optimized/float16.h"
#include "optimized/requantize.h"

namespace qconform::harness {
namespace {

class BuiltinSubject : public SweepSubject {
 public:
  explicit BuiltinSubject(int64_t target)
      : target_(target), add_(target), quantize_and_dequantize_(target) {
    const ScopedTarget scope(target);
    requantize_ = optimized::ChooseRequantize();
    float16_ = &optimized::ChooseFloat16Kernels();
    grouped_ = &optimized::ChooseGroupedMatmulKernels();
  }

  std::string Target() const override { return hwy::TargetName(target_); }

  Variants<AddFunction> Add(const AddSetting& setting) override {
    return add_.Variants(setting);
  }

  Variants<NarrowRequantizeFunction> Requantize(
      const RequantizeSetting& s) override {
    // A row with a value beside a tie is computed again in another way, so rows
    // are as short as lets each way show; the second leave a rest of a vector.
    std::vector<Variant<NarrowRequantizeFunction>> variants;
    for (const auto& [name, columns, scales_are_equal] :
         {std::tuple("rows of 64", size_t{64}, true),
          std::tuple("rows of 72", size_t{72}, false)}) {
      variants.push_back(
          {name, [row = Row(s), requantize = requantize_, columns = columns,
                  scales_are_equal = scales_are_equal](
                     const int32_t* sums, size_t count, uint8_t* output) {
             optimized::RequantizeTile tile = row.Tile(columns, output);
             tile.b_scales_are_equal = scales_are_equal;
             tile.row_count = count / columns;
             tile.sum_stride = columns;
             tile.output.row_stride = columns;
             tile.narrow = sums;
             if (tile.row_count != 0) requantize(tile);
             const size_t rest = count % columns;
             tile = row.Tile(rest, output + (count - rest));
             tile.narrow = sums + (count - rest);
             if (rest != 0) requantize(tile);
             return absl::OkStatus();
           }});
    }
    return variants;
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
      const QuantizeAndDequantizeSetting& setting) override {
    return quantize_and_dequantize_.Variants(setting);
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
          is_signed(s.output_type == spec::DataType::kInt8) {}

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
  BuiltinAdd add_;
  BuiltinQuantizeAndDequantize quantize_and_dequantize_;
  optimized::RequantizeFunction* requantize_;
  const optimized::Float16Kernels* float16_;
  const optimized::GroupedMatmulKernels* grouped_;
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

}  // namespace qconform::harness
