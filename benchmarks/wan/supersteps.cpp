// supersteps BYTES COUNT: every rank puts BYTES into every other, COUNT times, one superstep each, back to
// back. What they took is in the report of lbsp run (--json); compare.py reads it there.
#include <cstdlib>
#include <string>
#include <vector>

#include "lbsp/area.hpp"
#include "lbsp/job/run.hpp"
#include "transport/error.hpp"

namespace {

/// What `from` writes to `to` in a superstep: any receiver can tell whether it is that superstep's.
std::byte mark(lbsp::Rank from, lbsp::Rank to, int superstep) {
  return static_cast<std::byte>(from * 31 + to * 7 + superstep);
}

void run(lbsp::World& world, std::size_t bytes, int count) {
  std::vector<std::byte> memory(bytes * static_cast<std::size_t>(world.size()));
  const lbsp::Area<std::byte> area(world, memory);
  world.sync();
  std::vector<std::byte> message(bytes);
  const auto place = [&](lbsp::Rank of) { return bytes * static_cast<std::size_t>(of); };
  for (int superstep = 0; superstep < count; ++superstep) {
    for (lbsp::Rank to = 0; to < world.size(); ++to) {
      if (to == world.rank()) continue;
      message.front() = message.back() = mark(world.rank(), to, superstep);
      area.put(to, place(world.rank()), message);
    }
    world.sync();
    for (lbsp::Rank from = 0; from < world.size(); ++from) {
      if (from == world.rank()) continue;
      const std::byte expected = mark(from, world.rank(), superstep);
      if (memory[place(from)] != expected || memory[place(from) + bytes - 1] != expected)
        throw lbsp::Error("a superstep brought what belongs to another: report this");
    }
  }
}

}  // namespace

int main(int count, char** words) {
  return lbsp::run([&](lbsp::World& world) {
    if (count != 3) throw lbsp::UsageError("usage: supersteps BYTES COUNT");
    run(world, std::strtoull(words[1], nullptr, 10), std::atoi(words[2]));
  });
}
