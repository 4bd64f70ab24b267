#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lbsp {

/// More than any message needs, and little enough for a terminal and for what one rank tells another.
inline constexpr std::size_t longest_message = 4096;

/// The text as part of one line that a terminal shows and does not act upon. Control characters (among them
/// escape and the ends of lines) and bytes that are not UTF-8 become \xNN, ends of lines and tabulators
/// blanks; what is longer than `most` bytes is cut, and ends with how long it was.
std::string printable(std::string_view text, std::size_t most = longest_message);

/// Writes the text to standard error as it is. Where that cannot be written, nothing happens: there is nobody
/// left to tell.
void write_error_output(std::string_view text) noexcept;

/// Prints "lbsp: `message`", printable, as one line on standard error, likewise.
void print_error(std::string_view message) noexcept;

}  // namespace lbsp
