#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lbsp::command_line {

/// Whether that descriptor is a terminal on which text can be written over: TERM says so.
bool is_screen(int descriptor);

/// How long a line on it may be. A character at the right edge would be wiped out with what is behind it. As long as
/// any, if it does not say.
std::size_t screen_columns(int descriptor);

/// As much of a line of ASCII text as fits into so many columns: whole words, and "..." for the rest. A number that is
/// cut would be another one.
std::string fitted(std::string_view line, std::size_t columns);

}  // namespace lbsp::command_line
