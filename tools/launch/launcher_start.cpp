// How a job begins: hosts, processes, and the word to start when all are there.
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "tools/launch/launcher.hpp"
#include "tools/launch/local_host.hpp"
#include "tools/launch/mpi_host.hpp"
#include "tools/launch/remote_host.hpp"
#include "transport/quantity.hpp"

namespace lbsp::launch {

using job::Frame;
using job::FrameKind;

void Launcher::start_hosts() {
  const bool own_input = ::isatty(STDIN_FILENO) == 0;
  if (options_.backend == job::Backend::mpi) {
    start_mpi(own_input);
    return;
  }
  gone_.resize(placement_.hosts.size());
  for (std::size_t index = 0; index < placement_.hosts.size(); ++index) {
    const PlacedHost& placed = placement_.hosts[index];
    HostEvents events{[this, index](const Frame& frame) { take(index, frame); },
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

/// One host, mpirun, has all ranks.
void Launcher::start_mpi(bool own_input) {
  gone_.resize(1);
  HostEvents events{[this](const Frame& frame) { take(0, frame); },
                    [this](const std::string& problem) { take_host_gone(0, problem); }};
  const auto input = own_input ? LocalHost::Input::own : LocalHost::Input::frames;
  hosts_.push_back(std::make_unique<MpiHost>(loop_, options_, placement_, input, std::move(events)));
  if (!own_input) {
    input_ = std::make_unique<JobInput>(loop_, [this](std::string bytes) { give_input(std::move(bytes)); });
  }
}

void Launcher::start_processes() {
  std::size_t index = 0;
  for (const job::Spawn& spawn : start_up_.spawns()) {
    while (spawn.first_rank >= placement_.hosts[index].first_rank + placement_.hosts[index].ranks)
      ++index;
    processes_.push_back(
        {.spawn = spawn,
         .host = index,
         .name = fmt::format("rank {} on {}", spawn.first_rank, placement_.hosts[index].name)});
  }
  const bool progress = ::isatty(STDERR_FILENO) != 0;
  if (options_.backend == job::Backend::mpi) processes_.front().name = "mpirun";
  for (JobProcess& process : processes_) {
    if (phase_ != Phase::starting) {  // an earlier one could not be started
      process.ended = true;
      continue;
    }
    const auto rank = static_cast<std::uint16_t>(process.spawn.first_rank);
    Host& host = *hosts_[process.host];
    host.send({FrameKind::spawn, rank, to_payload(process.spawn)});
    host.send({FrameKind::welcome, rank, to_payload(start_up_.welcome(process.spawn, progress))});
  }
  if (phase_ != Phase::starting) close_if_all_ended();
}

void Launcher::start_if_complete() {
  if (phase_ != Phase::starting) return;
  if (start_up_.everyone_joined()) start_timer_.stop();
  if (!start_up_.complete()) return;
  if (std::ranges::any_of(processes_, [&](const JobProcess& process) { return refuse_early_leave(process); }))
    return;
  report_.set_size(start_up_.size());
  progress_.set_size(start_up_.size());
  phase_ = Phase::running;
  if (options_.backend != job::Backend::mpi) watch_hosts();
  started_ = std::chrono::steady_clock::now();
  if (::isatty(STDERR_FILENO) != 0) show_progress();
  const std::string payload = to_payload(start_up_.start());
  for (const JobProcess& process : processes_) {
    if (process.ended) continue;
    hosts_[process.host]->send(
        {FrameKind::start, static_cast<std::uint16_t>(process.spawn.first_rank), payload});
  }
}

void Launcher::await_start() {
  start_timer_.start(std::chrono::ceil<std::chrono::milliseconds>(options_.start_timeout),
                     [this] { start_timed_out(); });
}

void Launcher::start_timed_out() {
  const auto missing = std::ranges::find_if(
      processes_, [&](const JobProcess& process) { return !start_up_.joined(process.spawn.first_rank); });
  if (missing == processes_.end()) return;
  const std::string patience = transport::format_duration(options_.start_timeout);
  if (const auto last_words = hosts_[missing->host]->unanswered()) {
    fail(Failures::Kind::process,
         fmt::format("{} never started: its host did not answer within {}{}: check the way to it, or give "
                     "--start-timeout more",
                     missing->name, patience, last_words->empty() ? "" : fmt::format(" ({})", *last_words)));
    return;
  }
  fail(
      Failures::Kind::process,
      fmt::format(
          "{} never started: {} did not call lbsp::run within {}: is it an lbsp program? If it needs longer, "
          "give --start-timeout more",
          missing->name, options_.program, patience));
}

}  // namespace lbsp::launch
