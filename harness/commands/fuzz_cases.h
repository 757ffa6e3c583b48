// The cases of a fuzz run. Case number `index` of an operator depends on the
// seed, the operator and the index alone: the same on every machine and for
// every target, and to be had without those before it.

#ifndef QCONFORM_HARNESS_COMMANDS_FUZZ_CASES_H_
#define QCONFORM_HARNESS_COMMANDS_FUZZ_CASES_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "spec/arguments.h"

namespace qconform::harness {

struct FuzzCase {
  std::string kind;  // "random", "faulty-value" or a kind of hard cases
  spec::Arguments arguments;
  // How it is executed, the same on every target.
  int threads = 1;
  size_t misalignment = 0;
  bool constants_in_plan = true;
  std::string property;  // to be checked too; empty: none
  uint64_t property_seed = 0;
};

FuzzCase MakeFuzzCase(const std::string& operator_name, uint64_t seed,
                      int64_t index);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_FUZZ_CASES_H_
