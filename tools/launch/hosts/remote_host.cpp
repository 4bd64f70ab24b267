#include "tools/launch/hosts/remote_host.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <sstream>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "tools/launch/processes/exec_child.hpp"
#include "tools/uv/descriptors.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::hosts {
namespace {

using job::Frame;
using job::FrameKind;

std::vector<std::string> own_environment() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    environment.emplace_back(*entry);
  return environment;
}

/// Enough to tell what speaks there.
constexpr std::size_t heard_at_most = 60;

std::string not_an_agent(std::string_view heard) {
  std::string text;
  heard.remove_prefix(std::min(heard.find_first_not_of("\r\n"), heard.size()));
  for (const char byte : heard.substr(0, heard.find_first_of("\r\n")))
    text += byte >= ' ' && byte <= '~' ? byte : '?';
  return fmt::format(
      "it says \"{}\" where an lbsp agent should answer: let its login shell print nothing when it is not interactive",
      text);
}

}  // namespace

RemoteHost::RemoteHost(uv::Loop& loop, HostStarts& starts, std::vector<std::string> command,
                       HostEvents events)
    : loop_(loop),
      starts_(starts),
      events_(std::move(events)),
      command_(std::move(command)),
      stragglers_(loop,
                  [this] {
                    from_agent_->close();
                    words_->close();
                  }),
      given_up_(loop) {
  starts_.add(this, [this] { begin(); });
}

void RemoteHost::begin() {
  opening_ = true;
  try {
    start();
  } catch (const Error& error) {
    for (auto* stream : {&to_agent_, &from_agent_, &words_})
      stream->reset();
    problem_ = error.what();
    settle();
    give_up();
  }
}

void RemoteHost::start() {
  auto to_agent = uv::pipe_to_child();
  auto from_agent = uv::pipe_from_child();
  auto words = uv::pipe_from_child();
  to_agent_ = std::make_unique<uv::Stream>(loop_, to_agent.ours.release());
  from_agent_ = std::make_unique<uv::Stream>(loop_, from_agent.ours.release());
  words_ = std::make_unique<uv::Stream>(loop_, words.ours.release());
  const uv::Process::Spec spec{
      .arguments = processes::exec_child_command(command_.front(), {command_.begin() + 1, command_.end()}),
      .environment = own_environment(),
      .directory = {},
      .descriptors = {to_agent.childs.get(), from_agent.childs.get(), words.childs.get()}};
  process_ = std::make_unique<uv::Process>(loop_, spec, [this](int, int) {
    end_if_all_has_come();
    // An ssh that stays in the background as a master connection keeps these streams open.
    if (!gone_) stragglers_.begin();
  });
  hear();
  if (paused_) from_agent_->pause();
}

void RemoteHost::hear() {
  const auto on_end = [this] {
    --open_;
    end_if_all_has_come();
  };
  from_agent_->read(
      [this](std::string_view bytes) {
        stragglers_.heard();
        take(bytes);
      },
      on_end);
  words_->read(
      [this](std::string_view bytes) {
        stragglers_.heard();
        hear_words(word_lines_.add(bytes));
      },
      [this, on_end] {
        hear_words(word_lines_.rest());
        on_end();
      });
}

void RemoteHost::settle() {
  if (std::exchange(opening_, false)) starts_.settled();
}

void RemoteHost::give_up() {
  starts_.remove(this);
  if (gone_ || given_up_.running()) return;
  given_up_.start(std::chrono::milliseconds{0}, [this] {
    gone_ = true;
    events_.on_gone(problem_.empty() && !finishing_ ? "lbsp had not yet come to it" : problem_);
  });
}

void RemoteHost::kill() {
  process_ ? process_->signal(SIGKILL) : give_up();
}

std::optional<std::string> RemoteHost::unanswered() const {
  if (ready_) return std::nullopt;
  return process_ ? said() : "lbsp had not yet come to it";
}

std::string RemoteHost::said() const {
  return !last_words_.empty() || ready_ || heard_.empty() ? last_words_ : not_an_agent(heard_);
}

void RemoteHost::send(const Frame& frame) {
  if (ready_) {
    to_agent_->write(encode(frame));
  } else if (frame.kind == FrameKind::signal) {
    // There are no ranks yet to pass it to: nothing to stop and continue, and whatever ends ranks ends this.
    const bool pauses = frame.payload == std::string(1, SIGSTOP) || frame.payload == std::string(1, SIGCONT);
    if (!pauses) kill();
  } else {
    waiting_.push_back(frame);
  }
}

void RemoteHost::take(std::string_view bytes) {
  if (!ready_) heard_ += bytes.substr(0, heard_at_most - heard_.size());
  try {
    frames_.add(bytes);
    while (auto frame = frames_.next())
      take_frame(std::move(*frame));
  } catch (const Error& error) {
    fail(ready_ ? error.what() : not_an_agent(heard_));
  }
}

void RemoteHost::take_frame(Frame frame) {
  if (ready_) {
    if (way_of(frame.kind) < job::Way::of_rank || frame.kind == FrameKind::host_ready)
      job::throw_out_of_turn();
    if (frame.kind == FrameKind::host_alive) {
      const auto ranks = ranks_in(frame);
      stopped_ = {ranks.begin(), ranks.end()};
    }
    events_.on_frame(std::move(frame));
    return;
  }
  if (frame.kind != FrameKind::host_ready || frame.payload != std::to_string(job::protocol_version)) {
    fail("another version of lbsp answers there: install the same one on all hosts");
    return;
  }
  ready_ = true;
  settle();
  for (const Frame& queued : std::exchange(waiting_, {}))
    to_agent_->write(encode(queued));
}

void RemoteHost::fail(const std::string& problem) {
  if (problem_.empty()) problem_ = problem;
  from_agent_->close();
  kill();
}

void RemoteHost::hear_words(const std::string& lines) {
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    // Of an lbsp there or here: who tells it to the user begins so, too.
    if (line.starts_with("lbsp: ")) line.erase(0, 6);
    if (!line.empty()) last_words_ = line;
  }
}

void RemoteHost::pause_output() {
  paused_ = true;
  stragglers_.hold(true);
  if (from_agent_) from_agent_->pause();
}

void RemoteHost::resume_output() {
  paused_ = false;
  stragglers_.hold(false);
  if (from_agent_) from_agent_->resume();
}

void RemoteHost::finish() {
  finishing_ = true;
  process_ ? to_agent_->finish() : give_up();
}

void RemoteHost::end_if_all_has_come() {
  if (process_->running() || open_ > 0 || gone_) return;
  gone_ = true;
  settle();
  stragglers_.stop();
  to_agent_->close();
  if (problem_.empty() && !finishing_) {
    std::string words = said();
    if (words.empty()) words = fmt::format("{} ended without a word", command_.front());
    problem_ = ready_ ? fmt::format("the connection to it was lost ({})", words) : words;
  }
  events_.on_gone(problem_);
}

}  // namespace lbsp::launch::hosts
