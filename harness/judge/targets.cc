#include "harness/judge/targets.h"

#include <cstdint>
#include <set>

#include "hwy/highway.h"

namespace qconform::harness {

std::vector<std::string> MachineTargets() {
  // HWY_TARGETS: what a file compiled with these flags generates.
  static const int64_t machine = hwy::SupportedTargets() & HWY_TARGETS;
  std::vector<std::string> names;
  for (int64_t rest = machine; rest != 0; rest &= rest - 1) {
    names.push_back(hwy::TargetName(rest & -rest));
  }
  return names;
}

bool IsHighwayTarget(const std::string& name) {
  // hwy::TargetName knows only the architecture it was compiled for.
  static const std::set<std::string>* const names = new std::set<std::string>{
      "SSE2",    "SSSE3",       "SSE4", "AVX2",   "AVX3",
      "AVX3_DL", "AVX3_ZEN4",   "NEON", "SVE",    "SVE2",
      "SVE_256", "SVE2_128",    "PPC8", "PPC9",   "PPC10",
      "WASM",    "WASM_EMU256", "RVV",  "EMU128", "SCALAR"};
  return names->contains(name);
}

}  // namespace qconform::harness
