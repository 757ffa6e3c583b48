// Which SIMD targets a run must cover: those of this machine, asked of Highway
// here and not of the implementation under test, so that a kernel library built
// without one of them is noticed.

#ifndef QCONFORM_HARNESS_JUDGE_TARGETS_H_
#define QCONFORM_HARNESS_JUDGE_TARGETS_H_

#include <string>
#include <vector>

namespace qconform::harness {

// Best first: "AVX2", "SSE4", "SSSE3", "EMU128".
std::vector<std::string> MachineTargets();

// Whether Highway has a target of this name on any machine.
bool IsHighwayTarget(const std::string& name);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_JUDGE_TARGETS_H_
