// What the program was built from and runs on: results mean nothing without it.

#ifndef QCONFORM_HARNESS_RESULTS_BUILD_INFO_H_
#define QCONFORM_HARNESS_RESULTS_BUILD_INFO_H_

#include <map>
#include <string>

namespace qconform::harness {

struct BuildInfo {
  std::string version;     // of this project
  std::string commit;      // "unknown" outside a git work tree
  std::string dirty;       // "true", "false" or "unknown"
  std::string compiler;    // "GNU 12.2.0"
  std::string build_type;  // "Release"
  std::string flags;
  std::map<std::string, std::string> dependencies;  // name -> version
  std::string cpu;                                  // model name
  int processors = 0;
};

const BuildInfo& GetBuildInfo();

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_RESULTS_BUILD_INFO_H_
