#include "tools/launch/user_signals.hpp"

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <utility>

#include "tools/launch/doors/front.hpp"

namespace lbsp::launch {

using course::Phase;

namespace {

using std::chrono::milliseconds;

/// For the hosts to be told, before this process stops.
constexpr milliseconds before_pause{50};
/// The hang-up that it causes may come before it has died.
constexpr milliseconds death_of_the_front{200};

bool is_ignored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

UserSignals::UserSignals(uv::Loop& loop, course::Job& job, course::Ending& ending, course::Starting& starting,
                         UserOutput& output, terminal::UserTerminal& terminal)
    : loop_(loop),
      job_(job),
      ending_(ending),
      starting_(starting),
      output_(output),
      terminal_(terminal),
      hang_up_timer_(loop),
      pause_timer_(loop) {}

void UserSignals::watch() {
  const auto at = [this](int signal, std::function<void()> act) {
    signals_.push_back(std::make_unique<uv::SignalWatch>(loop_, signal, std::move(act)));
  };
  at(SIGINT, [this] { ending_.interrupt(SIGINT); });
  at(SIGTERM, [this] { ending_.interrupt(SIGTERM); });
  if (!is_ignored(SIGHUP)) at(SIGHUP, [this] { hang_up(); });  // nohup
  if (!is_ignored(SIGTSTP)) at(SIGTSTP, [this] { pause(); });
  at(SIGWINCH, [this] { terminal_.tell_window(); });
  at(doors::front_has_died, [this] { output_.go_on_alone(); });
}

/// SIGHUP also comes when the `lbsp run` in front dies that has led the terminal's session.
void UserSignals::hang_up() {
  if (!job_.options.exchange.outlives_ranks) return ending_.interrupt(SIGHUP);
  if (output_.is_alone()) return;
  hang_up_timer_.start(death_of_the_front, [this] {
    if (!doors::front_is_gone()) ending_.interrupt(SIGHUP);
  });
}

/// Stops all ranks and then this process, until that is continued, and the ranks with it.
void UserSignals::pause() {
  if (ending_.phase() >= Phase::ending || pause_timer_.running()) return;
  job_.hosts.signal(SIGSTOP);
  pause_timer_.start(before_pause, [this] {
    ::raise(SIGSTOP);
    // From here on it has been continued.
    job_.hosts.signal(SIGCONT);
    terminal_.tell_window();
    if (ending_.phase() == Phase::starting) starting_.await();
  });
}

}  // namespace lbsp::launch
