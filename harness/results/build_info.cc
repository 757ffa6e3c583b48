#include "harness/results/build_info.h"

#include <fstream>
#include <thread>

#include "CLI/Version.hpp"
#include "absl/base/config.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmp.h"
#include "harness/results/commit.h"  // generated at every build
#include "hwy/highway.h"
#include "nlohmann/json.hpp"

namespace qconform::harness {
namespace {

std::string CpuModel() {
  std::ifstream stream("/proc/cpuinfo");
  std::string line;
  while (std::getline(stream, line)) {
    const size_t colon = line.find(": ");
    if (absl::StartsWith(line, "model name") && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

BuildInfo MakeBuildInfo() {
  BuildInfo info;
  info.version = QCONFORM_VERSION;
  info.commit = QCONFORM_COMMIT;
  info.dirty = QCONFORM_DIRTY;
  info.compiler = QCONFORM_COMPILER;
  info.build_type = QCONFORM_BUILD_TYPE;
  info.flags = QCONFORM_FLAGS;
  info.dependencies["abseil"] =
      absl::StrCat(ABSL_LTS_RELEASE_VERSION, ".", ABSL_LTS_RELEASE_PATCH_LEVEL);
  info.dependencies["cli11"] = CLI11_VERSION;
  info.dependencies["gmp"] = gmp_version;
  info.dependencies["highway"] =
      absl::StrCat(HWY_MAJOR, ".", HWY_MINOR, ".", HWY_PATCH);
  info.dependencies["nlohmann_json"] = absl::StrCat(
      NLOHMANN_JSON_VERSION_MAJOR, ".", NLOHMANN_JSON_VERSION_MINOR, ".",
      NLOHMANN_JSON_VERSION_PATCH);
  info.cpu = CpuModel();
  info.processors = static_cast<int>(std::thread::hardware_concurrency());
  return info;
}

}  // namespace

const BuildInfo& GetBuildInfo() {
  static const BuildInfo* const info = new BuildInfo(MakeBuildInfo());
  return *info;
}

}  // namespace qconform::harness
