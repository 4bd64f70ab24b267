#include "lbsp/job/output_frames.hpp"

#include <charconv>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::job {
namespace {

/// Pipes take up to 4096 bytes at once (POSIX, PIPE_BUF), and mpirun passes on as much.
constexpr std::size_t bytes_per_line = 1024;

std::string from_digits(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    const char* end = digits.data() + i + 2;
    const auto [stop, problem] = std::from_chars(digits.data() + i, end, value, 16);
    if (problem != std::errc{} || stop != end) break;
    bytes += static_cast<char>(value);
  }
  if (2 * bytes.size() != digits.size()) {
    throw Error("the ranks' reports came mixed with other output: write less to standard error at the end");
  }
  return bytes;
}

}  // namespace

std::string FrameLines::to_lines(const Frame& frame) const {
  const std::string bytes = encode(frame);
  std::string lines;
  for (std::size_t at = 0; at < bytes.size(); at += bytes_per_line) {
    lines += mark_;
    for (const char byte : std::string_view(bytes).substr(at, bytes_per_line))
      fmt::format_to(std::back_inserter(lines), "{:02x}", static_cast<unsigned char>(byte));
    lines += '\n';
  }
  return lines;
}

void FrameLines::write(std::FILE* file, const Frame& frame) const {
  std::string_view lines;
  const std::string all = to_lines(frame);
  for (lines = all; !lines.empty();) {
    const std::size_t length = lines.find('\n') + 1;
    std::fwrite(lines.data(), 1, length, file);
    std::fflush(file);
    lines.remove_prefix(length);
  }
}

std::string FrameLineReader::take(std::string_view lines, const std::function<void(Frame)>& on_frame) {
  std::string others;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size() - 1) + 1;
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end);
    // What the program wrote last may have had no end of line of its own.
    const std::size_t mark = line.find(mark_);
    others += line.substr(0, mark);
    if (mark == std::string_view::npos) continue;
    std::string_view digits = line.substr(mark + mark_.size());
    while (digits.ends_with('\n') || digits.ends_with('\r'))
      digits.remove_suffix(1);
    frames_.add(from_digits(digits));
    while (auto frame = frames_.next())
      on_frame(std::move(*frame));
  }
  return others;
}

}  // namespace lbsp::job
