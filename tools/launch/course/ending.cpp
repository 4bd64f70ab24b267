#include "tools/launch/course/ending.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include "tools/launch/course/tell_process.hpp"

namespace lbsp::launch::course {

using ranks::Failures;
using ranks::JobProcess;

namespace {

using std::chrono::milliseconds;

/// After a program's failure: for the other ranks to hear of it and give their reports.
constexpr milliseconds settling{1'000};
/// For the ranks to say what they have done, or to go on with that, before they are ended.
constexpr milliseconds accounting{1'000};
/// Between SIGTERM, or the user's signal, and SIGKILL.
constexpr milliseconds grace{2'000};
/// For the hosts to let go after that, or after the orderly end.
constexpr milliseconds letting_go{5'000};
/// One that goes to all processes of a group comes twice: from there, and from the `lbsp run` in front.
constexpr milliseconds same_interrupt{100};
/// For a reader of the output who does not read, after an interrupt.
constexpr milliseconds last_output{1'000};

}  // namespace

Ending::Ending(uv::Loop& loop, Job& job, const terminal::OutputWriter& writer, Calls calls)
    : loop_(loop), job_(job), writer_(writer), calls_(std::move(calls)), timer_(loop) {}

void Ending::fail(Failures::Kind kind, const std::string& message, std::optional<Rank> lost) {
  if (phase_ >= Phase::ending) return;
  const bool first = !failures_.any();
  failures_.add(kind, message, lost);
  if (kind == Failures::Kind::process) {
    end_processes(SIGTERM);
  } else if (first) {
    calls_.on_failure();
    timer_.start(settling, [this] { end_processes(SIGTERM); });
  }
}

void Ending::interrupt(int signal) {
  const auto now = std::chrono::steady_clock::now();
  if (std::exchange(interrupted_at_, now) + same_interrupt > now && interrupted_ == signal) return;
  if (interrupted_ != 0 || phase_ == Phase::closing) {
    interrupted_ = signal;
    last_signal_ = 0;
    job_.hosts.signal(SIGKILL);
    timer_.start(last_output, [this] { loop_.stop(); });
    return;
  }
  interrupted_ = signal;
  // The ranks' own output is whole; SIGPIPE is for this process, whose output has lost its reader.
  end_processes(signal == SIGPIPE ? SIGTERM : signal);
}

void Ending::end_processes(int signal) {
  const bool running = phase_ == Phase::running && job_.options.backend != job::Backend::mpi;
  phase_ = Phase::ending;
  calls_.on_end();
  last_signal_ = signal;
  if (!running) return signal_processes();
  ask_ranks(job_.hosts, job_.processes, job::FrameKind::account);
  go_on_listening();
  end_if_all_have_told();
}

void Ending::kill_processes() {
  phase_ = Phase::ending;
  last_signal_ = SIGKILL;
  signal_processes();
}

void Ending::go_on_listening() {
  if (phase_ == Phase::ending && last_signal_ != 0) timer_.start(accounting, [this] { signal_processes(); });
}

void Ending::end_if_all_have_told() {
  if (phase_ == Phase::ending && last_signal_ != 0 && job_.processes.all_have_told()) signal_processes();
}

void Ending::end_if_only_stopped_are_left() {
  if (phase_ != Phase::running || !failures_.any()) return;
  const auto has_nothing_to_say = [this](const JobProcess& process) {
    return process.ended || (process.is_lost() && job_.hosts.stopped(process.host, process.spawn.first_rank));
  };
  if (std::ranges::all_of(job_.processes, has_nothing_to_say)) end_processes(SIGTERM);
}

void Ending::signal_processes() {
  job_.hosts.signal(std::exchange(last_signal_, 0));
  // A stopped process acts upon the signal only then.
  job_.hosts.signal(SIGCONT);
  timer_.start(grace, [this] {
    job_.hosts.signal(SIGKILL);
    timer_.start(letting_go, [this] {
      job_.hosts.kill();
      timer_.start(letting_go, [this] { loop_.stop(); });
    });
  });
  close_if_all_ended();
}

void Ending::close_if_all_ended() {
  if (!job_.processes.all_ended() || phase_ == Phase::closing) return;
  phase_ = Phase::closing;
  calls_.on_close();
  timer_.start(letting_go, [this] {
    job_.hosts.kill();
    if (interrupted_ != 0) loop_.stop();
  });
  job_.hosts.finish();
  finish_if_done();
}

void Ending::finish_if_done() {
  if (phase_ == Phase::closing && job_.hosts.all_gone() && writer_.queued() == 0) loop_.stop();
}

}  // namespace lbsp::launch::course
