#include "tools/programs/jacobi/jacobi_arguments.hpp"

#include <cmath>
#include <fmt/format.h>

#include "tools/programs/common_options.hpp"
#include "transport/error.hpp"

namespace lbsp::programs::jacobi {
namespace {

constexpr auto jacobi_about =
    "Solves Laplace's equation on a grid with given edges by Jacobi's method, on any number of ranks. Every\n"
    "sweep sets each inner point to the mean of its four neighbours, until no point changes by more than the\n"
    "tolerance. Prints one line: sizes, sweeps, residual, time, and the result's relative error against a\n"
    "single-process one.\n";
constexpr auto jacobi_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- jacobi --size 257 --tolerance 1e-6 --halo 16\n"
    "  lbsp run -n 4 -- jacobi --size 129 --boundary top=sine,bottom=0 --blocks 2d --out solution.npy\n"
    "Where the delay between the ranks is long, --halo D saves time: they wait for each other once in D sweeps.\n";

constexpr command_line::CommandLine::Range sweeps{1, std::uint64_t{1} << 50};

}  // namespace

std::optional<std::string> parse_jacobi(int count, const char* const* words, JacobiArguments& parsed) {
  command_line::CommandLine line("jacobi", jacobi_about, jacobi_examples);
  know_lbsp_run(line);
  const GridSize size(line, parsed.rows, "N: a grid of N x N points, the boundary included",
                      "rows of a grid that is not a square");
  std::string boundary = "top=1";
  line.add("--boundary", boundary, "EDGES",
           "the edges: top, bottom, left, right; each = a number, sine (sin(pi x)) or a one-dimensional .npy "
           "file; 0 if not named. The corners have no effect");
  line.add("--initial", parsed.initial, "FILE", "the whole grid, boundary and first guess, a .npy file");
  line.exclude("--initial", {"--size", "--rows", "--columns", "--boundary"});
  line.add_number("--tolerance", parsed.tolerance,
                  "stop when no point changes by more in a sweep [1e-6, or none with --iterations]");
  line.add_whole("--iterations", parsed.iterations, sweeps, "the most sweeps to make");
  line.add_whole("--check", parsed.check_every, sweeps, "sweeps between checks of the tolerance");
  line.add_whole("--halo", parsed.halo, {1, largest_side}, "N: exchange halos of N points once in N sweeps");
  std::string shape = "rows";
  line.add_choice("--blocks", shape, {"rows", "2d"}, "how the grid is shared out: whole rows, or rectangles");
  line.add("--out", parsed.out, "FILE", "write the solution to this .npy file");
  add_keep(line, parsed.keep);
  add_verify(line, parsed.verify,
             "compare with a single-process solution; the default up to 2e9 points times sweeps");
  auto help = line.parse_silently(count, words);
  if (parsed.tolerance && !(*parsed.tolerance > 0 && std::isfinite(*parsed.tolerance))) {
    throw UsageError("jacobi: --tolerance: choose a finite number above 0: see jacobi --help");
  }
  parsed.rows = size.rows();
  parsed.columns = size.columns();
  try {
    parsed.boundary = parse_boundary(boundary);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("jacobi: {}: see jacobi --help", error.what()));
  }
  parsed.shape = shape == "rows" ? algorithms::BlockShape::rows : algorithms::BlockShape::rectangles;
  return help;
}

}  // namespace lbsp::programs::jacobi
