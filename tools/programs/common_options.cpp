#include "tools/programs/common_options.hpp"

namespace lbsp::programs {

void add_verify(command_line::CommandLine& line, std::optional<bool>& verify, const char* help) {
  line.add_flag(
      "--verify", [&verify] { verify = true; }, help);
  line.add_flag(
      "--no-verify", [&verify] { verify = false; }, "do not compare");
  line.exclude("--no-verify", {"--verify"});
}

void add_keep(command_line::CommandLine& line, Keep& keep) {
  line.add_whole(
      "--keep", keep.every, {1, std::uint64_t{1} << 50},
      "with lbsp run --on-failure or --checkpoint: keep what the ranks have, on other hosts and on disk, "
      "before every so many supersteps of the algorithm");
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
