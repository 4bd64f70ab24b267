#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "transport/error.hpp"

namespace lbsp::command_line {

/// Whoever read standard output has closed it. Only who ignores SIGPIPE learns it.
class ReaderLeft : public SystemError {
 public:
  using SystemError::SystemError;
};

/// Writes all of the text to standard output at once. Throws SystemError if it cannot be, and ReaderLeft if nobody
/// reads it.
void write_output(std::string_view text);

/// Writes what has been printed and waits in stdio's buffer. Throws SystemError if that, or anything printed
/// before it, could not be written: a program whose answer nobody has got has failed.
void flush_output();

/// Why standard output could not be written; nothing if it could, or nothing has been tried.
std::optional<std::string> output_problem();

/// What to say of a standard output that cannot be written because of this errno.
std::string describe_output_problem(int error);

}  // namespace lbsp::command_line
