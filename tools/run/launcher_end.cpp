// How a job ends: by itself, by a failure or by the user.
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

#include "tools/programs/standard_output.hpp"
#include "tools/run/launcher.hpp"
#include "tools/run/report_screen.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch {
namespace {

using job::FrameKind;
using std::chrono::milliseconds;

/// After a program's failure: for the other ranks to hear of it and give their reports.
constexpr milliseconds settling{1'000};
/// Between SIGTERM, or the user's signal, and SIGKILL.
constexpr milliseconds grace{2'000};
/// For the hosts to let go after that, or after the orderly end.
constexpr milliseconds letting_go{5'000};
/// For a reader of the output who does not read, after an interrupt.
constexpr milliseconds last_output{1'000};

}  // namespace

void Launcher::fail(Failures::Kind kind, const std::string& message) {
  if (phase_ >= Phase::ending) return;
  const bool first = !failures_.any();
  failures_.add(kind, message);
  if (kind == Failures::Kind::process) {
    end_processes(SIGTERM);
  } else if (first) {
    start_timer_.stop();
    end_timer_.start(settling, [this] { end_processes(SIGTERM); });
  }
}

void Launcher::interrupt(int signal) {
  if (interrupted_ != 0 || phase_ == Phase::closing) {
    interrupted_ = signal;
    send_signal(SIGKILL);
    end_timer_.start(last_output, [this] { loop_.stop(); });
    return;
  }
  interrupted_ = signal;
  // The ranks' own output is whole; SIGPIPE is for this process, whose output has lost its reader.
  end_processes(signal == SIGPIPE ? SIGTERM : signal);
}

void Launcher::end_processes(int signal) {
  start_timer_.stop();
  phase_ = Phase::ending;
  send_signal(signal);
  end_timer_.start(grace, [this] {
    send_signal(SIGKILL);
    end_timer_.start(letting_go, [this] {
      for (const auto& host : hosts_)
        host->kill();
      end_timer_.start(letting_go, [this] { loop_.stop(); });
    });
  });
  close_if_all_ended();
}

void Launcher::send_signal(int number) {
  for (const auto& host : hosts_)
    host->send({FrameKind::signal, 0, std::string(1, static_cast<char>(number))});
}

void Launcher::close_if_all_ended() {
  if (!all_ended() || phase_ == Phase::closing) return;
  phase_ = Phase::closing;
  output_.clear_progress();
  start_timer_.stop();
  end_timer_.start(letting_go, [this] {
    for (const auto& host : hosts_)
      host->kill();
    if (interrupted_ != 0) loop_.stop();
  });
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    if (!gone_[host]) hosts_[host]->finish();
  }
  finish_if_done();
}

void Launcher::finish_if_done() {
  const bool hosts_gone = std::ranges::all_of(gone_, [](bool gone) { return gone; });
  if (phase_ == Phase::closing && hosts_gone && writer_.queued() == 0) loop_.stop();
}

int Launcher::conclude() {
  const int output_problem = writer_.problem(STDOUT_FILENO);
  if (output_problem == EPIPE && interrupted_ == 0 && !failures_.any()) interrupted_ = SIGPIPE;
  files_.write_trace();
  if (start_up_.size() == 0 && !failures_.any()) {
    fmt::print(stderr, "lbsp: {} ended before bsp_begin: there is nothing to report\n", options_.program);
    return 0;
  }
  const bool wrong = report_.verified() == false;
  if (report_.complete() && (!failures_.any() || wrong)) {
    files_.write_report(report_);
    write_error_output(report_as_text(report_));
  }
  if (interrupted_ != 0) {
    // Whoever closed the output has had enough: as with other tools there is nothing more to say.
    if (interrupted_ != SIGPIPE)
      print_error(fmt::format("ended by {}, and the job with it", signal_name(interrupted_)));
    return 128 + interrupted_;
  }
  if (failures_.any()) {
    print_error(failures_.message());
  } else if (output_problem != 0) {
    print_error(programs::describe_output_problem(output_problem));
  } else if (wrong) {
    print_error(fmt::format("{} found its answer wrong: see its output", options_.program));
  }
  return failures_.any() || output_problem != 0 || wrong ? 1 : 0;
}

}  // namespace lbsp::launch
