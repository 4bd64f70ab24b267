#pragma once

#include <string>

namespace lbsp::programs {

/// What gnuplot draws for a script that sets an svg terminal. Throws UsageError if there is no gnuplot,
/// SystemError if it draws nothing.
std::string draw_svg(const std::string& script);

}  // namespace lbsp::programs
