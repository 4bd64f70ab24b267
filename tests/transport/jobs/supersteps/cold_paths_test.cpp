#include <algorithm>
#include <gtest/gtest.h>

#include "tests/transport/simulated_run.hpp"

/// Fast and long paths of which nothing has been measured yet: a message is longer than what receivers have room for.
namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

constexpr double megabits = 200;
constexpr double one_way = 0.075;

/// Ranks send a MiB to a neighbour each, from superstep `first` on, and nothing before.
SimulatedSupersteps neighbours(std::uint32_t first, std::uint32_t supersteps) {
  SimulatedSupersteps job;
  job.config.size = 8;
  job.config.options.rate = megabits_per_second(megabits);
  job.config.wan = parse_wan_spec("rtt=150ms");
  job.supersteps = supersteps;
  job.message = [first](std::uint32_t superstep, Rank from, Rank to) {
    const bool sends = superstep >= first && to == (from ^ (1 << ((superstep - first) % 3)));
    return sends ? Bytes(std::size_t{1} << 20, std::byte{1}) : Bytes{};
  };
  return job;
}

double seconds_of(const SimulatedRun& run, std::uint32_t superstep) {
  double longest = 0;
  for (Rank rank = 0; rank < run.network().size(); ++rank)
    longest = std::max(longest, seconds(run.durations(rank).at(superstep)));
  return longest;
}

/// With 46 bytes of heads in each 1400.
constexpr double bound = one_way + (1 << 20) * 8 * (1400. / 1354) / (1e6 * megabits);

TEST(ColdPaths, a_long_message_after_an_empty_superstep_does_not_wait_for_the_first_answer) {
  SimulatedRun run(neighbours(1, 4));
  run.complete();
  for (std::uint32_t superstep = 1; superstep < 4; ++superstep)
    EXPECT_LT(seconds_of(run, superstep), 1.02 * bound) << superstep;
}

TEST(ColdPaths, a_first_long_message_waits_only_until_its_receiver_is_heard) {
  SimulatedRun run(neighbours(0, 1));
  run.complete();
  EXPECT_LT(seconds_of(run, 0), one_way + bound) << "and not for an answer, which takes twice as long";
}

}  // namespace
}  // namespace lbsp::transport::testing
