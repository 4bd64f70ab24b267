// jacobi: solves Laplace's equation on a grid, and checks the solution.
#include "tools/programs/jacobi/jacobi_arguments.hpp"
#include "tools/programs/jacobi/jacobi_job.hpp"
#include "tools/programs/program_main.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs::jacobi;
  return lbsp::programs::program_main<JacobiArguments>(argc, argv, parse_jacobi, jacobi_job);
}
