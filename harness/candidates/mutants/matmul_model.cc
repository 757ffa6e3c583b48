// Scalar model of DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY with its faults.

#include <algorithm>

#include "harness/candidates/mutants/dml_faults.h"
#include "harness/candidates/mutants/models.h"
#include "harness/candidates/mutants/padded_tensor.h"
#include "harness/candidates/mutants/scalar_math.h"

namespace qconform::harness::mutants {
namespace {

using spec::Arguments;
using spec::DataType;
using spec::Tensor;

enum MatMulFault {
  kFloatRequantization = kDmlFaultEnd,
  kFloatAccumulation,
  kInt32Wrap,
  kInt16ProductsSaturate,
  kInt16ProductsWrap,
  kFixedPointMultiplier,
  kBScalePerRow,
  kBZeroPointOfFirstColumn,
  kAScaleOfNextRow,
  kAZeroPointOfFirstRow,
  kOutputScaleOfFirstRow,
  kLastColumnDropped,
  kLastDepthDropped,
  kDepthTailReadsOn,
  kFirstBatchOfB,
  kChannelsIgnored,
};

std::vector<FaultText> Faults() {
  return WithDmlFaults({
      {"float-requantization",
       "multiplies the sum by one float multiplier, in float"},
      {"float-accumulation", "sums the products in float"},
      {"int32-wrap", "lets the sum wrap at 32 bits"},
      {"int16-products-saturate",
       "adds pairs of products in a saturating 16-bit lane"},
      {"int16-products-wrap",
       "adds pairs of products in a wrapping 16-bit lane"},
      {"fixed-point-multiplier",
       "a 31-bit integer multiplier with a rounding shift, halves upwards"},
      {"b-scale-per-row", "takes BScale of the row instead of the column"},
      {"b-zero-point-of-first-column", "one BZeroPoint for all columns"},
      {"a-scale-of-next-row", "takes AScale one row further"},
      {"a-zero-point-of-first-row", "one AZeroPoint for all rows"},
      {"output-scale-of-first-row", "one OutputScale for all rows"},
      {"last-column-dropped", "does not write the last column of an odd N"},
      {"last-depth-dropped", "leaves out the last k of an odd K"},
      {"depth-tail-reads-on",
       "rounds K up to a multiple of four and reads what follows in "
       "storage"},
      {"first-batch-of-b", "uses the first batch of BTensor for all"},
      {"channels-ignored", "uses channel 0 of ATensor for all"},
  });
}

struct Parameter {
  Parameter(const Arguments& arguments, const std::string& name)
      : tensor(FindInput(arguments, name)),
        shape(tensor != nullptr ? tensor->desc : spec::TensorDesc{}, 4) {}

  int64_t Integer(int64_t row, int64_t column) const {
    return tensor == nullptr ? 0 : ReadInteger(*tensor, At(row, column));
  }
  int64_t At(int64_t row, int64_t column) const {
    return shape.Offset({0, 0, std::min(row, shape.sizes[2] - 1),
                         std::min(column, shape.sizes[3] - 1)});
  }

  const Tensor* tensor;
  PaddedShape shape;
};

class MatMul {
 public:
  MatMul(const Arguments& arguments, int fault)
      : arguments_(arguments),
        fault_(fault),
        a_(arguments.inputs.at("ATensor")),
        b_(arguments.inputs.at("BTensor")),
        a_shape_(a_.desc, 4),
        b_shape_(b_.desc, 4),
        a_scale_(arguments, "AScaleTensor"),
        a_zero_(arguments, "AZeroPointTensor"),
        b_scale_(arguments, "BScaleTensor"),
        b_zero_(arguments, "BZeroPointTensor"),
        y_scale_(arguments, "OutputScaleTensor"),
        y_zero_(arguments, "OutputZeroPointTensor") {
    if (fault == kStridesIgnored) {
      spec::TensorDesc packed = a_.desc;
      packed.strides.reset();
      a_shape_ = PaddedShape(packed, 4);
    }
  }

  void Run(OutputStorage& outputs) const {
    OutputTensor output(arguments_, "OutputTensor", outputs);
    Tensor& y = output.tensor;
    const PaddedShape shape(y.desc, 4);
    if (fault_ == kOutputPaddingWritten) {
      std::fill(y.storage.begin(), y.storage.end(), std::byte{0});
    }
    std::vector<int64_t> index(4, 0);
    do {
      if (fault_ == kLastColumnDropped && shape.sizes[3] % 2 == 1 &&
          index[3] == shape.sizes[3] - 1) {
        continue;
      }
      WriteInteger(y, shape.Offset(index),
                   Element(index, y.desc.type == DataType::kInt8));
    } while (NextIndex(shape.sizes, index));
  }

 private:
  int64_t A(int64_t batch, int64_t channel, int64_t m, int64_t k) const {
    if (fault_ == kChannelsIgnored) channel = 0;
    return ReadBeyond(
        a_, a_shape_.Offset({batch, channel, m, 0}) + k * a_shape_.strides[3]);
  }

  int64_t B(int64_t batch, int64_t channel, int64_t k, int64_t n) const {
    if (fault_ == kFirstBatchOfB) batch = 0;
    const int64_t value = ReadBeyond(
        b_, b_shape_.Offset({batch, channel, 0, n}) + k * b_shape_.strides[2]);
    return fault_ == kBReadWithTheTypeOfA
               ? WrapToByte(value, a_.desc.type == DataType::kInt8)
               : value;
  }

  int64_t Sum(const std::vector<int64_t>& index) const {
    const int64_t m = index[2], n = index[3];
    int64_t a_zero =
        a_zero_.Integer(fault_ == kAZeroPointOfFirstRow ? 0 : m, 0);
    int64_t b_zero =
        b_zero_.Integer(0, fault_ == kBZeroPointOfFirstColumn ? 0 : n);
    if (fault_ == kAZeroPointAdded) a_zero = -a_zero;
    if (fault_ == kAZeroPointIgnored) a_zero = 0;
    if (fault_ == kBZeroPointIgnored) b_zero = 0;
    int64_t depth = a_shape_.sizes[3];
    if (fault_ == kLastDepthDropped && depth % 2 == 1) --depth;
    if (fault_ == kDepthTailReadsOn) depth = (depth + 3) / 4 * 4;
    const bool pairs =
        fault_ == kInt16ProductsSaturate || fault_ == kInt16ProductsWrap;
    int64_t sum = 0, pair = 0, a_sum = 0, b_sum = 0;
    float float_sum = 0;
    for (int64_t k = 0; k < depth; ++k) {
      const int64_t a = A(index[0], index[1], m, k);
      const int64_t b = B(index[0], index[1], k, n);
      if (pairs) {
        // Raw products, the zero points folded in afterwards.
        pair += a * b;
        a_sum += a;
        b_sum += b;
        if (k % 2 == 1 || k == depth - 1) {
          sum += fault_ == kInt16ProductsWrap ? WrapTo(pair, 16)
                                              : SaturateTo(pair, 16);
          pair = 0;
        }
        continue;
      }
      const int64_t product = (a - a_zero) * (b - b_zero);
      sum += product;
      float_sum += static_cast<float>(product);
    }
    if (pairs) sum += depth * a_zero * b_zero - b_zero * a_sum - a_zero * b_sum;
    if (fault_ == kFloatAccumulation) {
      sum = static_cast<int64_t>(float_sum);
    }
    if (fault_ == kInt32Wrap) sum = WrapTo(sum, 32);
    return sum;
  }

  mpq_class Scale(const Parameter& parameter, int64_t row,
                  int64_t column) const {
    return ReadScale(*parameter.tensor, parameter.At(row, column), fault_);
  }

  int64_t Element(const std::vector<int64_t>& index, bool is_signed) const {
    const int64_t m = index[2], n = index[3];
    const mpq_class a_scale =
        Scale(a_scale_, fault_ == kAScaleOfNextRow ? m + 1 : m, 0);
    const mpq_class b_scale =
        Scale(b_scale_, 0, fault_ == kBScalePerRow ? m : n);
    const mpq_class y_scale =
        Scale(y_scale_, fault_ == kOutputScaleOfFirstRow ? 0 : m, 0);
    const int64_t zero = y_zero_.Integer(m, 0);
    // Dividing by a scale that became 0: the zero point, like a kernel that
    // guards against it.
    if (y_scale == 0) return zero;
    const int64_t sum = Sum(index);
    QuantizeFaults faults = QuantizeFaultsOf(fault_);
    mpq_class numerator = a_scale * b_scale * static_cast<long>(sum);
    mpq_class denominator = y_scale;
    if (fault_ == kFloatRequantization) {
      const mpq_class multiplier = ThroughFloat(a_scale * b_scale / y_scale);
      numerator = ThroughFloat(ThroughFloat(mpq_class(static_cast<long>(sum))) *
                               multiplier);
      denominator = 1;
    }
    if (fault_ == kFixedPointMultiplier) {
      // 31 significant bits of the multiplier, halves upwards.
      mpq_class multiplier = a_scale * b_scale / y_scale;
      mpq_class unit = 1;
      if (multiplier != 0) {
        while (abs(multiplier) / unit >= 0x1p31) unit *= 2;
        while (abs(multiplier) / unit < 0x1p30) unit /= 2;
        multiplier = Round(multiplier / unit, Rounding::kHalfAway) * unit;
      }
      numerator = multiplier * static_cast<long>(sum);
      denominator = 1;
      faults.rounding = Rounding::kHalfUp;
    }
    return Quantize(numerator, denominator, zero, is_signed, faults);
  }

  const Arguments& arguments_;
  int fault_;
  const Tensor& a_;
  const Tensor& b_;
  PaddedShape a_shape_, b_shape_;
  Parameter a_scale_, a_zero_, b_scale_, b_zero_, y_scale_, y_zero_;
};

void Run(const Arguments& arguments, int fault, OutputStorage& outputs) {
  MatMul(arguments, fault).Run(outputs);
}

}  // namespace

Model MatMulModel() {
  return {"dml_quantized_linear_matrix_multiply", Faults(), Run,
          AcceptsZeroScale};
}

}  // namespace qconform::harness::mutants
