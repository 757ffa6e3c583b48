#include "harness/process/line_process.h"

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

extern char** environ;

namespace qconform::harness {
namespace {

constexpr absl::Duration kTimeToEnd = absl::Seconds(2);
// No answer is nearly as long; a program that writes without end must not take
// all memory.
constexpr size_t kLongestAnswer = 16 << 20;

absl::Status SystemError(const std::string& what, int error) {
  return absl::InternalError(absl::StrCat(what, ": ", std::strerror(error)));
}

}  // namespace

LineProcess::LineProcess(std::string name, pid_t child, int socket)
    : name_(std::move(name)), child_(child), socket_(socket) {}

absl::StatusOr<std::unique_ptr<LineProcess>> LineProcess::Start(
    const std::vector<std::string>& command) {
  if (command.empty() || command.front().empty()) {
    return absl::InvalidArgumentError("a program to start must be named");
  }
  // Unlike a pipe, a socket reports a reader that has gone without a signal.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("socketpair", errno);
  }
  std::vector<char*> arguments;
  for (const std::string& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr,
                                 arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return absl::NotFoundError(absl::StrCat(
        command.front(), " cannot be started: ", std::strerror(error)));
  }
  return std::unique_ptr<LineProcess>(
      new LineProcess(command.front(), child, ends[0]));
}

LineProcess::~LineProcess() {
  close(socket_);
  const absl::Time end = absl::Now() + kTimeToEnd;
  while (waitpid(child_, nullptr, WNOHANG) == 0) {
    if (absl::Now() > end) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
      return;
    }
    absl::SleepFor(absl::Milliseconds(5));
  }
}

absl::StatusOr<std::string> LineProcess::Ask(const std::string& line,
                                             absl::Duration patience) {
  const absl::Status ended =
      absl::UnavailableError(absl::StrCat(name_, " has ended"));
  const std::string request = line + "\n";
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t count = send(socket_, request.data() + sent,
                               request.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ended;
    sent += static_cast<size_t>(count);
  }
  const absl::Time end = absl::Now() + patience;
  size_t newline;
  while ((newline = received_.find('\n')) == std::string::npos) {
    if (received_.size() > kLongestAnswer) {
      return absl::ResourceExhaustedError(absl::StrCat(
          name_, " wrote a line of more than ", kLongestAnswer, " bytes"));
    }
    const int64_t left = absl::ToInt64Milliseconds(end - absl::Now());
    pollfd ready = {socket_, POLLIN, 0};
    const int events =
        poll(&ready, 1, static_cast<int>(std::clamp<int64_t>(left, 0, 60000)));
    if (events < 0 && errno == EINTR) continue;
    if (events < 0) return SystemError("poll", errno);
    if (events == 0) {
      if (absl::Now() < end) continue;
      return absl::DeadlineExceededError(absl::StrCat(
          name_, " did not answer within ", absl::FormatDuration(patience)));
    }
    char bytes[4096];
    const ssize_t count = recv(socket_, bytes, sizeof(bytes), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ended;
    received_.append(bytes, static_cast<size_t>(count));
  }
  std::string answer = received_.substr(0, newline);
  received_.erase(0, newline + 1);
  return answer;
}

}  // namespace qconform::harness
