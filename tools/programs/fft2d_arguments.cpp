#include "tools/programs/fft2d_arguments.hpp"

#include <CLI/CLI.hpp>

#include "tools/programs/command_line.hpp"

namespace lbsp::programs {
namespace {

constexpr auto about =
    "Two-dimensional Fourier transform of a grid that is dealt out by rows, on any number of ranks: "
    "transforms the\n"
    "rows, exchanges all to all, transforms the columns, exchanges back. The inverse is divided by the "
    "number of\n"
    "points, as in NumPy. Prints one line: sizes, time, speed, and how far the transform is from a "
    "single-process "
    "one.\n";
constexpr auto examples =
    "Examples:\n"
    "  lbsp run -n 4 -- fft2d --size 1024\n"
    "  lbsp run -n 3 -- fft2d --in image.npy --out spectrum.npy\n";

constexpr std::size_t largest_size = 1'000'000;

}  // namespace

std::optional<std::string> parse_fft2d(int count, const char* const* arguments, Fft2dArguments& parsed) {
  CLI::App app(about, "fft2d");
  app.footer(examples);
  const CLI::Range sizes(std::size_t{1}, largest_size);
  std::size_t square = parsed.rows;
  auto* size = app.add_option("--size", square, "N: transform a random N x N grid")
                   ->check(sizes)
                   ->capture_default_str();
  auto* rows = app.add_option("--rows", parsed.rows, "of a random grid that is no square")->check(sizes);
  auto* columns = app.add_option("--columns", parsed.columns, "of that grid")->check(sizes);
  rows->excludes(size)->needs(columns);
  columns->excludes(size)->needs(rows);
  auto* seed = app.add_option("--seed", parsed.seed, "of the random grid; the same on any number of ranks")
                   ->check(CLI::NonNegativeNumber)
                   ->capture_default_str();
  app.add_option("--in", parsed.in, "the grid, a two-dimensional .npy file of real or complex numbers")
      ->excludes(size, rows, columns, seed);
  app.add_flag("--inverse", parsed.inverse, "the inverse transform");
  app.add_flag("--transposed", parsed.transposed, "leave the result transposed, which saves an exchange");
  app.add_flag("--single", parsed.single_precision, "compute in single precision instead of double");
  app.add_option("--out", parsed.out, "write the transform to this .npy file");
  bool verify = false;
  bool no_verify = false;
  app.add_flag("--verify", verify,
               "compare with a single-process transform; done up to 4096 x 4096 points if not told");
  app.add_flag("--no-verify", no_verify, "do not compare")->excludes("--verify");
  auto help = parse_command_line(app, count, arguments);
  if (rows->count() == 0) parsed.rows = parsed.columns = square;
  if (verify || no_verify) parsed.verify = verify;
  return help;
}

}  // namespace lbsp::programs
