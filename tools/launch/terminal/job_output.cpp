#include "tools/launch/terminal/job_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "tools/command_line/screen.hpp"
#include "transport/printable.hpp"

namespace lbsp::launch::terminal {

void JobOutput::put(const job::Frame& frame) {
  const bool error = frame.kind == job::FrameKind::error_output || options_.output_to_error;
  const int descriptor = error ? STDERR_FILENO : STDOUT_FILENO;
  clear_progress();
  writer_.write(descriptor, merge(streams_[static_cast<std::size_t>(descriptor)], frame.rank, frame.payload));
}

std::string JobOutput::merge(Stream& stream, int rank, std::string_view bytes) const {
  std::string merged;
  if (stream.within_line && stream.last_rank != rank) {
    merged += '\n';
    stream.within_line = false;
  }
  stream.last_rank = rank;
  if (!options_.tags) {
    merged += bytes;
    stream.within_line = !bytes.ends_with('\n');
    return merged;
  }
  while (!bytes.empty()) {
    if (!stream.within_line) merged += tag(rank);
    const auto end = bytes.find('\n');
    merged += bytes.substr(0, end == std::string_view::npos ? end : end + 1);
    stream.within_line = end == std::string_view::npos;
    if (stream.within_line) break;
    bytes.remove_prefix(end + 1);
  }
  return merged;
}

std::string JobOutput::tag(int rank) const {
  return options_.threads > 1 ? fmt::format("[0-{}] ", options_.threads - 1) : fmt::format("[{}] ", rank);
}

void JobOutput::say(const std::string& text) {
  clear_progress();
  Stream& errors = streams_[STDERR_FILENO];
  Stream& output = streams_[STDOUT_FILENO];
  const bool after_output = options_.terminal && options_.output_terminal && output.within_line;
  writer_.write(STDERR_FILENO,
                fmt::format("{}lbsp: {}\n", errors.within_line || after_output ? "\n" : "", printable(text)));
  errors = {};
  if (after_output) output = {};
}

void JobOutput::line_typed() {
  if (options_.output_terminal) streams_[STDOUT_FILENO].within_line = false;
  if (options_.terminal) streams_[STDERR_FILENO].within_line = false;
}

void JobOutput::show_progress(const std::string& text) {
  const bool prompt_shown = options_.output_terminal && streams_[STDOUT_FILENO].within_line;
  if (!options_.terminal || prompt_shown || streams_[STDERR_FILENO].within_line) return;
  // Of a line that goes on in the next one only that would be wiped out.
  const std::size_t columns = command_line::screen_columns(STDERR_FILENO);
  writer_.write(STDERR_FILENO, fmt::format("\r\033[K{}", command_line::fitted(text, columns)));
  progress_shown_ = true;
}

void JobOutput::clear_progress() {
  if (!progress_shown_) return;
  writer_.write(STDERR_FILENO, "\r\033[K");
  progress_shown_ = false;
}

}  // namespace lbsp::launch::terminal
