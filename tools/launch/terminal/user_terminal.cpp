#include "tools/launch/terminal/user_terminal.hpp"

#include <utility>

namespace lbsp::launch::terminal {
namespace {

/// Of rank 0.
constexpr std::size_t first_host = 0;

}  // namespace

void UserTerminal::read_input() {
  input_ = std::make_unique<JobInput>(loop_, [this](std::string bytes) {
    if (bytes.ends_with('\n')) output_.line_typed();
    hosts_.send(first_host, {job::FrameKind::input, 0, std::move(bytes)});
  });
}

void UserTerminal::input_taken(std::size_t bytes) {
  if (input_) input_->taken(bytes);
}

void UserTerminal::tell_window() {
  const auto terminal = start_up_.terminal();
  if (terminal) hosts_.send(first_host, {job::FrameKind::window, 0, to_payload(*terminal)});
}

}  // namespace lbsp::launch::terminal
