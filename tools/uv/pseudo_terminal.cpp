#include "tools/uv/pseudo_terminal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::uv {
namespace {

[[noreturn]] void no_terminal() {
  throw SystemError(fmt::format(
      "no pseudo-terminal for rank 0: {}: mount /dev/pts, or give lbsp run its input and output by pipes",
      std::strerror(errno)));
}

void pass_lines_as_they_are(int descriptor) {
  termios modes{};
  if (::tcgetattr(descriptor, &modes) != 0) no_terminal();
  modes.c_iflag = 0;
  modes.c_oflag = 0;
  modes.c_lflag = ICANON;
  std::ranges::fill(modes.c_cc, cc_t{_POSIX_VDISABLE});
  modes.c_cc[VEOF] = static_cast<cc_t>(end_of_input);
  if (::tcsetattr(descriptor, TCSANOW, &modes) != 0) no_terminal();
}

}  // namespace

DescriptorPair terminal_to_child(const WindowSize& size) {
  std::array<char, 64> name{};
  Descriptor ours(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (ours.get() < 0 || ::grantpt(ours.get()) != 0 || ::unlockpt(ours.get()) != 0 ||
      ::ptsname_r(ours.get(), name.data(), name.size()) != 0)
    no_terminal();
  Descriptor childs(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (childs.get() < 0) no_terminal();
  pass_lines_as_they_are(childs.get());
  set_window_size(ours.get(), size);
  return {std::move(ours), std::move(childs)};
}

void set_window_size(int descriptor, const WindowSize& size) {
  winsize window{};
  window.ws_row = size.rows;
  window.ws_col = size.columns;
  ::ioctl(descriptor, TIOCSWINSZ, &window);
}

WindowSize window_size(int descriptor) {
  winsize window{};
  if (::ioctl(descriptor, TIOCGWINSZ, &window) != 0) return {};
  return {.rows = window.ws_row, .columns = window.ws_col};
}

}  // namespace lbsp::uv
