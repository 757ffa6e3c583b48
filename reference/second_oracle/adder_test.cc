#include "reference/second_oracle/adder.h"

#include "gtest/gtest.h"

namespace qconform::reference::second_oracle {
namespace {

constexpr spec::DataType kU8 = spec::DataType::kUint8;
constexpr spec::DataType kS8 = spec::DataType::kInt8;

struct Case {
  int a;
  int a_zero_point;
  float a_scale;
  int b;
  int b_zero_point;
  float b_scale;
  float output_scale;
  int output_zero_point;
  spec::DataType type;
  int expected;
};

// Expected values: worked out with fractions.
TEST(Adder, HandWorkedValues) {
  const Case cases[] = {
      // Half to even, then an odd zero point.
      {1, 0, 0x1p-1f, 0, 0, 1, 1, 1, kU8, 1},
      {3, 0, 0x1p-1f, 0, 0, 1, 1, 1, kU8, 3},
      {1, 0, 0x1p-149f, 0, 0, 0x1p-149f, 0x1p-148f, 0, kU8, 0},
      {3, 0, 0x1p-149f, 0, 0, 0x1p-149f, 0x1p-148f, 0, kU8, 2},
      // The smallest subnormal beside a tie, on either side.
      {3, 0, 0x1p-1f, 1, 0, 0x1p-149f, 1, 1, kU8, 3},
      {3, 0, 0x1p-1f, -1, 0, 0x1p-149f, 1, 1, kU8, 2},
      {1, 0, 0x1p-1f, 1, 0, 0x1p-149f, 1, 1, kU8, 2},
      {1, 0, 0x1p-1f, 0, 1, 0x1p-149f, 1, 1, kU8, 1},
      {3, 0, 0x1p-1f, 1, 0, -0x1p-149f, 1, 1, kU8, 2},
      // The whole exponent range in one sum.
      {1, 0, 0x1p127f, 1, 0, -0x1p127f, 0x1p-149f, 9, kU8, 9},
      {2, 0, 0x1p127f, 1, 0, -0x1p127f, 0x1p-149f, 9, kU8, 255},
      {1, 0, 0x1p127f, 2, 0, -0x1p127f, 0x1p-149f, 9, kU8, 0},
      {1, 0, -0x1p127f, 1, 0, -0x1p127f, -0x1p-149f, 9, kS8, 127},
      {5, 0, 0x1p126f, 3, 0, 0x1p-149f, 0x1p127f, 0, kS8, 3},
      {5, 0, 0x1p126f, 0, 3, 0x1p-149f, 0x1p127f, 0, kS8, 2},
      {5, 0, 0x1p126f, 0, 3, 0x1p-149f, -0x1p127f, 0, kS8, -2},
      {6, 0, 0x1p126f, 0, 0, 0x1p-149f, 0x1p127f, 0, kS8, 3},
      // Extremes of the data; the sum would overflow binary32.
      {127, -128, 0x1.fffffep+127f, 127, -128, 0x1.fffffep+127f,
       0x1.fffffep+127f, -128, kS8, 127},
      {255, 0, 0x1p-149f, 3, 0, 0x1p-148f, 0x1.8p-148f, 0, kU8, 87},
      {-128, 127, 0x1.99999ap-4f, 255, 0, 0x1.99999ap-5f, 0x1.99999ap-6f, 128,
       kU8, 0},
  };
  for (const Case& c : cases) {
    const Adder adder({c.a_scale, c.a_zero_point, c.b_scale, c.b_zero_point,
                       c.output_scale, c.output_zero_point, c.type});
    EXPECT_EQ(adder.Add(c.a, c.b), c.expected)
        << c.a << " " << c.a_scale << " " << c.b << " " << c.b_scale;
  }
}

TEST(AdderTable, IndexesByBytes) {
  const AdderParameters parameters{1, 3, 2, -4, 4, 5, kS8};
  const std::vector<int16_t> table = AdderTable(parameters, kU8, kS8);
  ASSERT_EQ(table.size(), 65536u);
  EXPECT_EQ(table[0 * 256 + 0], 6);       // (-3 + 2*4)/4 = 5/4
  EXPECT_EQ(table[255 * 256 + 255], 69);  // (252 + 2*3)/4 = 129/2
  EXPECT_EQ(table[255 * 256 + 128], 6);   // (252 - 2*124)/4 = 1
  EXPECT_EQ(table[255 * 256 + 127], 127);
  EXPECT_EQ(table[0 * 256 + 128], -58);  // (-3 - 248)/4 = -251/4
}

}  // namespace
}  // namespace qconform::reference::second_oracle
