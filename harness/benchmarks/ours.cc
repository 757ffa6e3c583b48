#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/benchmarks/clock.h"
#include "harness/benchmarks/implementation.h"
#include "harness/candidates/scoped_target.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"
#include "optimized/dml_element_wise_quantized_linear_add.h"
#include "optimized/dml_quantized_linear_matrix_multiply.h"
#include "optimized/tf_quantize_and_dequantize_v2.h"
#include "optimized/thread_pool.h"
#include "spec/validate.h"

namespace qconform::harness {
namespace {

using optimized::RunContext;

optimized::ElementType Type(spec::DataType type) {
  switch (type) {
    case spec::DataType::kUint8:
      return optimized::ElementType::kUint8;
    case spec::DataType::kInt8:
      return optimized::ElementType::kInt8;
    case spec::DataType::kInt64:
      return optimized::ElementType::kInt64;
    case spec::DataType::kFloat16:
      return optimized::ElementType::kFloat16;
    default:
      return optimized::ElementType::kFloat32;
  }
}

optimized::TensorDesc Describe(const spec::TensorDesc& desc) {
  optimized::TensorDesc result;
  result.type = Type(desc.type);
  result.sizes.assign(desc.sizes.begin(), desc.sizes.end());
  return result;
}

class Ours final : public Implementation {
 public:
  Ours(const Problem& problem, size_t threads)
      : problem_(problem), threads_(threads) {
    for (const auto& [name, tensor] : problem.arguments.inputs) {
      descs_[name] = Describe(tensor.desc);
    }
    const auto& [name, desc] = *problem.arguments.outputs.begin();
    descs_[name] = Describe(desc);
    output_.resize(static_cast<size_t>(*ElementCount(desc)) *
                   ByteSize(desc.type));
  }

  absl::Status Plan() {
    if (threads_ > 1) {
      auto pool = optimized::ThreadPool::Create(threads_);
      if (!pool.ok()) return pool.status();
      pool_ = *std::move(pool);
    }
    const auto start = std::chrono::steady_clock::now();
    const std::string& name = problem_.arguments.operator_name;
    const absl::Status status =
        name == "dml_quantized_linear_matrix_multiply"    ? PlanMatMul()
        : name == "dml_element_wise_quantized_linear_add" ? PlanAdd()
        : name == "tf_quantize_and_dequantize_v2" ? PlanQuantizeAndDequantize()
                                                  : PlanGrouped();
    setup_ = NanosecondsSince(start);
    if (!status.ok()) return status;
    return run_();
  }

  double Run(int iterations) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) {
      if (!run_().ok()) return -1;
    }
    return NanosecondsSince(start);
  }

  std::vector<std::byte> Output() override { return output_; }
  double SetupNanoseconds() const override { return setup_; }

 private:
  const optimized::TensorDesc* Desc(const std::string& name) const {
    const auto found = descs_.find(name);
    return found == descs_.end() ? nullptr : &found->second;
  }

  template <typename T = void>
  const T* Data(const std::string& name) const {
    return reinterpret_cast<const T*>(
        problem_.arguments.inputs.at(name).storage.data());
  }

  RunContext Context(size_t bytes) {
    workspace_.resize(bytes);
    RunContext context;
    context.workspace = absl::MakeSpan(workspace_);
    context.parallel_for = pool_.get();
    return context;
  }

  template <typename Desc>
  Desc DmlDesc() const {
    Desc desc;
    desc.ATensor = this->Desc("ATensor");
    desc.AScaleTensor = this->Desc("AScaleTensor");
    desc.AZeroPointTensor = this->Desc("AZeroPointTensor");
    desc.BTensor = this->Desc("BTensor");
    desc.BScaleTensor = this->Desc("BScaleTensor");
    desc.BZeroPointTensor = this->Desc("BZeroPointTensor");
    desc.OutputScaleTensor = this->Desc("OutputScaleTensor");
    desc.OutputZeroPointTensor = this->Desc("OutputZeroPointTensor");
    desc.OutputTensor = this->Desc("OutputTensor");
    return desc;
  }

  template <typename Constants>
  void DmlConstants(Constants& constants) const {
    constants.AScaleTensor = Data<float>("AScaleTensor");
    constants.AZeroPointTensor = Data("AZeroPointTensor");
    constants.BScaleTensor = Data<float>("BScaleTensor");
    constants.BZeroPointTensor = Data("BZeroPointTensor");
    constants.OutputScaleTensor = Data<float>("OutputScaleTensor");
    constants.OutputZeroPointTensor = Data("OutputZeroPointTensor");
  }

  absl::Status PlanMatMul() {
    optimized::DmlQuantizedLinearMatrixMultiplyData constants, data;
    DmlConstants(constants);
    (problem_.constant_weight ? constants : data).BTensor = Data("BTensor");
    auto plan = optimized::DmlQuantizedLinearMatrixMultiplyPlan::Create(
        DmlDesc<optimized::DmlQuantizedLinearMatrixMultiplyDesc>(), constants);
    if (!plan.ok()) return plan.status();
    data.ATensor = Data("ATensor");
    data.OutputTensor = output_.data();
    auto kept =
        std::make_shared<optimized::DmlQuantizedLinearMatrixMultiplyPlan>(
            *std::move(plan));
    const RunContext context = Context(kept->WorkspaceBytes(threads_));
    run_ = [kept, data, context] { return kept->Run(data, context); };
    return absl::OkStatus();
  }

  absl::Status PlanAdd() {
    optimized::DmlElementWiseQuantizedLinearAddConstants constants;
    DmlConstants(constants);
    auto plan = optimized::DmlElementWiseQuantizedLinearAddPlan::Create(
        DmlDesc<optimized::DmlElementWiseQuantizedLinearAddDesc>(), constants);
    if (!plan.ok()) return plan.status();
    optimized::DmlElementWiseQuantizedLinearAddData data;
    data.ATensor = Data("ATensor");
    data.BTensor = Data("BTensor");
    data.OutputTensor = output_.data();
    auto kept =
        std::make_shared<optimized::DmlElementWiseQuantizedLinearAddPlan>(
            *std::move(plan));
    const RunContext context = Context(kept->WorkspaceBytes());
    run_ = [kept, data, context] { return kept->Run(data, context); };
    return absl::OkStatus();
  }

  absl::Status PlanQuantizeAndDequantize() {
    optimized::TfQuantizeAndDequantizeV2Desc desc;
    desc.input = Desc("input");
    desc.input_min = Desc("input_min");
    desc.input_max = Desc("input_max");
    desc.output = Desc("output");
    desc.attributes.range_given =
        BoolAttribute(problem_.arguments, "range_given");
    auto plan = optimized::TfQuantizeAndDequantizeV2Plan::Create(
        desc, {Data<float>("input_min"), Data<float>("input_max")});
    if (!plan.ok()) return plan.status();
    optimized::TfQuantizeAndDequantizeV2Data data;
    data.input = Data<float>("input");
    data.output = reinterpret_cast<float*>(output_.data());
    auto kept = std::make_shared<optimized::TfQuantizeAndDequantizeV2Plan>(
        *std::move(plan));
    const RunContext context = Context(kept->WorkspaceBytes());
    run_ = [kept, data, context] { return kept->Run(data, context); };
    return absl::OkStatus();
  }

  absl::Status PlanGrouped() {
    optimized::QuantGroupedMatmulDequantDesc desc;
    desc.x = *Desc("x");
    desc.weight = *Desc("weight");
    desc.weight_scale = *Desc("weightScale");
    desc.group_list = *Desc("groupList");
    desc.x_quant_mode = "pertoken";
    desc.out = *Desc("out");
    optimized::QuantGroupedMatmulDequantParameters constants, per_call;
    constants.weight = Data("weight");
    constants.weight_scale = Data("weightScale");
    // Which rows an expert gets is known only at run time.
    per_call.group_list = Data("groupList");
    auto plan = optimized::QuantGroupedMatmulDequant::Plan(desc, constants);
    if (!plan.ok()) return plan.status();
    auto kept = std::make_shared<optimized::QuantGroupedMatmulDequant>(
        *std::move(plan));
    const RunContext context = Context(kept->WorkspaceBytes(threads_));
    run_ = [this, kept, per_call, context] {
      return kept->Run(Data("x"), per_call, output_.data(), context);
    };
    return absl::OkStatus();
  }

  const Problem& problem_;
  const size_t threads_;
  std::map<std::string, optimized::TensorDesc> descs_;
  std::vector<std::byte> output_;
  std::vector<std::byte> workspace_;
  std::unique_ptr<optimized::ThreadPool> pool_;
  std::function<absl::Status()> run_;
  double setup_ = 0;
};

}  // namespace

ImplementationOr MakeOurs(const Problem& problem, int threads,
                          const std::string& target) {
  const ScopedTarget scope(target);
  if (!scope.status().ok()) return scope.status();
  auto ours = std::make_unique<Ours>(problem, static_cast<size_t>(threads));
  if (absl::Status status = ours->Plan(); !status.ok()) return status;
  return ours;
}

}  // namespace qconform::harness
