// Scalar model of aclnnQuantGroupedMatmulDequant with its faults.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "harness/candidates/mutants/models.h"
#include "harness/candidates/mutants/padded_tensor.h"
#include "harness/candidates/mutants/scalar_math.h"
#include "spec/validate.h"

namespace qconform::harness::mutants {
namespace {

using spec::Arguments;
using spec::Tensor;

enum GroupedFault {
  kNone,
  kHalfAway,
  kHalfUp,
  kTruncate,
  kSymmetricClamp,
  kWrap,
  kDivideBy128,
  kEpsilonInScale,
  kFloatScale,
  kReciprocalScale,
  kFloat16Product,
  kMaximumWithoutAbs,
  kMaximumOfTensor,
  kSmoothDivided,
  kSmoothIgnored,
  kSmoothAfterScale,
  kZeroRowIsNan,
  kNanToZero,
  kInfinityAsLargest,
  kNanPoisonsAll,
  kOutputThroughFloat,
  kOutputFloat16BeforeScale,
  kOutputSaturates,
  kOutputFlushed,
  kAccumulatesInInt16,
  kProductsSaturateInInt16,
  kBoundaryOffByOne,
  kCountsForEnds,
  kFirstEndIgnored,
  kEmptyGroupSkipsWeight,
  kRowsBeyondWritten,
  kStaticScaleFromGroupStart,
  kStaticScaleOfFirstRow,
  kStaticScaleIgnored,
  kWeightScaleOfFirstGroup,
  kWeightScaleOfFirstColumn,
  kWeightOfFirstGroup,
  kWeightTransposed,
  kPaddingRead,
  kGroupStrideWithoutPadding,
  kLastColumnDropped,
  kLastBlockDropped,
  kStridesIgnored,
  kAcceptsInfiniteScale,
  kAcceptsDecreasingGroups,
};

std::vector<FaultText> Faults() {
  return {
      {"half-away", "quantizes x rounding halves away from zero"},
      {"half-up", "quantizes x rounding halves upwards"},
      {"truncate", "quantizes x dropping the fraction"},
      {"symmetric-clamp", "clamps quantized x at -127"},
      {"wrap", "keeps the low byte of quantized x"},
      {"divide-by-128", "divides the row maximum by 128"},
      {"epsilon-in-scale", "adds an epsilon to the scale of x"},
      {"float-scale", "rounds the scale of x to float"},
      {"reciprocal-scale", "multiplies by a float reciprocal of the scale"},
      {"float16-product", "rounds x times smooth to float16"},
      {"maximum-without-abs", "takes the row maximum of x, not of abs(x)"},
      {"maximum-of-tensor", "one maximum for all rows"},
      {"smooth-divided", "divides by smooth"},
      {"smooth-ignored", "ignores smoothScaleOptional"},
      {"smooth-after-scale", "measures the scale before smoothing"},
      {"zero-row-is-nan", "divides a zero row by its zero scale"},
      {"nan-to-zero", "turns NaN into 0"},
      {"infinity-as-largest", "takes infinity as the largest float16"},
      {"nan-poisons-all", "a NaN in one row makes every row NaN"},
      {"output-through-float", "rounds the output to float first"},
      {"output-float16-before-scale",
       "rounds to float16 before the scale of x is applied"},
      {"output-saturates", "65504 instead of infinity"},
      {"output-flushed", "0 for subnormal outputs"},
      {"accumulates-in-int16", "lets the sum wrap at 16 bits"},
      {"products-saturate-in-int16",
       "adds pairs of products in a saturating 16-bit lane"},
      {"boundary-off-by-one",
       "gives the first row of a group to the one before"},
      {"counts-for-ends", "reads groupList as rows per group"},
      {"first-end-ignored", "starts the second group at row 0"},
      {"empty-group-skips-weight", "counts weights without the empty groups"},
      {"rows-beyond-written", "writes 0 to rows of no group"},
      {"static-scale-from-group-start",
       "indexes xScaleOptional from the start of the group"},
      {"static-scale-of-first-row", "one xScaleOptional for all rows"},
      {"static-scale-ignored", "quantizes dynamically whatever is given"},
      {"weight-scale-of-first-group", "weightScale of group 0 for all"},
      {"weight-scale-of-first-column", "one weightScale for all columns"},
      {"weight-of-first-group", "weight of group 0 for all"},
      {"weight-transposed", "reads weight with n and k exchanged"},
      {"padding-read", "multiplies with the padding of FRACTAL_NZ"},
      {"group-stride-without-padding",
       "steps from group to group by n * k in FRACTAL_NZ"},
      {"last-column-dropped", "does not write the last column"},
      {"last-block-dropped", "leaves out the last 16 of k"},
      {"strides-ignored", "reads x as if packed"},
      {"accepts-infinite-scale", "accepts an infinite weightScale"},
      {"accepts-decreasing-groups", "accepts a decreasing groupList"},
  };
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class Grouped {
 public:
  Grouped(const Arguments& arguments, int fault)
      : arguments_(arguments),
        fault_(fault),
        x_(arguments.inputs.at("x")),
        weight_(arguments.inputs.at("weight")),
        weight_scale_(arguments.inputs.at("weightScale")),
        group_list_(arguments.inputs.at("groupList")),
        x_scale_(FindInput(arguments, "xScaleOptional")),
        smooth_(FindInput(arguments, "smoothScaleOptional")),
        per_token_(StringAttribute(arguments, "xQuantMode") == "pertoken"),
        transposed_(BoolAttribute(arguments, "transposeWeight")) {
    if (fault == kStaticScaleIgnored) x_scale_ = nullptr;
    if (fault == kSmoothIgnored) smooth_ = nullptr;
    if (IsEmptyCall(arguments)) return;
    rows_ = x_.desc.sizes[0];
    depth_ = x_.desc.sizes[1];
    columns_ = arguments.outputs.at("out").sizes[1];
  }

  void Run(OutputStorage& outputs) const {
    OutputTensor output(arguments_, "out", outputs);
    if (IsEmptyCall(arguments_)) return;
    Tensor& out = output.tensor;
    int64_t start = 0, weight_group = 0;
    bool poisoned = false;
    for (int64_t group = 0; group < group_list_.desc.sizes[0]; ++group) {
      int64_t end = At(group_list_, {group}).integer;
      if (fault_ == kCountsForEnds) end += start;
      if (fault_ == kFirstEndIgnored && group == 1) start = 0;
      int64_t last = end;
      if (fault_ == kBoundaryOffByOne && end < rows_ && end > start) ++last;
      for (int64_t row = start; row < std::min(last, rows_); ++row) {
        std::vector<double> values =
            Row(row, row - start,
                fault_ == kEmptyGroupSkipsWeight ? weight_group : group);
        if (fault_ == kNanPoisonsAll && std::isnan(values[0])) poisoned = true;
        if (poisoned) values.assign(values.size(), kNan);
        WriteRow(out, row, values);
      }
      if (end > start) ++weight_group;
      start = fault_ == kAcceptsDecreasingGroups ? end : std::max(start, end);
    }
    if (fault_ == kRowsBeyondWritten) {
      for (int64_t row = start; row < rows_; ++row) {
        WriteRow(out, row,
                 std::vector<double>(static_cast<size_t>(columns_), 0));
      }
    }
  }

 private:
  struct Value {
    int64_t integer = 0;
    double real = 0;
  };

  static Value At(const Tensor& tensor, const std::vector<int64_t>& index) {
    const std::vector<int64_t> strides = EffectiveStrides(tensor.desc);
    int64_t offset = 0;
    for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    Value value;
    if (IsFloat(tensor.desc.type)) {
      value.real = ReadReal(tensor, offset);
    } else {
      value.integer = ReadInteger(tensor, offset);
    }
    return value;
  }

  void WriteRow(Tensor& out, int64_t row,
                const std::vector<double>& values) const {
    for (int64_t n = 0; n < columns_; ++n) {
      if (fault_ == kLastColumnDropped && n == columns_ - 1) continue;
      WriteReal(out, row * columns_ + n, values[static_cast<size_t>(n)]);
    }
  }

  // A kernel that ignores strides may come past the end; it finds 0 there.
  double ReadPacked(int64_t offset) const {
    return static_cast<size_t>(offset) * spec::ByteSize(x_.desc.type) <
                   x_.storage.size()
               ? ReadReal(x_, offset)
               : 0;
  }

  // x times smooth; NaN and infinities as they are, all else exact in double.
  double Product(int64_t row, int64_t k) const {
    double x = fault_ == kStridesIgnored ? ReadPacked(row * depth_ + k)
                                         : At(x_, {row, k}).real;
    if (fault_ == kInfinityAsLargest && std::isinf(x)) {
      x = std::copysign(65504.0, x);
    }
    double product = x;
    if (smooth_ != nullptr) {
      const double smooth = At(*smooth_, {k}).real;
      product = fault_ == kSmoothDivided ? x / smooth : x * smooth;
    }
    if (fault_ == kNanToZero && std::isnan(product)) product = 0;
    if (fault_ == kFloat16Product && std::isfinite(product)) {
      product = ToFloat16(mpq_class(product));
    }
    return product;
  }

  double RowMaximum(int64_t row) const {
    double largest = 0;
    for (int64_t k = 0; k < depth_; ++k) {
      double value =
          fault_ == kSmoothAfterScale ? At(x_, {row, k}).real : Product(row, k);
      if (fault_ != kMaximumWithoutAbs) value = std::abs(value);
      if (std::isnan(value) || std::isnan(largest)) {
        largest = kNan;
      } else {
        largest = std::max(largest, value);
      }
    }
    return largest;
  }

  double Largest(int64_t row) const {
    if (fault_ != kMaximumOfTensor) return RowMaximum(row);
    double largest = 0;
    for (int64_t i = 0; i < rows_; ++i) {
      const double value = RowMaximum(i);
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    return std::isfinite(RowMaximum(row)) ? largest : RowMaximum(row);
  }

  std::vector<double> Row(int64_t row, int64_t row_in_group,
                          int64_t group) const {
    std::vector<double> all_nan(static_cast<size_t>(columns_), kNan);
    mpq_class scale;
    if (x_scale_ == nullptr) {
      const double largest = Largest(row);
      if (!std::isfinite(largest)) return all_nan;
      scale = mpq_class(largest) / (fault_ == kDivideBy128 ? 128 : 127);
      if (fault_ == kEpsilonInScale) scale += mpq_class(0x1p-20);
      if (fault_ == kFloatScale) scale = ThroughFloat(scale);
    } else {
      const int64_t index = !per_token_ || fault_ == kStaticScaleOfFirstRow ? 0
                            : fault_ == kStaticScaleFromGroupStart
                                ? row_in_group
                                : row;
      scale = mpq_class(At(*x_scale_, {index}).real);
    }
    if (scale == 0 && fault_ == kZeroRowIsNan) return all_nan;
    std::vector<int64_t> quantized;
    for (int64_t k = 0; k < depth_; ++k) {
      const double p = Product(row, k);
      if (std::isnan(p)) return all_nan;
      quantized.push_back(Quantize(p, scale));
    }
    return Dequantize(quantized, group, scale);
  }

  int64_t Quantize(double p, const mpq_class& scale) const {
    const int64_t lowest = fault_ == kSymmetricClamp ? -127 : -128;
    if (scale == 0) return 0;
    if (std::isinf(p)) {
      return (p > 0) == (sgn(scale) > 0) ? 127 : lowest;
    }
    mpq_class quotient = mpq_class(p) / scale;
    if (fault_ == kReciprocalScale) {
      quotient = ThroughFloat(mpq_class(p) * ThroughFloat(1 / scale));
    }
    const Rounding rounding = fault_ == kHalfAway   ? Rounding::kHalfAway
                              : fault_ == kHalfUp   ? Rounding::kHalfUp
                              : fault_ == kTruncate ? Rounding::kTruncate
                                                    : Rounding::kHalfEven;
    const int64_t rounded = Round(quotient, rounding);
    return fault_ == kWrap ? WrapToByte(rounded, true)
                           : std::clamp<int64_t>(rounded, lowest, 127);
  }

  int64_t WeightOffset(int64_t group, int64_t n, int64_t k) const {
    if (fault_ == kWeightOfFirstGroup) group = 0;
    int64_t inner = k, inner_size = depth_, outer = n, outer_size = columns_;
    if (transposed_ == (fault_ == kWeightTransposed)) {
      std::swap(inner, outer);
      std::swap(inner_size, outer_size);
    }
    if (weight_.desc.format == spec::TensorFormat::kNd) {
      return (group * outer_size + outer) * inner_size + inner;
    }
    // Blocks of 16 outer by 32 inner; the inner dimension is padded.
    const int64_t inner_blocks = (inner_size + 31) / 32;
    const int64_t outer_blocks = (outer_size + 15) / 16;
    const int64_t group_stride = fault_ == kGroupStrideWithoutPadding
                                     ? depth_ * columns_
                                     : inner_blocks * outer_blocks * 512;
    return group * group_stride +
           ((inner / 32 * outer_blocks + outer / 16) * 16 + outer % 16) * 32 +
           inner % 32;
  }

  int64_t Weight(int64_t group, int64_t n, int64_t k) const {
    const int64_t offset = WeightOffset(group, n, k);
    return offset < static_cast<int64_t>(weight_.storage.size())
               ? ReadInteger(weight_, offset)
               : 0;
  }

  std::vector<double> Dequantize(const std::vector<int64_t>& quantized,
                                 int64_t group, const mpq_class& scale) const {
    int64_t depth = depth_;
    if (fault_ == kLastBlockDropped && depth > 16) depth -= 16;
    if (fault_ == kPaddingRead && transposed_ &&
        weight_.desc.format == spec::TensorFormat::kFractalNz) {
      depth = (depth + 31) / 32 * 32;
    }
    std::vector<double> values;
    for (int64_t n = 0; n < columns_; ++n) {
      int64_t sum = 0, pair = 0;
      for (int64_t k = 0; k < depth; ++k) {
        // Behind the end of a row a kernel finds what stands there: 1s.
        const int64_t q = k < depth_ ? quantized[static_cast<size_t>(k)] : 1;
        const int64_t product = q * Weight(group, n, k);
        if (fault_ == kProductsSaturateInInt16) {
          pair += product;
          if (k % 2 == 1) {
            sum += SaturateTo(pair, 16);
            pair = 0;
          }
        } else {
          sum += product;
        }
      }
      if (fault_ == kAccumulatesInInt16) sum = WrapTo(sum, 16);
      const double weight_scale =
          At(weight_scale_, {fault_ == kWeightScaleOfFirstGroup ? 0 : group,
                             fault_ == kWeightScaleOfFirstColumn ? 0 : n})
              .real;
      // Only kAcceptsInfiniteScale lets such a scale come here.
      values.push_back(std::isfinite(weight_scale)
                           ? Output(mpq_class(static_cast<long>(sum)) *
                                        mpq_class(weight_scale),
                                    scale)
                           : kNan);
    }
    return values;
  }

  double Output(mpq_class weighted, const mpq_class& scale) const {
    if (fault_ == kOutputFloat16BeforeScale) {
      const double rounded = ToFloat16(weighted);
      if (std::isinf(rounded)) return std::copysign(rounded, sgn(scale));
      weighted = mpq_class(rounded);
    }
    mpq_class value = weighted * scale;
    if (fault_ == kOutputThroughFloat) value = ThroughFloat(value);
    double result = ToFloat16(value);
    if (fault_ == kOutputSaturates && std::isinf(result)) {
      result = std::copysign(65504.0, result);
    }
    if (fault_ == kOutputFlushed && std::abs(result) < 0x1p-14) result = 0;
    return result;
  }

  const Arguments& arguments_;
  int fault_;
  const Tensor& x_;
  const Tensor& weight_;
  const Tensor& weight_scale_;
  const Tensor& group_list_;
  const Tensor* x_scale_;
  const Tensor* smooth_;
  bool per_token_;
  bool transposed_;
  int64_t rows_ = 0, depth_ = 0, columns_ = 0;
};

void Run(const Arguments& arguments, int fault, OutputStorage& outputs) {
  Grouped(arguments, fault).Run(outputs);
}

bool Accepts(const Arguments& arguments, int fault) {
  Arguments repaired = arguments;
  if (fault == kAcceptsInfiniteScale) {
    const auto found = repaired.inputs.find("weightScale");
    if (found == repaired.inputs.end() ||
        found->second.desc.type != spec::DataType::kFloat32) {
      return false;
    }
    bool infinite = false;
    const auto count =
        static_cast<int64_t>(found->second.storage.size() / sizeof(float));
    for (int64_t i = 0; i < count; ++i) {
      if (!std::isinf(ReadReal(found->second, i))) continue;
      WriteReal(found->second, i, 1);
      infinite = true;
    }
    return infinite && spec::Validate(repaired).ok();
  }
  if (fault == kAcceptsDecreasingGroups) {
    const auto found = repaired.inputs.find("groupList");
    if (found == repaired.inputs.end() ||
        found->second.desc.type != spec::DataType::kInt64) {
      return false;
    }
    // Valid once the ends are sorted: only their order was wrong.
    std::vector<int64_t> ends;
    const auto count =
        static_cast<int64_t>(found->second.storage.size() / sizeof(int64_t));
    for (int64_t i = 0; i < count; ++i) {
      ends.push_back(ReadInteger(found->second, i));
    }
    std::sort(ends.begin(), ends.end());
    for (int64_t i = 0; i < count; ++i) {
      WriteInteger(found->second, i, ends[static_cast<size_t>(i)]);
    }
    return spec::Validate(repaired).ok();
  }
  return false;
}

}  // namespace

Model GroupedMatMulModel() {
  return {"aclnn_quant_grouped_matmul_dequant", Faults(), Run, Accepts};
}

}  // namespace qconform::harness::mutants
