#include "tools/launch/hosts/line_worker.hpp"

#include <chrono>
#include <sstream>
#include <utility>

#include "lbsp/job/messages.hpp"
#include "tools/command_line/own_path.hpp"
#include "tools/launch/hosts/agent_command.hpp"
#include "tools/launch/hosts/local_host.hpp"
#include "tools/launch/hosts/remote_host.hpp"

namespace lbsp::launch::hosts {

using job::Frame;
using job::FrameKind;

LineWorker::LineWorker(uv::Loop& loop, HostStarts& starts, const request::RunOptions& options,
                       const places::PlacedHost& place, std::vector<std::string> arguments, Events events)
    : events_(std::move(events)), early_(loop) {
  HostEvents of_host{[this](Frame frame) { begun_ ? take(frame) : take_soon(std::move(frame)); },
                     [this](const std::string& problem) {
                       gone_ = true;
                       events_.on_end(problem.empty() ? "has gone" : problem);
                       events_.on_gone();
                     }};
  if (place.local)
    host_ = std::make_unique<LocalHost>(loop, LocalHost::Input::frames, std::move(of_host));
  else
    host_ = std::make_unique<RemoteHost>(loop, starts, agent_command(options, place), std::move(of_host));
  job::Spawn spawn;
  spawn.program = place.local || options.remote_lbsp.empty() ? command_line::own_path() : options.remote_lbsp;
  spawn.arguments = std::move(arguments);
  spawn.blas_threads = std::to_string(1);
  spawn.input = true;
  spawn.whole_lines = true;
  host_->send({FrameKind::spawn, 0, to_payload(spawn)});
  begun_ = true;
}

void LineWorker::take_soon(Frame frame) {
  early_.start(std::chrono::milliseconds{0}, [this, frame = std::move(frame)] { take(frame); });
}

void LineWorker::send(const std::string& line) {
  if (!gone_) host_->send({FrameKind::input, 0, line});
}

void LineWorker::finish() {
  if (!gone_) host_->finish();
}

void LineWorker::kill() {
  if (!gone_) host_->kill();
}

void LineWorker::take(const Frame& frame) {
  if (frame.kind == FrameKind::exited) {
    const auto exited = job::from_payload<job::Exited>(frame.payload);
    std::string why = exited.problem.empty() ? last_words_ : exited.problem;
    if (why.starts_with("lbsp: ")) why.erase(0, 6);
    events_.on_end(why.empty() ? "its lbsp ended by itself" : why);
    return;
  }
  std::istringstream lines(frame.payload);
  for (std::string line; std::getline(lines, line);) {
    if (frame.kind == FrameKind::output)
      events_.on_line(line);
    else if (frame.kind == FrameKind::error_output && !line.empty())
      last_words_ = line;
  }
}

}  // namespace lbsp::launch::hosts
