// matmul: multiplies two matrices, from a seed or from files, and checks the product.
#include "tools/programs/matmul/matmul_arguments.hpp"
#include "tools/programs/matmul/matmul_job.hpp"
#include "tools/programs/program_main.hpp"

int main(int argc, char** argv) {
  using namespace lbsp::programs::matmul;
  return lbsp::programs::program_main<MatmulArguments>(argc, argv, parse_matmul, matmul_job);
}
