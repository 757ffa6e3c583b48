#include "optimized/dml_element_wise_quantized_linear_add_kernels.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "optimized/dml_element_wise_quantized_linear_add_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized::linear_add {
namespace {

// Whatever kernel a plan would choose, the exact one is right.
TEST(LinearAddKernelsTest, ExactKernelOnAllScaleSets) {
  const AllPairs pairs;
  size_t set = 0;
  for (const Scales& scales : kScales) {
    SCOPED_TRACE(Name(scales));
    Oracle oracle(scales);
    const Types types = AllTypes()[set++ % 8];
    const ZeroPoints z = {
        ZeroPoint(static_cast<int>(set * 37 % 256), types.a_signed),
        ZeroPoint(static_cast<int>(set * 91 % 256), types.b_signed),
        ZeroPoint(static_cast<int>(set * 53 % 256), types.output_signed)};
    const std::vector<uint8_t> expected = ExpectedPairs(oracle, types, z);
    ForEachTarget([&] {
      const Parameters parameters = ChooseParameters(
          {scales.a, scales.b, scales.output, z.a, z.b, z.output,
           types.a_signed, types.b_signed, types.output_signed});
      std::vector<uint8_t> output(65536, 0xA5);
      DispatchKernels().rows[static_cast<size_t>(Kernel::kExact)](
          parameters, pairs.a.data(), pairs.b.data(), output.size(),
          output.data());
      ExpectSame(output, expected);
    });
  }
}

// Every kernel that may compute small tensors, or the ends of large ones.
TEST(LinearAddKernelsTest, EverySmallCount) {
  std::vector<uint8_t> a(300), b(300);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint8_t>(i * 101 + i / 7);
    b[i] = static_cast<uint8_t>(i * 37 + 11);
  }
  for (const Scales& scales : {Scales{1, 1, 2}, Scales{1, 1, 6},
                               Scales{0.1f, 0.3f, 0.2f}, Scales{700, 1, 1}}) {
    SCOPED_TRACE(Name(scales));
    Oracle oracle(scales);
    ForEachTarget([&] {
      const Parameters parameters =
          ChooseParameters({scales.a, scales.b, scales.output, 120, 130, 7,
                            false, false, false});
      const Row row =
          DispatchKernels().rows[static_cast<size_t>(parameters.kernel)];
      for (size_t count = 0; count <= 299; ++count) {
        std::vector<uint8_t> output(300, 0xA5);
        row(parameters, a.data(), b.data(), count, output.data());
        for (size_t i = 0; i < output.size(); ++i) {
          ASSERT_EQ(output[i],
                    i < count ? Expected(oracle, a[i], b[i],
                                         {false, false, false}, {120, 130, 7})
                              : 0xA5)
              << i << " of " << count;
        }
      }
    });
  }
}

TEST(LinearAddKernelsTest, ProofFindsWrongProducts) {
  ForEachTarget([] {
    const auto parameters = [](const Scales& s) {
      return ChooseParameters(
          {s.a, s.b, s.output, 0, 0, 0, false, false, false});
    };
    const KernelTable& table = DispatchKernels();
    const Parameters beside = parameters({1, 0x1p-24f, 2});
    ASSERT_EQ(beside.kernel, Kernel::kFiltered);
    EXPECT_FALSE(ProductIsExact(table, beside));
    const Parameters far = parameters({0.7f, 0.3f, 1.1f});
    ASSERT_EQ(far.kernel, Kernel::kFiltered);
    EXPECT_TRUE(ProductIsExact(table, far));
  });
}

// Scale sets full of exact ties must not need the slow kernels.
TEST(LinearAddKernelsTest, ChoosesKernels) {
  const auto kernel = [](float a, float b, float output) {
    return ChooseParameters({a, b, output, 3, 4, 5, false, false, false})
        .kernel;
  };
  EXPECT_EQ(kernel(1, 1, 2), Kernel::kProduct);
  EXPECT_EQ(kernel(0.1f, 0.1f, 0.2f), Kernel::kProduct);
  EXPECT_EQ(kernel(0x1p-149f, 0x1p-149f, 0x1p-148f), Kernel::kProduct);
  EXPECT_EQ(kernel(1, 1, 3), Kernel::kProduct);
  EXPECT_EQ(kernel(-1, 1, -2), Kernel::kProduct);
  EXPECT_EQ(kernel(1, 1, 6), Kernel::kQuotient);
  EXPECT_EQ(kernel(3, 5, 14), Kernel::kQuotient);
  EXPECT_EQ(kernel(0.1f, 0.3f, 0.2f), Kernel::kFiltered);
  EXPECT_EQ(kernel(1, 0x1p-60f, 2), Kernel::kFiltered);
  EXPECT_EQ(kernel(0x1p127f, 1, 1), Kernel::kExact);
}

}  // namespace
}  // namespace qconform::optimized::linear_add
