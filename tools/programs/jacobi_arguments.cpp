#include "tools/programs/jacobi_arguments.hpp"

#include <CLI/CLI.hpp>
#include <cmath>

#include "tools/programs/command_line.hpp"
#include "transport/error.hpp"

namespace lbsp::programs {
namespace {

constexpr auto about =
    "Solves Laplace's equation on a grid with given edges by Jacobi's method, on any number of ranks: every "
    "sweep "
    "sets\n"
    "each inner point to the mean of its four neighbours, until no point changes by more than the tolerance. "
    "Prints\n"
    "one line: sizes, sweeps, residual, time, and how far the result is from a single-process one.\n";
constexpr auto examples =
    "Examples:\n"
    "  lbsp run -n 4 -- jacobi --size 257 --tolerance 1e-6 --halo 16\n"
    "  lbsp run -n 4 -- jacobi --size 129 --boundary top=sine,bottom=0 --blocks 2d --out solution.npy\n"
    "With a long way between the ranks, --halo D saves time: they wait for each other once in D sweeps.\n";

constexpr std::size_t largest_size = 1'000'000;

}  // namespace

std::optional<std::string> parse_jacobi(int count, const char* const* arguments, JacobiArguments& parsed) {
  CLI::App app(about, "jacobi");
  app.footer(examples);
  const CLI::Range sizes(std::size_t{1}, largest_size);
  std::size_t square = parsed.rows;
  auto* size = app.add_option("--size", square, "M: a grid of M x M points, the boundary included")
                   ->check(sizes)
                   ->capture_default_str();
  auto* rows = app.add_option("--rows", parsed.rows, "of a grid that is no square")->check(sizes);
  auto* columns = app.add_option("--columns", parsed.columns, "of that grid")->check(sizes);
  rows->excludes(size)->needs(columns);
  columns->excludes(size)->needs(rows);
  std::string boundary = "top=1";
  auto* edges = app.add_option("--boundary", boundary,
                               "the edges: top, bottom, left, right, each = a number, sine (sin(pi x)) or a "
                               "one-dimensional .npy file; 0 if not named. The corners count for nothing")
                    ->capture_default_str();
  app.add_option("--initial", parsed.initial, "the whole grid, boundary and first guess, a .npy file")
      ->excludes(size, rows, columns, edges);
  app.add_option(
      "--tolerance", parsed.tolerance,
      "the largest change of a point in a sweep at which to stop [1e-6, or none with --iterations]");
  app.add_option("--iterations", parsed.iterations, "the most sweeps")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50));
  app.add_option("--check", parsed.check_every, "sweeps between checks of the tolerance")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 50))
      ->capture_default_str();
  app.add_option("--halo", parsed.halo, "D: exchange halos of D points once in D sweeps")
      ->check(sizes)
      ->capture_default_str();
  std::string shape = "rows";
  app.add_option("--blocks", shape, "how the grid is cut among the ranks")
      ->check(CLI::IsMember({"rows", "2d"}))
      ->capture_default_str();
  app.add_option("--out", parsed.out, "write the solution to this .npy file");
  bool verify = false;
  bool no_verify = false;
  app.add_flag("--verify", verify,
               "compare with a single-process solution; done up to 2e9 points times sweeps if not told");
  app.add_flag("--no-verify", no_verify, "do not compare")->excludes("--verify");
  auto help = parse_command_line(app, count, arguments);
  if (parsed.tolerance && !(*parsed.tolerance > 0 && std::isfinite(*parsed.tolerance))) {
    throw UsageError("jacobi: --tolerance: choose a finite number above 0: see jacobi --help");
  }
  if (rows->count() == 0) parsed.rows = parsed.columns = square;
  parsed.boundary = parse_boundary(boundary);
  parsed.shape = shape == "rows" ? algorithms::BlockShape::rows : algorithms::BlockShape::rectangles;
  if (verify || no_verify) parsed.verify = verify;
  return help;
}

}  // namespace lbsp::programs
