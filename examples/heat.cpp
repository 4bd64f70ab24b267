// A stencil of your own: heat spreads along an insulated rod that is cut into pieces, a piece on every
// rank.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"

int main() {
  return lbsp::run([](lbsp::World& world) {
    const lbsp::Rank rank = world.rank();
    const lbsp::Rank size = world.size();
    const std::size_t n = 100 / static_cast<std::size_t>(size);  // points of this rank, 1 … n
    lbsp::Coarray<double> halo(world, 2);                        // the neighbours' points beside them
    std::vector<double> heat(n + 2);
    if (rank == 0) heat[1] = 1;  // all the heat is at the left end

    for (int step = 0; step < 500; ++step) {
      if (rank > 0) halo(rank - 1)[1] = heat[1];  // its right neighbour
      if (rank + 1 < size) halo(rank + 1)[0] = heat[n];
      world.sync();
      heat[0] = rank > 0 ? halo[0] : heat[1];  // nothing leaves at the ends
      heat[n + 1] = rank + 1 < size ? halo[1] : heat[n];
      const std::vector<double> old = heat;
      for (std::size_t i = 1; i <= n; ++i)
        heat[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
    }

    lbsp::Queue<double> sums(world);
    sums.send(0, 0, std::accumulate(heat.begin() + 1, heat.end() - 1, 0.0));
    world.sync();
    if (rank != 0) return;
    double total = 0;
    for (const auto message : sums)
      total += message.values().front();
    std::printf("%d ranks: the left end has %.4f, all together %.4f\n", size, heat[1], total);
  });
}
