#include "tools/launch/hosts/local_host.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "tools/launch/processes/stopped_process.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::hosts {

using job::Frame;
using job::FrameKind;
using processes::RankProcess;

LocalHost::LocalHost(uv::Loop& loop, Input input, HostEvents events)
    : loop_(loop), input_(input), events_(std::move(events)), forget_(loop), gone_(loop) {}

void LocalHost::send(const Frame& frame) {
  if (frame.kind == FrameKind::spawn) {
    spawn(job::from_payload<job::Spawn>(frame.payload));
  } else if (frame.kind == FrameKind::signal) {
    signal(frame.payload.empty() ? SIGKILL : static_cast<unsigned char>(frame.payload.front()));
  } else if (RankProcess* process = process_of(frame.rank); process != nullptr) {
    if (frame.kind == FrameKind::kill) return process->signal(SIGKILL);
    if (frame.kind == FrameKind::input) return process->input(frame.payload);
    if (frame.kind == FrameKind::window)
      return process->set_window(job::from_payload<job::Terminal>(frame.payload));
    process->send_to_rank(frame);
  }
}

void LocalHost::spawn(const job::Spawn& spawn) {
  const bool own_input = spawn.input && input_ == Input::own;
  try {
    const RankProcess::Inherited inherited{.input = own_input,
                                           .shared_memory = memory_.descriptor_for(spawn.shared),
                                           .port = port_.descriptor_for(spawn.port, spawn.first_rank)};
    processes_.push_back(std::make_unique<RankProcess>(
        loop_, spawn, inherited,
        RankProcess::Events{.tell = [this](Frame frame) { tell(std::move(frame)); },
                            .on_exit = [this, first = spawn.first_rank] { memory_.lose(first); }}));
    if (paused_) processes_.back()->pause_output();
  } catch (const Error& error) {
    const job::Exited exited{.code = 0, .signal = 0, .problem = error.what()};
    events_.on_frame({FrameKind::exited, static_cast<std::uint16_t>(spawn.first_rank), to_payload(exited)});
  }
}

void LocalHost::tell(Frame frame) {
  if (frame.kind == FrameKind::exited)
    forget_.start(std::chrono::milliseconds{0}, [this] { forget_ended(); });
  events_.on_frame(std::move(frame));
  if (finishing_ && all_ended()) finish();
}

void LocalHost::pause_output() {
  paused_ = true;
  for (const auto& process : processes_)
    process->pause_output();
}

void LocalHost::resume_output() {
  paused_ = false;
  for (const auto& process : processes_)
    process->resume_output();
}

void LocalHost::finish() {
  finishing_ = true;
  if (!all_ended()) {
    kill();
  } else if (!gone_.running()) {
    gone_.start(std::chrono::milliseconds{0}, [this] { events_.on_gone({}); });
  }
}

void LocalHost::signal(int number) {
  for (const auto& process : processes_)
    process->signal(number);
}

bool LocalHost::stopped(int first_rank) const {
  const RankProcess* const process = process_of(first_rank);
  return process != nullptr && !process->ended() && processes::is_stopped(process->pid());
}

std::vector<int> LocalHost::stopped_ranks() const {
  std::vector<int> ranks;
  for (const auto& process : processes_)
    if (!process->ended() && processes::is_stopped(process->pid())) ranks.push_back(process->first_rank());
  return ranks;
}

bool LocalHost::all_ended() const {
  return std::ranges::all_of(processes_, [](const auto& process) { return process->ended(); });
}

void LocalHost::forget_ended() {
  std::erase_if(processes_, [](const auto& process) { return process->ended(); });
}

std::optional<int> LocalHost::pid_of(int rank) const {
  const RankProcess* const process = process_of(rank);
  if (process == nullptr) return std::nullopt;
  return process->pid();
}

RankProcess* LocalHost::process_of(int rank) const {
  const auto found =
      std::ranges::find_if(processes_, [&](const auto& process) { return process->holds(rank); });
  return found == processes_.end() ? nullptr : found->get();
}

}  // namespace lbsp::launch::hosts
