#include <chrono>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Delays that vary before a link that carries just the rate: behind it datagrams come out even, as from a queue.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

struct VaryingLinks {
  Rank ranks;
  const char* jitter;
  bool told;
  bool first = false;  ///< superstep; else the mean after two
  std::uint64_t seed = 1;
  double megabits = 50;
};

/// Of a superstep of 1 MiB per pair, on links with an RTT of 20 ms.
double seconds(const VaryingLinks& cell) {
  SimulationConfig config =
      planned_job(cell.ranks, fmt::format("rtt=20ms,jitter={}", cell.jitter), cell.told ? cell.megabits : 0);
  config.seed = cell.seed;
  config.options.rate = megabits_per_second(cell.megabits);
  const auto product = static_cast<std::uint64_t>(cell.megabits * 2500);
  give_links(config, {megabits_per_second(cell.megabits), product});
  RunningJob job(config, [](Rank, Rank) { return std::size_t{1} << 20; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 8; }, start + 120s);
  return cell.first ? job.seconds(0) : job.mean_seconds(2);
}

/// Single jobs of two take 0.2 to 0.6 s, as when a rate falls is chance.
TEST(VaryingDelays, that_come_out_of_a_full_link_evenly_are_no_queue_to_a_found_rate) {
  constexpr std::uint64_t seeds = 8;
  double of_two = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    of_two += seconds({.ranks = 2, .jitter = "20ms", .told = false, .seed = seed}) / seeds;
  EXPECT_LT(of_two, 0.4);
  EXPECT_LT(seconds({.ranks = 4, .jitter = "20ms", .told = false}), 0.8);
}

/// On the same links, and on faster ones, where a told rate takes 0.29 s.
TEST(VaryingDelays, leave_a_found_rate_nearly_what_it_is_without_them) {
  constexpr std::uint64_t seeds = 12;
  double first = 0;
  double later = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const VaryingLinks cell{.ranks = 4, .jitter = "20ms", .told = false, .seed = seed};
    VaryingLinks of_first = cell;
    of_first.first = true;
    first += seconds(of_first) / seeds;
    VaryingLinks on_faster = cell;
    on_faster.megabits = 100;
    later += seconds(on_faster) / seeds;
  }
  EXPECT_LT(first, 0.8);
  EXPECT_LT(later, 0.35);
}

TEST(VaryingDelays, that_come_out_of_a_full_link_evenly_are_no_queue_to_a_told_rate) {
  EXPECT_LT(seconds({.ranks = 2, .jitter = "20ms", .told = true}), 0.21);
  EXPECT_LT(seconds({.ranks = 2, .jitter = "20ms", .told = true, .first = true}), 0.23);
  EXPECT_LT(seconds({.ranks = 2, .jitter = "5ms", .told = true}), 0.2);
  EXPECT_LT(seconds({.ranks = 4, .jitter = "20ms", .told = true}), 0.57);
}

}  // namespace
}  // namespace lbsp::plan
