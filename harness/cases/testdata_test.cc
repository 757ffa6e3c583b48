// Holds the vectors in testdata/ to their own rules, and the malformed examples
// to theirs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "harness/cases/format_files.h"
#include "harness/cases/vector_file.h"
#include "qconform_source_dir.h"
#include "spec/operator_spec.h"

namespace qconform::harness {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const char kTestdata[] = QCONFORM_SOURCE_DIR "/testdata";
const char kMalformed[] = QCONFORM_SOURCE_DIR "/harness/cases/malformed";

class Testdata : public ::testing::Test {
 protected:
  void SetUp() override {
    auto files = ReadVectorFiles({kTestdata});
    ASSERT_TRUE(files.ok()) << files.status();
    files_ = *std::move(files);
    ASSERT_GT(files_.size(), 0u);
  }
  std::vector<VectorFile> files_;
};

TEST_F(Testdata, IsSpeltCanonically) {
  const auto changed = FormatFiles({kTestdata}, true);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_THAT(*changed, IsEmpty()) << "qconform format testdata";
}

TEST_F(Testdata, NamesTitleSourceAndClauses) {
  for (const VectorFile& file : files_) {
    const spec::OperatorSpec* operator_spec =
        spec::FindOperator(file.operator_name);
    EXPECT_THAT(file.path,
                HasSubstr(absl::StrCat("/", file.operator_name, "/")));
    EXPECT_THAT(file.cases, Not(IsEmpty())) << file.path;
    for (const TestCase& test_case : file.cases) {
      const std::string place = absl::StrCat(file.path, ": ", test_case.id);
      EXPECT_NE(test_case.title, "") << place;
      EXPECT_NE(test_case.source, "") << place;
      EXPECT_THAT(test_case.clauses, Not(IsEmpty())) << place;
      const std::set<std::string> unique(test_case.clauses.begin(),
                                         test_case.clauses.end());
      EXPECT_EQ(unique.size(), test_case.clauses.size()) << place;
      for (const std::string& clause : test_case.clauses) {
        EXPECT_NE(operator_spec->FindClause(clause), nullptr)
            << place << " names " << clause << ", which " << file.operator_name
            << " does not have";
      }
      // Without data or an error a case of ours would freeze nothing.
      EXPECT_TRUE(test_case.error.has_value() || !test_case.expected.empty())
          << place;
    }
  }
}

TEST_F(Testdata, CoversEveryClause) {
  std::map<std::string, std::set<std::string>> covered;
  std::set<std::string> covered_by_any;
  for (const VectorFile& file : files_) {
    for (const TestCase& test_case : file.cases) {
      for (const std::string& clause : test_case.clauses) {
        covered[file.operator_name].insert(clause);
        covered_by_any.insert(clause);
      }
    }
  }
  ASSERT_EQ(spec::AllOperators().size(), 4u);
  for (const spec::OperatorSpec& operator_spec : spec::AllOperators()) {
    for (const spec::Clause& clause : operator_spec.clauses) {
      // The AR clauses stand in every operator; some have no place in one (a
      // scale in quantize and dequantize), so any operator may show them.
      const bool shared = clause.id.substr(0, 2) == "AR";
      EXPECT_THAT(shared ? covered_by_any : covered[operator_spec.name],
                  Contains(clause.id))
          << operator_spec.name;
    }
  }
}

TEST(Malformed, ExamplesAreRefused) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kMalformed)) {
    const std::string path = entry.path().string();
    const auto file = ReadVectorFile(path);
    EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument) << path;
    const std::string message(file.status().message());
    EXPECT_THAT(message, HasSubstr(path));
    // Faults inside a case name it.
    if (message.find("cases[") == std::string::npos &&
        path.find("_in_file") == std::string::npos &&
        path.find("unknown_operator") == std::string::npos &&
        path.find("unknown_schema") == std::string::npos &&
        path.find("key_twice") == std::string::npos &&
        path.find("text_") == std::string::npos) {
      EXPECT_THAT(message, HasSubstr("case \"malformed\""));
    }
    ++count;
  }
  EXPECT_GT(count, 40u);
}

}  // namespace
}  // namespace qconform::harness
