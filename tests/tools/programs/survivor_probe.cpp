// A program for tests and measurements that goes on when ranks are lost: survivor_probe STEPS FOLDER [longest]. Its
// answer does not depend on how many ranks are left. With `longest`, each rank also says how long it was, at most, from
// one superstep's end to the next one's.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/partition.hpp"
#include "lbsp/steps.hpp"
#include "transport/splitmix.hpp"

namespace {

using lbsp::World;
using Clock = std::chrono::steady_clock;

/// Between the ends of two supersteps, in whatever world.
class Gaps {
 public:
  void superstep_ended() {
    const auto now = Clock::now();
    if (last_ != Clock::time_point{}) longest_ = std::max(longest_, now - last_);
    last_ = now;
  }
  double longest() const { return std::chrono::duration<double>(longest_).count(); }

 private:
  Clock::time_point last_{};
  Clock::duration longest_{0};
};

/// Appears whole: whoever waits for the file finds the process id in it.
void write_own_pid(const std::string& folder, int rank) {
  const std::string name = folder + "/" + std::to_string(rank);
  std::ofstream(name + ".new") << ::getpid();
  std::filesystem::rename(name + ".new", name);
}

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

void survive(World& world, std::uint64_t steps, const std::string& folder, Gaps& gaps) {
  if (!world.change()) write_own_pid(folder, world.rank());
  std::uint64_t value = 1;
  lbsp::Coarray<std::uint64_t> sums(world, static_cast<std::size_t>(world.size()));
  for ([[maybe_unused]] const std::uint64_t step : lbsp::Steps(world, value, steps)) {
    std::this_thread::sleep_for(std::chrono::milliseconds{2});
    value = after_step(world, sums, value);
    gaps.superstep_ended();
  }
  std::string members;
  if (world.change()) {
    for (const lbsp::Rank slot : world.change()->members)
      members.append(" ").append(std::to_string(slot));
  }
  std::printf("answer %llu, members%s\n", static_cast<unsigned long long>(value), members.c_str());
  world.set_verified(true);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  Gaps gaps;
  const int code =
      lbsp::run([&](World& world) { survive(world, std::stoull(arguments[1]), arguments[2], gaps); });
  if (count > 3) std::printf("longest %.4f\n", gaps.longest());
  return code;
}
