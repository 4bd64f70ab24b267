#include "tools/programs/fft2d/fft2d_arguments.hpp"

#include "tools/programs/common_options.hpp"

namespace lbsp::programs::fft2d {
namespace {

constexpr auto fft2d_about =
    "Computes the two-dimensional Fourier transform of a grid that is shared out by rows, on any number of\n"
    "ranks: transforms the rows, exchanges all to all, transforms the columns, exchanges back. Divides the\n"
    "inverse by the number of points, as NumPy does. Prints one line: sizes, time, speed, and the transform's\n"
    "relative error against a single-process one.\n";
constexpr auto fft2d_examples =
    "Examples:\n"
    "  lbsp run -n 4 -- fft2d --size 1024\n"
    "  lbsp run -n 3 -- fft2d --in image.npy --out spectrum.npy\n";

}  // namespace

std::optional<std::string> parse_fft2d(int count, const char* const* words, Fft2dArguments& parsed) {
  command_line::CommandLine line("fft2d", fft2d_about, fft2d_examples);
  know_lbsp_run(line);
  const GridSize size(line, parsed.rows, "N: transform a random N x N grid",
                      "rows of a random grid that is not a square");
  line.add_whole("--seed", parsed.seed, "seed of the random grid, which is the same on any number of ranks");
  line.add("--in", parsed.in, "FILE", "the grid, a two-dimensional .npy file of real or complex numbers");
  line.exclude("--in", {"--size", "--rows", "--columns", "--seed"});
  line.add_flag("--inverse", parsed.inverse, "compute the inverse transform");
  line.add_flag("--transposed", parsed.transposed, "leave the result transposed, which saves an exchange");
  line.add_flag("--single", parsed.single_precision, "compute in single precision instead of double");
  line.add("--out", parsed.out, "FILE", "write the transform to this .npy file");
  add_keep(line, parsed.keep);
  add_verify(line, parsed.verify,
             "compare with a single-process transform; the default up to 4096 x 4096 points");
  auto help = line.parse_silently(count, words);
  parsed.rows = size.rows();
  parsed.columns = size.columns();
  return help;
}

}  // namespace lbsp::programs::fft2d
