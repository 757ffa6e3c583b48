// The faults that both operators of DirectML have: of their quantize function,
// of zero points, of scales and of strides. Each model adds its own.

#ifndef QCONFORM_HARNESS_CANDIDATES_MUTANTS_DML_FAULTS_H_
#define QCONFORM_HARNESS_CANDIDATES_MUTANTS_DML_FAULTS_H_

#include <gmpxx.h>

#include <cstdint>
#include <vector>

#include "harness/candidates/mutants/models.h"
#include "harness/candidates/mutants/requantize.h"
#include "spec/arguments.h"

namespace qconform::harness::mutants {

enum DmlFault {
  kNone,
  kHalfAway,
  kHalfUp,
  kTruncate,
  kZeroPointBeforeRounding,
  kClampBeforeZeroPoint,
  kWrap,
  kSymmetricClamp,
  kConvertsToInt32,
  kDoubleRounding,
  kReciprocal,
  kOutputZeroPointIgnored,
  kOutputZeroPointSubtracted,
  kAZeroPointAdded,
  kAZeroPointIgnored,
  kBZeroPointIgnored,
  kBReadWithTheTypeOfA,
  kScaleMagnitude,
  kFlushSubnormalScale,
  kStridesIgnored,
  kOutputPaddingWritten,
  kAcceptsZeroScale,
  kDmlFaultEnd,  // where a model's own begin
};

// These in the order of the enumeration, then a model's own.
std::vector<FaultText> WithDmlFaults(const std::vector<FaultText>& own);

// None for other faults.
QuantizeFaults QuantizeFaultsOf(int fault);

// A scale as an implementation with this fault takes it.
mpq_class ReadScale(const spec::Tensor& tensor, int64_t offset, int fault);

// An implementation that reads too far finds 0 behind the last element.
int64_t ReadBeyond(const spec::Tensor& tensor, int64_t offset);

// Model::accepts of both.
bool AcceptsZeroScale(const spec::Arguments& arguments, int fault);

}  // namespace qconform::harness::mutants

#endif  // QCONFORM_HARNESS_CANDIDATES_MUTANTS_DML_FAULTS_H_
