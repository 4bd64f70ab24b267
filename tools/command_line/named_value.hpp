#pragma once

#include <fmt/format.h>
#include <string>

#include "transport/error.hpp"

namespace lbsp::command_line {

/// What read(text) makes of an option's value. Its UsageError says what is wrong with the value, and this, of which
/// option it is.
template <class Read>
auto named_value(const char* option, const std::string& text, Read read) {
  try {
    return read(text);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} {}", option, error.what()));
  }
}

}  // namespace lbsp::command_line
