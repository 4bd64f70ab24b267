#pragma once

#include <string>

namespace lbsp::command_line {

/// "SIGSEGV", or the number where it has no name.
std::string signal_name(int number);

}  // namespace lbsp::command_line
