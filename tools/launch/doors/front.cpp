#include "tools/launch/doors/front.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/command_line/signal_name.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::doors {

const int front_has_died = SIGUSR2;

namespace {

pid_t front = 0;  ///< in the keeper

sigset_t signals_of_the_front() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCHLD})
    sigaddset(&signals, signal);
  return signals;
}

/// What the terminal sends goes to both processes.
void pass_on(const siginfo_t& signal, pid_t keeper) {
  if (signal.si_code != SI_KERNEL) ::kill(keeper, signal.si_signo);
  if (signal.si_signo != SIGTSTP) return;
  ::raise(SIGSTOP);
  // From here on it has been continued.
  ::kill(keeper, SIGCONT);
}

int wait_for(pid_t keeper, const sigset_t& signals) {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(keeper, &status, WNOHANG);
    if (ended < 0 && errno != EINTR) throw SystemError("cannot wait for the launcher");
    if (ended == keeper && WIFEXITED(status)) return WEXITSTATUS(status);
    if (ended == keeper) {
      print_error(fmt::format("the launcher was killed by {}, and the job with it: see what killed it",
                              command_line::signal_name(WTERMSIG(status))));
      return 128 + WTERMSIG(status);
    }
    siginfo_t signal{};
    if (::sigwaitinfo(&signals, &signal) > 0 && signal.si_signo != SIGCHLD) pass_on(signal, keeper);
  }
}

}  // namespace

std::optional<int> wait_in_front() {
  const sigset_t signals = signals_of_the_front();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0)
    throw SystemError(
        fmt::format("cannot start the process that leads the job: {}: raise the limits of processes and "
                    "memory (ulimit -u, -v)",
                    std::strerror(errno)));
  if (child > 0) return wait_for(child, signals);
  front = self;
  // Until somebody watches for it; who does so asks front_is_gone() then.
  ::signal(front_has_died, SIG_IGN);
  ::prctl(PR_SET_PDEATHSIG, front_has_died);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return std::nullopt;
}

bool front_is_gone() {
  return front != 0 && ::getppid() != front;
}

pid_t job_number() {
  return front != 0 ? front : ::getpid();
}

}  // namespace lbsp::launch::doors
