#include "optimized/checks.h"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace qconform::optimized {
namespace {

using ::testing::HasSubstr;

TensorDesc Floats(Dimensions sizes, std::optional<Dimensions> strides = {}) {
  return {ElementType::kFloat32, TensorLayout::kNd, sizes, strides};
}

std::string Message(const absl::Status& status) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(ChecksTest, NamesAndWidthsOfTypes) {
  const std::pair<ElementType, std::pair<std::string, size_t>> kTypes[] = {
      {ElementType::kUint8, {"uint8", 1}},
      {ElementType::kInt8, {"int8", 1}},
      {ElementType::kInt16, {"int16", 2}},
      {ElementType::kInt32, {"int32", 4}},
      {ElementType::kInt64, {"int64", 8}},
      {ElementType::kFloat16, {"float16", 2}},
      {ElementType::kFloat32, {"float32", 4}},
      {ElementType::kFloat64, {"float64", 8}},
  };
  for (const auto& [type, expected] : kTypes) {
    EXPECT_EQ(ElementTypeName(type), expected.first);
    EXPECT_EQ(ByteSize(type), expected.second);
  }
}

TEST(ChecksTest, StridesAndExtents) {
  EXPECT_EQ(EffectiveStrides(Floats({2, 3, 4})), (Dimensions{12, 4, 1}));
  EXPECT_EQ(ExtentBytes(Floats({2, 3, 4})), 96);
  EXPECT_EQ(ExtentBytes(Floats({})), 4);
  EXPECT_EQ(ExtentBytes(Floats({2, 3}, Dimensions{10, 2})), 4 * 15);
  EXPECT_EQ(ExtentBytes(Floats({5, 3}, Dimensions{0, 1})), 12);
}

TEST(ChecksTest, LargestTensors) {
  EXPECT_TRUE(CheckDmlTensor("T", Floats({65535, 65537})).ok());
  EXPECT_THAT(Message(CheckDmlTensor("T", Floats({65536, 65536}))),
              HasSubstr("T: sizes {65536, 65536} give more than"));
  // A size of 1 is never stepped along, so its stride does not matter.
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(CheckDmlTensor("T", Floats({1, 2}, Dimensions{kHuge, 1})).ok());
  EXPECT_TRUE(CheckDmlTensor("T", Floats({2}, Dimensions{kHuge / 4 - 1})).ok());
  EXPECT_THAT(Message(CheckDmlTensor("T", Floats({2}, Dimensions{kHuge / 4}))),
              HasSubstr("reach past 2^63 bytes"));
}

TEST(ChecksTest, OutputStrides) {
  EXPECT_TRUE(CheckOutputStrides("T", Floats({2, 3})).ok());
  // Any order of the dimensions, any padding.
  EXPECT_TRUE(CheckOutputStrides("T", Floats({2, 3}, Dimensions{1, 2})).ok());
  EXPECT_TRUE(CheckOutputStrides("T", Floats({2, 3}, Dimensions{7, 2})).ok());
  EXPECT_TRUE(CheckOutputStrides("T", Floats({1, 3}, Dimensions{0, 1})).ok());
  // Three elements, 2 apart, reach 4; the next row must lie beyond.
  EXPECT_TRUE(CheckOutputStrides("T", Floats({2, 3}, Dimensions{5, 2})).ok());
  EXPECT_THAT(
      Message(CheckOutputStrides("T", Floats({2, 3}, Dimensions{4, 2}))),
      HasSubstr("stride 4 must exceed 4"));
  EXPECT_THAT(
      Message(CheckOutputStrides("T", Floats({2, 3}, Dimensions{0, 1}))),
      HasSubstr("stride 0 must exceed 0"));
}

TEST(ChecksTest, OverlapBeginsAtTheFirstSharedByte) {
  std::vector<std::byte> memory(32);
  std::byte* middle = memory.data() + 16;
  EXPECT_TRUE(CheckNoOverlap("Y", middle, 4, "A", middle + 4, 4).ok());
  EXPECT_TRUE(CheckNoOverlap("Y", middle, 4, "A", middle - 4, 4).ok());
  for (int distance : {-3, 0, 3}) {
    EXPECT_THAT(
        Message(CheckNoOverlap("Y", middle, 4, "A", middle + distance, 4)),
        HasSubstr("Y: its 4 bytes overlap those of A"));
  }
}

TEST(ChecksTest, ScalesAtTheirStride) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float scales[] = {0x1p-149f, nan, -1.0f, nan, 0x1.fffffep127f};
  EXPECT_TRUE(CheckScales("S", scales, 3, 2).ok());
  EXPECT_TRUE(CheckScales("S", scales, 9, 0).ok());
  EXPECT_THAT(Message(CheckScales("S", scales, 2, 1)),
              HasSubstr("S: element 1 is nan"));
  const float minus_zero = -0.0f;
  EXPECT_THAT(Message(CheckScales("S", &minus_zero, 1, 0)),
              HasSubstr("S: element 0 is -0"));
}

}  // namespace
}  // namespace qconform::optimized
