// matmul: multiplies two matrices, from a seed or from files, and checks the product.
#include <cstdio>
#include <fmt/format.h>

#include "lbsp/job/run.hpp"
#include "tools/programs/matmul_arguments.hpp"
#include "tools/programs/matmul_job.hpp"
#include "transport/error.hpp"

int main(int argc, char** argv) {
  return lbsp::run([&](lbsp::World& world) {
    using namespace lbsp::programs;
    MatmulArguments arguments;
    if (const auto help = parse_matmul(argc, argv, arguments)) {
      if (world.rank() == 0) fmt::print("{}", *help);
      return;
    }
    const MatmulOutcome outcome = matmul_job(world, arguments);
    if (world.rank() == 0) fmt::print("{}\n", outcome.summary);
    std::fflush(stdout);
    if (!outcome.refutation.empty()) throw lbsp::Error(outcome.refutation);
  });
}
