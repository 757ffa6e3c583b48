// A number that tells calls apart, the same on every machine whatever its byte
// order: shows that a seed gave the same cases here and there.

#ifndef QCONFORM_HARNESS_CASES_ARGUMENTS_HASH_H_
#define QCONFORM_HARNESS_CASES_ARGUMENTS_HASH_H_

#include <cstdint>

#include "spec/arguments.h"

namespace qconform::harness {

// FNV-1a over everything the call gives; `hash` continues an earlier one. Of
// storage all values count, padding included; NaN counts as one value.
uint64_t HashArguments(const spec::Arguments& arguments,
                       uint64_t hash = 0xcbf29ce484222325);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_CASES_ARGUMENTS_HASH_H_
