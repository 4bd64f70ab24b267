#include "tools/run/launcher.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/run/failures.hpp"
#include "tools/run/job_input.hpp"
#include "tools/run/job_output.hpp"
#include "tools/run/job_process.hpp"
#include "tools/run/local_host.hpp"
#include "tools/run/remote_host.hpp"
#include "tools/run/report_files.hpp"
#include "tools/run/report_screen.hpp"
#include "tools/run/start_up.hpp"
#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {
namespace {

using job::Frame;
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

/// Output that waits for the reader: beyond the first the ranks have to wait, below the second they go on.
constexpr std::size_t much_output = std::size_t{4} << 20;
constexpr std::size_t little_output = std::size_t{1} << 20;

JobOutput::Options output_options(const RunOptions& options, const Placement& placement) {
  return {.tags = options.tag_output,
          .threads = options.backend == job::Backend::threads ? placement.size : 1,
          .output_to_error = options.json_to_output(),
          .terminal = ::isatty(STDERR_FILENO) != 0};
}

/// One job. Everything happens in its loop.
class Launcher {
 public:
  Launcher(const RunOptions& options, const Placement& placement)
      : options_(options),
        placement_(placement),
        start_up_(options, placement),
        report_(options, placement),
        files_(options),
        writer_(loop_, [this] { output_written(); }),
        output_(writer_, output_options(options, placement)),
        start_timer_(loop_),
        end_timer_(loop_) {}

  int run() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      signals_.push_back(
          std::make_unique<uv::SignalWatch>(loop_, signal, [this, signal] { interrupt(signal); }));
    }
    start_timer_.start(std::chrono::ceil<milliseconds>(options_.start_timeout),
                       [this] { start_timed_out(); });
    start_hosts();
    start_processes();
    loop_.run();
    return conclude();
  }

 private:
  enum class Phase {
    starting,
    running,
    ending,   ///< the processes are being ended
    closing,  ///< no process is left; hosts and output are let go
  };

  // The start.
  void start_hosts();
  void start_processes();
  void start_if_complete();
  void start_timed_out();

  // What hosts tell.
  void take(std::size_t host, Frame frame);
  void take_valid(JobProcess& process, Frame frame);
  void take_exit(JobProcess& process, const job::Exited& end);
  void take_host_gone(std::size_t host, const std::string& problem);
  void put_output(const Frame& frame);
  void show_progress(const std::string& superstep);
  void give_input(std::string bytes);
  void output_written();

  // The end.
  void fail(Failures::Kind kind, const std::string& message);
  void interrupt(int signal);
  void end_processes(int signal);
  void send_signal(int number);
  void close_if_all_ended();
  void finish_if_done();
  int conclude();

  JobProcess* process_of(Rank rank);
  bool all_ended() const { return std::ranges::all_of(processes_, &JobProcess::ended); }

  RunOptions options_;
  Placement placement_;
  StartUp start_up_;
  JobReport report_;
  ReportFiles files_;
  uv::Loop loop_;
  OutputWriter writer_;
  JobOutput output_;
  uv::Timer start_timer_;
  uv::Timer end_timer_;
  std::unique_ptr<JobInput> input_;
  std::vector<std::unique_ptr<uv::SignalWatch>> signals_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<bool> gone_;
  std::vector<JobProcess> processes_;
  Failures failures_;
  Phase phase_ = Phase::starting;
  int interrupted_ = 0;  ///< the user's signal
  bool output_paused_ = false;
  std::chrono::steady_clock::time_point started_;
};

void Launcher::start_hosts() {
  const bool own_input = ::isatty(STDIN_FILENO) == 0;
  gone_.resize(placement_.hosts.size());
  for (std::size_t index = 0; index < placement_.hosts.size(); ++index) {
    const PlacedHost& placed = placement_.hosts[index];
    HostEvents events{[this, index](Frame frame) { take(index, std::move(frame)); },
                      [this, index](const std::string& problem) { take_host_gone(index, problem); }};
    if (placed.local) {
      const auto input = own_input ? LocalHost::Input::own : LocalHost::Input::frames;
      hosts_.push_back(std::make_unique<LocalHost>(loop_, input, std::move(events)));
    } else {
      hosts_.push_back(
          std::make_unique<RemoteHost>(loop_, agent_command(options_, placed), std::move(events)));
    }
  }
  if (!placement_.hosts.front().local || !own_input) {
    input_ = std::make_unique<JobInput>(loop_, [this](std::string bytes) { give_input(std::move(bytes)); });
  }
}

void Launcher::start_processes() {
  std::size_t host = 0;
  for (const job::Spawn& spawn : start_up_.spawns()) {
    while (spawn.first_rank >= placement_.hosts[host].first_rank + placement_.hosts[host].ranks)
      ++host;
    processes_.push_back(
        {.spawn = spawn,
         .host = host,
         .name = fmt::format("rank {} on {}", spawn.first_rank, placement_.hosts[host].name)});
  }
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  for (std::size_t index = 0; index < processes_.size() && phase_ == Phase::starting; ++index) {
    const JobProcess& process = processes_[index];
    const auto rank = static_cast<std::uint16_t>(process.spawn.first_rank);
    Host& chosen = *hosts_[process.host];
    chosen.send({FrameKind::spawn, rank, to_payload(process.spawn)});
    chosen.send({FrameKind::welcome, rank, to_payload(start_up_.welcome(process.spawn, progress))});
  }
}

void Launcher::start_if_complete() {
  if (!start_up_.complete() || phase_ != Phase::starting) return;
  start_timer_.stop();
  phase_ = Phase::running;
  started_ = std::chrono::steady_clock::now();
  const std::string payload = to_payload(start_up_.start());
  for (const JobProcess& process : processes_) {
    hosts_[process.host]->send(
        {FrameKind::start, static_cast<std::uint16_t>(process.spawn.first_rank), payload});
  }
}

void Launcher::start_timed_out() {
  const auto missing = std::ranges::find_if(
      processes_, [&](const JobProcess& process) { return !start_up_.joined(process.spawn.first_rank); });
  if (missing == processes_.end()) return;
  const std::string patience = transport::format_duration(options_.start_timeout);
  const auto* remote = dynamic_cast<const RemoteHost*>(hosts_[missing->host].get());
  if (remote != nullptr && !remote->ready()) {
    fail(Failures::Kind::process,
         fmt::format("{} never started: its host did not answer within {}{}: check the way to it, or give "
                     "--start-timeout more",
                     missing->name, patience,
                     remote->last_words().empty() ? "" : fmt::format(" ({})", remote->last_words())));
    return;
  }
  fail(
      Failures::Kind::process,
      fmt::format(
          "{} never started: {} did not call lbsp::run within {}: is it an lbsp program? If it needs longer, "
          "give --start-timeout more",
          missing->name, options_.program, patience));
}

JobProcess* Launcher::process_of(Rank rank) {
  const auto found = std::ranges::find_if(processes_, [&](const JobProcess& process) {
    return rank >= process.spawn.first_rank && rank < process.spawn.first_rank + process.spawn.ranks;
  });
  return found == processes_.end() ? nullptr : &*found;
}

void Launcher::take(std::size_t host, Frame frame) {
  JobProcess* process = process_of(frame.rank);
  if (process == nullptr || process->host != host) return;  // no host has a say in another's ranks
  try {
    take_valid(*process, std::move(frame));
  } catch (const std::exception& error) {
    fail(Failures::Kind::process, fmt::format("{}: {}", process->name, error.what()));
  }
}

void Launcher::take_valid(JobProcess& process, Frame frame) {
  switch (frame.kind) {
    case FrameKind::output:
    case FrameKind::error_output:
      return put_output(frame);
    case FrameKind::hello:
      start_up_.hello(process.spawn.first_rank, job::from_payload<job::Hello>(frame.payload));
      return start_if_complete();
    case FrameKind::progress:
      return show_progress(frame.payload);
    case FrameKind::input_taken:
      if (input_) input_->taken(std::stoul(frame.payload));
      return;
    case FrameKind::steps: {
      const auto steps = job::from_payload<job::Steps>(frame.payload);
      report_.add(frame.rank, steps);
      return files_.trace(frame.rank, steps);
    }
    case FrameKind::report:
      ++process.reports;
      return report_.add(frame.rank, job::from_payload<job::RankReport>(frame.payload));
    case FrameKind::failure: {
      const auto failure = job::from_payload<job::Failure>(frame.payload);
      process.failed = true;
      const auto kind = failure.consequence ? Failures::Kind::consequence : Failures::Kind::program;
      return fail(kind, fmt::format("rank {} on {}: {}", frame.rank, placement_.hosts[process.host].name,
                                    failure.message));
    }
    case FrameKind::exited:
      return take_exit(process, job::from_payload<job::Exited>(frame.payload));
    default:
      throw Error("it speaks out of turn: use the same lbsp everywhere");
  }
}

void Launcher::take_exit(JobProcess& process, const job::Exited& end) {
  process.ended = true;
  std::string problem = describe_end(process, end, start_up_.joined(process.spawn.first_rank));
  if (!end.problem.empty() && !placement_.hosts[process.host].local) {
    problem = fmt::format("host {}: {}", placement_.hosts[process.host].name, problem);
  }
  if (!problem.empty()) fail(Failures::Kind::process, problem);
  close_if_all_ended();
}

void Launcher::take_host_gone(std::size_t host, const std::string& problem) {
  gone_[host] = true;
  for (JobProcess& process : processes_) {
    if (process.host == host) process.ended = true;
  }
  if (phase_ != Phase::closing) {
    fail(Failures::Kind::process,
         fmt::format("host {}: {}: check that this command, and lbsp there, can be run without asking: {}",
                     placement_.hosts[host].name, problem,
                     fmt::join(agent_command(options_, placement_.hosts[host]), " ")));
    close_if_all_ended();
  }
  finish_if_done();
}

void Launcher::put_output(const Frame& frame) {
  output_.put(frame);
  if (output_paused_ || writer_.queued() < much_output) return;
  output_paused_ = true;
  for (const auto& host : hosts_)
    host->pause_output();
}

void Launcher::output_written() {
  if (output_paused_ && writer_.queued() < little_output) {
    output_paused_ = false;
    for (const auto& host : hosts_)
      host->resume_output();
  }
  if (phase_ < Phase::ending && writer_.failed(STDOUT_FILENO)) {
    fail(Failures::Kind::process,
         "standard output cannot be written any more: the job is ended, nobody reads it");
  }
  finish_if_done();
}

void Launcher::show_progress(const std::string& superstep) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  if (phase_ == Phase::running) {
    output_.show_progress(fmt::format("superstep {}, {:.1f} s", superstep, elapsed.count()));
  }
}

void Launcher::give_input(std::string bytes) {
  hosts_.front()->send({FrameKind::input, 0, std::move(bytes)});
}

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
  end_processes(signal);
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
  output_.clear_progress();
  files_.write_trace();
  if (interrupted_ != 0) {
    fmt::print(stderr, "lbsp: ended by {}, and the job with it\n", signal_name(interrupted_));
    return 128 + interrupted_;
  }
  const bool wrong = report_.verified() == false;
  if (report_.complete() && (!failures_.any() || wrong)) {
    files_.write_report(report_);
    fmt::print(stderr, "{}", report_as_text(report_));
  }
  if (failures_.any()) {
    fmt::print(stderr, "lbsp: {}\n", failures_.message());
    return 1;
  }
  if (wrong) fmt::print(stderr, "lbsp: {} found its answer wrong: see its output\n", options_.program);
  return wrong ? 1 : 0;
}

}  // namespace

int run_job(const RunOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  return Launcher(options, place_ranks(options)).run();
}

}  // namespace lbsp::launch
