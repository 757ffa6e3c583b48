#include "optimized/integer_gemm.h"

#include <cstdint>
#include <random>

#include "gtest/gtest.h"
#include "optimized/integer_gemm_test_util.h"
#include "optimized/target_test_util.h"

namespace qconform::optimized {
namespace {

TEST(IntegerGemmTest, EverySizeAroundTheVectorWidths) {
  ForEachTarget([] {
    std::mt19937 random(1);
    for (size_t columns = 1; columns <= 70; ++columns) {
      for (size_t depth : {1, 2, 3, 16, 31, 37}) {
        const size_t rows = 1 + random() % 26;
        const Problem problem = {
            rows, columns, depth, random() % 2 == 0, random() % 2 == 0, 0};
        CheckProblem(problem, Layouts(rows, depth)[0],
                     Layouts(depth, columns)[0], random() % 4 != 0, random);
      }
    }
  });
}

TEST(IntegerGemmTest, EveryRowCountAndDepth) {
  ForEachTarget([] {
    std::mt19937 random(2);
    for (size_t rows = 1; rows <= 26; ++rows) {
      for (size_t depth = 1; depth <= 67; depth += 1 + rows % 3) {
        const size_t columns = 1 + random() % 40;
        CheckProblem(
            {rows, columns, depth, random() % 2 == 0, random() % 2 == 0, 0},
            Layouts(rows, depth)[0], Layouts(depth, columns)[0], true, random);
      }
    }
  });
}

TEST(IntegerGemmTest, EveryLayoutAndSign) {
  ForEachTarget([] {
    std::mt19937 random(3);
    for (size_t i = 0; i < 8; ++i) {
      for (size_t signs = 0; signs < 4; ++signs) {
        for (size_t columns : {16, 48, 77}) {
          for (size_t depth : {16, 45, 96}) {
            const size_t rows = 1 + random() % 9;
            CheckProblem({rows, columns, depth, signs % 2 == 1, signs > 1, 0},
                         Layouts(rows, depth)[random() % 8],
                         Layouts(depth, columns)[i], true, random);
          }
        }
      }
    }
  });
}

TEST(IntegerGemmTest, LongRowsAndManyStrips) {
  ForEachTarget([] {
    std::mt19937 random(4);
    // Several chunks of rows (by depth), several strips of columns.
    CheckProblem({29, 50, 8200, true, false, 0}, Layouts(29, 8200)[0],
                 Layouts(8200, 50)[1], true, random);
    CheckProblem({5, 1100, 30, false, true, 0}, Layouts(5, 30)[2],
                 Layouts(30, 1100)[0], true, random);
  });
}

// Many rows make it worth to widen a panel first: at every width, and in
// several strips and chunks.
TEST(IntegerGemmTest, ManyRows) {
  ForEachTarget([] {
    std::mt19937 random(8);
    for (size_t columns = 1; columns <= 40; ++columns) {
      const size_t rows = 34 + random() % 15;
      CheckProblem({rows, columns, 37, random() % 2 == 0, random() % 2 == 0, 0},
                   Layouts(rows, 37)[0], Layouts(37, columns)[0], true, random);
    }
    CheckProblem({37, 1100, 130, true, true, 0}, Layouts(37, 130)[0],
                 Layouts(130, 1100)[1], true, random);
    CheckProblem({150, 40, 5000, false, true, 0}, Layouts(150, 5000)[0],
                 Layouts(5000, 40)[0], true, random);
    // Several tiles in a chunk and several strips, of quads, too.
    CheckProblem({40, 100, 5000, false, true, 0}, Layouts(40, 5000)[0],
                 Layouts(5000, 100)[0], true, random);
  });
}

// One row takes a row-major B where it stands, in strips of columns.
TEST(IntegerGemmTest, OneRowInPlace) {
  ForEachTarget([] {
    std::mt19937 random(6);
    for (size_t columns : {8, 31, 32, 33, 95, 200, 4096, 4099, 8201}) {
      for (size_t depth : {1, 2, 7, 8, 9, 21}) {
        CheckProblem(
            {1, columns, depth, random() % 2 == 0, random() % 2 == 0, 0},
            Layouts(1, depth)[random() % 3], Layouts(depth, columns)[0],
            random() % 4 != 0, random);
      }
    }
  });
}

// AR-09: exact where int32 just holds, and beyond.
TEST(IntegerGemmTest, ExtremeValuesAtEveryDepth) {
  ForEachTarget([] {
    std::mt19937 random(5);
    for (size_t depth : {33023, 33024, 33025, 40001, 66050}) {
      for (size_t signs = 0; signs < 4; ++signs) {
        for (int fill = 1; fill <= 3; ++fill) {
          CheckProblem({2, 9, depth, signs % 2 == 1, signs > 1, fill},
                       Layouts(2, depth)[0], Layouts(depth, 9)[0], true,
                       random);
        }
      }
    }
  });
}

}  // namespace
}  // namespace qconform::optimized
