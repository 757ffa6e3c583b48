#include "harness/commands/arguments.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "harness/commands/common.h"

namespace qconform::harness {
namespace {

using ::testing::HasSubstr;

std::string Try(const CLI::Validator& validator, std::string text) {
  return validator(text);
}

TEST(ArgumentsTest, NumbersAreFiniteAndWithin) {
  for (const char* good : {"0.5", "1", "2.5", "1e0"}) {
    EXPECT_EQ(Try(NumberWithin(0.5, 2.5), good), "") << good;
  }
  for (const char* bad : {"nan", "-nan", "inf", "0.49", "2.6", "", "x", "1x"}) {
    EXPECT_THAT(Try(NumberWithin(0.5, 2.5), bad),
                HasSubstr("no FLOAT in [0.5 - 2.5]"))
        << bad;
  }
}

TEST(ArgumentsTest, SeedsAreDecimalAndFit) {
  for (const char* good : {"0", "1", "18446744073709551615"}) {
    EXPECT_EQ(Try(SeedNumber(), good), "") << good;
  }
  for (const char* bad :
       {"-1", "18446744073709551616", "010", "0x10", "1.5", "", "+1", " 1"}) {
    EXPECT_THAT(Try(SeedNumber(), bad), HasSubstr("no whole number")) << bad;
  }
}

class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    app_.require_subcommand(1);
    CLI::App* run = app_.add_subcommand("run", "");
    run->add_option("paths", paths_);
    run->add_option("--json", json_);
    run->add_flag("--quiet", quiet_);
    app_.add_subcommand("import", "")->add_subcommand("onnx", "");
    RequireValues(app_);
  }

  std::string Words(const std::vector<std::string>& words) {
    return std::string(CheckWords(app_, words).message());
  }

  // The message of the library, "" if it accepts the words.
  std::string Parse(std::vector<std::string> words) {
    try {
      std::reverse(words.begin(), words.end());
      app_.parse(words);
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return "";
  }

  CLI::App app_;
  std::vector<std::string> paths_;
  std::string json_;
  bool quiet_ = false;
};

TEST_F(CommandLineTest, SubcommandsAreKnown) {
  EXPECT_EQ(Words({}), "");
  EXPECT_EQ(Words({"run", "walk"}), "");  // a path
  EXPECT_EQ(Words({"--help"}), "");
  EXPECT_EQ(Words({"walk"}),
            "there is no subcommand walk; there are: run, import");
  EXPECT_EQ(Words({"import", "tf"}),
            "there is no subcommand tf; there are: onnx");
}

TEST_F(CommandLineTest, AnOptionTakesNoOtherForItsValue) {
  EXPECT_EQ(Words({"run", "--json=", "--quiet"}),
            "--json= needs a value, found none");
  EXPECT_EQ(Words({"run", "--json=a=", "--", "--b="}), "");
  EXPECT_THAT(Parse({"run", "--json", "--quiet"}),
              HasSubstr("found the option --quiet"));
  EXPECT_THAT(Parse({"run", "--json", ""}), HasSubstr("found an empty one"));
  EXPECT_THAT(Parse({"run", ""}), HasSubstr("found an empty one"));
}

TEST_F(CommandLineTest, ValuesAreTaken) {
  EXPECT_EQ(Parse({"run", "--quiet", "--json", "-", "--", "--odd-name"}), "");
  EXPECT_EQ(json_, "-");
  EXPECT_TRUE(quiet_);
  EXPECT_EQ(paths_, std::vector<std::string>{"--odd-name"});
}

TEST(CheckApartTest, NoOutputIsAnInputOrAnother) {
  const std::string folder = testing::TempDir() + "apart";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string in = folder + "/in.json";
  std::ofstream(in) << "{}";
  const std::string out = folder + "/out.json";
  EXPECT_TRUE(
      CheckApart({{"json", out}, {"html", ""}, {"junit", ""}}, {in, ""}).ok());
  EXPECT_TRUE(
      CheckApart({{"json", "/dev/null"}, {"html", "/dev/null"}}, {in}).ok());
  EXPECT_EQ(CheckApart({{"json", folder + "/./in.json"}}, {in}).message(),
            "--json=" + folder +
                "/./in.json: the same file is read; another one is needed");
  std::filesystem::create_symlink("in.json", folder + "/link.json");
  EXPECT_FALSE(CheckApart({{"json", folder + "/link.json"}}, {in}).ok());
  EXPECT_EQ(CheckApart({{"json", out}, {"html", out}}, {}).message(),
            "--html=" + out +
                ": the same file is written as --json; another one is needed");
  EXPECT_FALSE(CheckApart({{"json", "-"}, {"html", "-"}}, {}).ok());
}

}  // namespace
}  // namespace qconform::harness
