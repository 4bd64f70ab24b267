#include <gtest/gtest.h>

#include "tests/lbsp/plan/sharing_jobs.hpp"

/// Many ranks send to those of one host, whose downlink is slow. Their rates have to be found.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::size_t message = 100'000;
constexpr const char* network = "rtt=40ms";

std::shared_ptr<Bottleneck> fast_link() {
  return std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(100), 512 << 10});
}

struct SlowDownlink {
  double megabits;
  Rank ranks = 1;  ///< behind it
  Rank senders;    ///< each on a host of its own
};

struct Passed {
  double drops = 0;
  double of_link = 0;
};

/// In the half minute after the first one.
Passed through(const SlowDownlink& slow, const RunningJob::SizeOf& size_of) {
  const auto product = static_cast<std::uint64_t>(slow.megabits * 1e6 / 8 * 0.04);
  const auto down = std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(slow.megabits), .queue_bytes = product, .exact = false});
  SimulationConfig config = planned_job(slow.ranks + slow.senders, network);
  config.topology.hosts = {{slow.ranks, fast_link(), down}};
  for (Rank sender = 0; sender < slow.senders; ++sender)
    config.topology.hosts.push_back({1, fast_link(), fast_link()});
  RunningJob job(config, size_of);
  SharedTime time;
  time.add(job);
  run_until(time, start + 30s);
  const auto bytes = down->carried_bytes();
  const auto drops = down->drops();
  const auto datagrams = down->datagrams();
  run_until(time, start + 60s);
  const auto dropped = static_cast<double>(down->drops() - drops);
  return {dropped / (dropped + static_cast<double>(down->datagrams() - datagrams)),
          static_cast<double>(down->carried_bytes() - bytes) * 8 / (30 * slow.megabits * 1e6)};
}

std::size_t to_all(Rank, Rank) {
  return message;
}

std::size_t to_first(Rank, Rank to) {
  return to == 0 ? message : 0;
}

/// Each of them saw a part of what came, and granted nothing: up to 84 % was dropped.
TEST(SlowDownlink, of_several_ranks_is_divided_among_all_who_send_to_them) {
  for (const double megabits : {2., 5.}) {
    const Passed passed = through({.megabits = megabits, .ranks = 4, .senders = 4}, to_all);
    EXPECT_LT(passed.drops, 0.01) << megabits;
    EXPECT_GT(passed.of_link, 0.85) << megabits;
  }
}

/// Two datagrams of each in a round trip were more than it carries: up to 85 % was dropped.
TEST(SlowDownlink, is_divided_among_many_who_have_less_than_a_datagram_in_a_round_trip_each) {
  const Passed passed = through({.megabits = 2, .senders = 15}, to_first);
  EXPECT_LT(passed.drops, 0.01);
  EXPECT_GT(passed.of_link, 0.85);
}

/// What stood in the queue passed for the path's own in the end: 4 % was dropped.
TEST(SlowDownlink, has_a_queue_that_is_emptied) {
  const Passed passed = through({.megabits = 5, .senders = 7}, to_all);
  EXPECT_LT(passed.drops, 0.01);
  EXPECT_GT(passed.of_link, 0.85);
}

}  // namespace
}  // namespace lbsp::plan
