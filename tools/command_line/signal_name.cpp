#include "tools/command_line/signal_name.hpp"

#include <cstring>
#include <fmt/format.h>

namespace lbsp::command_line {

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace lbsp::command_line
