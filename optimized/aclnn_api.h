// aclnnQuantGroupedMatmulDequant with the shape of the Ascend CANN interface:
// two phases, an opaque executor, status codes. Names and the order of
// parameters are the document's. What is computed, and for which shapes and
// types: aclnn_quant_grouped_matmul_dequant.h.
//
// Everything lives in host memory: "device" pointers are plain pointers, and
// the second phase has finished when it returns.

#ifndef QCONFORM_OPTIMIZED_ACLNN_API_H_
#define QCONFORM_OPTIMIZED_ACLNN_API_H_

#include <cstdint>

#include "optimized/aclnn_status.h"
#include "optimized/parallel_for.h"
#include "optimized/tensor_view.h"

namespace qconform::optimized {

// 0, kAclnnErrorNullPointer (161001) or kAclnnErrorInvalidParameter (161002).
using aclnnStatus = int;

// Type, format, sizes, strides and data.
struct aclTensor {
  TensorDesc desc;
  void* data = nullptr;  // inputs are only read
};

// What the first phase prepared for the second.
struct aclOpExecutor;

// Threads for the second phase; null: the caller's thread alone.
using aclrtStream = ParallelFor*;

// First phase: checks everything but values, in the order of AG-12, and says
// how large a workspace the second phase needs. Beyond AG-12: a tensor that has
// elements but no data is a null pointer, 161001, checked last.
//
// On success *executor must be destroyed with aclDestroyAclOpExecutor. It keeps
// copies of the descriptions and of the data pointers, not of the data. On
// failure neither *workspaceSize nor *executor is written.
aclnnStatus aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* weightScale,
    const aclTensor* groupList, const aclTensor* biasOptional,
    const aclTensor* xScaleOptional, const aclTensor* xOffsetOptional,
    const aclTensor* smoothScaleOptional, const char* xQuantMode,
    bool transposeWeight, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

// Second phase: checks the values (AG-04, AG-05) before it writes anything,
// then computes. May be repeated until the executor is destroyed, each time
// with the data as it is then. A null executor, or a null workspace where one
// is needed, is 161001; a workspaceSize below what the first phase said, or an
// `out` that overlaps an input (AR-11), is 161002.
aclnnStatus aclnnQuantGroupedMatmulDequant(void* workspace,
                                           uint64_t workspaceSize,
                                           aclOpExecutor* executor,
                                           aclrtStream stream);

// Frees what the first phase made; a null executor is 161001.
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor);

// What was wrong in the last failed call of this thread: the tensor, what was
// found and what is allowed. Empty if none has failed. Valid until the next
// failure in this thread.
const char* aclGetRecentErrMsg();

}  // namespace qconform::optimized

#endif  // QCONFORM_OPTIMIZED_ACLNN_API_H_
