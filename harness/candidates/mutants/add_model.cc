// Scalar model of DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD with its faults.

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

enum AddFault {
  kFloatArithmetic = kDmlFaultEnd,
  kFusedMultiplyAdd,
  kShortMultipliers,
  kOperandsRoundedFirst,
  kDifferenceWrapsAtByte,
  kAScaleForBoth,
  kBSubtracted,
  kLastElementDropped,
  kTailRepeatsFirst,
  kBroadcastIgnored,
};

std::vector<FaultText> Faults() {
  return WithDmlFaults({
      {"float-arithmetic", "computes every step in float"},
      {"fused-multiply-add",
       "multiplies by float ratios, the second in a fused multiply-add"},
      {"short-multipliers", "turns the ratios into 16-bit integer multipliers"},
      {"operands-rounded-first", "requantizes A and B, then adds"},
      {"difference-wraps-at-byte", "subtracts zero points in the byte type"},
      {"a-scale-for-both", "uses AScale for B too"},
      {"b-subtracted", "subtracts B"},
      {"last-element-dropped", "does not write the last of an odd number"},
      {"tail-repeats-first",
       "computes what is past a multiple of eight from the first "
       "elements"},
      {"broadcast-ignored", "takes stride 0 of BTensor as 1"},
  });
}

class Add {
 public:
  Add(const Arguments& arguments, int fault)
      : arguments_(arguments),
        fault_(fault),
        a_(arguments.inputs.at("ATensor")),
        b_(arguments.inputs.at("BTensor")),
        a_shape_(a_.desc, 8),
        b_shape_(b_.desc, 8),
        a_scale_(Scale("AScaleTensor")),
        b_scale_(Scale("BScaleTensor")),
        y_scale_(Scale("OutputScaleTensor")),
        a_zero_(ZeroPoint("AZeroPointTensor")),
        b_zero_(ZeroPoint("BZeroPointTensor")),
        y_zero_(ZeroPoint("OutputZeroPointTensor")) {
    if (fault == kStridesIgnored) {
      spec::TensorDesc packed = a_.desc;
      packed.strides.reset();
      a_shape_ = PaddedShape(packed, 8);
    }
    if (fault == kBroadcastIgnored) {
      for (size_t i = 0; i < 8; ++i) {
        if (b_shape_.sizes[i] > 1 && b_shape_.strides[i] == 0) {
          b_shape_.strides[i] = 1;
        }
      }
    }
    if (fault == kAZeroPointAdded) a_zero_ = -a_zero_;
    if (fault == kAZeroPointIgnored) a_zero_ = 0;
    if (fault == kBZeroPointIgnored) b_zero_ = 0;
    if (fault == kAScaleForBoth) b_scale_ = a_scale_;
    if (fault == kBSubtracted) b_scale_ = -b_scale_;
  }

  void Run(OutputStorage& outputs) const {
    OutputTensor output(arguments_, "OutputTensor", outputs);
    Tensor& y = output.tensor;
    const PaddedShape shape(y.desc, 8);
    if (fault_ == kOutputPaddingWritten) {
      std::fill(y.storage.begin(), y.storage.end(), std::byte{0});
    }
    const int64_t count = *ElementCount(y.desc);
    std::vector<int64_t> index(8, 0);
    int64_t element = 0;
    do {
      const int64_t here = element++;
      if (fault_ == kLastElementDropped && count % 2 == 1 &&
          here == count - 1) {
        continue;
      }
      std::vector<int64_t> from = index;
      if (fault_ == kTailRepeatsFirst && here >= count / 8 * 8) {
        from.assign(8, 0);
      }
      WriteInteger(y, shape.Offset(index),
                   Element(ReadBeyond(a_, a_shape_.Offset(from)),
                           ReadBeyond(b_, b_shape_.Offset(from)),
                           y.desc.type == DataType::kInt8));
    } while (NextIndex(shape.sizes, index));
  }

 private:
  mpq_class Scale(const std::string& name) const {
    return ReadScale(arguments_.inputs.at(name), 0, fault_);
  }

  int64_t ZeroPoint(const std::string& name) const {
    const Tensor* tensor = FindInput(arguments_, name);
    return tensor == nullptr ? 0 : ReadInteger(*tensor, 0);
  }

  int64_t Element(int64_t a, int64_t b, bool is_signed) const {
    if (y_scale_ == 0) return y_zero_;
    if (fault_ == kBReadWithTheTypeOfA) {
      b = WrapToByte(b, a_.desc.type == DataType::kInt8);
    }
    int64_t a_difference = a - a_zero_, b_difference = b - b_zero_;
    if (fault_ == kDifferenceWrapsAtByte) {
      a_difference = WrapToByte(a_difference, true);
      b_difference = WrapToByte(b_difference, true);
    }
    const mpq_class da(static_cast<long>(a_difference));
    const mpq_class db(static_cast<long>(b_difference));
    mpq_class numerator = da * a_scale_ + db * b_scale_;
    mpq_class denominator = y_scale_;
    switch (fault_) {
      case kFloatArithmetic:
        numerator = ThroughFloat(ThroughFloat(ThroughFloat(da * a_scale_) +
                                              ThroughFloat(db * b_scale_)) /
                                 y_scale_);
        denominator = 1;
        break;
      case kFusedMultiplyAdd:
        numerator =
            ThroughFloat(ThroughFloat(da * ThroughFloat(a_scale_ / y_scale_)) +
                         db * ThroughFloat(b_scale_ / y_scale_));
        denominator = 1;
        break;
      case kShortMultipliers:
        numerator = da * ShortMultiplier(a_scale_ / y_scale_) +
                    db * ShortMultiplier(b_scale_ / y_scale_);
        denominator = 1;
        break;
      case kOperandsRoundedFirst:
        numerator = mpq_class(static_cast<long>(
                        Round(da * a_scale_ / y_scale_, Rounding::kHalfEven))) +
                    mpq_class(static_cast<long>(
                        Round(db * b_scale_ / y_scale_, Rounding::kHalfEven)));
        denominator = 1;
        break;
      default:
        break;
    }
    return Quantize(numerator, denominator, y_zero_, is_signed,
                    QuantizeFaultsOf(fault_));
  }

  // The ratio to 15 bits after the leading one.
  static mpq_class ShortMultiplier(const mpq_class& ratio) {
    if (ratio == 0) return ratio;
    mpq_class unit = 1;
    while (abs(ratio) / unit >= 0x1p16) unit *= 2;
    while (abs(ratio) / unit < 0x1p15) unit /= 2;
    return Round(ratio / unit, Rounding::kHalfEven) * unit;
  }

  const Arguments& arguments_;
  int fault_;
  const Tensor& a_;
  const Tensor& b_;
  PaddedShape a_shape_, b_shape_;
  mpq_class a_scale_, b_scale_, y_scale_;
  int64_t a_zero_, b_zero_, y_zero_;
};

void Run(const Arguments& arguments, int fault, OutputStorage& outputs) {
  Add(arguments, fault).Run(outputs);
}

}  // namespace

Model AddModel() {
  return {"dml_element_wise_quantized_linear_add", Faults(), Run,
          AcceptsZeroScale};
}

}  // namespace qconform::harness::mutants
