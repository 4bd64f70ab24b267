#include "tools/programs/common_options.hpp"

#include <fmt/format.h>
#include <string>

#include "tools/command_line/whole_number.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {

void know_lbsp_run(command_line::CommandLine& line) {
  line.know_starter("lbsp run",
                    "-n --hosts --only --launch-agent --remote-lbsp --start-timeout --on-failure --survive "
                    "--checkpoint --restart --mtbf --tag-output --json --trace --trace-packets --copies "
                    "--redundancy --repair --tail --backend --shared-memory --wan --seed --recovery "
                    "--peer-timeout --rate --profile --datagram --max-message --port");
}

void add_verify(command_line::CommandLine& line, std::optional<bool>& verify, const char* help) {
  line.add_flag(
      "--verify", [&verify] { verify = true; }, help);
  line.add_flag(
      "--no-verify", [&verify] { verify = false; }, "do not compare");
  line.exclude("--no-verify", {"--verify"});
}

namespace {

std::uint64_t interval_in(const std::string& text) {
  if (text == "auto") return Keep::planned;
  if (text.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError(fmt::format("--keep {}: give a whole number of supersteps, or auto", text));
  return command_line::whole_number(text, "--keep", std::uint64_t{1}, std::uint64_t{1} << 50);
}

}  // namespace

void add_keep(command_line::CommandLine& line, Keep& keep) {
  line.add(
      "--keep", [&keep](const std::string& text) { keep.every = interval_in(text); }, "M",
      "with lbsp run --on-failure or --checkpoint: keep what the ranks have, on other hosts and on disk, "
      "before every so many supersteps of the algorithm; auto: as often as is best after what that and the supersteps "
      "take, and lbsp run --mtbf; default 10");
}

GridSize::GridSize(command_line::CommandLine& line, std::uint64_t square, const char* size_help,
                   const char* rows_help)
    : square_(square) {
  constexpr command_line::CommandLine::Range sides{1, largest_side};
  line.add_whole("--size", square_, sides, size_help);
  line.add_whole("--rows", rows_, sides, rows_help);
  line.add_whole("--columns", columns_, sides, "columns of that grid");
  line.exclude("--size", {"--rows", "--columns"});
  line.need("--rows", "--columns");
  line.need("--columns", "--rows");
}

}  // namespace lbsp::programs
