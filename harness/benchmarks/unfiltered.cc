// What exactness costs: our kernels once more with that part compiled out which
// decides what float leaves open. Their outputs may be wrong.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "harness/benchmarks/clock.h"
#include "harness/benchmarks/implementation.h"
#include "hwy/aligned_allocator.h"
#include "optimized/dml_element_wise_quantized_linear_add_digits.h"
#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"
#include "optimized/integer_gemm.h"
#include "optimized/requantize.h"
#include "optimized/tf_quantize_and_dequantize_v2_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "harness/benchmarks/unfiltered.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "optimized/requantize-inl.h"
#include "optimized/tf_quantize_and_dequantize_v2_float-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qconform::optimized {
namespace HWY_NAMESPACE {

RequantizeFunction* UnfilteredRequantize() { return &Requantize<false>; }

void UnfilteredQuantizeAndDequantize(
    const quantize_and_dequantize::Parameters& p, const float* input,
    size_t count, float* output) {
#if HWY_NATIVE_FMA
  using quantize_and_dequantize::HWY_NAMESPACE::RoundFloatProduct;
  quantize_and_dequantize::HWY_NAMESPACE::FloatLoop<RoundFloatProduct, false>(
      p, input, count, output);
#else
  quantize_and_dequantize::DispatchKernels()
      .run[static_cast<size_t>(quantize_and_dequantize::Kernel::kTensorFlow)](
          p, input, count, output);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace qconform::optimized
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace qconform::optimized {
namespace {

HWY_EXPORT(UnfilteredRequantize);
HWY_EXPORT(UnfilteredQuantizeAndDequantize);

RequantizeFunction* ChooseUnfilteredRequantize() {
  return HWY_DYNAMIC_DISPATCH(UnfilteredRequantize)();
}
void RunUnfiltered(const quantize_and_dequantize::Parameters& p,
                   const float* input, size_t count, float* output) {
  HWY_DYNAMIC_DISPATCH(UnfilteredQuantizeAndDequantize)
  (p, input, count, output);
}

}  // namespace
}  // namespace qconform::optimized

namespace qconform::harness {
namespace {

using spec::DataType;

class Unfiltered : public Implementation {
 public:
  explicit Unfiltered(const Problem& problem)
      : problem_(problem),
        output_(ByteSize(problem.arguments.outputs.begin()->second.type) *
                static_cast<size_t>(
                    *ElementCount(problem.arguments.outputs.begin()->second))) {
  }

  double Run(int iterations) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) Once();
    return NanosecondsSince(start);
  }
  std::vector<std::byte> Output() override { return output_; }

 protected:
  virtual void Once() = 0;

  template <typename T>
  const T* Data(const std::string& name) const {
    return reinterpret_cast<const T*>(
        problem_.arguments.inputs.at(name).storage.data());
  }
  float Real(const std::string& name) const {
    return static_cast<float>(ReadReal(problem_.arguments.inputs.at(name), 0));
  }
  int32_t Integer(const std::string& name) const {
    return static_cast<int32_t>(
        ReadInteger(problem_.arguments.inputs.at(name), 0));
  }
  bool IsSigned(const std::string& name) const {
    return problem_.arguments.inputs.at(name).desc.type == DataType::kInt8;
  }

  const Problem& problem_;
  std::vector<std::byte> output_;
};

// The parts of the matrix multiply with either requantization.
class MatMulParts final : public Unfiltered, public optimized::SumEpilogue {
 public:
  MatMulParts(const Problem& problem, optimized::RequantizeFunction* requantize)
      : Unfiltered(problem),
        m_(Size("ATensor", 0)),
        k_(Size("ATensor", 1)),
        n_(Size("BTensor", 1)),
        requantize_(requantize),
        gemm_(k_, n_),
        packed_(hwy::AllocateAligned<std::byte>(gemm_.PackedBytes())),
        workspace_(gemm_.WorkspaceBytes(m_)),
        a_zero_point_(Integer("AZeroPointTensor")),
        b_zero_points_(gemm_.PaddedColumns()),
        b_scales_(gemm_.PaddedColumns(), Real("BScaleTensor")) {
    std::fill_n(b_zero_points_.begin(), n_, Integer("BZeroPointTensor"));
    gemm_.PackB(
        {Data<uint8_t>("BTensor"), IsSigned("BTensor"), {k_, n_}, {n_, 1}}, 0,
        gemm_.PanelCount(), optimized::IntegerGemm::Packing::kOnce,
        packed_.get());
    row_ = optimized::MakeRequantizeRow(
        Real("AScaleTensor"), Real("OutputScaleTensor"),
        Integer("OutputZeroPointTensor"),
        optimized::SummarizeColumnScales(b_scales_.data(), n_));
  }

  void Consume(const optimized::SumTile& sums) override {
    optimized::RequantizeTile tile;
    tile.rows = &row_;
    tile.row_count = sums.rows;
    tile.narrow = sums.narrow;
    tile.sum_stride = sums.row_stride;
    tile.b_scales = b_scales_.data();
    tile.b_scales_are_equal = true;
    tile.columns = sums.columns;
    tile.output.data = output_.data() + sums.first_row * n_ + sums.first_column;
    tile.output.is_signed =
        problem_.arguments.outputs.begin()->second.type == DataType::kInt8;
    tile.output.row_stride = n_;
    requantize_(tile);
  }

 private:
  size_t Size(const std::string& name, size_t axis) const {
    return static_cast<size_t>(
        problem_.arguments.inputs.at(name).desc.sizes[axis]);
  }

  void Once() override {
    optimized::IntegerGemm::Operands operands;
    operands.a = {
        Data<uint8_t>("ATensor"), IsSigned("ATensor"), {m_, k_}, {k_, 1}};
    operands.a_zero_points = &a_zero_point_;
    operands.packed_b = packed_.get();
    operands.b_is_signed = IsSigned("BTensor");
    operands.b_zero_points = b_zero_points_.data();
    gemm_.Multiply(operands, 0, gemm_.PanelCount(), *this, workspace_.data());
  }

  size_t m_, k_, n_;
  optimized::RequantizeFunction* requantize_;
  optimized::IntegerGemm gemm_;
  hwy::AlignedFreeUniquePtr<std::byte[]> packed_;
  std::vector<std::byte> workspace_;
  int32_t a_zero_point_;
  std::vector<int32_t> b_zero_points_;
  std::vector<float> b_scales_;
  optimized::RequantizeRow row_;
};

// The add without a rule for ties: with the digits of the plan if there are
// any, else with a plain product in float.
class UnfilteredAdd final : public Unfiltered {
 public:
  explicit UnfilteredAdd(const Problem& problem)
      : Unfiltered(problem),
        digit_table_(optimized::linear_add::DispatchDigits()),
        table_(optimized::linear_add::DispatchKernels()) {
    using optimized::linear_add::DigitKernel;
    optimized::linear_add::Quantization q;
    q.a_scale = Real("AScaleTensor");
    q.b_scale = Real("BScaleTensor");
    q.output_scale = Real("OutputScaleTensor");
    q.a_zero_point = Integer("AZeroPointTensor");
    q.b_zero_point = Integer("BZeroPointTensor");
    q.output_zero_point = Integer("OutputZeroPointTensor");
    q.a_is_signed = IsSigned("ATensor");
    q.b_is_signed = IsSigned("BTensor");
    q.output_is_signed =
        problem.arguments.outputs.begin()->second.type == DataType::kInt8;
    parameters_ = optimized::linear_add::ChooseParameters(q);
    digits_ = optimized::linear_add::SearchDigits(
        parameters_, digit_table_,
        table_.rows[static_cast<size_t>(parameters_.kernel)],
        /*tries_pairs=*/true);
    if (!digits_.has_value()) return;
    DigitKernel& kernel = digits_->kernel;
    const bool four =
        kernel == DigitKernel::kFour || kernel == DigitKernel::kFourTies;
    kernel = four ? DigitKernel::kFour : DigitKernel::kThree;
  }

 private:
  void Once() override {
    const uint8_t* a = Data<uint8_t>("ATensor");
    const uint8_t* b = Data<uint8_t>("BTensor");
    auto* output = reinterpret_cast<uint8_t*>(output_.data());
    if (digits_.has_value()) {
      digit_table_.rows[static_cast<size_t>(digits_->kernel)](
          *digits_, a, b, output_.size(), output);
    } else {
      table_.rows[static_cast<size_t>(optimized::linear_add::Kernel::kProduct)](
          parameters_, a, b, output_.size(), output);
    }
  }

  const optimized::linear_add::DigitTable& digit_table_;
  const optimized::linear_add::KernelTable& table_;
  optimized::linear_add::Parameters parameters_;
  std::optional<optimized::linear_add::Digits> digits_;
};

class UnfilteredQuantizeAndDequantize final : public Unfiltered {
 public:
  explicit UnfilteredQuantizeAndDequantize(const Problem& problem)
      : Unfiltered(problem) {
    parameters_ = optimized::quantize_and_dequantize::ChooseParameters(
        {}, {Real("input_min"), Real("input_max"), true}, true);
  }

 private:
  void Once() override {
    optimized::RunUnfiltered(parameters_, Data<float>("input"),
                             output_.size() / sizeof(float),
                             reinterpret_cast<float*>(output_.data()));
  }

  optimized::quantize_and_dequantize::Parameters parameters_;
};

}  // namespace

ImplementationOr MakeMatMulParts(const Problem& problem, bool filters) {
  if (problem.arguments.operator_name !=
          "dml_quantized_linear_matrix_multiply" ||
      !problem.constant_weight || problem.threads != 1) {
    return absl::UnimplementedError("constant weights and one thread only");
  }
  return std::make_unique<MatMulParts>(
      problem, filters ? optimized::ChooseRequantize()
                       : optimized::ChooseUnfilteredRequantize());
}

ImplementationOr MakeUnfiltered(const Problem& problem) {
  const std::string& name = problem.arguments.operator_name;
  // Larger ones stream, which these kernels leave to their plans.
  constexpr double kMaxElements = 1 << 20;
  if (problem.unit == "elements/ns" && problem.work > kMaxElements) {
    return absl::UnimplementedError("as many elements as caches hold only");
  }
  if (name == "dml_element_wise_quantized_linear_add") {
    return std::make_unique<UnfilteredAdd>(problem);
  }
  if (name == "tf_quantize_and_dequantize_v2") {
    return std::make_unique<UnfilteredQuantizeAndDequantize>(problem);
  }
  return MakeMatMulParts(problem, false);
}

}  // namespace qconform::harness

#endif  // HWY_ONCE
