#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lbsp::command_line {

/// How wide texts of --help may be: as the terminal, from 80 to 120, and 100 where standard output is none.
std::size_t help_columns();

/// The words of a text in lines of at most so many columns; the first line begins behind `indent` of them, and the
/// others with as many blanks. A word that is longer than a line is broken behind a comma.
std::string in_lines(std::string_view text, std::size_t columns, std::size_t indent);

/// Paragraphs in lines of at most so many columns. Lines that begin with a blank or with "Example" are commands, and
/// stay lines of their own; one that is too long is continued by a backslash, as a shell has it, before an option.
std::string laid_out(std::string_view text, std::size_t columns);

/// Of text in UTF-8.
std::size_t columns_of(std::string_view text);

}  // namespace lbsp::command_line
