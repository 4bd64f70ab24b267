#include "transport/printable.hpp"

#include <cerrno>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <poll.h>
#include <unistd.h>

namespace lbsp {
namespace {

unsigned byte_at(std::string_view text, std::size_t place) {
  return place < text.size() ? static_cast<unsigned char>(text[place]) : 0;
}

bool continues(std::string_view text, std::size_t place) {
  return (byte_at(text, place) & 0xC0U) == 0x80;
}

/// How many bytes the character at the start of the text has (RFC 3629, section 4); 0 if it is none that may
/// be shown: not UTF-8, or a control character (C0, DEL, or C1, which is U+0080 to U+009F).
std::size_t shown_bytes(std::string_view text) {
  const unsigned first = byte_at(text, 0);
  const unsigned second = byte_at(text, 1);
  if (first < 0x80) return first >= ' ' && first != 0x7F ? 1 : 0;
  if (first < 0xC2 || first > 0xF4 || !continues(text, 1)) return 0;
  if (first < 0xE0) return first == 0xC2 && second < 0xA0 ? 0 : 2;
  if (!continues(text, 2)) return 0;
  if (first < 0xF0) {
    const bool overlong = first == 0xE0 && second < 0xA0;
    const bool surrogate = first == 0xED && second > 0x9F;
    return overlong || surrogate ? 0 : 3;
  }
  const bool outside = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return outside || !continues(text, 3) ? 0 : 4;
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t bytes = shown_bytes(rest);
    std::string piece(rest.substr(0, bytes));
    if (bytes == 0) {
      piece = rest.front() == '\n' || rest.front() == '\t' ? std::string(" ")
                                                           : fmt::format("\\x{:02x}", byte_at(rest, 0));
      bytes = 1;
    }
    if (shown.size() + piece.size() > most) {
      fmt::format_to(std::back_inserter(shown), "... ({} bytes in all)", text.size());
      break;
    }
    shown += piece;
    rest.remove_prefix(bytes);
  }
  return shown;
}

void write_error_output(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EAGAIN) {
      pollfd writable{STDERR_FILENO, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return;
    }
  }
}

void print_error(std::string_view message) noexcept {
  try {
    // With room for whose text it is.
    write_error_output(fmt::format("lbsp: {}\n", printable(message, 2 * longest_message)));
  } catch (const std::exception&) {
    write_error_output("lbsp: out of memory: raise the limit of memory (ulimit -v)\n");
  }
}

}  // namespace lbsp
