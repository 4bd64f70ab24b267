#pragma once

#include <string>

namespace lbsp::command_line {

/// Returns what gnuplot draws for a script that sets an svg terminal. Throws UsageError if there is no
/// gnuplot, and SystemError if it draws nothing.
std::string draw_svg(const std::string& script);

}  // namespace lbsp::command_line
