#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

#include "tests/lbsp/plan/found_rate.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"
#include "transport/simulated/tcp_flow.hpp"

/// Jobs that have to find their rate beside TCP connections.
namespace lbsp::plan {
namespace {

using transport::start;
using namespace std::chrono_literals;
using namespace transport;

/// In Mbit/s, of a cubic that had the link of 50 Mbit/s to itself until a job began, over half a minute.
double kept_by_cubic(Duration begun) {
  const auto link = link_of_50_megabits();
  SharedTime time;
  TcpFlow cubic({CongestionControl::cubic, 40ms, start}, link);
  time.add(cubic);
  run_until(time, start + begun);
  SimulationConfig config = finding_job(2, "rtt=40ms");
  config.beginning = start + begun;
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  RunningJob job(config, [](Rank, Rank) { return found_rate_bytes; });
  time.add(job);
  run_until(time, start + 10s);
  const std::uint64_t before = cubic.delivered_bytes();
  run_until(time, start + 40s);
  return static_cast<double>(cubic.delivered_bytes() - before) * 8e-6 / 30;
}

/// It keeps 20 to 37, by when within a round trip the job begins.
TEST(FoundRate, leaves_a_cubic_tcp_most_of_what_another_would) {
  constexpr int jobs = 12;
  double megabits = 0;
  for (int i = 0; i < jobs; ++i)
    megabits += kept_by_cubic(5s + i * 7ms) / jobs;
  EXPECT_GT(megabits, 25);
  EXPECT_LT(megabits, 47);
}

/// In Mbit/s, of four that had the link of 100 to themselves until a job began, over half a minute.
double kept_by_four(CongestionControl control, Duration begun) {
  const auto link =
      std::make_shared<Bottleneck>(BottleneckSpec{megabits_per_second(2 * link_megabits), 500'000});
  SharedTime time;
  std::vector<std::unique_ptr<TcpFlow>> flows;
  for (const int i : {0, 1, 2, 3}) {
    flows.push_back(std::make_unique<TcpFlow>(TcpFlow::Config{control, 40ms, start + i * 100ms}, link));
    time.add(*flows.back());
  }
  run_until(time, start + begun);
  SimulationConfig config = finding_job(2, "rtt=40ms");
  config.beginning = start + begun;
  config.options.rate = megabits_per_second(2 * link_megabits);
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  RunningJob job(config, [](Rank from, Rank) { return from == 0 ? 50 * found_rate_bytes : std::size_t{0}; });
  time.add(job);
  const auto delivered = [&flows] {
    double bytes = 0;
    for (const auto& flow : flows)
      bytes += static_cast<double>(flow->delivered_bytes());
    return bytes;
  };
  run_until(time, start + 20s);
  const double before = delivered();
  run_until(time, start + 50s);
  return (delivered() - before) * 8e-6 / 30;
}

/// They keep a queue full when the job comes, whose first rate is just the link's: so it sees no queue grow, and its
/// datagrams find room where theirs do not. Beside a fifth cubic, the four have 79 Mbit/s.
TEST(FoundRate, leaves_four_cubics_that_were_there_before_most_of_the_link) {
  EXPECT_GT(kept_by_four(CongestionControl::cubic, 10s), 60);
}

/// The full queue is as steady as a longer path would be. Taken for one, the job had up to 96 Mbit/s.
TEST(FoundRate, leaves_four_bbr_tcps_that_were_there_before_nearly_all_of_the_link) {
  for (int i = 0; i < 6; ++i)
    EXPECT_GT(kept_by_four(CongestionControl::bbr, 10s + i * 7ms), 85) << i;
}

struct BesideCubic {
  double kept;  ///< of the link, by the TCP
  double drops;
};

struct SlowLinkSpec {
  double megabits;
  double queue;  ///< in products of the rate and the round trip
  Duration round_trip = 40ms;
  Duration cubic_begins = 0ms;
  Duration job_begins = 10s;
};

/// A job of two ranks and a TCP; the minute after twenty seconds.
BesideCubic beside_cubic(const SlowLinkSpec& of, std::uint64_t seed) {
  const double product = megabits_per_second(of.megabits).value * transport::seconds(of.round_trip);
  const auto link = std::make_shared<Bottleneck>(
      BottleneckSpec{.rate = megabits_per_second(of.megabits),
                     .queue_bytes = static_cast<std::uint64_t>(of.queue * product),
                     .exact = false});
  SharedTime time;
  TcpFlow cubic({CongestionControl::cubic, of.round_trip, start + of.cubic_begins + seed * 7ms}, link);
  time.add(cubic);
  run_until(time, start + of.job_begins);
  SimulationConfig config = finding_job(2, "rtt=40ms", seed);
  config.wan.round_trip_time = of.round_trip;
  config.options.rate = megabits_per_second(100);
  config.beginning = start + of.job_begins;
  config.topology.hosts = {{1, link, nullptr}, {1, nullptr, nullptr}};
  RunningJob job(config, [=](Rank from, Rank) {
    return from == 0 ? static_cast<std::size_t>(50 * product) : std::size_t{0};
  });
  time.add(job);
  run_until(time, start + 20s);
  const std::uint64_t before = cubic.delivered_bytes();
  const std::uint64_t dropped = link->drops();
  const std::uint64_t carried = link->datagrams();
  run_until(time, start + 80s);
  return {static_cast<double>(cubic.delivered_bytes() - before) * 8e-6 / 60 / of.megabits,
          part_dropped(*link, dropped, carried)};
}

/// The TCP had 1 to 3 % of the link, and up to 83 % of all was dropped: the queue never ran empty, so it was not seen,
/// or looked short.
TEST(FoundRate, leaves_a_cubic_tcp_much_of_a_slow_link) {
  for (const auto& [megabits, queue] : {std::pair{10., 0.3}, {10., 1.}, {10., 4.}, {5., 1.}, {20., 1.}}) {
    std::vector<double> kept;
    std::vector<double> drops;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const BesideCubic shared = beside_cubic({.megabits = megabits, .queue = queue}, seed);
      kept.push_back(shared.kept);
      drops.push_back(shared.drops);
    }
    std::ranges::sort(kept);
    std::ranges::sort(drops);
    EXPECT_GT(kept[1], 0.15) << megabits << " Mbit/s, " << queue;
    EXPECT_LT(kept[1], 0.8) << megabits << " Mbit/s, " << queue;
    EXPECT_LT(drops[1], 0.06) << megabits << " Mbit/s, " << queue;
  }
}

/// After ten to twenty seconds in which the queue never ran empty it looked like a part of the path, and what it
/// dropped like the path's own loss: the job sent ever more, 160 Mbit/s into 5, and half of all was dropped.
TEST(FoundRate, does_not_flood_a_long_slow_link_that_a_cubic_keeps_full) {
  for (const SlowLinkSpec& of :
       {SlowLinkSpec{.megabits = 4, .queue = 1, .round_trip = 150ms},
        SlowLinkSpec{.megabits = 5, .queue = 1, .round_trip = 150ms},
        SlowLinkSpec{.megabits = 6, .queue = 0.5, .round_trip = 200ms},
        SlowLinkSpec{
            .megabits = 3, .queue = 1, .round_trip = 100ms, .cubic_begins = 10s, .job_begins = 0ms}}) {
    std::vector<double> kept;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const BesideCubic shared = beside_cubic(of, seed);
      EXPECT_LT(shared.drops, 0.04) << of.megabits << " Mbit/s, seed " << seed;
      kept.push_back(shared.kept);
    }
    std::ranges::sort(kept);
    EXPECT_GT(kept[1], 0.3) << of.megabits << " Mbit/s";
  }
}

}  // namespace
}  // namespace lbsp::plan
