#pragma once

#include <cstddef>

namespace lbsp::command_line {

/// Whether that descriptor is a terminal on which text can be written over: TERM says so.
bool is_screen(int descriptor);

/// How long a line on it may be. A character at the right edge would be wiped out with what is behind it. As long as
/// any, if it does not say.
std::size_t screen_columns(int descriptor);

}  // namespace lbsp::command_line
