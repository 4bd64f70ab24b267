#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "tests/lbsp/plan/planned_job.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs on short paths before policers that carry far less than the ranks begin with: a message has gone before any
/// echo, and what is lost is sent again in bursts, round trip after round trip.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr double fast_megabits = 100;

enum class Sends : std::uint8_t { to_the_first, to_the_next, to_all };

struct PolicedCase {
  Rank ranks;
  double megabits;  ///< of the last host's links
  std::uint64_t bucket_bytes;
  std::size_t bytes;  ///< of a message
  const char* wan;
  Sends sends = Sends::to_the_next;
  double told_megabits = 0;  ///< 0: the rate is found
};

struct PolicedOutcome {
  double dropped;      ///< of what goes after the second superstep
  double over_bound;   ///< the time of a superstep, over what its bytes take
  double wire_factor;  ///< bytes for one of payload
};

double drops_of(const Topology& topology) {
  double drops = 0;
  for (const auto& host : topology.hosts)
    drops += static_cast<double>(host.uplink->drops() + host.downlink->drops());
  return drops;
}

PolicedOutcome before_policer(const PolicedCase& given, std::uint64_t seed) {
  constexpr std::size_t warm_up = 2;
  constexpr std::size_t supersteps = 20;
  SimulationConfig config = planned_job(given.ranks, std::string(given.wan), given.told_megabits);
  config.seed = seed;
  config.options.peer_timeout = 60s;
  for (Rank host = 0; host < given.ranks; ++host) {
    const BottleneckSpec policer{
        .rate = megabits_per_second(host + 1 == given.ranks ? given.megabits : fast_megabits),
        .queue_bytes = given.bucket_bytes,
        .polices = true};
    config.topology.hosts.push_back(
        {1, std::make_shared<Bottleneck>(policer), std::make_shared<Bottleneck>(policer)});
  }
  RunningJob job(config, [&](Rank from, Rank to) {
    const Rank one = given.sends == Sends::to_the_first ? 0 : (from + 1) % given.ranks;
    const Rank receiver = given.sends == Sends::to_all ? to : one;
    return from != receiver && to == receiver ? given.bytes : std::size_t{0};
  });
  SharedTime time;
  time.add(job);
  const Instant end = config.beginning + 600s;
  time.run_until([&] { return job.supersteps() >= warm_up; }, end);
  const double drops = drops_of(config.topology);
  const TrafficCounters sent = job.traffic();
  time.run_until([&] { return job.supersteps() >= supersteps; }, end);
  EXPECT_EQ(job.supersteps(), supersteps);
  const TrafficCounters all = job.traffic();
  const int messages = given.sends == Sends::to_all ? given.ranks - 1 : 1;
  const double dropped = drops_of(config.topology) - drops;
  const double payload = static_cast<double>(all.payload_bytes_sent - sent.payload_bytes_sent);
  return {dropped / static_cast<double>(all.datagrams_sent - sent.datagrams_sent),
          job.mean_seconds(warm_up) * given.megabits * 125e3 / (messages * static_cast<double>(given.bytes)),
          static_cast<double>(all.wire_bytes_sent - sent.wire_bytes_sent) / payload};
}

/// Where nothing is left to chance, a few bytes more make as much of a difference as another seed does elsewhere.
PolicedOutcome mean_before_policer(PolicedCase given) {
  constexpr std::uint64_t seeds = 12;
  constexpr std::size_t bytes_more = 211;
  PolicedOutcome mean{};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed, given.bytes += bytes_more) {
    const PolicedOutcome one = before_policer(given, seed);
    mean.dropped += one.dropped / seeds;
    mean.over_bound += one.over_bound / seeds;
    mean.wire_factor += one.wire_factor / seeds;
  }
  return mean;
}

/// The most that is right, and what it was before.
struct Expected {
  double most;
  const char* before;
};

struct PolicedJob {
  const char* name;  ///< what is expected, in words
  PolicedCase given;
  Expected dropped;
  Expected wire_factor;
  Expected over_bound;
};

class PolicersOnShortPaths : public ::testing::TestWithParam<PolicedJob> {};

TEST_P(PolicersOnShortPaths, are) {
  const PolicedOutcome outcome = mean_before_policer(GetParam().given);
  EXPECT_LT(outcome.dropped, GetParam().dropped.most) << GetParam().dropped.before;
  EXPECT_LT(outcome.wire_factor, GetParam().wire_factor.most) << GetParam().wire_factor.before;
  EXPECT_LT(outcome.over_bound, GetParam().over_bound.most) << GetParam().over_bound.before;
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, PolicersOnShortPaths,
    ::testing::Values(
        PolicedJob{"not_flooded_by_one_slow_host_of_a_gather",
                   {5, 0.06, 30'000, 46'000, "rtt=4ms", Sends::to_the_first},
                   {0.1, "0.93 while bursts had no bound on short paths"},
                   {1.8, "56"},
                   {1.1, "1.04"}},
        PolicedJob{"found_to_carry_a_rate_though_a_message_is_no_longer_than_a_second_of_it",
                   {5, 0.1, 30'000, 46'000, "rtt=4ms", Sends::to_the_first},
                   {0.15, "0.4 while a bound that flooded doubled to the same again"},
                   {2, "2.4"},
                   {1.35, "1.19"}},
        PolicedJob{"not_what_ends_a_gather_late_that_goes_on_from_what_bursts_showed",
                   {8, 1, 20'000, 100'000, "rtt=1ms", Sends::to_the_first},
                   {0.25, "0.39 while messages of 75 datagrams counted as bursts"},
                   {1.8, "2.4"},
                   {1.2, "2.6"}},
        PolicedJob{"not_flooded_by_a_ring",
                   {4, 0.5, 10'000, 28'000, "rtt=1.5ms,jitter=0.1ms"},
                   {0.25, "0.72"},
                   {2, "7.8"},
                   {1.75, "1.32"}},
        PolicedJob{"not_flooded_where_the_path_loses_a_tenth",
                   {3, 1, 12'000, 40'000, "rtt=0.5ms,loss=10%"},
                   {0.15, "0.57"},
                   {2, "5.7"},
                   {2.2, "1.97"}},
        PolicedJob{"not_flooded_at_a_told_rate",
                   {5, 7, 16'000, 320'000, "rtt=0.5ms", Sends::to_the_next, 150},
                   {0.25, "0.84"},
                   {2, "10"},
                   {1.35, "1.57"}},
        // The slow host is awaited longest. What its paths carry was taken for what the others' uplinks do.
        PolicedJob{"not_slower_for_all_when_one_host_is_slow",
                   {4, 0.4, 30'000, 200'000, "rtt=0.9ms", Sends::to_all},
                   {0.1, ""},
                   {1.27, "1.3 while it was"},
                   {1.35, "2.9"}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lbsp::plan
