#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// Jobs on short paths, as within a data centre, behind shapers whose bucket is as deep as the queue behind it (tbf,
/// htb): a burst passes at once, and the next one overflows the queue before a round trip has told of it.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

constexpr std::uint64_t seeds = 6;

struct ShortPathCase {
  Rank ranks;
  double megabits;
  std::uint64_t queue_bytes;
  std::uint64_t bucket_bytes;
  std::size_t bytes;              ///< of a message
  bool to_next_only = false;      ///< a ring; else to all
  bool one_link_for_two = false;  ///< the first two hosts send through one shaper …
  bool across_only = false;       ///< … and only to the two others, and back
  const char* wan = "rtt=0.1ms,jitter=0.03ms";
};

struct ShortPathOutcome {
  double first;    ///< part dropped in the first five seconds …
  double later;    ///< … and in the ten after
  double seconds;  ///< a superstep then, in the mean
};

struct ShaperCount {
  double dropped = 0;
  double offered = 0;
};

ShaperCount count_of(const std::vector<std::shared_ptr<Bottleneck>>& shapers) {
  ShaperCount sum;
  for (const auto& shaper : shapers) {
    sum.dropped += static_cast<double>(shaper->drops());
    sum.offered += static_cast<double>(shaper->drops() + shaper->datagrams());
  }
  return sum;
}

ShortPathOutcome on_short_path(const ShortPathCase& given, std::uint64_t seed) {
  SimulationConfig config = planned_job(given.ranks, given.wan);
  config.seed = seed;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  config.topology.hosts.assign(static_cast<std::size_t>(given.ranks), {});
  std::vector<std::shared_ptr<Bottleneck>> shapers;
  for (std::size_t host = 0; host < config.topology.hosts.size(); ++host) {
    if (host == 0 || !given.one_link_for_two)
      shapers.push_back(
          std::make_shared<Bottleneck>(token_bucket(given.megabits, given.queue_bytes, given.bucket_bytes)));
    if (host < 2 || !given.one_link_for_two) config.topology.hosts[host].uplink = shapers.back();
  }
  RunningJob job(config, [&](Rank from, Rank to) {
    const bool next = !given.to_next_only || to == (from + 1) % given.ranks;
    const bool across = !given.across_only || (from < 2) != (to < 2);
    return next && across ? given.bytes : std::size_t{0};
  });
  SharedTime time;
  time.add(job);
  run_until(time, transport::start + 5s);
  const ShaperCount first = count_of(shapers);
  const std::size_t begun = job.supersteps();
  run_until(time, transport::start + 15s);
  const ShaperCount all = count_of(shapers);
  return {first.dropped / first.offered, (all.dropped - first.dropped) / (all.offered - first.offered),
          job.mean_seconds(begun)};
}

/// The means over some seeds.
ShortPathOutcome mean_on_short_path(const ShortPathCase& given) {
  ShortPathOutcome mean{};
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const ShortPathOutcome one = on_short_path(given, seed);
    EXPECT_LT(one.later, 0.05) << "seed " << seed;
    mean.first += one.first / seeds;
    mean.later += one.later / seeds;
    mean.seconds += one.seconds / seeds;
  }
  return mean;
}

/// The bytes alone take 0.24 s.
TEST(BucketsOnShortPaths, lose_little_to_two_others) {
  for (const char* wan : {"rtt=0.1ms,jitter=0.03ms", "rtt=2ms,jitter=0.03ms", "rtt=8ms,jitter=0.03ms"}) {
    const ShortPathOutcome outcome = mean_on_short_path({.ranks = 3,
                                                         .megabits = 2,
                                                         .queue_bytes = 50'000,
                                                         .bucket_bytes = 20'000,
                                                         .bytes = 30'000,
                                                         .wan = wan});
    EXPECT_LT(outcome.first, 0.1) << wan << ": 0.59, 0.55 and 0.44 while bursts bounded no rate there";
    EXPECT_LT(outcome.later, 0.01) << wan << ": 0.21, 0.31 and 0.04";
    EXPECT_LT(outcome.seconds, 0.31) << wan << ": 0.36, 0.38 and 0.94";
  }
}

/// 0.064 s.
TEST(BucketsOnShortPaths, lose_little_in_a_ring) {
  const ShortPathOutcome outcome = mean_on_short_path({.ranks = 4,
                                                       .megabits = 10,
                                                       .queue_bytes = 30'000,
                                                       .bucket_bytes = 4'000,
                                                       .bytes = 80'000,
                                                       .to_next_only = true});
  EXPECT_LT(outcome.first, 0.01) << "0.21";
  EXPECT_LT(outcome.later, 0.01) << "0.01";
  EXPECT_LT(outcome.seconds, 0.075) << "0.081";
}

/// 0.128 s, and 0.192 where the two send to each other, too: in the mean of 32 seeds that takes 0.28 s.
TEST(BucketsOnShortPaths, lose_little_where_two_hosts_share_one) {
  ShortPathCase given{.ranks = 4,
                      .megabits = 10,
                      .queue_bytes = 30'000,
                      .bucket_bytes = 4'000,
                      .bytes = 40'000,
                      .one_link_for_two = true,
                      .across_only = true};
  const ShortPathOutcome across = mean_on_short_path(given);
  EXPECT_LT(across.first, 0.15) << "0.38";
  EXPECT_LT(across.later, 0.02) << "0.04";
  EXPECT_LT(across.seconds, 0.2) << "0.17";
  given.across_only = false;
  const ShortPathOutcome all = mean_on_short_path(given);
  EXPECT_LT(all.first, 0.2) << "0.45";
  EXPECT_LT(all.later, 0.02) << "0.3";
  EXPECT_LT(all.seconds, 0.34);
}

TEST(BucketsOnShortPaths, lose_little_of_the_first_long_messages) {
  const ShortPathOutcome outcome = mean_on_short_path(
      {.ranks = 3, .megabits = 5, .queue_bytes = 30'000, .bucket_bytes = 30'000, .bytes = 300'000});
  EXPECT_LT(outcome.first, 0.06) << "0.14 while the first data waited for no echo";
  EXPECT_LT(outcome.later, 0.03);
}

}  // namespace
}  // namespace lbsp::plan
