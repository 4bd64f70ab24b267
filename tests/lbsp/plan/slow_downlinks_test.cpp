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

/// After each pause what went to the slow one was let go at 108 Mbit/s, two datagrams in a round trip: up to 70 % was
/// dropped in every superstep.
TEST(SlowDownlink, of_a_host_near_by_is_not_flooded_after_the_first_superstep) {
  constexpr std::size_t supersteps = 9;
  double dropped = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    SimulationConfig config = planned_job(3, "rtt=0.2ms,jitter=0.03ms");
    config.seed = seed;
    const auto link = [](double megabits, std::uint64_t queue_bytes, std::uint64_t bucket_bytes) {
      return std::make_shared<Bottleneck>(BottleneckSpec{.rate = megabits_per_second(megabits),
                                                         .queue_bytes = queue_bytes,
                                                         .bucket_bytes = bucket_bytes,
                                                         .exact = false});
    };
    const auto slow_down = link(2, 30'000, 4000);
    config.topology.hosts = {
        {1, link(50, 50'000, 20'000)}, {1, link(50, 50'000, 20'000)}, {1, link(2, 30'000, 4000), slow_down}};
    RunningJob job(config, [](Rank, Rank) { return 2 * message; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() > 0; }, start + 60s);
    const auto drops = slow_down->drops();
    const auto carried = slow_down->datagrams();
    time.run_until([&] { return job.supersteps() >= supersteps; }, start + 60s);
    EXPECT_EQ(job.supersteps(), supersteps);
    const auto more = static_cast<double>(slow_down->drops() - drops);
    dropped += more / (more + static_cast<double>(slow_down->datagrams() - carried)) / 4;
  }
  EXPECT_LT(dropped, 0.06) << "0.4";
}

}  // namespace
}  // namespace lbsp::plan
