// fft2d: transforms a grid, from a seed or from a file, and checks the transform.
#include "tools/programs/fft2d/fft2d_arguments.hpp"
#include "tools/programs/fft2d/fft2d_job.hpp"
#include "tools/programs/program_main.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs::fft2d;
  return lbsp::programs::program_main<Fft2dArguments>(argc, argv, parse_fft2d, fft2d_job);
}
