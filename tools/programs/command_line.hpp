#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace lbsp::programs {

/// Parses a program's arguments into what `app` was told to fill. Returns the text to print instead of
/// running, if the arguments ask for help. Prints nothing itself: all ranks parse, one speaks.
/// Throws UsageError naming the wrong argument.
std::optional<std::string> parse_command_line(CLI::App& app, int count, const char* const* arguments);

}  // namespace lbsp::programs
