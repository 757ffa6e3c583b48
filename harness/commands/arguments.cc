#include "harness/commands/arguments.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace qconform::harness {
namespace {

// --a, --a-b
bool LooksLikeAnOption(const std::string& word) {
  return word.size() > 2 && absl::StartsWith(word, "--") &&
         std::isalpha(static_cast<unsigned char>(word[2])) != 0;
}

std::string CheckValue(const std::string& value, bool positional) {
  if (value.empty()) return "needs a value, found an empty one";
  if (positional || !LooksLikeAnOption(value)) return "";
  return absl::StrCat("needs a value, found the option ", value);
}

std::vector<std::string> NamesOf(const std::vector<const CLI::App*>& commands) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  return names;
}

}  // namespace

CLI::Validator NumberWithin(double low, double high) {
  const std::string range = absl::StrCat("FLOAT in [", low, " - ", high, "]");
  return CLI::Validator(
      [low, high, range](std::string& text) -> std::string {
        double value = 0;
        if (absl::SimpleAtod(text, &value) && value >= low && value <= high) {
          return "";
        }
        return absl::StrCat("Value ", text, " is no ", range);
      },
      range);
}

CLI::Validator SeedNumber() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        const bool digits = std::all_of(text.begin(), text.end(), [](char c) {
          return std::isdigit(static_cast<unsigned char>(c)) != 0;
        });
        uint64_t value = 0;
        if (digits && (text.size() == 1 || text[0] != '0') &&
            absl::SimpleAtoi(text, &value)) {
          return "";
        }
        return absl::StrCat("Value ", text,
                            " is no whole number in [0 - 18446744073709551615] "
                            "in decimal digits");
      },
      "");
}

void RequireValues(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_items_expected_max() == 0) continue;  // a flag
    const bool positional = option->get_positional();
    option->check(CLI::Validator(
        [positional](std::string& value) {
          return CheckValue(value, positional);
        },
        ""));
  }
  for (CLI::App* command : app.get_subcommands({})) RequireValues(*command);
}

absl::Status CheckWords(const CLI::App& app,
                        const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    if (word == "--") break;  // only paths follow
    if (LooksLikeAnOption(word) && word.find('=') == word.size() - 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(word, " needs a value, found none"));
    }
    const std::vector<const CLI::App*> known =
        command->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty() || absl::StartsWith(word, "-")) continue;
    const auto named = std::find_if(
        known.begin(), known.end(),
        [&word](const CLI::App* one) { return one->get_name() == word; });
    if (named == known.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no subcommand ", word,
                       "; there are: ", absl::StrJoin(NamesOf(known), ", ")));
    }
    command = *named;
  }
  return absl::OkStatus();
}

}  // namespace qconform::harness
