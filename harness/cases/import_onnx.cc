#include "harness/cases/import_onnx.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "harness/cases/value_text.h"

namespace qconform::harness {
namespace {

namespace fs = std::filesystem;

constexpr char kMatmul[] = "dml_quantized_linear_matrix_multiply";

absl::Status Unreadable(const std::string& file, const std::string& found) {
  return absl::InvalidArgumentError(absl::StrCat(file, ": ", found));
}

template <typename Message>
absl::StatusOr<Message> ReadMessage(const fs::path& path,
                                    const std::string& kind) {
  const absl::StatusOr<std::string> bytes = ReadTextFile(path.string());
  if (!bytes.ok()) return bytes.status();
  Message message;
  if (!message.ParseFromString(*bytes)) {
    return Unreadable(path.string(),
                      absl::StrCat("found no protobuf message; an ONNX ", kind,
                                   " is needed"));
  }
  return message;
}

// What an ONNX tensor is here: one of our types, or the reason why not.
struct Operand {
  spec::Tensor tensor;
  std::string refusal;
};

// Element i of raw data, which are little-endian: assembled so that any machine
// reads it right.
void WriteRawElement(const std::string& raw_data, int64_t i,
                     spec::Tensor& tensor) {
  const auto byte_size = static_cast<int64_t>(spec::ByteSize(tensor.desc.type));
  uint32_t bits = 0;
  for (int64_t b = byte_size - 1; b >= 0; --b) {
    bits = bits << 8 | static_cast<uint8_t>(raw_data[i * byte_size + b]);
  }
  if (spec::IsFloat(tensor.desc.type)) {
    spec::WriteReal(tensor, i, std::bit_cast<float>(bits));
  } else {
    spec::WriteInteger(tensor, i,
                       tensor.desc.type == spec::DataType::kInt8
                           ? static_cast<int8_t>(bits)
                           : static_cast<int64_t>(bits));
  }
}

// Reads "input_3.pb". A tensor of a type that no operator of ours has is
// refused; one whose data do not fit its own dimensions is a malformed file.
absl::StatusOr<Operand> ReadOperand(const fs::path& path) {
  const absl::StatusOr<onnx::TensorProto> proto =
      ReadMessage<onnx::TensorProto>(path, "tensor");
  if (!proto.ok()) return proto.status();
  Operand operand;
  spec::TensorDesc& desc = operand.tensor.desc;
  switch (proto->data_type()) {
    case onnx::TensorProto::UINT8:
      desc.type = spec::DataType::kUint8;
      break;
    case onnx::TensorProto::INT8:
      desc.type = spec::DataType::kInt8;
      break;
    case onnx::TensorProto::FLOAT:
      desc.type = spec::DataType::kFloat32;
      break;
    default:
      operand.refusal = absl::StrCat(proto->name(), " has the ONNX data type ",
                                     proto->data_type(),
                                     "; uint8, int8 and float are mapped");
      return operand;
  }
  desc.sizes.assign(proto->dims().begin(), proto->dims().end());
  const absl::StatusOr<int64_t> count = spec::ElementCount(desc);
  if (!count.ok()) {
    return Unreadable(path.string(), std::string(count.status().message()));
  }
  const bool is_float = spec::IsFloat(desc.type);
  const int64_t listed =
      is_float ? proto->float_data_size() : proto->int32_data_size();
  const auto byte_size = static_cast<int64_t>(spec::ByteSize(desc.type));
  const auto raw_bytes = static_cast<int64_t>(proto->raw_data().size());
  const int64_t found =
      proto->has_raw_data()
          ? (raw_bytes % byte_size == 0 ? raw_bytes / byte_size : -1)
          : listed;
  if (found != *count) {
    return Unreadable(
        path.string(),
        absl::StrCat("found ", proto->has_raw_data() ? raw_bytes : listed,
                     proto->has_raw_data() ? " bytes" : " values",
                     "; the dimensions need ", *count, " elements of ",
                     spec::DataTypeName(desc.type)));
  }
  operand.tensor.storage.resize(*count * byte_size);
  for (int64_t i = 0; i < *count; ++i) {
    if (proto->has_raw_data()) {
      WriteRawElement(proto->raw_data(), i, operand.tensor);
    } else if (is_float) {
      spec::WriteReal(operand.tensor, i,
                      proto->float_data(static_cast<int>(i)));
    } else {
      const int32_t value = proto->int32_data(static_cast<int>(i));
      if (value < MinimumOf(desc.type) || value > MaximumOf(desc.type)) {
        return Unreadable(
            path.string(),
            absl::StrCat("found the value ", value, ", which is no ",
                         spec::DataTypeName(desc.type)));
      }
      spec::WriteInteger(operand.tensor, i, value);
    }
  }
  return operand;
}

std::string Sizes(const spec::TensorDesc& desc) {
  return absl::StrCat("{", absl::StrJoin(desc.sizes, ","), "}");
}

// The operands of a QLinearMatMul in ONNX's order, by our names, and the
// dimension of a matrix that a scale or zero point may follow.
struct Role {
  const char* name;
  const char* matrix;
  int dimension_from_end;
};
constexpr Role kRoles[] = {
    {"ATensor", "ATensor", 0},
    {"AScaleTensor", "ATensor", 2},
    {"AZeroPointTensor", "ATensor", 2},
    {"BTensor", "BTensor", 0},
    {"BScaleTensor", "BTensor", 1},
    {"BZeroPointTensor", "BTensor", 1},
    {"OutputScaleTensor", "OutputTensor", 2},
    {"OutputZeroPointTensor", "OutputTensor", 2},
};

// Why a call with these matrices is none of ours; empty if it is one.
std::string RefuseMatrices(const spec::TensorDesc& a, const spec::TensorDesc& b,
                           const spec::TensorDesc& y) {
  const size_t rank = a.sizes.size();
  const std::string found =
      absl::StrCat("A ", Sizes(a), ", B ", Sizes(b), ", Y ", Sizes(y), ": ");
  if (rank != b.sizes.size() || rank != y.sizes.size()) {
    return absl::StrCat(found, "equal ranks are mapped");
  }
  if (rank < 2 || rank > 4)
    return absl::StrCat(found, "ranks 2 to 4 are mapped");
  for (const spec::TensorDesc* desc : {&a, &b, &y}) {
    if (std::count(desc->sizes.begin(), desc->sizes.end(), 0) > 0) {
      return absl::StrCat(found, "sizes above 0 are mapped");
    }
  }
  for (size_t d = 0; d + 2 < rank; ++d) {
    if (a.sizes[d] != b.sizes[d]) {
      return absl::StrCat(found, "equal batch sizes are mapped");
    }
  }
  return "";
}

// Gives a scale or zero point the rank of its matrix: {1,..,1}, {1,..,M,1} or
// {1,..,1,N}. Returns why that cannot be done, or nothing.
std::string ShapeParameter(const Role& role, const spec::TensorDesc& matrix,
                           spec::TensorDesc& desc) {
  const size_t rank = matrix.sizes.size();
  const int64_t count = *spec::ElementCount(desc);
  const size_t dimension = rank - role.dimension_from_end;
  // One per row may also be written {M,1} or with leading ones; what counts is
  // that only one dimension is larger than 1.
  const bool one_dimensional =
      std::count_if(desc.sizes.begin(), desc.sizes.end(),
                    [](int64_t size) { return size != 1; }) <= 1;
  if (!one_dimensional || (count != 1 && count != matrix.sizes[dimension])) {
    return absl::StrCat(role.name, " ", Sizes(desc), " beside ", role.matrix,
                        " ", Sizes(matrix),
                        ": one value, or one for each row (A, Y) or column (B) "
                        "is mapped");
  }
  desc.sizes.assign(rank, 1);
  desc.sizes[dimension] = count;
  return "";
}

// One data set of a node test of QLinearMatMul. Fills `refusal` or the case.
absl::Status MapMatmul(const onnx::GraphProto& graph, const fs::path& data_set,
                       TestCase& test_case, std::string& refusal) {
  const onnx::NodeProto& node = graph.node(0);
  if (node.input_size() != static_cast<int>(std::size(kRoles))) {
    refusal = absl::StrCat("the node has ", node.input_size(),
                           " inputs; 8 are mapped");
    return absl::OkStatus();
  }
  std::map<std::string, spec::Tensor>& inputs = test_case.arguments.inputs;
  for (size_t i = 0; i < std::size(kRoles); ++i) {
    // input_N.pb holds the graph's N-th input, whatever the node's order is.
    const auto graph_input =
        std::find_if(graph.input().begin(), graph.input().end(),
                     [&](const onnx::ValueInfoProto& input) {
                       return input.name() == node.input(static_cast<int>(i));
                     });
    if (graph_input == graph.input().end()) {
      refusal = absl::StrCat(kRoles[i].name, " is no input of the graph");
      return absl::OkStatus();
    }
    absl::StatusOr<Operand> operand = ReadOperand(
        data_set /
        absl::StrCat("input_", graph_input - graph.input().begin(), ".pb"));
    if (!operand.ok()) return operand.status();
    refusal = operand->refusal;
    if (!refusal.empty()) return absl::OkStatus();
    inputs[kRoles[i].name] = std::move(operand->tensor);
  }
  absl::StatusOr<Operand> output = ReadOperand(data_set / "output_0.pb");
  if (!output.ok()) return output.status();
  refusal = output->refusal;
  if (!refusal.empty()) return absl::OkStatus();

  const spec::TensorDesc& y = output->tensor.desc;
  refusal = RefuseMatrices(inputs["ATensor"].desc, inputs["BTensor"].desc, y);
  for (const Role& role : kRoles) {
    if (!refusal.empty()) return absl::OkStatus();
    if (role.dimension_from_end == 0) continue;
    const spec::TensorDesc& matrix = role.matrix == std::string("OutputTensor")
                                         ? y
                                         : inputs[role.matrix].desc;
    refusal = ShapeParameter(role, matrix, inputs[role.name].desc);
  }
  if (!refusal.empty()) return absl::OkStatus();
  test_case.arguments.operator_name = kMatmul;
  test_case.arguments.outputs["OutputTensor"] = y;
  std::vector<bool> must_stay(output->tensor.storage.size(), false);
  test_case.expected["OutputTensor"] = {std::move(output->tensor),
                                        std::move(must_stay)};
  return absl::OkStatus();
}

// Every folder below (or the folder itself) that holds a model.onnx.
absl::StatusOr<std::vector<fs::path>> FindNodeTests(
    const std::vector<std::string>& folders) {
  std::set<fs::path> found;
  for (const std::string& folder : folders) {
    std::error_code error;
    if (fs::is_regular_file(fs::path(folder) / "model.onnx", error)) {
      found.insert(folder);
    }
    fs::recursive_directory_iterator entry(folder, error);
    if (error) {
      return absl::InvalidArgumentError(absl::StrCat(
          folder, ": ", error.message(), "; a folder of node tests is needed"));
    }
    for (; !error && entry != fs::end(entry); entry.increment(error)) {
      if (entry->path().filename() == "model.onnx") {
        found.insert(entry->path().parent_path());
      }
    }
  }
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no node test below ", absl::StrJoin(folders, ", "),
                     "; folders with a model.onnx are needed"));
  }
  return std::vector<fs::path>(found.begin(), found.end());
}

absl::Status ImportNodeTest(const fs::path& folder, const std::string& release,
                            ImportReport& report,
                            std::vector<TestCase>& matmul_cases) {
  const fs::path model_path = folder / "model.onnx";
  const absl::StatusOr<onnx::ModelProto> model =
      ReadMessage<onnx::ModelProto>(model_path, "model");
  if (!model.ok()) return model.status();
  const onnx::GraphProto& graph = model->graph();
  if (graph.node_size() == 0) {
    return Unreadable(model_path.string(),
                      "found no node in the graph; at least one is needed");
  }
  // "folder/" has an empty file name.
  const std::string name =
      (folder.has_filename() ? folder.filename()
                             : folder.parent_path().filename())
          .string();
  if (graph.node_size() > 1 || graph.node(0).op_type() != "QLinearMatMul") {
    std::set<std::string> operators;
    for (const onnx::NodeProto& node : graph.node()) {
      operators.insert(node.op_type());
    }
    report.not_mapped[absl::StrJoin(operators, "+")].push_back(name);
    return absl::OkStatus();
  }
  std::set<fs::path> data_sets;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error);
       !error && entry != fs::end(entry); entry.increment(error)) {
    if (entry->path().filename().string().substr(0, 14) == "test_data_set_") {
      data_sets.insert(entry->path());
    }
  }
  if (data_sets.empty()) {
    report.refused.push_back({name, "it has no test_data_set_* folder"});
  }
  for (const fs::path& data_set : data_sets) {
    TestCase test_case;
    std::string refusal;
    const absl::Status status = MapMatmul(graph, data_set, test_case, refusal);
    if (!status.ok()) return status;
    if (!refusal.empty()) {
      report.refused.push_back({name, refusal});
      continue;
    }
    const std::string number = data_set.filename().string().substr(14);
    test_case.id =
        data_sets.size() == 1 ? name : absl::StrCat(name, "-", number);
    std::replace(test_case.id.begin(), test_case.id.end(), '_', '-');
    test_case.title = absl::StrCat("QLinearMatMul as ONNX publishes it: ", name,
                                   ", data set ", number);
    test_case.source =
        absl::StrCat("ONNX backend node test ", name, ", ", release);
    test_case.clauses = {"QM-01", "QM-03"};
    matmul_cases.push_back(std::move(test_case));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ImportReport> ImportOnnxNodeTests(
    const std::vector<std::string>& folders, const std::string& release) {
  const absl::StatusOr<std::vector<fs::path>> tests = FindNodeTests(folders);
  if (!tests.ok()) return tests.status();
  ImportReport report;
  VectorFile file;
  file.path = absl::StrCat(kMatmul, "/onnx_node_tests.json");
  file.operator_name = kMatmul;
  for (const fs::path& test : *tests) {
    const absl::Status status =
        ImportNodeTest(test, release, report, file.cases);
    if (!status.ok()) return status;
  }
  for (TestCase& test_case : file.cases) test_case.file = file.path;
  if (!file.cases.empty()) report.files.push_back(std::move(file));
  return report;
}

}  // namespace qconform::harness
