#include "harness/candidates/mutants/dml_faults.h"

#include <cmath>

#include "spec/validate.h"

namespace qconform::harness::mutants {

std::vector<FaultText> WithDmlFaults(const std::vector<FaultText>& own) {
  std::vector<FaultText> faults = {
      {"half-away", "rounds halves away from zero"},
      {"half-up", "rounds halves upwards"},
      {"truncate", "drops the fraction"},
      {"zero-point-before-rounding", "rounds quotient plus zero point"},
      {"clamp-before-zero-point", "clamps, then adds the zero point"},
      {"wrap", "keeps the low byte instead of clamping"},
      {"symmetric-clamp", "clamps int8 at -127"},
      {"converts-to-int32", "a quotient beyond int32 becomes its minimum"},
      {"double-rounding", "rounds the exact quotient to float first"},
      {"reciprocal", "multiplies by the float reciprocal of OutputScale"},
      {"output-zero-point-ignored", "takes OutputZeroPoint as 0"},
      {"output-zero-point-subtracted", "subtracts OutputZeroPoint"},
      {"a-zero-point-added", "adds AZeroPoint instead of subtracting"},
      {"a-zero-point-ignored", "takes AZeroPoint as 0"},
      {"b-zero-point-ignored", "takes BZeroPoint as 0"},
      {"b-read-with-the-type-of-a", "reads BTensor in ATensor's signedness"},
      {"scale-magnitude", "ignores the sign of negative scales"},
      {"flush-subnormal-scale", "takes subnormal scales as 0"},
      {"strides-ignored", "reads ATensor as if packed"},
      {"output-padding-written", "clears the padding of OutputTensor"},
      {"accepts-zero-scale", "accepts a scale of 0 and writes zero points"},
  };
  faults.insert(faults.end(), own.begin(), own.end());
  return faults;
}

QuantizeFaults QuantizeFaultsOf(int fault) {
  QuantizeFaults faults;
  faults.rounding = fault == kHalfAway   ? Rounding::kHalfAway
                    : fault == kHalfUp   ? Rounding::kHalfUp
                    : fault == kTruncate ? Rounding::kTruncate
                                         : Rounding::kHalfEven;
  faults.zero_point_before_rounding = fault == kZeroPointBeforeRounding;
  faults.clamp_before_zero_point = fault == kClampBeforeZeroPoint;
  faults.wrap = fault == kWrap;
  faults.symmetric_clamp = fault == kSymmetricClamp;
  faults.converts_to_int32 = fault == kConvertsToInt32;
  faults.through_float = fault == kDoubleRounding;
  faults.reciprocal = fault == kReciprocal;
  faults.zero_point_ignored = fault == kOutputZeroPointIgnored;
  faults.zero_point_subtracted = fault == kOutputZeroPointSubtracted;
  return faults;
}

mpq_class ReadScale(const spec::Tensor& tensor, int64_t offset, int fault) {
  double value = ReadReal(tensor, offset);
  if (fault == kScaleMagnitude) value = std::abs(value);
  if (fault == kFlushSubnormalScale && std::abs(value) < 0x1p-126) value = 0;
  return mpq_class(value);
}

int64_t ReadBeyond(const spec::Tensor& tensor, int64_t offset) {
  return offset < static_cast<int64_t>(tensor.storage.size())
             ? ReadInteger(tensor, offset)
             : 0;
}

bool AcceptsZeroScale(const spec::Arguments& arguments, int fault) {
  if (fault != kAcceptsZeroScale) return false;
  // Valid once the zeros are replaced: they were the only fault.
  spec::Arguments repaired = arguments;
  for (const char* name :
       {"AScaleTensor", "BScaleTensor", "OutputScaleTensor"}) {
    const auto found = repaired.inputs.find(name);
    if (found == repaired.inputs.end() ||
        found->second.desc.type != spec::DataType::kFloat32) {
      return false;
    }
    spec::Tensor& scale = found->second;
    const auto count = static_cast<int64_t>(scale.storage.size() / 4);
    for (int64_t i = 0; i < count; ++i) {
      if (ReadReal(scale, i) == 0) WriteReal(scale, i, 1);
    }
  }
  return spec::Validate(repaired).ok();
}

}  // namespace qconform::harness::mutants
