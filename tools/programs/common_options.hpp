#pragma once

#include <cstdint>
#include <optional>

#include "lbsp/steps.hpp"
#include "tools/command_line/command_line.hpp"

namespace lbsp::programs {

/// No matrix or grid has more rows or columns.
inline constexpr std::uint64_t largest_side = 1'000'000;

/// Tells those who give an option of lbsp run behind the program's name where it belongs.
void know_lbsp_run(command_line::CommandLine& line);

/// Adds --verify and --no-verify, of which at most one may be given. `help` is that of --verify.
void add_verify(command_line::CommandLine& line, std::optional<bool>& verify, const char* help);

/// Adds --keep, which says how often the states of the ranks are kept in a job that outlives them.
void add_keep(command_line::CommandLine& line, Keep& keep);

/// The sides of a grid: --size for a square one, or --rows together with --columns. Must live until the words
/// are read.
class GridSize {
 public:
  /// `square` is the default side. The helps are those of --size and --rows.
  GridSize(command_line::CommandLine& line, std::uint64_t square, const char* size_help,
           const char* rows_help);
  GridSize(const GridSize&) = delete;
  GridSize& operator=(const GridSize&) = delete;

  std::uint64_t rows() const { return rows_.value_or(square_); }
  std::uint64_t columns() const { return columns_.value_or(square_); }

 private:
  std::uint64_t square_;
  std::optional<std::uint64_t> rows_;
  std::optional<std::uint64_t> columns_;
};

}  // namespace lbsp::programs
