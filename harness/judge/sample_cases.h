// Small cases whose results are worked out by hand, for tests of the judge and
// what follows it.

#ifndef QCONFORM_HARNESS_JUDGE_SAMPLE_CASES_H_
#define QCONFORM_HARNESS_JUDGE_SAMPLE_CASES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cases/test_case.h"
#include "spec/tensor.h"

namespace qconform::harness {

inline spec::Tensor MakeTensor(const spec::TensorDesc& desc,
                               const std::vector<double>& storage) {
  spec::Tensor tensor;
  tensor.desc = desc;
  tensor.storage.resize(storage.size() * spec::ByteSize(desc.type));
  for (size_t i = 0; i < storage.size(); ++i) {
    spec::WriteReal(tensor, static_cast<int64_t>(i), storage[i]);
  }
  return tensor;
}

inline spec::Tensor MakeTensor(spec::DataType type, std::vector<int64_t> sizes,
                               const std::vector<double>& storage) {
  spec::TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  return MakeTensor(desc, storage);
}

// An add of uint8 in which B is all zero: the output is round(a / 2) + 10.
inline TestCase AddCase(const std::string& id, const std::vector<double>& a) {
  const auto count = static_cast<int64_t>(a.size());
  TestCase test_case;
  test_case.id = id;
  test_case.title = "an add for tests";
  test_case.file = "made/by test.json";
  test_case.clauses = {"AR-03", "QA-01"};
  test_case.arguments.operator_name = "dml_element_wise_quantized_linear_add";
  auto& inputs = test_case.arguments.inputs;
  const auto scalar = [](spec::DataType type, double value) {
    return MakeTensor(type, {1}, {value});
  };
  inputs["ATensor"] = MakeTensor(spec::DataType::kUint8, {count}, a);
  inputs["AScaleTensor"] = scalar(spec::DataType::kFloat32, 0.5);
  inputs["BTensor"] = MakeTensor(spec::DataType::kUint8, {count},
                                 std::vector<double>(a.size()));
  inputs["BScaleTensor"] = scalar(spec::DataType::kFloat32, 1);
  inputs["OutputScaleTensor"] = scalar(spec::DataType::kFloat32, 1);
  inputs["OutputZeroPointTensor"] = scalar(spec::DataType::kUint8, 10);
  test_case.arguments.outputs["OutputTensor"] = inputs["ATensor"].desc;
  return test_case;
}

// The same with sizes {2,2} and an output whose rows are 3 apart: storage
// element 2 lies between them.
inline TestCase StridedAddCase(const std::string& id) {
  TestCase test_case = AddCase(id, {2, 4, 6, 8});
  auto& inputs = test_case.arguments.inputs;
  for (auto& [name, tensor] : inputs) {
    tensor.desc.sizes = name == "ATensor" || name == "BTensor"
                            ? std::vector<int64_t>{2, 2}
                            : std::vector<int64_t>{1, 1};
  }
  spec::TensorDesc& output = test_case.arguments.outputs["OutputTensor"];
  output.sizes = {2, 2};
  output.strides = {3, 1};
  return test_case;
}

// A call that must be rejected (AR-08).
inline TestCase ZeroScaleCase(const std::string& id) {
  TestCase test_case = AddCase(id, {1, 2});
  test_case.clauses = {"AR-08"};
  spec::WriteReal(test_case.arguments.inputs["AScaleTensor"], 0, 0);
  test_case.error =
      ExpectedError{.status = "invalid_argument", .aclnn_status = std::nullopt};
  return test_case;
}

// Two rows of which only the first is of a group: the second must stay as it
// was (AG-05). The first gives 127 * 2 * (1 / 127) = 2 in all 16 columns.
inline TestCase GroupedCase(const std::string& id) {
  TestCase test_case;
  test_case.id = id;
  test_case.title = "a grouped matrix product for tests";
  test_case.file = "grouped.json";
  test_case.clauses = {"AG-05"};
  test_case.arguments.operator_name = "aclnn_quant_grouped_matmul_dequant";
  test_case.arguments.attributes["xQuantMode"] = std::string("pertoken");
  std::vector<double> x(32);
  x[0] = x[16] = 1;
  std::vector<double> weight(256);
  for (size_t n = 0; n < 16; ++n) weight[16 * n] = 2;
  auto& inputs = test_case.arguments.inputs;
  inputs["x"] = MakeTensor(spec::DataType::kFloat16, {2, 16}, x);
  inputs["weight"] = MakeTensor(spec::DataType::kInt8, {1, 16, 16}, weight);
  inputs["weightScale"] =
      MakeTensor(spec::DataType::kFloat32, {1, 16}, std::vector<double>(16, 1));
  inputs["groupList"] = MakeTensor(spec::DataType::kInt64, {1}, {1});
  test_case.arguments.outputs["out"] = inputs["x"].desc;
  return test_case;
}

// 0.3 in [0, 1], unsigned, 8 bits: 77/255 exactly, 76/255 as TensorFlow
// publishes it.
inline TestCase TensorFlowCase(const std::string& id) {
  TestCase test_case;
  test_case.id = id;
  test_case.title = "0.3 of unsigned 8 bits";
  test_case.file = "tensorflow.json";
  test_case.source = "TensorFlow's tests";
  test_case.clauses = {"TQ-12"};
  test_case.arguments.operator_name = "tf_quantize_and_dequantize_v2";
  test_case.arguments.attributes["signed_input"] = false;
  test_case.arguments.attributes["range_given"] = true;
  auto& inputs = test_case.arguments.inputs;
  inputs["input"] = MakeTensor(spec::DataType::kFloat32, {1}, {0.3f});
  inputs["input_min"] = MakeTensor(spec::DataType::kFloat32, {}, {0});
  inputs["input_max"] = MakeTensor(spec::DataType::kFloat32, {}, {1});
  test_case.arguments.outputs["output"] = inputs["input"].desc;
  return test_case;
}

// Freezes an expectation; `storage` is the whole storage of the output.
inline void Freeze(TestCase& test_case, const std::vector<double>& storage,
                   std::vector<bool> must_stay = {}) {
  const auto& [name, desc] = *test_case.arguments.outputs.begin();
  must_stay.resize(storage.size());
  test_case.expected[name] = {MakeTensor(desc, storage), std::move(must_stay)};
}

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_SAMPLE_CASES_H_
