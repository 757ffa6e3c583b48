// The four operators, each over a whole output or one element of it. The
// arguments are those of a call that spec::Validate accepted and that is not
// empty; an element must be one of the output's.

#ifndef QCONFORM_REFERENCE_OPERATORS_H_
#define QCONFORM_REFERENCE_OPERATORS_H_

#include <cstdint>
#include <vector>

#include "reference/golden.h"
#include "spec/arguments.h"

namespace qconform::reference {

std::vector<GoldenElement> EvaluateMatrixMultiply(
    const spec::Arguments& arguments, const GoldenRequest& request);
ElementTrace TraceMatrixMultiply(const spec::Arguments& arguments,
                                 int64_t element);

std::vector<GoldenElement> EvaluateAdd(const spec::Arguments& arguments,
                                       const GoldenRequest& request);
ElementTrace TraceAdd(const spec::Arguments& arguments, int64_t element);

std::vector<GoldenElement> EvaluateGroupedMatmulDequant(
    const spec::Arguments& arguments, const GoldenRequest& request);
ElementTrace TraceGroupedMatmulDequant(const spec::Arguments& arguments,
                                       int64_t element);

std::vector<GoldenElement> EvaluateQuantizeAndDequantize(
    const spec::Arguments& arguments, const GoldenRequest& request);
ElementTrace TraceQuantizeAndDequantize(const spec::Arguments& arguments,
                                        int64_t element);

}  // namespace qconform::reference

#endif  // QCONFORM_REFERENCE_OPERATORS_H_
