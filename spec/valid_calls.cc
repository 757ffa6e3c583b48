#include "spec/valid_calls.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/validate.h"

namespace qconform::spec {

TensorDesc Described(DataType type, std::vector<int64_t> sizes,
                     std::optional<std::vector<int64_t>> strides) {
  TensorDesc desc;
  desc.type = type;
  desc.sizes = std::move(sizes);
  desc.strides = std::move(strides);
  return desc;
}

Tensor Filled(DataType type, std::vector<int64_t> sizes, double value,
              std::optional<std::vector<int64_t>> strides) {
  Tensor tensor;
  tensor.desc = Described(type, std::move(sizes), std::move(strides));
  const int64_t count = StorageElementCount(tensor.desc).value();
  tensor.storage.resize(static_cast<size_t>(count) * ByteSize(type));
  for (int64_t i = 0; i < count; ++i) WriteReal(tensor, i, value);
  return tensor;
}

Arguments ValidMatmul() {
  Arguments call;
  call.operator_name = "dml_quantized_linear_matrix_multiply";
  call.inputs["ATensor"] = Filled(DataType::kUint8, {1, 2, 3, 4}, 7);
  call.inputs["AScaleTensor"] = Filled(DataType::kFloat32, {1, 1, 3, 1}, 0.5);
  call.inputs["AZeroPointTensor"] = Filled(DataType::kUint8, {1, 1, 1, 1}, 255);
  call.inputs["BTensor"] = Filled(DataType::kInt8, {1, 2, 4, 5}, -3);
  call.inputs["BScaleTensor"] = Filled(DataType::kFloat32, {1, 1, 1, 5}, -2);
  call.inputs["BZeroPointTensor"] = Filled(DataType::kInt8, {1, 1, 1, 5}, -128);
  call.inputs["OutputScaleTensor"] =
      Filled(DataType::kFloat32, {1, 1, 1, 1}, 0x1p-149);
  call.inputs["OutputZeroPointTensor"] =
      Filled(DataType::kUint8, {1, 1, 3, 1}, 0);
  call.outputs["OutputTensor"] = Described(DataType::kUint8, {1, 2, 3, 5});
  return call;
}

Arguments ValidAdd() {
  Arguments call;
  call.operator_name = "dml_element_wise_quantized_linear_add";
  call.inputs["ATensor"] = Filled(DataType::kUint8, {2, 3}, 7);
  call.inputs["AScaleTensor"] = Filled(DataType::kFloat32, {1, 1}, 0.5);
  call.inputs["AZeroPointTensor"] = Filled(DataType::kUint8, {1, 1}, 255);
  call.inputs["BTensor"] = Filled(DataType::kInt8, {2, 3}, -3);
  call.inputs["BScaleTensor"] = Filled(DataType::kFloat32, {1, 1}, -2);
  call.inputs["BZeroPointTensor"] = Filled(DataType::kInt8, {1, 1}, -128);
  call.inputs["OutputScaleTensor"] = Filled(DataType::kFloat32, {1, 1}, 1);
  call.inputs["OutputZeroPointTensor"] = Filled(DataType::kUint8, {1, 1}, 3);
  call.outputs["OutputTensor"] = Described(DataType::kUint8, {2, 3});
  return call;
}

Arguments ValidGrouped() {
  Arguments call;
  call.operator_name = "aclnn_quant_grouped_matmul_dequant";
  call.attributes["xQuantMode"] = std::string("pertoken");
  call.inputs["x"] = Filled(DataType::kFloat16, {3, 32}, 1);
  call.inputs["weight"] = Filled(DataType::kInt8, {2, 16, 32}, 3);
  call.inputs["weightScale"] = Filled(DataType::kFloat32, {2, 16}, 0.25);
  call.inputs["groupList"] = Filled(DataType::kInt64, {2}, 0);
  WriteInteger(call.inputs["groupList"], 0, 1);
  WriteInteger(call.inputs["groupList"], 1, 3);
  call.inputs["xScaleOptional"] = Filled(DataType::kFloat32, {3}, 0.5);
  call.inputs["smoothScaleOptional"] = Filled(DataType::kFloat16, {32}, 2);
  call.outputs["out"] = Described(DataType::kFloat16, {3, 16});
  return call;
}

Arguments ValidQuantize() {
  Arguments call;
  call.operator_name = "tf_quantize_and_dequantize_v2";
  call.attributes["range_given"] = true;
  call.inputs["input"] = Filled(DataType::kFloat32, {2, 3}, 0.3);
  call.inputs["input_min"] = Filled(DataType::kFloat32, {}, -1);
  call.inputs["input_max"] = Filled(DataType::kFloat32, {}, 1);
  call.outputs["output"] = Described(DataType::kFloat32, {2, 3});
  return call;
}

Change Give(const std::string& name, Tensor tensor) {
  return [name, tensor = std::move(tensor)](Arguments& call) {
    call.inputs[name] = tensor;
  };
}

Change Drop(const std::string& name) {
  return [name](Arguments& call) { call.inputs.erase(name); };
}

Change Set(const std::string& name, Attribute attribute) {
  return [name, attribute = std::move(attribute)](Arguments& call) {
    call.attributes[name] = attribute;
  };
}

Change Output(TensorDesc desc) {
  return [desc = std::move(desc)](Arguments& call) {
    call.outputs.begin()->second = desc;
  };
}

void ExpectFaults(const Arguments& valid, const std::vector<Fault>& faults,
                  absl::StatusCode code, std::optional<int> aclnn_status) {
  ASSERT_TRUE(Validate(valid).ok()) << Validate(valid);
  for (const Fault& fault : faults) {
    Arguments call = valid;
    fault.make(call);
    const absl::Status status = Validate(call);
    EXPECT_EQ(status.code(), code) << fault.title << ": " << status;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr(fault.message))
        << fault.title;
    EXPECT_EQ(AclnnStatus(status), aclnn_status) << fault.title;
  }
}

void ExpectAccepted(const Arguments& valid, const std::vector<Fault>& changes) {
  for (const Fault& change : changes) {
    Arguments call = valid;
    change.make(call);
    EXPECT_TRUE(Validate(call).ok()) << change.title << ": " << Validate(call);
  }
}

}  // namespace qconform::spec
