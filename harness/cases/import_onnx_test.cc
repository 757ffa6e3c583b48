#include "harness/cases/import_onnx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "qconform_source_dir.h"

namespace qconform::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const char kNodeTests[] = QCONFORM_SOURCE_DIR "/harness/cases/onnx_node_tests";

// The committed vectors are what the committed node tests become.
TEST(ImportOnnx, GivesTheCommittedVectors) {
  const auto report = ImportOnnxNodeTests({kNodeTests}, "onnx 1.12");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->files.size(), 1u);
  const VectorFile& file = report->files[0];
  EXPECT_EQ(file.cases.size(), 2u);
  EXPECT_EQ(file.cases[0].source,
            "ONNX backend node test test_qlinearmatmul_2D, onnx 1.12");
  EXPECT_EQ(FormatVectorFile(file),
            *ReadTextFile(absl::StrCat(
                QCONFORM_SOURCE_DIR "/testdata/imported/", file.path)));
  EXPECT_THAT(
      report->not_mapped,
      ElementsAre(Pair("QuantizeLinear", ElementsAre("test_quantizelinear"))));
  EXPECT_THAT(report->refused, IsEmpty());
}

TEST(ImportOnnx, TakesOneNodeTestToo) {
  const auto report = ImportOnnxNodeTests(
      {absl::StrCat(kNodeTests, "/test_qlinearmatmul_2D/")}, "onnx 1.12");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->files.size(), 1u);
  EXPECT_EQ(report->files[0].cases[0].id, "test-qlinearmatmul-2D");
}

// A node test written here: A {2,2} = 1 2 3 4, B {2,2} = 1 0 0 1, scales 1,
// zero points 0, so Y = A. Each test changes something.
class NodeTest : public ::testing::Test {
 protected:
  NodeTest()
      : folder_(
            fs::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name() /
            "test_made") {
    fs::remove_all(folder_.parent_path());
    fs::create_directories(folder_ / "test_data_set_0");
    onnx::NodeProto* node = model_.mutable_graph()->add_node();
    node->set_op_type("QLinearMatMul");
    // The graph's inputs stand in the reverse order of the node's.
    for (int i = 0; i < 8; ++i) {
      node->add_input(absl::StrCat("operand", i));
      model_.mutable_graph()->add_input()->set_name(
          absl::StrCat("operand", 7 - i));
    }
    for (const int i : {0, 3}) {
      operands_[i].set_data_type(onnx::TensorProto::UINT8);
      SetDims(operands_[i], {2, 2});
    }
    operands_[0].set_raw_data("\x01\x02\x03\x04");
    operands_[3].set_raw_data(std::string("\x01\x00\x00\x01", 4));
    output_ = operands_[0];
    for (const int i : {1, 4, 6}) {
      operands_[i].set_data_type(onnx::TensorProto::FLOAT);
      operands_[i].add_float_data(1);
    }
    for (const int i : {2, 5, 7}) {
      operands_[i].set_data_type(onnx::TensorProto::UINT8);
      operands_[i].add_int32_data(0);
    }
  }
  ~NodeTest() override { fs::remove_all(folder_.parent_path()); }

  static void SetDims(onnx::TensorProto& tensor, std::vector<int64_t> dims) {
    tensor.clear_dims();
    for (const int64_t dim : dims) tensor.add_dims(dim);
  }
  static void SetZeros(onnx::TensorProto& tensor, std::vector<int64_t> dims) {
    SetDims(tensor, dims);
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    tensor.set_raw_data(std::string(count, '\0'));
  }
  static void SetScales(onnx::TensorProto& tensor, std::vector<int64_t> dims,
                        int count) {
    SetDims(tensor, dims);
    tensor.clear_float_data();
    for (int i = 0; i < count; ++i) {
      tensor.add_float_data(static_cast<float>(i + 1));
    }
  }

  void Write(const std::string& data_set = "test_data_set_0") {
    fs::create_directories(folder_ / data_set);
    std::ofstream(folder_ / "model.onnx") << model_.SerializeAsString();
    for (int i = 0; i < 8; ++i) {
      std::ofstream(folder_ / data_set / absl::StrCat("input_", 7 - i, ".pb"))
          << operands_[i].SerializeAsString();
    }
    std::ofstream(folder_ / data_set / "output_0.pb")
        << output_.SerializeAsString();
  }
  absl::StatusOr<ImportReport> Import() {
    return ImportOnnxNodeTests({folder_.string()}, "here");
  }
  // Expects exactly one refusal.
  std::string Refusal() {
    Write();
    const auto report = Import();
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok() || report->refused.size() != 1) return "";
    EXPECT_EQ(report->refused[0].test, "test_made");
    EXPECT_THAT(report->files, IsEmpty());
    return report->refused[0].reason;
  }
  std::string Error() {
    Write();
    const auto report = Import();
    EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(report.status().message());
  }

  const fs::path folder_;
  onnx::ModelProto model_;
  onnx::TensorProto operands_[8];
  onnx::TensorProto output_;
};

TEST_F(NodeTest, IsReadByTheGraphsOrderOfInputs) {
  Write();
  const auto report = Import();
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->files.size(), 1u);
  const TestCase& test_case = report->files[0].cases[0];
  const spec::Tensor& a = test_case.arguments.inputs.at("ATensor");
  EXPECT_EQ(spec::ReadInteger(a, 3), 4);
  EXPECT_EQ(test_case.expected.at("OutputTensor").tensor, a);
  EXPECT_EQ(test_case.arguments.inputs.at("AScaleTensor").desc.sizes,
            (std::vector<int64_t>{1, 1}));
}

TEST_F(NodeTest, MapsRowsAndColumns) {
  SetScales(operands_[1], {2}, 2);
  SetScales(operands_[4], {1, 2}, 2);
  SetScales(operands_[6], {2, 1}, 2);
  operands_[3].set_data_type(onnx::TensorProto::INT8);
  operands_[3].clear_raw_data();
  for (const int value : {-128, 127, 0, -1}) {
    operands_[3].add_int32_data(value);
  }
  operands_[5].set_data_type(onnx::TensorProto::INT8);
  Write();
  Write("test_data_set_1");
  const auto report = Import();
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->files[0].cases.size(), 2u);
  EXPECT_EQ(report->files[0].cases[1].id, "test-made-1");
  const auto& inputs = report->files[0].cases[0].arguments.inputs;
  EXPECT_EQ(inputs.at("AScaleTensor").desc.sizes, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(inputs.at("BScaleTensor").desc.sizes, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(inputs.at("OutputScaleTensor").desc.sizes,
            (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(spec::ReadReal(inputs.at("AScaleTensor"), 1), 2);
  EXPECT_EQ(spec::ReadInteger(inputs.at("BTensor"), 0), -128);
  EXPECT_EQ(spec::ReadInteger(inputs.at("BTensor"), 3), -1);
}

TEST_F(NodeTest, IsRefusedForUnequalRanks) {
  SetDims(operands_[3], {1, 2, 2});
  EXPECT_THAT(Refusal(), HasSubstr("equal ranks"));
}

TEST_F(NodeTest, IsRefusedForRankOne) {
  SetDims(operands_[0], {4});
  SetDims(operands_[3], {4});
  SetDims(output_, {4});
  EXPECT_THAT(Refusal(), HasSubstr("ranks 2 to 4"));
}

TEST_F(NodeTest, IsRefusedForAnEmptyK) {
  SetZeros(operands_[0], {2, 0});
  SetZeros(operands_[3], {0, 2});
  EXPECT_THAT(Refusal(), HasSubstr("sizes above 0"));
}

TEST_F(NodeTest, IsRefusedForBatchBroadcasting) {
  SetZeros(operands_[0], {3, 2, 2});
  SetZeros(operands_[3], {1, 2, 2});
  SetZeros(output_, {3, 2, 2});
  EXPECT_THAT(Refusal(), HasSubstr("equal batch sizes"));
}

TEST_F(NodeTest, IsRefusedForAScaleOfAnotherShape) {
  SetScales(operands_[1], {3}, 3);
  EXPECT_THAT(Refusal(), HasSubstr("AScaleTensor {3} beside ATensor {2,2}"));
  SetScales(operands_[1], {}, 1);
  SetScales(operands_[6], {2, 2}, 4);
  EXPECT_THAT(Refusal(), HasSubstr("OutputScaleTensor {2,2}"));
}

TEST_F(NodeTest, IsRefusedForAnotherType) {
  operands_[1].set_data_type(onnx::TensorProto::FLOAT16);
  EXPECT_THAT(Refusal(), HasSubstr("ONNX data type 10"));
  operands_[1].set_data_type(onnx::TensorProto::FLOAT);
  output_.set_data_type(onnx::TensorProto::BFLOAT16);
  EXPECT_THAT(Refusal(), HasSubstr("ONNX data type 16"));
}

TEST_F(NodeTest, IsRefusedForInitializersAndMissingInputs) {
  model_.mutable_graph()->mutable_input(0)->set_name("another");
  EXPECT_THAT(Refusal(), HasSubstr("OutputZeroPointTensor is no input"));
  model_.mutable_graph()->mutable_node(0)->mutable_input()->RemoveLast();
  EXPECT_THAT(Refusal(), HasSubstr("7 inputs"));
}

TEST_F(NodeTest, IsRefusedWithoutData) {
  Write();
  fs::remove_all(folder_ / "test_data_set_0");
  const auto report = Import();
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->refused.size(), 1u);
  EXPECT_THAT(report->refused[0].reason, HasSubstr("no test_data_set_"));
}

TEST_F(NodeTest, WithSeveralNodesIsNotMapped) {
  model_.mutable_graph()->add_node()->set_op_type("Add");
  Write();
  EXPECT_THAT(Import()->not_mapped,
              ElementsAre(Pair("Add+QLinearMatMul", ElementsAre("test_made"))));
}

TEST_F(NodeTest, IsMalformedWithoutANode) {
  model_.mutable_graph()->clear_node();
  EXPECT_THAT(Error(), HasSubstr("model.onnx: found no node"));
}

TEST_F(NodeTest, IsMalformedWhereDataDoNotFit) {
  operands_[0].set_raw_data("\x01\x02\x03");
  EXPECT_THAT(Error(), HasSubstr("input_7.pb: found 3 bytes"));
  operands_[0].set_raw_data("\x01\x02\x03\x04");
  operands_[1].add_float_data(2);
  EXPECT_THAT(Error(), HasSubstr("input_6.pb: found 2 values"));
  operands_[1].clear_float_data();
  operands_[1].set_raw_data("\x01\x02\x03");
  EXPECT_THAT(Error(), HasSubstr("input_6.pb: found 3 bytes"));
  SetScales(operands_[1], {int64_t{1} << 62, 8}, 1);
  operands_[1].clear_raw_data();
  EXPECT_THAT(Error(), HasSubstr("input_6.pb: "));
  SetScales(operands_[1], {}, 1);
  operands_[2].set_int32_data(0, 256);
  EXPECT_THAT(Error(), HasSubstr("input_5.pb: found the value 256"));
}

TEST_F(NodeTest, IsMalformedWhereFilesAreNoProtobuf) {
  Write();
  std::ofstream(folder_ / "test_data_set_0" / "output_0.pb") << "\xff\xff";
  EXPECT_THAT(std::string(Import().status().message()),
              HasSubstr("output_0.pb: found no protobuf message"));
  fs::remove(folder_ / "test_data_set_0" / "output_0.pb");
  EXPECT_THAT(std::string(Import().status().message()),
              HasSubstr("output_0.pb: found nothing"));
  std::ofstream(folder_ / "model.onnx") << "text";
  EXPECT_THAT(std::string(Import().status().message()),
              HasSubstr("model.onnx: found no protobuf message"));
  fs::remove(folder_ / "model.onnx");
  EXPECT_EQ(Import().status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(
      ImportOnnxNodeTests({(folder_ / "none").string()}, "").status().code(),
      absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace qconform::harness
