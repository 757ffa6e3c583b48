// What every sub-command requires of its command line beyond what the CLI
// library does: a value that is lost (an unset variable of a script), a number
// that is none, or a name that does not exist must never pass for something
// else.

#ifndef QCONFORM_HARNESS_COMMANDS_ARGUMENTS_H_
#define QCONFORM_HARNESS_COMMANDS_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"

namespace qconform::harness {

// The most cases that an option may ask for, and the last index of one.
inline constexpr int64_t kMaxCases = 1'000'000'000'000;

// A number in [low, high]; NaN is in no range.
CLI::Validator NumberWithin(double low, double high);

// Decimal digits that uint64_t holds. The library itself would wrap -1, cut off
// what is too large and read 010 as eight.
CLI::Validator SeedNumber();

// Options of all sub-commands refuse values that are empty or look like
// options.
void RequireValues(CLI::App& app);

// kInvalidArgument if the words after the program's name hold "--option=",
// which the library would complete with the next word, or a sub-command that
// `app` does not have.
absl::Status CheckWords(const CLI::App& app,
                        const std::vector<std::string>& words);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_ARGUMENTS_H_
