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

}  // namespace lbsp::command_line
