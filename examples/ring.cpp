// Every rank tells its successor who it is.
#include <cstdio>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"

int main() {
  return lbsp::run([](lbsp::World& world) {
    lbsp::Coarray<double> x(world, 1);
    const lbsp::Rank next = (world.rank() + 1) % world.size();
    x(next)[0] = world.rank();  // seen by no one before sync, by everyone after
    world.sync();
    std::printf("rank %d of %d was told %g\n", world.rank(), world.size(), x[0]);
  });
}
