#include <omp.h>

#include <chrono>
#include <memory>
#include <vector>

#include "harness/benchmarks/clock.h"
#include "harness/benchmarks/implementation.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace qconform::harness {
namespace {

using dnnl::memory;
using spec::DataType;

memory::data_type Type(DataType type) {
  return type == DataType::kInt8 ? memory::data_type::s8
                                 : memory::data_type::u8;
}

float RealScalar(const Problem& problem, const std::string& name) {
  return static_cast<float>(ReadReal(problem.arguments.inputs.at(name), 0));
}

int32_t IntegerScalar(const Problem& problem, const std::string& name) {
  return static_cast<int32_t>(
      ReadInteger(problem.arguments.inputs.at(name), 0));
}

class OneDnnMatMul final : public Implementation {
 public:
  explicit OneDnnMatMul(const Problem& problem)
      : threads_(problem.threads),
        engine_(dnnl::engine::kind::cpu, 0),
        stream_(engine_) {
    omp_set_num_threads(threads_);
    const auto start = std::chrono::steady_clock::now();
    const spec::Tensor& a = problem.arguments.inputs.at("ATensor");
    const spec::Tensor& b = problem.arguments.inputs.at("BTensor");
    const spec::TensorDesc& y = problem.arguments.outputs.at("OutputTensor");
    const auto row_major = memory::format_tag::ab;
    const memory::desc a_desc(a.desc.sizes, Type(a.desc.type), row_major);
    const memory::desc b_plain(b.desc.sizes, Type(b.desc.type), row_major);
    const memory::desc b_any(b.desc.sizes, Type(b.desc.type),
                             memory::format_tag::any);
    const memory::desc y_desc(y.sizes, Type(y.type), row_major);
    dnnl::primitive_attr attributes;
    attributes.set_output_scales(0, {RealScalar(problem, "AScaleTensor") *
                                     RealScalar(problem, "BScaleTensor") /
                                     RealScalar(problem, "OutputScaleTensor")});
    attributes.set_zero_points(DNNL_ARG_SRC, 0,
                               {IntegerScalar(problem, "AZeroPointTensor")});
    attributes.set_zero_points(
        DNNL_ARG_DST, 0, {IntegerScalar(problem, "OutputZeroPointTensor")});
    const dnnl::matmul::primitive_desc primitive(
        dnnl::matmul::desc(a_desc, b_any, y_desc), attributes, engine_);
    matmul_ = dnnl::matmul(primitive);
    a_ = memory(a_desc, engine_);
    Copy(a, a_);
    memory plain(b_plain, engine_);
    Copy(b, plain);
    b_ = memory(primitive.weights_desc(), engine_);
    dnnl::reorder(plain, b_).execute(stream_, plain, b_);
    y_ = memory(y_desc, engine_);
    stream_.wait();
    Run(1);  // the first run generates code
    setup_ = NanosecondsSince(start);
  }

  double Run(int iterations) override {
    omp_set_num_threads(threads_);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) {
      matmul_.execute(
          stream_,
          {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, y_}});
    }
    stream_.wait();
    return NanosecondsSince(start);
  }

  std::vector<std::byte> Output() override {
    const auto* data = static_cast<const std::byte*>(y_.get_data_handle());
    return {data, data + y_.get_desc().get_size()};
  }

  double SetupNanoseconds() const override { return setup_; }

 private:
  static void Copy(const spec::Tensor& from, memory& to) {
    std::copy(from.storage.begin(), from.storage.end(),
              static_cast<std::byte*>(to.get_data_handle()));
  }

  int threads_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::matmul matmul_;
  memory a_, b_, y_;
  double setup_ = 0;
};

}  // namespace

ImplementationOr MakeOneDnn(const Problem& problem) {
  const spec::Arguments& arguments = problem.arguments;
  if (arguments.operator_name != "dml_quantized_linear_matrix_multiply") {
    return absl::UnimplementedError("oneDNN: matmul only");
  }
  if (arguments.inputs.at("BTensor").desc.type != DataType::kInt8 ||
      !problem.constant_weight) {
    return absl::UnimplementedError("oneDNN: constant signed weights only");
  }
  try {
    return std::make_unique<OneDnnMatMul>(problem);
  } catch (const dnnl::error& error) {
    return absl::UnimplementedError(error.what());
  }
}

}  // namespace qconform::harness
