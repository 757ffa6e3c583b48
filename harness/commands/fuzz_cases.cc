#include "harness/commands/fuzz_cases.h"

#include "harness/cases/hard_cases.h"
#include "harness/cases/hard_faults.h"
#include "harness/cases/random_arguments.h"
#include "harness/cases/random_source.h"
#include "harness/judge/properties.h"

namespace qconform::harness {

FuzzCase MakeFuzzCase(const std::string& operator_name, uint64_t seed,
                      int64_t index) {
  // Seeds of neighbouring cases must not give overlapping streams, which
  // counting up a splitmix64 state would.
  uint64_t mixed = RandomSource(seed).Next();
  for (const char c : operator_name) {
    mixed = RandomSource(mixed ^ static_cast<unsigned char>(c)).Next();
  }
  RandomSource random(
      RandomSource(mixed ^ static_cast<uint64_t>(index)).Next());
  FuzzCase result;
  result.threads = random.OneIn(6) ? static_cast<int>(random.Between(2, 3)) : 1;
  result.misalignment =
      random.OneIn(2) ? static_cast<size_t>(random.Between(1, 63)) : 0;
  result.constants_in_plan = random.OneIn(2);
  if (random.OneIn(4)) {
    result.property = random.Pick(PropertyNames(operator_name));
    result.property_seed = random.Next();
  }
  const int64_t choice = random.Between(0, 99);
  if (choice < 6) {
    result.kind = "faulty-value";
    result.arguments = HardFault(operator_name, random);
    return result;
  }
  if (choice < 40) {
    result.kind = "random";
    result.arguments = RandomArguments(operator_name, random);
    return result;
  }
  result.arguments = RandomHardArguments(operator_name, random, &result.kind);
  return result;
}

}  // namespace qconform::harness
