#include "harness/cases/format_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_replace.h"
#include "harness/cases/example_vectors.h"
#include "harness/cases/vector_file.h"

namespace qconform::harness {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Files : public ::testing::Test {
 protected:
  Files()
      : folder_(
            std::filesystem::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "sub");
  }
  ~Files() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  const std::filesystem::path folder_;
};

TEST_F(Files, AreReadInTheOrderOfTheirNames) {
  const std::string b = Write("b.json", kAdd);
  const std::string a = Write("sub/a.json", kDequantize);
  Write("readme.txt", "no vector");
  const auto files = ReadVectorFiles({folder_.string(), b});
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[0].path, b);
  EXPECT_EQ((*files)[1].path, a);
  std::filesystem::create_directories(folder_ / "none");
  EXPECT_THAT(*ReadVectorFiles({(folder_ / "none").string()}), IsEmpty());
}

TEST_F(Files, MustBeVectorFilesWithUniqueIds) {
  Write("b.json", kAdd);
  const std::string again = Write("c.json", kAdd);
  const auto twice = ReadVectorFiles({folder_.string()});
  EXPECT_THAT(
      std::string(twice.status().message()),
      AllOf(HasSubstr(again), HasSubstr("\"first\""), HasSubstr("b.json")));
  Write("c.json", "{}");
  EXPECT_EQ(ReadVectorFiles({folder_.string()}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const std::string missing = (folder_ / "missing").string();
  for (const absl::Status& status :
       {ReadVectorFiles({missing}).status(), ReadVectorFile(missing).status(),
        ReadVectorFile(folder_.string()).status()}) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(folder_.string()));
  }
}

TEST_F(Files, AreFormattedOnlyWhereNeeded) {
  const std::string good = Write("a.json", kAdd);
  const std::string other =
      Write("b.json", absl::StrReplaceAll(kDequantize, {{"  ", " "}}));
  EXPECT_THAT(*FormatFiles({folder_.string()}, true), ElementsAre(other));
  EXPECT_NE(*ReadTextFile(other), kDequantize);
  EXPECT_THAT(*FormatFiles({folder_.string()}, false), ElementsAre(other));
  EXPECT_EQ(*ReadTextFile(other), kDequantize);
  EXPECT_THAT(*FormatFiles({folder_.string()}, false), IsEmpty());
  EXPECT_EQ(*ReadTextFile(good), kAdd);

  // A malformed file stops all before the first is written.
  const std::string first =
      Write("a.json", absl::StrReplaceAll(kAdd, {{"  ", " "}}));
  const std::string before = *ReadTextFile(first);
  Write("c.json", "{");
  EXPECT_FALSE(FormatFiles({folder_.string()}, false).ok());
  EXPECT_EQ(*ReadTextFile(first), before);
  EXPECT_FALSE(FormatFiles({(folder_ / "missing").string()}, true).ok());
}

}  // namespace
}  // namespace qconform::harness
