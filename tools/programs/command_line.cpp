#include "tools/programs/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::programs {

std::optional<std::string> parse_command_line(CLI::App& app, int count, const char* const* arguments) {
  try {
    app.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ParseError& error) {
    std::string what = error.what();
    std::ranges::replace(what, '\n', ' ');
    throw UsageError(fmt::format("{}: {}: see {} --help", app.get_name(), what, app.get_name()));
  }
  return std::nullopt;
}

}  // namespace lbsp::programs
