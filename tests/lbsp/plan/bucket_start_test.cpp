#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>

#include "tests/lbsp/plan/links_of_hosts.hpp"
#include "tests/lbsp/plan/planned_job.hpp"
#include "tests/transport/start.hpp"
#include "transport/simulated/running_job.hpp"
#include "transport/simulated/shared_time.hpp"

/// How a job begins behind shapers that let some datagrams pass at once, as the kernel's htb and tbf do: what a link
/// carries shows only once the bucket is empty.
namespace lbsp::plan {
namespace {

using namespace std::chrono_literals;
using namespace transport;

struct BucketStart {
  double seconds;            ///< a superstep, in the mean
  double drops;              ///< of all datagrams
  double measured_megabits;  ///< that the first rank says the network carries
};

struct Shaper {
  double megabits;
  std::uint64_t queue_bytes;
  std::uint64_t bucket_bytes = 1600;  ///< one packet
};

/// The ranks send each other so much, ten times.
BucketStart start_behind_bucket(const Shaper& shaper, Rank ranks, std::size_t bytes, const char* wan,
                                std::uint64_t seed = 1) {
  SimulationConfig config = planned_job(ranks, wan);
  config.seed = seed;
  config.options.find_datagram = true;
  config.options.datagram_bytes = 1472;
  BottleneckSpec link = token_bucket(shaper.megabits, shaper.queue_bytes, shaper.bucket_bytes);
  link.exact = shaper.bucket_bytes <= 1600;
  give_uplinks(config, link);
  RunningJob job(config, [&](Rank, Rank) { return bytes; });
  SharedTime time;
  time.add(job);
  time.run_until([&] { return job.supersteps() >= 10; }, transport::start + 100s);
  return {job.mean_seconds(0), part_dropped(config.topology),
          8e-6 * job.network().endpoint(0).network().rate.value};
}

/// The bytes alone take 0.22 s.
TEST(BucketStart, floods_no_link_of_5_megabits) {
  const BucketStart outcome = start_behind_bucket({5, 25'000}, 3, 64 << 10, "rtt=40ms");
  EXPECT_LT(outcome.seconds, 0.26) << "0.27 where the train that passes at once is believed";
  EXPECT_LT(outcome.drops, 0.02) << "0.3";
}

/// They take 0.54 s, and half a round trip 0.3.
TEST(BucketStart, floods_no_satellite) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const BucketStart outcome = start_behind_bucket({2, 30'000}, 3, 64 << 10, "rtt=600ms,jitter=0.1ms", seed);
    EXPECT_LT(outcome.seconds, 0.95) << "1.65 to 1.77 where the train that passes at once is believed";
    EXPECT_LT(outcome.drops, 0.04) << "0.45";
  }
}

/// A bucket that lets all pass which a rank sends before its first data: what the link carries shows in that data. The
/// bytes alone take 0.8, 0.42 and 0.16 s.
TEST(BucketStart, is_seen_in_the_first_data) {
  const BucketStart slow = start_behind_bucket({3, 18'750, 10'000}, 2, 300'000, "rtt=40ms");
  EXPECT_LT(slow.seconds, 0.92) << "0.96 where all of the first data goes at once";
  EXPECT_LT(slow.drops, 0.07) << "0.25";
  const BucketStart fast = start_behind_bucket({20, 100'000, 32'000}, 2, 1 << 20, "rtt=40ms");
  EXPECT_LT(fast.drops, 0.02) << "0.08";
  const BucketStart to_all = start_behind_bucket({10, 60'000, 10'000}, 4, 64 << 10, "rtt=40ms");
  EXPECT_LT(to_all.seconds, 0.24) << "0.26";
  EXPECT_LT(to_all.drops, 0.09) << "0.19";
}

/// What goes nearly all to one peer in short legs has shown what the path carries, and not what the rank may send.
TEST(BucketStart, shows_in_what_a_rank_says_of_the_network) {
  const BucketStart outcome = start_behind_bucket({3, 19'000, 10'000}, 2, 64 << 10, "rtt=40ms");
  EXPECT_LT(outcome.measured_megabits, 5) << "100 where only the rank's own rate counts";
  EXPECT_GT(outcome.measured_megabits, 1.5);
}

/// Half a round trip, and 88 ms for the bytes.
TEST(BucketStart, that_is_not_there_costs_a_long_first_message_a_round_trip) {
  const auto first = [](std::size_t bytes, const char* wan) {
    RunningJob job(planned_job(2, wan), [=](Rank, Rank) { return bytes; });
    SharedTime time;
    time.add(job);
    time.run_until([&] { return job.supersteps() >= 1; }, transport::start + 60s);
    return job.seconds(0);
  };
  EXPECT_LT(first(1 << 20, "rtt=70ms,rate=100Mbit"), 0.035 + 0.088 + 0.075);
  EXPECT_LT(first(64 << 10, "rtt=70ms,rate=100Mbit"), 0.043) << "a message that is short waits for nothing";
}

}  // namespace
}  // namespace lbsp::plan
