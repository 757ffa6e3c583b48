// Ctrl-C and termination as a request, so that a long run ends between two
// pieces of work and leaves a valid partial result.

#ifndef QCONFORM_HARNESS_PROGRESS_INTERRUPTION_H_
#define QCONFORM_HARNESS_PROGRESS_INTERRUPTION_H_

namespace qconform::harness {

// From now on the first SIGINT or SIGTERM is noted; another one ends the
// process at once, as it would without this. A signal that the process was
// started to ignore stays ignored.
void CatchInterruption();

// Whether such a signal has come. Safe and cheap on every thread.
bool Interrupted();

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_PROGRESS_INTERRUPTION_H_
