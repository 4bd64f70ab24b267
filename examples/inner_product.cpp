// The inner product of two vectors that are shared out over the ranks. Every rank adds up its own part, and
// one all-reduce adds up the parts, with the same bits on every rank and in every run.
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

#include "lbsp/collectives/reduce.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"

int main() {
  return lbsp::run([](lbsp::World& world) {
    const lbsp::Range mine = lbsp::part_of(1'000'000, world.size(), world.rank());
    std::vector<double> x(mine.count);
    std::iota(x.begin(), x.end(), static_cast<double>(mine.begin));  // 0, 1, 2 … over all ranks
    const std::vector<double> y(mine.count, 2);

    const double own = std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    const double all = lbsp::all_reduce(world, own, std::plus{});
    std::printf("rank %d of %d: %.0f\n", world.rank(), world.size(), all);
  });
}
