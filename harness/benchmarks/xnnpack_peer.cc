#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/benchmarks/clock.h"
#include "harness/benchmarks/implementation.h"
#include "pthreadpool.h"
#include "xnnpack.h"

namespace qconform::harness {
namespace {

using spec::DataType;

// XNNPACK may read this far past the end of an input.
constexpr size_t kReadSlack = XNN_EXTRA_BYTES;

struct OperatorDeleter {
  void operator()(xnn_operator* op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, OperatorDeleter>;

struct PoolDeleter {
  void operator()(pthreadpool* pool) const { pthreadpool_destroy(pool); }
};
using Pool = std::unique_ptr<pthreadpool, PoolDeleter>;

class XnnpackImplementation final : public Implementation {
 public:
  XnnpackImplementation(const Problem& problem, const std::string& output)
      : problem_(problem),
        output_(static_cast<size_t>(
                    *ElementCount(problem.arguments.outputs.at(output))) *
                ByteSize(problem.arguments.outputs.at(output).type)),
        pool_(problem.threads > 1
                  ? pthreadpool_create(static_cast<size_t>(problem.threads))
                  : nullptr) {}

  absl::Status Build() {
    const auto start = std::chrono::steady_clock::now();
    if (xnn_initialize(nullptr) != xnn_status_success) {
      return absl::InternalError("xnn_initialize failed");
    }
    const std::string& name = problem_.arguments.operator_name;
    absl::Status status =
        name == "dml_quantized_linear_matrix_multiply"    ? BuildMatMul()
        : name == "dml_element_wise_quantized_linear_add" ? BuildAdd()
        : name == "tf_quantize_and_dequantize_v2"
            ? BuildQuantizeDequantize()
            : absl::UnimplementedError("XNNPACK: no such operator");
    setup_ = NanosecondsSince(start);
    return status;
  }

  double Run(int iterations) override {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) {
      for (const Operator& op : operators_) {
        xnn_run_operator(op.get(), pool_.get());
      }
    }
    return NanosecondsSince(start);
  }

  std::vector<std::byte> Output() override {
    return {output_.begin(), output_.end()};
  }

  double SetupNanoseconds() const override { return setup_; }

 private:
  template <typename T>
  const T* Data(const std::string& name) {
    std::vector<std::byte>& bytes = padded_[name];
    bytes = problem_.arguments.inputs.at(name).storage;
    bytes.resize(bytes.size() + kReadSlack);
    return reinterpret_cast<const T*>(bytes.data());
  }

  float Real(const std::string& name) const {
    return static_cast<float>(ReadReal(problem_.arguments.inputs.at(name), 0));
  }

  template <typename T>
  T Integer(const std::string& name) const {
    return static_cast<T>(ReadInteger(problem_.arguments.inputs.at(name), 0));
  }

  absl::Status Keep(xnn_status created, xnn_operator_t op,
                    const std::function<xnn_status()>& setup) {
    if (created != xnn_status_success) {
      return absl::UnimplementedError(absl::StrCat("xnn_create: ", created));
    }
    operators_.emplace_back(op);
    const xnn_status status = setup();
    if (status != xnn_status_success) {
      return absl::UnimplementedError(absl::StrCat("xnn_setup: ", status));
    }
    return absl::OkStatus();
  }

  absl::Status BuildMatMul() {
    const auto& inputs = problem_.arguments.inputs;
    const spec::TensorDesc& a = inputs.at("ATensor").desc;
    const spec::TensorDesc& b = inputs.at("BTensor").desc;
    const DataType y = problem_.arguments.outputs.at("OutputTensor").type;
    if (a.type != b.type || a.type != y || !problem_.constant_weight) {
      return absl::UnimplementedError(
          "XNNPACK: one type for all, constant weights");
    }
    const auto m = static_cast<size_t>(a.sizes[0]);
    const auto k = static_cast<size_t>(a.sizes[1]);
    const auto n = static_cast<size_t>(b.sizes[1]);
    xnn_operator_t op = nullptr;
    if (a.type == DataType::kInt8) {
      const xnn_status status = xnn_create_fully_connected_nc_qs8(
          k, n, k, n, Integer<int8_t>("AZeroPointTensor"), Real("AScaleTensor"),
          Real("BScaleTensor"), Data<int8_t>("BTensor"), nullptr,
          Integer<int8_t>("OutputZeroPointTensor"), Real("OutputScaleTensor"),
          -128, 127, XNN_FLAG_TRANSPOSE_WEIGHTS, &op);
      return Keep(status, op, [&] {
        return xnn_setup_fully_connected_nc_qs8(
            op, m, Data<int8_t>("ATensor"),
            reinterpret_cast<int8_t*>(output_.data()), pool_.get());
      });
    }
    const xnn_status status = xnn_create_fully_connected_nc_qu8(
        k, n, k, n, Integer<uint8_t>("AZeroPointTensor"), Real("AScaleTensor"),
        Integer<uint8_t>("BZeroPointTensor"), Real("BScaleTensor"),
        Data<uint8_t>("BTensor"), nullptr,
        Integer<uint8_t>("OutputZeroPointTensor"), Real("OutputScaleTensor"), 0,
        255, XNN_FLAG_TRANSPOSE_WEIGHTS, &op);
    return Keep(status, op, [&] {
      return xnn_setup_fully_connected_nc_qu8(
          op, m, Data<uint8_t>("ATensor"),
          reinterpret_cast<uint8_t*>(output_.data()), pool_.get());
    });
  }

  absl::Status BuildAdd() {
    const spec::TensorDesc& a = problem_.arguments.inputs.at("ATensor").desc;
    const auto count = static_cast<size_t>(a.sizes[0]);
    xnn_operator_t op = nullptr;
    if (a.type == DataType::kInt8) {
      const xnn_status status = xnn_create_add_nd_qs8(
          Integer<int8_t>("AZeroPointTensor"), Real("AScaleTensor"),
          Integer<int8_t>("BZeroPointTensor"), Real("BScaleTensor"),
          Integer<int8_t>("OutputZeroPointTensor"), Real("OutputScaleTensor"),
          -128, 127, 0, &op);
      return Keep(status, op, [&] {
        return xnn_setup_add_nd_qs8(
            op, 1, &count, 1, &count, Data<int8_t>("ATensor"),
            Data<int8_t>("BTensor"), reinterpret_cast<int8_t*>(output_.data()),
            pool_.get());
      });
    }
    const xnn_status status = xnn_create_add_nd_qu8(
        Integer<uint8_t>("AZeroPointTensor"), Real("AScaleTensor"),
        Integer<uint8_t>("BZeroPointTensor"), Real("BScaleTensor"),
        Integer<uint8_t>("OutputZeroPointTensor"), Real("OutputScaleTensor"), 0,
        255, 0, &op);
    return Keep(status, op, [&] {
      return xnn_setup_add_nd_qu8(
          op, 1, &count, 1, &count, Data<uint8_t>("ATensor"),
          Data<uint8_t>("BTensor"), reinterpret_cast<uint8_t*>(output_.data()),
          pool_.get());
    });
  }

  absl::Status BuildQuantizeDequantize() {
    const auto count = static_cast<size_t>(
        problem_.arguments.inputs.at("input").desc.sizes[0]);
    const float scale = Real("input_max") / 127;
    between_.resize(count + kReadSlack);
    auto* between = reinterpret_cast<int8_t*>(between_.data());
    xnn_operator_t quantize = nullptr;
    const xnn_status first = xnn_create_convert_nc_f32_qs8(
        1, 1, 1, scale, 0, -128, 127, 0, &quantize);
    if (absl::Status status = Keep(first, quantize,
                                   [&] {
                                     return xnn_setup_convert_nc_f32_qs8(
                                         quantize, count, Data<float>("input"),
                                         between, pool_.get());
                                   });
        !status.ok()) {
      return status;
    }
    xnn_operator_t dequantize = nullptr;
    const xnn_status second =
        xnn_create_convert_nc_qs8_f32(1, 1, 1, scale, 0, 0, &dequantize);
    return Keep(second, dequantize, [&] {
      return xnn_setup_convert_nc_qs8_f32(
          dequantize, count, between, reinterpret_cast<float*>(output_.data()),
          pool_.get());
    });
  }

  const Problem& problem_;
  std::vector<std::byte> output_;
  std::vector<std::byte> between_;
  std::map<std::string, std::vector<std::byte>> padded_;
  Pool pool_;
  std::vector<Operator> operators_;
  double setup_ = 0;
};

}  // namespace

ImplementationOr MakeXnnpack(const Problem& problem) {
  const std::string& name = problem.arguments.operator_name;
  if (name == "aclnn_quant_grouped_matmul_dequant") {
    return absl::UnimplementedError("XNNPACK: no grouped matmul");
  }
  auto implementation = std::make_unique<XnnpackImplementation>(
      problem,
      name == "tf_quantize_and_dequantize_v2" ? "output" : "OutputTensor");
  if (absl::Status status = implementation->Build(); !status.ok()) {
    return status;
  }
  return implementation;
}

}  // namespace qconform::harness
