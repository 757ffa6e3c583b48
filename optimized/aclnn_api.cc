#include "optimized/aclnn_api.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"

namespace qconform::optimized {

struct aclOpExecutor {
  QuantGroupedMatmulDequant plan;
  uint64_t workspace_size = 0;
  const void* x = nullptr;
  QuantGroupedMatmulDequantParameters parameters;
  void* out = nullptr;
};

namespace {

std::string& RecentErrorMessage() {
  thread_local std::string message;
  return message;
}

aclnnStatus Report(const absl::Status& status) {
  if (!status.ok()) RecentErrorMessage() = std::string(status.message());
  return AclnnStatus(status);
}

aclnnStatus ReportNull(const char* name) {
  return Report(AclnnError(kAclnnErrorNullPointer,
                           absl::StrCat(name, ": null; it is required")));
}

std::optional<TensorDesc> Describe(const aclTensor* tensor) {
  if (tensor == nullptr) return std::nullopt;
  return tensor->desc;
}

void* Data(const aclTensor* tensor) {
  return tensor == nullptr ? nullptr : tensor->data;
}

// The stream, and with it the number of threads, is known only in the second
// phase.
size_t MostThreads() {
  return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 64);
}

}  // namespace

aclnnStatus aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
    const aclTensor* x, const aclTensor* weight, const aclTensor* weightScale,
    const aclTensor* groupList, const aclTensor* biasOptional,
    const aclTensor* xScaleOptional, const aclTensor* xOffsetOptional,
    const aclTensor* smoothScaleOptional, const char* xQuantMode,
    bool transposeWeight, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  if (workspaceSize == nullptr) return ReportNull("workspaceSize");
  if (executor == nullptr) return ReportNull("executor");
  QuantGroupedMatmulDequantDesc desc;
  desc.x = Describe(x);
  desc.weight = Describe(weight);
  desc.weight_scale = Describe(weightScale);
  desc.group_list = Describe(groupList);
  desc.bias_optional = Describe(biasOptional);
  desc.x_scale_optional = Describe(xScaleOptional);
  desc.x_offset_optional = Describe(xOffsetOptional);
  desc.smooth_scale_optional = Describe(smoothScaleOptional);
  if (xQuantMode != nullptr) desc.x_quant_mode = xQuantMode;
  desc.transpose_weight = transposeWeight;
  desc.out = Describe(out);
  absl::StatusOr<QuantGroupedMatmulDequant> plan =
      QuantGroupedMatmulDequant::Plan(desc);
  if (!plan.ok()) return Report(plan.status());

  const uint64_t bytes = plan->WorkspaceBytes(MostThreads());
  const bool is_empty = bytes == 0;
  const struct {
    const char* name;
    const aclTensor* tensor;
  } tensors[] = {{"x", x},
                 {"weight", weight},
                 {"weightScale", weightScale},
                 {"groupList", groupList},
                 {"xScaleOptional", xScaleOptional},
                 {"smoothScaleOptional", smoothScaleOptional},
                 {"out", out}};
  for (const auto& [name, tensor] : tensors) {
    if (!is_empty && tensor != nullptr && tensor->data == nullptr) {
      return ReportNull(absl::StrCat("the data of ", name).c_str());
    }
  }
  *executor = new aclOpExecutor{
      .plan = *std::move(plan),
      .workspace_size = bytes,
      .x = Data(x),
      .parameters = {.weight = Data(weight),
                     .weight_scale = Data(weightScale),
                     .group_list = Data(groupList),
                     .x_scale = Data(xScaleOptional),
                     .smooth_scale = Data(smoothScaleOptional)},
      .out = Data(out)};
  *workspaceSize = bytes;
  return kAclnnSuccess;
}

aclnnStatus aclnnQuantGroupedMatmulDequant(void* workspace,
                                           uint64_t workspaceSize,
                                           aclOpExecutor* executor,
                                           aclrtStream stream) {
  if (executor == nullptr) return ReportNull("executor");
  if (workspaceSize < executor->workspace_size) {
    return Report(AclnnError(
        kAclnnErrorInvalidParameter,
        absl::StrCat("workspaceSize: ", workspaceSize, "; at least ",
                     executor->workspace_size, " bytes are needed")));
  }
  if (workspace == nullptr && executor->workspace_size > 0) {
    return ReportNull("workspace");
  }
  RunContext context;
  context.workspace = absl::MakeSpan(static_cast<std::byte*>(workspace),
                                     executor->workspace_size);
  context.parallel_for = stream;
  return Report(executor->plan.Run(executor->x, executor->parameters,
                                   executor->out, context));
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  if (executor == nullptr) return ReportNull("executor");
  delete executor;
  return kAclnnSuccess;
}

const char* aclGetRecentErrMsg() { return RecentErrorMessage().c_str(); }

}  // namespace qconform::optimized
