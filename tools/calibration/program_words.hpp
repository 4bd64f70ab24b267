#pragma once

#include <optional>
#include <string>

#include "tools/trace_file/trace.hpp"

namespace lbsp::calibration {

/// The program of a trace without its folder.
std::string program_name(const trace_file::Trace& trace);

/// What the program was given for `option`, as `--option VALUE` or `--option=VALUE`; the last one counts. None if it
/// was not given.
std::optional<std::string> word_of(const trace_file::Trace& trace, const std::string& option);

}  // namespace lbsp::calibration
