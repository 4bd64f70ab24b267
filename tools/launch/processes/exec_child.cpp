#include "tools/launch/processes/exec_child.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/messages.hpp"
#include "tools/command_line/own_path.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::processes {
namespace {

constexpr int cannot_start = 127;

void report(const std::string& problem) {
  if (const auto socket = job::Channel::inherited()) {
    job::Channel(*socket).send({job::FrameKind::failure, 0, to_payload(job::Failure{problem, false})});
  } else {
    print_error(problem);
  }
}

}  // namespace

int exec_child(int count, char** arguments) {
  if (count < 2) return cannot_start;
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before it could be watched.
  if (std::to_string(::getppid()) != arguments[0]) return cannot_start;
  ::execvp(arguments[1], arguments + 1);
  report(fmt::format("cannot start {}: {}: see that it is a program of this machine", arguments[1],
                     std::strerror(errno)));
  return cannot_start;
}

std::vector<std::string> exec_child_command(const std::string& program,
                                            const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {command_line::own_path(), "exec-child", std::to_string(::getpid()),
                                      program};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

}  // namespace lbsp::launch::processes
