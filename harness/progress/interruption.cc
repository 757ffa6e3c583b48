#include "harness/progress/interruption.h"

#include <signal.h>

#include <atomic>

namespace qconform::harness {
namespace {

std::atomic<bool> interrupted = false;
// A handler may touch no atomic that takes a lock.
static_assert(std::atomic<bool>::is_always_lock_free);

void NoteInterruption(int) { interrupted = true; }

}  // namespace

void CatchInterruption() {
  for (const int number : {SIGINT, SIGTERM}) {
    struct sigaction action = {};
    sigaction(number, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = NoteInterruption;
    sigemptyset(&action.sa_mask);
    // The second signal finds the default again, for a run that hangs; a read
    // or write under way goes on.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(number, &action, nullptr);
  }
}

bool Interrupted() { return interrupted; }

}  // namespace qconform::harness
