// A program that answers each line on its standard input with one line on its
// standard output: how the harness talks to implementations and benchmarks that
// are not part of it, in any language.

#ifndef QCONFORM_HARNESS_PROCESS_LINE_PROCESS_H_
#define QCONFORM_HARNESS_PROCESS_LINE_PROCESS_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace qconform::harness {

class LineProcess {
 public:
  // command[0] is looked up in PATH unless it contains a slash. kNotFound with
  // the command if it cannot be started.
  static absl::StatusOr<std::unique_ptr<LineProcess>> Start(
      const std::vector<std::string>& command);

  // Closes the program's input, gives it a moment to end, then ends it.
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  // The answer to one line, both without their newline. kUnavailable if the
  // program has ended, kDeadlineExceeded if it did not answer in time,
  // kResourceExhausted if the answer is no line of less than 16 MiB; after an
  // error the process is of no further use. `line` must hold no newline.
  absl::StatusOr<std::string> Ask(const std::string& line,
                                  absl::Duration patience);

 private:
  LineProcess(std::string name, pid_t child, int socket);

  std::string name_;
  pid_t child_;
  int socket_;
  std::string received_;  // beyond the last answer
};

}  // namespace qconform::harness

#endif  // QCONFORM_HARNESS_PROCESS_LINE_PROCESS_H_
