// A program for tests and measurements that goes on when ranks are lost: survivor_probe STEPS FOLDER [longest]. Its
// answer does not depend on how many ranks are left. With `longest`, each rank also says how long it was, at most, from
// one superstep's end to the next one's.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/steps.hpp"
#include "tests/tools/programs/probe_marks.hpp"
#include "transport/splitmix.hpp"

namespace {

using lbsp::World;

/// The sum of what all items make of it, each rank's part of them by itself.
std::uint64_t after_step(World& world, lbsp::Coarray<std::uint64_t>& sums, std::uint64_t value) {
  constexpr std::size_t items = 60;
  const lbsp::Range mine = lbsp::part_of(items, world.size(), world.rank());
  std::uint64_t sum = 0;
  for (std::size_t item = mine.begin; item < mine.end(); ++item)
    sum += lbsp::transport::splitmix(value + item);
  for (lbsp::Rank to = 0; to < world.size(); ++to)
    sums(to)[static_cast<std::size_t>(world.rank())] = sum;
  world.sync();
  std::uint64_t all = 0;
  for (lbsp::Rank from = 0; from < world.size(); ++from)
    all += sums[static_cast<std::size_t>(from)];
  return all;
}

void survive(World& world, std::uint64_t steps, const std::string& folder, lbsp::test::Gaps& gaps) {
  std::uint64_t value = 1;
  lbsp::Coarray<std::uint64_t> sums(world, static_cast<std::size_t>(world.size()));
  for (const std::uint64_t step : lbsp::Steps(world, value, steps)) {
    if (step == lbsp::test::under_way && !world.change()) lbsp::test::write_own_pid(folder, world.rank());
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    value = after_step(world, sums, value);
    gaps.superstep_ended();
  }
  lbsp::test::print_answer(world, value);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  lbsp::test::Gaps gaps;
  const int code =
      lbsp::run([&](World& world) { survive(world, std::stoull(arguments[1]), arguments[2], gaps); });
  if (count > 3) std::printf("longest %.4f\n", gaps.longest());
  return code;
}
