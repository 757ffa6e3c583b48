#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "harness/benchmarks/implementation.h"
#include "harness/process/line_process.h"
#include "nlohmann/json.hpp"
#include "qconform_source_dir.h"

namespace qconform::harness {
namespace {

using Json = nlohmann::json;
using spec::DataType;

// Answers one line of JSON with one line of JSON.
class Server {
 public:
  static absl::StatusOr<std::shared_ptr<Server>> Start(
      const std::vector<std::string>& command) {
    auto process = LineProcess::Start(command);
    if (!process.ok()) return process.status();
    return std::shared_ptr<Server>(new Server(*std::move(process)));
  }

  absl::StatusOr<Json> Ask(const Json& request) {
    const auto answer = process_->Ask(request.dump(), absl::Minutes(10));
    if (!answer.ok()) return answer.status();
    Json json = Json::parse(*answer, nullptr, false);
    if (json.is_discarded()) {
      return absl::InternalError(absl::StrCat("no JSON: ", *answer));
    }
    if (json.contains("error")) {
      return absl::UnimplementedError(json["error"].dump());
    }
    return json;
  }

 private:
  explicit Server(std::unique_ptr<LineProcess> process)
      : process_(std::move(process)) {}

  std::unique_ptr<LineProcess> process_;
};

// Where a tensor of the problem goes in the ONNX model.
struct Binding {
  std::string onnx_name;
  DataType type;
  std::vector<int64_t> dims;
  std::vector<std::byte> bytes;
  bool constant;
};

std::vector<std::byte> FloatBytes(const std::vector<float>& values) {
  const auto* data = reinterpret_cast<const std::byte*>(values.data());
  return {data, data + values.size() * sizeof(float)};
}

// The DML operators share their inputs' roles with ONNX's.
std::vector<Binding> DmlBindings(const Problem& problem) {
  const auto& inputs = problem.arguments.inputs;
  std::vector<Binding> bindings;
  const auto add = [&](const std::string& onnx_name, const std::string& name,
                       bool constant, bool scalar) {
    const spec::Tensor& tensor = inputs.at(name);
    bindings.push_back({onnx_name, tensor.desc.type,
                        scalar ? std::vector<int64_t>{} : tensor.desc.sizes,
                        tensor.storage, constant});
  };
  const bool is_add = problem.arguments.operator_name ==
                      "dml_element_wise_quantized_linear_add";
  add("a", "ATensor", false, false);
  add("a_scale", "AScaleTensor", true, true);
  add("a_zero_point", "AZeroPointTensor", true, true);
  add("b", "BTensor", !is_add && problem.constant_weight, false);
  add("b_scale", "BScaleTensor", true, true);
  add("b_zero_point", "BZeroPointTensor", true, true);
  add("y_scale", "OutputScaleTensor", true, true);
  add("y_zero_point", "OutputZeroPointTensor", true, true);
  return bindings;
}

std::vector<Binding> QuantizeBindings(const Problem& problem) {
  const spec::Tensor& x = problem.arguments.inputs.at("input");
  const float scale = static_cast<float>(
      ReadReal(problem.arguments.inputs.at("input_max"), 0) / 127);
  return {{"x", DataType::kFloat32, x.desc.sizes, x.storage, false},
          {"scale", DataType::kFloat32, {}, FloatBytes({scale}), true},
          {"zero_point", DataType::kInt8, {}, {std::byte{0}}, true}};
}

// One group of the grouped matmul: float32 activations, weights transposed to
// {k, n}.
std::vector<Binding> GroupBindings(const Problem& problem, int64_t group) {
  const auto& inputs = problem.arguments.inputs;
  const spec::Tensor& x = inputs.at("x");
  const spec::Tensor& weight = inputs.at("weight");
  const int64_t groups = weight.desc.sizes[0], n = weight.desc.sizes[1],
                k = weight.desc.sizes[2];
  const int64_t rows = x.desc.sizes[0] / groups;
  std::vector<float> a(static_cast<size_t>(rows * k));
  for (int64_t i = 0; i < rows * k; ++i) {
    a[static_cast<size_t>(i)] =
        static_cast<float>(ReadReal(x, group * rows * k + i));
  }
  std::vector<std::byte> b(static_cast<size_t>(k * n));
  for (int64_t row = 0; row < n; ++row) {
    for (int64_t column = 0; column < k; ++column) {
      b[static_cast<size_t>(column * n + row)] =
          weight.storage[static_cast<size_t>((group * n + row) * k + column)];
    }
  }
  std::vector<float> scale(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    scale[static_cast<size_t>(i)] =
        static_cast<float>(ReadReal(inputs.at("weightScale"), group * n + i));
  }
  return {{"a", DataType::kFloat32, {rows, k}, FloatBytes(a), false},
          {"b", DataType::kInt8, {k, n}, std::move(b), true},
          {"b_scale", DataType::kFloat32, {n}, FloatBytes(scale), true},
          {"b_zero_point",
           DataType::kInt8,
           {n},
           std::vector<std::byte>(static_cast<size_t>(n)),
           true}};
}

class OnnxRuntime final : public Implementation {
 public:
  OnnxRuntime(std::shared_ptr<Server> server, std::string scratch)
      : server_(std::move(server)), scratch_(std::move(scratch)) {
    std::filesystem::create_directories(scratch_);
  }

  ~OnnxRuntime() override {
    std::error_code ignored;
    std::filesystem::remove_all(scratch_, ignored);
  }

  absl::Status Load(const std::string& onnx_operator,
                    const std::vector<Binding>& bindings, DataType output_type,
                    const std::vector<int64_t>& output_dims, bool exact,
                    int threads) {
    const std::string name =
        absl::StrCat(scratch_, "/session-", sessions_.size());
    Json tensors, feeds;
    for (const Binding& binding : bindings) {
      const std::string file = absl::StrCat(name, "-", binding.onnx_name);
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(binding.bytes.data()),
                 static_cast<std::streamsize>(binding.bytes.size()));
      Json tensor = {{"type", DataTypeName(binding.type)},
                     {"dims", binding.dims},
                     {"file", file}};
      if (!binding.constant) {
        feeds[binding.onnx_name] = tensor;
        tensor["file"] = nullptr;
      }
      tensors[binding.onnx_name] = tensor;
    }
    tensors["y"] = {{"type", DataTypeName(output_type)}, {"dims", output_dims}};
    const std::string spec_file = name + ".json", model = name + ".onnx";
    std::ofstream(spec_file)
        << Json({{"operator", onnx_operator}, {"tensors", tensors}});
    const std::string command =
        absl::StrCat("/usr/bin/python3 '", QCONFORM_SOURCE_DIR,
                     "/harness/benchmarks/write_onnx_models.py' '", model,
                     "' '", spec_file, "'");
    if (std::system(command.c_str()) != 0) {
      return absl::UnavailableError("python3-onnx could not write the model");
    }
    const auto answer = server_->Ask({{"load", name},
                                      {"model", model},
                                      {"threads", threads},
                                      {"exact", exact},
                                      {"feeds", feeds}});
    if (!answer.ok()) return answer.status();
    sessions_.push_back(name);
    return absl::OkStatus();
  }

  double Run(int iterations) override {
    double total = 0;
    for (const std::string& session : sessions_) {
      const auto answer =
          server_->Ask({{"run", session}, {"iterations", iterations}});
      if (!answer.ok()) return -1;
      total += (*answer)["nanoseconds"].get<double>();
    }
    return total;
  }

  std::vector<std::byte> Output() override {
    std::vector<std::byte> all;
    for (const std::string& session : sessions_) {
      const std::string file = session + "-output";
      if (!server_->Ask({{"output", session}, {"file", file}}).ok()) return {};
      std::ifstream stream(file, std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
      const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
      all.insert(all.end(), data, data + bytes.size());
    }
    return all;
  }

 private:
  std::shared_ptr<Server> server_;
  std::string scratch_;
  std::vector<std::string> sessions_;
};

}  // namespace

ImplementationOr MakeOnnxRuntime(const Problem& problem, bool exact,
                                 const std::string& folder) {
  if (!std::filesystem::exists(folder + "/node_modules/onnxruntime-node")) {
    return absl::UnimplementedError(
        absl::StrCat("onnxruntime-node is not in ", folder,
                     "/node_modules: tools/install-peers brings it"));
  }
  static std::shared_ptr<Server>* const shared = new std::shared_ptr<Server>();
  if (*shared == nullptr) {
    auto server =
        Server::Start({"node",
                       std::string(QCONFORM_SOURCE_DIR) +
                           "/harness/benchmarks/onnxruntime_server.js",
                       folder});
    if (!server.ok()) return server.status();
    *shared = *std::move(server);
  }
  static int count = 0;
  auto implementation = std::make_unique<OnnxRuntime>(
      *shared, (std::filesystem::temp_directory_path() /
                absl::StrCat("qconform-bench-", getpid(), "-", count++))
                   .string());
  const spec::Arguments& arguments = problem.arguments;
  absl::Status status;
  if (arguments.operator_name == "tf_quantize_and_dequantize_v2") {
    status = implementation->Load(
        "QuantizeDequantize", QuantizeBindings(problem), DataType::kFloat32,
        arguments.outputs.at("output").sizes, exact, problem.threads);
  } else if (arguments.operator_name == "aclnn_quant_grouped_matmul_dequant") {
    const spec::TensorDesc& weight = arguments.inputs.at("weight").desc;
    const int64_t rows =
        arguments.inputs.at("x").desc.sizes[0] / weight.sizes[0];
    for (int64_t group = 0; group < weight.sizes[0] && status.ok(); ++group) {
      status = implementation->Load(
          "DynamicQuantizeMatMul", GroupBindings(problem, group),
          DataType::kFloat32, {rows, weight.sizes[1]}, exact, problem.threads);
    }
  } else {
    const bool is_add =
        arguments.operator_name == "dml_element_wise_quantized_linear_add";
    const spec::TensorDesc& output = arguments.outputs.at("OutputTensor");
    status = implementation->Load(is_add ? "QLinearAdd" : "QLinearMatMul",
                                  DmlBindings(problem), output.type,
                                  output.sizes, exact, problem.threads);
  }
  if (!status.ok()) return status;
  return implementation;
}

}  // namespace qconform::harness
