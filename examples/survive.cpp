// survive: a rod cools while ranks are lost; the answer is the same, to the last bit. See docs/survival.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/steps.hpp"

namespace {

constexpr std::size_t points = 1000;

/// All that a step needs of the one before: every rank has the whole rod, so that nothing is lost with a rank.
using Rod = std::vector<double>;

double after_a_while(const Rod& rod, std::size_t i) {
  return (rod[i - 1] + 2 * rod[i] + rod[i + 1]) / 4;
}

void cool(lbsp::World& world, std::uint64_t steps) {
  Rod rod(points, 0.0);
  rod[points / 2] = 1000;
  if (world.change() && world.rank() == 0) std::printf("%d ranks go on\n", world.size());

  lbsp::Coarray<double> next(world, points);
  for ([[maybe_unused]] const std::uint64_t step : lbsp::Steps(world, rod, steps)) {
    const lbsp::Range mine = lbsp::part_of(points - 2, world.size(), world.rank());
    Rod part;
    for (std::size_t i = 1 + mine.begin; i < 1 + mine.end(); ++i)
      part.push_back(after_a_while(rod, i));
    for (lbsp::Rank to = 0; to < world.size(); ++to)
      next.put(to, 1 + mine.begin, part);
    world.sync();
    rod.assign(next.local().begin(), next.local().end());
  }
  if (world.rank() == 0)
    std::printf("after %d steps the middle has %a\n", static_cast<int>(steps), rod[points / 2]);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t steps = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  return lbsp::run([&](lbsp::World& world) { cool(world, steps); });
}
