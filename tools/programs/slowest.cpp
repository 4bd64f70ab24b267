#include "tools/programs/slowest.hpp"

#include <algorithm>

#include "lbsp/queue.hpp"

namespace lbsp::programs {

Seconds slowest(World& world, Seconds own) {
  Queue<double> times(world);
  times.send(0, 0, own.count());
  world.sync();
  for (const auto message : times)
    own = std::max(own, Seconds(message.values().front()));
  return own;
}

}  // namespace lbsp::programs
