#include "tools/wan/bed/enter.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/uv/descriptors.hpp"
#include "tools/wan/bed/net_namespace.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::wan::bed {
namespace {

constexpr int cannot_start = 127;

/// Names are a convenience: a command that needs none runs also where they cannot be given.
void give_names(const BedFolder& folder, const BedHost& host) {
  if (::unshare(CLONE_NEWUTS) == 0) (void)::sethostname(host.name.data(), host.name.size());
  if (::unshare(CLONE_NEWNS) != 0) return;
  if (::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) return;
  (void)::mount(folder.names_file().c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr);
}

int become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const auto& word : command)
    words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  print_error(fmt::format("cannot start {}: {}: see that it is a program of this machine", command.front(),
                          std::strerror(errno)));
  return cannot_start;
}

int run_on(const BedFolder& folder, const BedRecord& bed, const BedHost& host,
           const std::vector<std::string>& command) {
  try {
    return exec_on(folder, bed, host, command);
  } catch (const std::exception& error) {
    print_error(error.what());
    return 1;
  }
}

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

void enter_host(const BedRecord& bed, const BedHost& host) {
  uv::Descriptor net(
      ::open(fmt::format("/proc/{}/fd/{}", bed.router_pid, host.descriptor).c_str(), O_RDONLY | O_CLOEXEC));
  const int problem = errno;
  if (!bed.router_alive()) {
    throw UsageError(
        fmt::format("the router of the bed {} (process {}) has died, and its hosts with it: {}, then up "
                    "again",
                    bed.name, bed.router_pid, down_command(bed.name)));
  }
  if (net.get() < 0) {
    throw SystemError(fmt::format("cannot reach {}: {}: run as root with CAP_SYS_PTRACE", host.name,
                                  std::strerror(problem)));
  }
  enter_net_namespace(net.get());
}

int exec_on(const BedFolder& folder, const BedRecord& bed, const BedHost& host,
            const std::vector<std::string>& command) {
  enter_host(bed, host);
  give_names(folder, host);
  return become(command);
}

int exec_on_all(const BedFolder& folder, const BedRecord& bed, const std::vector<std::string>& command) {
  const pid_t parent = ::getpid();
  std::vector<pid_t> children;
  for (const BedHost& host : bed.hosts) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      ::_exit(::getppid() == parent ? run_on(folder, bed, host, command) : 1);
    }
    if (child < 0) {
      for (const pid_t started : children)
        ::kill(started, SIGTERM);
      throw SystemError(fmt::format("cannot start a process for {}: {}", host.name, std::strerror(errno)));
    }
    children.push_back(child);
  }
  int code = 0;
  for (const pid_t child : children) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (code == 0) code = exit_code(status);
  }
  return code;
}

}  // namespace lbsp::wan::bed
