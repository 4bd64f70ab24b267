#pragma once

#include <string>

namespace lbsp::command_line {

/// The path of the running lbsp binary. Throws SystemError if /proc does not say.
std::string own_path();

}  // namespace lbsp::command_line
