#include "optimized/aclnn_api.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::optimized {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

class SerialStream : public ParallelFor {
 public:
  size_t MaxThreads() const override { return 4; }
  void Run(size_t count, absl::FunctionRef<void(size_t)> task) override {
    for (size_t i = count; i-- > 0;) task(i);
    ++runs;
  }
  int runs = 0;
};

// The call of two rows {1, 0, ..} and {-2, 0, ..} with a weight of 3 in every
// place and scales of 1/4: outputs 0.75 and -1.5.
class AclnnApiTest : public testing::Test {
 protected:
  AclnnApiTest()
      : x_data_(2 * 16, 0),
        weight_data_(1 * 16 * 16, 3),
        weight_scale_data_(16, 0.25f),
        group_list_data_({2}),
        smooth_data_(16, 0x3C00),
        out_data_(2 * 16, 0x5A5A) {
    x_data_[0] = 0x3C00;
    x_data_[16] = 0xC000;
    x_ = Tensor(ElementType::kFloat16, {2, 16}, x_data_.data());
    weight_ = Tensor(ElementType::kInt8, {1, 16, 16}, weight_data_.data());
    weight_scale_ =
        Tensor(ElementType::kFloat32, {1, 16}, weight_scale_data_.data());
    group_list_ = Tensor(ElementType::kInt64, {1}, group_list_data_.data());
    smooth_ = Tensor(ElementType::kFloat16, {16}, smooth_data_.data());
    out_ = Tensor(ElementType::kFloat16, {2, 16}, out_data_.data());
  }

  static aclTensor Tensor(ElementType type, Dimensions sizes, void* data) {
    return {{type, TensorLayout::kNd, std::move(sizes), std::nullopt}, data};
  }

  aclnnStatus Prepare() {
    return aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
        x_pointer_, weight_pointer_, &weight_scale_, &group_list_, bias_,
        x_scale_, nullptr, &smooth_, mode_, transpose_weight_, out_pointer_,
        &workspace_size_, &executor_);
  }

  aclnnStatus Execute(aclrtStream stream = nullptr) {
    workspace_.resize(workspace_size_);
    return aclnnQuantGroupedMatmulDequant(workspace_.data(), workspace_size_,
                                          executor_, stream);
  }

  void ExpectOutputs() {
    for (size_t n = 0; n < 16; ++n) {
      EXPECT_EQ(out_data_[n], 0x3A00);       // 0.75
      EXPECT_EQ(out_data_[16 + n], 0xBE00);  // -1.5
    }
  }

  std::vector<uint16_t> x_data_;
  std::vector<int8_t> weight_data_;
  std::vector<float> weight_scale_data_;
  std::vector<int64_t> group_list_data_;
  std::vector<uint16_t> smooth_data_;
  std::vector<uint16_t> out_data_;
  aclTensor x_, weight_, weight_scale_, group_list_, smooth_, out_;
  const aclTensor* x_pointer_ = &x_;
  const aclTensor* weight_pointer_ = &weight_;
  const aclTensor* bias_ = nullptr;
  const aclTensor* x_scale_ = nullptr;
  const aclTensor* out_pointer_ = &out_;
  const char* mode_ = "pertoken";
  bool transpose_weight_ = true;
  uint64_t workspace_size_ = 12345;
  aclOpExecutor* executor_ = nullptr;
  std::vector<std::byte> workspace_;
};

TEST_F(AclnnApiTest, TwoPhases) {
  ASSERT_EQ(Prepare(), kAclnnSuccess) << aclGetRecentErrMsg();
  ASSERT_EQ(Execute(), kAclnnSuccess) << aclGetRecentErrMsg();
  ExpectOutputs();
  // Again, with other data and threads.
  weight_scale_data_[3] = 4.0f;
  SerialStream stream;
  ASSERT_EQ(Execute(&stream), kAclnnSuccess) << aclGetRecentErrMsg();
  EXPECT_EQ(out_data_[3], 0x4A00);  // 12
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), kAclnnSuccess);
}

TEST_F(AclnnApiTest, NullsOfTheFirstPhase) {
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                nullptr, nullptr, false, nullptr, nullptr, &executor),
            161001);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("workspaceSize"));
  EXPECT_EQ(aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                nullptr, nullptr, false, nullptr, &workspace_size_, nullptr),
            161001);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("executor"));
  // Then transposeWeight, then the other pointers.
  EXPECT_EQ(aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                nullptr, nullptr, false, nullptr, &workspace_size_, &executor),
            161002);
  EXPECT_EQ(aclnnQuantGroupedMatmulDequantGetWorkspaceSize(
                nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                nullptr, nullptr, true, nullptr, &workspace_size_, &executor),
            161001);
  EXPECT_EQ(executor, nullptr);
  EXPECT_EQ(workspace_size_, 12345u);
}

TEST_F(AclnnApiTest, FirstPhaseStatuses) {
  mode_ = nullptr;
  EXPECT_EQ(Prepare(), 161001);
  mode_ = "pertensor";
  EXPECT_EQ(Prepare(), 161002);
  mode_ = "pertoken";
  bias_ = &x_;
  EXPECT_EQ(Prepare(), 161001);
  bias_ = nullptr;
  transpose_weight_ = false;
  EXPECT_EQ(Prepare(), 161002);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("transposeWeight"));
  transpose_weight_ = true;
  out_pointer_ = nullptr;
  EXPECT_EQ(Prepare(), 161001);
  out_pointer_ = &out_;
  weight_.data = nullptr;
  EXPECT_EQ(Prepare(), 161001);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("the data of weight"));
  // A wrong shape is found before missing data.
  weight_.desc.sizes = {1, 16, 32};
  EXPECT_EQ(Prepare(), 161002);
  EXPECT_EQ(executor_, nullptr);
}

TEST_F(AclnnApiTest, Empty) {
  x_ = Tensor(ElementType::kFloat16, {0, 16}, nullptr);
  ASSERT_EQ(Prepare(), kAclnnSuccess);
  EXPECT_EQ(workspace_size_, 0u);
  EXPECT_EQ(aclnnQuantGroupedMatmulDequant(nullptr, 0, executor_, nullptr),
            kAclnnSuccess);
  EXPECT_THAT(out_data_, Each(0x5A5A));
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), kAclnnSuccess);
}

TEST_F(AclnnApiTest, SecondPhaseStatuses) {
  ASSERT_EQ(Prepare(), kAclnnSuccess);
  EXPECT_EQ(aclnnQuantGroupedMatmulDequant(nullptr, 0, nullptr, nullptr),
            161001);
  EXPECT_EQ(aclDestroyAclOpExecutor(nullptr), 161001);
  // AG-14.
  workspace_.resize(workspace_size_);
  EXPECT_EQ(aclnnQuantGroupedMatmulDequant(
                workspace_.data(), workspace_size_ - 1, executor_, nullptr),
            161002);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("workspaceSize"));
  EXPECT_EQ(aclnnQuantGroupedMatmulDequant(nullptr, workspace_size_, executor_,
                                           nullptr),
            161001);
  // Values.
  group_list_data_[0] = 3;
  EXPECT_EQ(Execute(), 161002);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("groupList: element 0 is 3"));
  group_list_data_[0] = 2;
  weight_scale_data_[15] = std::nanf("");
  EXPECT_EQ(Execute(), 161002);
  EXPECT_THAT(out_data_, Each(0x5A5A));
  weight_scale_data_[15] = 0.25f;
  EXPECT_EQ(Execute(), kAclnnSuccess);
  ExpectOutputs();
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), kAclnnSuccess);
}

// AR-11.
TEST_F(AclnnApiTest, OutputOverInput) {
  out_.data = x_data_.data();
  ASSERT_EQ(Prepare(), kAclnnSuccess);
  EXPECT_EQ(Execute(), 161002);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("overlap"));
  EXPECT_EQ(x_data_[0], 0x3C00);
  EXPECT_EQ(aclDestroyAclOpExecutor(executor_), kAclnnSuccess);
}

}  // namespace
}  // namespace qconform::optimized
