#include "optimized/aclnn_quant_grouped_matmul_dequant_arguments.h"

#include <functional>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimized/aclnn_quant_grouped_matmul_dequant.h"
#include "optimized/aclnn_status.h"

namespace qconform::optimized {
namespace {

using ::testing::HasSubstr;

TensorDesc Tensor(ElementType type, Dimensions sizes) {
  return {type, TensorLayout::kNd, std::move(sizes), std::nullopt};
}

// m 3, k 48, n 16, g 2, everything given.
QuantGroupedMatmulDequantDesc ValidDesc() {
  QuantGroupedMatmulDequantDesc desc;
  desc.x = Tensor(ElementType::kFloat16, {3, 48});
  desc.weight = Tensor(ElementType::kInt8, {2, 16, 48});
  desc.weight_scale = Tensor(ElementType::kFloat32, {2, 16});
  desc.group_list = Tensor(ElementType::kInt64, {2});
  desc.x_scale_optional = Tensor(ElementType::kFloat32, {3});
  desc.smooth_scale_optional = Tensor(ElementType::kFloat16, {48});
  desc.x_quant_mode = "pertoken";
  desc.out = Tensor(ElementType::kFloat16, {3, 16});
  return desc;
}

using Change = std::function<void(QuantGroupedMatmulDequantDesc&)>;

void ExpectRejected(const Change& change, int aclnn_status,
                    const std::string& message, bool allow_false = false) {
  QuantGroupedMatmulDequantDesc desc = ValidDesc();
  change(desc);
  const auto geometry = CheckQuantGroupedMatmulDequant(desc, allow_false);
  EXPECT_EQ(geometry.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(AclnnStatus(geometry.status()), aclnn_status) << message;
  EXPECT_THAT(std::string(geometry.status().message()), HasSubstr(message));
}

void ExpectAccepted(const Change& change, bool is_empty = false,
                    bool allow_false = false) {
  QuantGroupedMatmulDequantDesc desc = ValidDesc();
  change(desc);
  const auto geometry = CheckQuantGroupedMatmulDequant(desc, allow_false);
  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_EQ(geometry->is_empty, is_empty);
}

TEST(GroupedArgumentsTest, Geometry) {
  QuantGroupedMatmulDequantDesc desc = ValidDesc();
  desc.x->strides = Dimensions{0, 2};
  desc.weight->layout = TensorLayout::kFractalNz;
  desc.weight->sizes = {2, 2, 1, 16, 32};
  const auto geometry = CheckQuantGroupedMatmulDequant(desc, false);
  ASSERT_TRUE(geometry.ok()) << geometry.status();
  EXPECT_EQ(geometry->m, 3u);
  EXPECT_EQ(geometry->k, 48u);
  EXPECT_EQ(geometry->n, 16u);
  EXPECT_EQ(geometry->groups, 2u);
  EXPECT_FALSE(geometry->is_dynamic);
  EXPECT_TRUE(geometry->is_per_token);
  EXPECT_TRUE(geometry->has_smooth_scale);
  EXPECT_EQ(geometry->x_row_stride, 0u);
  EXPECT_EQ(geometry->x_column_stride, 2u);
  EXPECT_EQ(geometry->x_bytes, 190u);               // 2 * (47 * 2 + 1)
  EXPECT_EQ(geometry->WeightGroupStride(), 1024u);  // 2 * 1 * 512, not n * k
  EXPECT_EQ(geometry->out_bytes, 96u);
}

TEST(GroupedArgumentsTest, Accepts) {
  ExpectAccepted([](auto&) {});
  ExpectAccepted([](auto& d) { d.smooth_scale_optional.reset(); });
  ExpectAccepted([](auto& d) { d.x_scale_optional.reset(); });
  ExpectAccepted([](auto& d) {
    d.x_quant_mode = "pertensor";
    d.x_scale_optional->sizes = {1};
  });
  ExpectAccepted([](auto& d) { d.weight_scale->strides = Dimensions{1, 0}; });
  // Strides of axes of size 1 say nothing.
  ExpectAccepted([](auto& d) {
    d.x->sizes = {1, 48};
    d.x_scale_optional->sizes = {1};
    d.out->sizes = {1, 16};
    d.out->strides = Dimensions{7, 1};
    d.weight->strides = Dimensions{16 * 48, 48, 1};
  });
  ExpectAccepted(
      [](auto& d) {
        d.transpose_weight = false;
        d.weight->sizes = {2, 48, 16};
      },
      false, true);
  ExpectAccepted(
      [](auto& d) {
        d.transpose_weight = false;
        d.weight->layout = TensorLayout::kFractalNz;
        d.weight->sizes = {2, 1, 3, 16, 32};
      },
      false, true);
}

// AG-11: also where what comes after the check is wrong.
TEST(GroupedArgumentsTest, Empty) {
  for (const auto tensor : {&QuantGroupedMatmulDequantDesc::x,
                            &QuantGroupedMatmulDequantDesc::weight,
                            &QuantGroupedMatmulDequantDesc::weight_scale,
                            &QuantGroupedMatmulDequantDesc::group_list}) {
    ExpectAccepted(
        [tensor](auto& d) {
          (d.*tensor)->sizes[0] = 0;
          d.x_quant_mode = "perchannel";
          d.out->sizes = {5};
        },
        true);
  }
  QuantGroupedMatmulDequantDesc desc = ValidDesc();
  desc.x->sizes = {0, 48};
  const auto plan = QuantGroupedMatmulDequant::Plan(desc);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->WorkspaceBytes(3), 0u);
  EXPECT_TRUE(plan->Run(nullptr, {}, nullptr, {}).ok());
}

// AG-12, in its order.
TEST(GroupedArgumentsTest, NullPointers) {
  constexpr int kNull = kAclnnErrorNullPointer;
  ExpectRejected([](auto& d) { d.x.reset(); }, kNull, "x: null");
  ExpectRejected([](auto& d) { d.weight.reset(); }, kNull, "weight: null");
  ExpectRejected([](auto& d) { d.weight_scale.reset(); }, kNull,
                 "weightScale: null");
  ExpectRejected([](auto& d) { d.group_list.reset(); }, kNull,
                 "groupList: null");
  ExpectRejected([](auto& d) { d.out.reset(); }, kNull, "out: null");
  ExpectRejected([](auto& d) { d.x_quant_mode.reset(); }, kNull,
                 "xQuantMode: null");
  const TensorDesc tensor = Tensor(ElementType::kInt32, {16});
  ExpectRejected([&](auto& d) { d.bias_optional = tensor; }, kNull,
                 "biasOptional: a tensor");
  ExpectRejected([&](auto& d) { d.x_offset_optional = tensor; }, kNull,
                 "xOffsetOptional: a tensor");
}

TEST(GroupedArgumentsTest, Order) {
  const auto transpose_false = [](QuantGroupedMatmulDequantDesc& d) {
    d.transpose_weight = false;
  };
  // transposeWeight before null, null before forbidden, both before types,
  // types before emptiness, emptiness before shapes.
  ExpectRejected(
      [&](auto& d) {
        transpose_false(d);
        d.x.reset();
      },
      161002, "transposeWeight: false");
  ExpectRejected(
      [](auto& d) {
        d.out.reset();
        d.bias_optional = d.x;
        d.x->type = ElementType::kInt8;
      },
      161001, "out: null");
  ExpectRejected(
      [](auto& d) {
        d.bias_optional = d.x;
        d.x->type = ElementType::kInt8;
      },
      161001, "biasOptional");
  ExpectRejected(
      [](auto& d) {
        d.x->sizes = {0, 48};
        d.smooth_scale_optional->type = ElementType::kFloat32;
      },
      161002, "smoothScaleOptional: type float32; allowed is float16");
}

TEST(GroupedArgumentsTest, TypesAndFormats) {
  constexpr int kInvalid = kAclnnErrorInvalidParameter;
  const auto i32 = ElementType::kInt32;
  ExpectRejected([=](auto& d) { d.x->type = i32; }, kInvalid, "x: type int32");
  ExpectRejected([](auto& d) { d.weight->type = ElementType::kUint8; },
                 kInvalid, "weight: type uint8; allowed is int8");
  ExpectRejected([=](auto& d) { d.weight_scale->type = i32; }, kInvalid,
                 "weightScale: type");
  ExpectRejected([=](auto& d) { d.group_list->type = i32; }, kInvalid,
                 "groupList: type");
  ExpectRejected([=](auto& d) { d.x_scale_optional->type = i32; }, kInvalid,
                 "xScaleOptional: type");
  ExpectRejected([=](auto& d) { d.out->type = i32; }, kInvalid, "out: type");
  ExpectRejected([](auto& d) { d.x->layout = TensorLayout::kFractalNz; },
                 kInvalid, "x: format FRACTAL_NZ");
}

TEST(GroupedArgumentsTest, SizesAndStrides) {
  constexpr int kInvalid = kAclnnErrorInvalidParameter;
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  ExpectRejected(
      [](auto& d) {
        d.out->sizes = {-3, 16};
      },
      kInvalid, "out: sizes {-3, 16}");
  ExpectRejected(
      [=](auto& d) {
        d.x->sizes = {kHuge, 48};
      },
      kInvalid, "x: sizes");
  ExpectRejected([](auto& d) { d.x->strides = Dimensions{1}; }, kInvalid,
                 "x: 1 strides for 2 dimensions");
  ExpectRejected(
      [](auto& d) {
        d.x->strides = Dimensions{-48, 1};
      },
      kInvalid, "x: strides {-48, 1}");
  ExpectRejected(
      [=](auto& d) {
        d.x->strides = Dimensions{kHuge / 2, 1};
      },
      kInvalid, "x: strides");
  // AG-13.
  ExpectRejected(
      [](auto& d) {
        d.out->strides = Dimensions{17, 1};
      },
      kInvalid, "out: strides {17, 1} for sizes {3, 16}");
  ExpectRejected(
      [](auto& d) {
        d.weight->strides = Dimensions{0, 48, 1};
      },
      kInvalid, "weight: strides");
}

TEST(GroupedArgumentsTest, Shapes) {
  constexpr int kInvalid = kAclnnErrorInvalidParameter;
  ExpectRejected([](auto& d) { d.x->sizes = {48}; }, kInvalid,
                 "x: sizes {48}; allowed are 2 dimensions");
  ExpectRejected(
      [](auto& d) {
        d.weight->sizes = {2, 16, 48, 1};
      },
      kInvalid, "weight: sizes");
  ExpectRejected([](auto& d) { d.weight_scale->sizes = {32}; }, kInvalid,
                 "weightScale: sizes");
  ExpectRejected(
      [](auto& d) {
        d.out->sizes = {3, 16, 1};
      },
      kInvalid, "out: sizes");
  ExpectRejected(
      [](auto& d) {
        d.x->sizes = {3, 40};
      },
      kInvalid, "k, the columns of x, is 40");
  ExpectRejected(
      [](auto& d) {
        d.weight_scale->sizes = {2, 8};
      },
      kInvalid, "n, the columns of weightScale, is 8");
  ExpectRejected(
      [](auto& d) {
        d.weight->sizes = {2, 48, 16};
      },
      kInvalid, "weight: sizes {2, 48, 16}; allowed here are {2, 16, 48}");
  ExpectRejected(
      [](auto& d) {
        d.weight->layout = TensorLayout::kFractalNz;
        d.weight->sizes = {2, 1, 1, 16, 32};
      },
      kInvalid, "allowed here are {2, 2, 1, 16, 32}");
  ExpectRejected([](auto& d) { d.transpose_weight = false; }, kInvalid,
                 "allowed here are {2, 48, 16}", true);
  ExpectRejected(
      [](auto& d) {
        d.transpose_weight = false;
        d.weight->layout = TensorLayout::kFractalNz;
        d.weight->sizes = {2, 2, 1, 16, 32};
      },
      kInvalid, "allowed here are {2, 1, 3, 16, 32}", true);
  ExpectRejected(
      [](auto& d) {
        d.weight_scale->sizes = {1, 16};
      },
      kInvalid, "weightScale: sizes");
  ExpectRejected([](auto& d) { d.group_list->sizes = {3}; }, kInvalid,
                 "groupList: sizes {3}; allowed here are {2}");
  ExpectRejected(
      [](auto& d) {
        d.group_list->sizes = {1, 2};
      },
      kInvalid, "groupList: sizes");
  ExpectRejected([](auto& d) { d.smooth_scale_optional->sizes = {16}; },
                 kInvalid, "smoothScaleOptional: sizes");
  ExpectRejected(
      [](auto& d) {
        d.out->sizes = {4, 16};
      },
      kInvalid, "out: sizes {4, 16}; allowed here are {3, 16}");
}

TEST(GroupedArgumentsTest, QuantMode) {
  constexpr int kInvalid = kAclnnErrorInvalidParameter;
  ExpectRejected([](auto& d) { d.x_quant_mode = "PerToken"; }, kInvalid,
                 "xQuantMode: \"PerToken\"; allowed are pertoken, pertensor");
  ExpectRejected(
      [](auto& d) {
        d.x_quant_mode = "pertensor";
        d.x_scale_optional.reset();
      },
      kInvalid, "pertensor without xScaleOptional");
  ExpectRejected([](auto& d) { d.x_quant_mode = "pertensor"; }, kInvalid,
                 "xScaleOptional: sizes {3}; allowed here are {1}");
  ExpectRejected([](auto& d) { d.x_scale_optional->sizes = {1}; }, kInvalid,
                 "xScaleOptional: sizes {1}; allowed here are {3}");
}

TEST(AclnnStatusTest, OfAnyStatus) {
  EXPECT_EQ(AclnnStatus(absl::OkStatus()), 0);
  EXPECT_EQ(AclnnStatus(absl::InternalError("no payload")), 161002);
  EXPECT_EQ(AclnnStatus(AclnnError(161001, "null")), 161001);
  EXPECT_EQ(AclnnStatus(AclnnError(161002, "bad")), 161002);
}

}  // namespace
}  // namespace qconform::optimized
