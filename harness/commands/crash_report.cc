#include "harness/commands/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "harness/results/model.h"

namespace qconform::harness {
namespace {

// A signal handler may neither allocate nor touch a std::string.
char message[512];
size_t message_size = 0;

#ifndef __SANITIZE_ADDRESS__
void Report(int) {
  // Nothing can be done if writing fails; the exit code says enough.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, message, message_size);
  _exit(kBroken);
}
#endif

}  // namespace

void InstallCrashReport() {
#ifndef __SANITIZE_ADDRESS__
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    signal(number, Report);
  }
#endif
}

void AnnounceCall(const std::string& operator_name,
                  const std::string& candidate, const std::string& target) {
  const std::string text =
      absl::StrCat("qconform: broken: the process died in or after a call of ",
                   operator_name, " of ", candidate, " on ", target, "\n");
  message_size = std::min(text.size(), sizeof(message));
  std::copy_n(text.begin(), message_size, message);
}

}  // namespace qconform::harness
