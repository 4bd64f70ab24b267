#include "tools/command_line/screen.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace lbsp::command_line {

bool is_screen(int descriptor) {
  const char* const kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind != nullptr && *kind != '\0' && std::string_view(kind) != "dumb";
}

std::size_t screen_columns(int descriptor) {
  winsize window{};
  if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0 || window.ws_col < 2)
    return std::numeric_limits<std::size_t>::max();
  return window.ws_col - 1U;
}

std::string fitted(std::string_view line, std::size_t columns) {
  constexpr std::string_view rest = " ...";
  if (line.size() <= columns) return std::string(line);
  if (columns <= rest.size()) return std::string(line.substr(0, columns));
  const std::size_t room = columns - rest.size();
  const std::size_t blank = line.find_last_of(' ', room);
  std::string_view kept = line.substr(0, blank == std::string_view::npos ? room : blank);
  while (kept.ends_with(',') || kept.ends_with(';'))
    kept.remove_suffix(1);
  return std::string(kept).append(rest);
}

}  // namespace lbsp::command_line
