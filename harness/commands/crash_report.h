// If the process dies of a signal while an implementation under test runs, says
// which call it was and ends with the exit code for "broken".

#ifndef QCONFORM_HARNESS_COMMANDS_CRASH_REPORT_H_
#define QCONFORM_HARNESS_COMMANDS_CRASH_REPORT_H_

#include <string>

namespace qconform::harness {

// Does nothing in a build with AddressSanitizer, whose own report says more.
void InstallCrashReport();

// The call that runs from now on.
void AnnounceCall(const std::string& operator_name,
                  const std::string& candidate, const std::string& target);

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_COMMANDS_CRASH_REPORT_H_
